// The numbers of configs/gpus: consistent in themselves, unique in their names, each with a source.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "kernel/constants.hpp"
#include "load/embedded.hpp"
#include "load/image.hpp"
#include "model/gpu_names.hpp"
#include "model/text.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"
#include "roofline/render.hpp"
#include "temporary_folder.hpp"

using namespace roofline;
using Json = nlohmann::json;

namespace {

struct GpuFile {
  std::string path;
  Gpu gpu;
  Json json;
};

std::vector<GpuFile> gpu_files() {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(ROOFLINE_SOURCE_FOLDER "/configs/gpus"))
    if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<GpuFile> files;
  for (const std::string& path : paths) {
    const std::string text = read_file(path);
    files.push_back({path, load_gpu(text, path).value(), Json::parse(text)});
  }
  return files;
}

/// A note explains a key that starts with it: "peak_tflops.fp64: the vendor rounds".
bool explained(const Gpu& gpu, const std::string& key) {
  return std::any_of(gpu.notes.begin(), gpu.notes.end(),
                     [&](const std::string& note) { return note.rfind(key + ":", 0) == 0; });
}

/// Fields that no document gives, which a note says.
bool admitted(const Gpu& gpu, const std::string& key) {
  return std::any_of(gpu.notes.begin(), gpu.notes.end(), [&](const std::string& note) {
    return (note.rfind("from memory:", 0) == 0 || note.rfind("computed", 0) == 0) &&
           note.find(key) != std::string::npos;
  });
}

bool near(double a, double b, double tolerance) { return std::fabs(a - b) <= tolerance * b; }

/// Peaks of one architecture as multiples of its fp32 peak.
struct Ratios {
  const char* gpus;
  const char* of_fp32;
};

constexpr Ratios architecture_ratios[] = {
    {"k80", "fp64 1/3"},
    {"m40 gtx-titan-x", "fp64 1/32"},
    {"p100 p100-pcie", "fp64 0.5, fp16 2"},
    {"p4 p40 gtx1080 gtx1080ti titan-x-pascal titan-xp", "fp64 1/32, fp16 1/64, dp4a 4"},
    {"v100 v100-32gb v100-pcie v100-pcie-32gb v100s v100-dgxs titan-v",
     "fp64 0.5, fp16 2, fp16_tensor 8, dp4a 4"},
    {"agx-orin orin-nx orin-nx-8gb orin-nano orin-nano-super orin-nano-4gb",
     "tf32 4, fp16_tensor 8, bf16 8, int8 16"},
    {"jetson-nano", "fp16 2"},
    {"agx-xavier xavier-nx", "fp16 2, fp16_tensor 8, int8 16"},
    {"t4", "fp64 1/32, fp16 2, fp16_tensor 8, int8 16, int4 32"},
    {"titan-rtx quadro-rtx-6000 quadro-rtx-8000",
     "fp64 1/32, fp16 2, fp16_tensor 8, int8 16, int4 32"},
    {"gtx1660 gtx1660super gtx1660ti", "fp64 1/32, fp16 2, dp4a 4"},
    {"rtx2060 rtx2060super rtx2070 rtx2070super rtx2080 rtx2080super rtx2080ti",
     "fp64 1/32, fp16 2, fp16_tensor 4, fp16_tensor_fp16_accumulate 8, int8 16, int4 32"},
    {"a100 a100-40gb a100-pcie a100-pcie-40gb a30 a800 a800-pcie",
     "fp64 0.5, fp64_tensor 1, tf32 8, fp16 4, bf16_vector 2, fp16_tensor 16, bf16 16, int8 32, "
     "int4 64"},
    {"a10 a40 a4000 a6000 l4 l40s rtx-6000-ada rtx-pro-6000 rtx-pro-6000-server "
     "rtx-pro-6000-max-q",
     "fp64 1/64, tf32 2, fp16 1, fp16_tensor 4, bf16 4, int8 8, int4 16, fp8 8, fp4 16"},
    {"rtx3050 rtx3060 rtx3060ti rtx3070 rtx3070ti rtx3080 rtx3080-12gb rtx3080ti rtx3090 rtx3090ti",
     "fp64 1/64, tf32 1, fp16 1, fp16_tensor 2, bf16 2, fp16_tensor_fp16_accumulate 4, int8 8, "
     "int4 16"},
    {"rtx4060 rtx4060ti rtx4060ti-16gb rtx4070 rtx4070super rtx4070ti rtx4070tisuper rtx4080 "
     "rtx4080super rtx4090 rtx5060ti rtx5060ti-8gb rtx5070 rtx5070ti rtx5080 rtx5090",
     "fp64 1/64, tf32 1, fp16 1, fp16_tensor 2, bf16 2, fp16_tensor_fp16_accumulate 4, fp8 4, "
     "fp8_fp16_accumulate 8, int8 8, int4 16, fp4 16"},
    {"a10g", "fp64 1/64, tf32 1, fp16 1, fp16_tensor 2, bf16 2, int8 4, int4 8"},
    {"l20", "fp64 1/64, fp16 1, fp16_tensor 2, bf16 2, int8 4"},
    {"l40", "tf32 1, fp16_tensor 2, bf16 2, fp8 4, int8 4, int4 8"},
    {"gb200 b200", "fp64 0.5, fp64_tensor 0.5, fp16 1"},
    {"gb300 b300", "fp64 1/64, fp16 1"},
    {"thor", "fp64 1/64, fp16_tensor 32, bf16 32, fp8 64, fp4 128"},
    {"h100 h100-pcie h100-nvl h200 h200-nvl h800 gh200",
     "fp64 0.5, fp64_tensor 1, fp16 2, bf16_vector 2"},
    {"mi25", "fp64 1/16, fp16 2"},
    {"mi50 mi60", "fp64 0.5, fp16 2, dp4a 4"},
    {"mi100", "fp64 0.5, fp32_tensor 2, fp16_tensor 8, bf16 4, int8 8"},
    {"mi210 mi250 mi250-gcd mi250x mi250x-gcd",
     "fp64 1, fp64_tensor 2, fp32_tensor 2, fp16_tensor 8, bf16 8, int8 8"},
    {"r9700 rx9070xt", "fp16 2, fp16_tensor 4, bf16 4, fp8 8, int8 8"},
    {"8060s", "fp16 2, fp16_tensor 2, bf16 2"},
    {"b60", "fp16 2, fp16_tensor 8, bf16 8, int8 16, int4 32"},
    {"mi300x mi325x mi300a mi308x",
     "fp64 0.5, fp64_tensor 1, fp32_tensor 1, tf32 4, fp16_tensor 8, bf16 8, fp8 16, int8 16"},
    {"mi350x mi355x",
     "fp64 0.5, fp64_tensor 0.5, fp32_tensor 1, fp16_tensor 16, bf16 16, fp8 32, int8 32, fp6 64, "
     "fp4 64"},
};

/// "1/32" and "0.5".
double ratio_in(const std::string& text) {
  return text.starts_with("1/") ? 1 / std::stod(text.substr(2)) : std::stod(text);
}

}  // namespace

TEST_CASE("Each peak is SMs x FLOP a clock x clock, or a note says why not",
          "[load/gpu_catalogue]") {
  int peaks = 0;
  int explained_peaks = 0;
  for (const auto& [path, gpu, json] : gpu_files()) {
    INFO(path);
    REQUIRE(gpu.sm_count);
    REQUIRE(gpu.boost_clock_hz);
    for (const Engine engine : enumerators<Engine>) {
      if (!gpu.peak_flop_per_s[engine]) continue;
      ++peaks;
      INFO(name_of(engine));
      const std::optional<double> rate = gpu.flop_per_clock_per_sm[engine];
      const bool consistent =
          rate && near(static_cast<double>(*gpu.sm_count) * *rate * *gpu.boost_clock_hz,
                       *gpu.peak_flop_per_s[engine], 0.02);
      const bool note = explained(gpu, "peak_tflops." + std::string(name_of(engine)));
      CHECK((consistent || note));
      if (!consistent && note) ++explained_peaks;
    }
  }
  CHECK(explained_peaks * 10 < peaks);  // notes explain the few, they do not excuse the many
}

TEST_CASE("Bandwidth is bus width x data rate / 8, or a note says why not",
          "[load/gpu_catalogue]") {
  for (const auto& [path, gpu, json] : gpu_files()) {
    INFO(path);
    const bool consistent =
        gpu.memory_bus_bit && gpu.memory_data_rate_bit_per_s &&
        near(static_cast<double>(*gpu.memory_bus_bit) * *gpu.memory_data_rate_bit_per_s / 8,
             gpu.bandwidth_byte_per_s, 0.02);
    CHECK((consistent || explained(gpu, "bandwidth_gb_per_s")));
  }
}

TEST_CASE("Aliases are words in lower case, then the name that drivers give",
          "[load/gpu_catalogue]") {
  for (const auto& [path, gpu, json] : gpu_files()) {
    INFO(path);
    bool is_of_driver = false;
    for (const std::string& alias : gpu.aliases) {
      CHECK((!is_of_driver || lower_case(alias) != alias));
      is_of_driver = lower_case(alias) != alias;
      CHECK((is_of_driver || alias.find(' ') == alias.npos));
    }
  }
}

TEST_CASE("At least 127 parts, all of them built in", "[load/gpu_catalogue]") {
  CHECK(gpu_files().size() >= 127);
  CHECK(gpu_files().size() == embedded_gpus().size());
}

TEST_CASE("A start has of a GPU what its file states", "[load/gpu_catalogue]") {
  for (const auto& [path, gpu, json] : gpu_files()) {
    INFO(path);
    const Gpu started = find_gpu(gpu.name).value();
    CHECK(render_gpus_json({started}) == render_gpus_json({gpu}));
    CHECK(started.constants->name == gpu.constants->name);
  }
}

TEST_CASE("The build's image of a GPU is what the reader makes of its file",
          "[load/gpu_catalogue]") {
  for (std::size_t i = 0; i < embedded_gpus().size(); ++i) {
    const EmbeddedFile& file = embedded_gpus()[i];
    INFO(file.name);
    const Gpu gpu = load_gpu(file.text, "text").value();
    CHECK(gpu_images()[i] == image_of(gpu));
    CHECK(gpu_normal_names()[i] == joined(normal_gpu_names(gpu), " "));
    CHECK(find_gpu(std::string(file.names.front())).value().constants == gpu.constants);
  }
}

TEST_CASE("Dense peaks keep the ratios of their architecture", "[load/gpu_catalogue]") {
  std::set<std::string> seen;
  for (const Ratios& ratios : architecture_ratios) {
    std::istringstream names(ratios.gpus);
    for (std::string name; names >> name;) {
      const Gpu gpu = find_gpu(name).value();
      seen.insert(gpu.name);
      std::istringstream stated(ratios.of_fp32);
      for (std::string engine, ratio; stated >> engine >> ratio;) {
        const auto peak = rate_of(gpu.peak_flop_per_s, *parse<Engine>(engine));
        if (!peak) continue;
        const double single = *rate_of(gpu.peak_flop_per_s, Engine::fp32);
        INFO(gpu.name << ' ' << engine << ": " << *peak / single << " x fp32");
        // Both are published with two or three digits.
        CHECK(near(*peak, ratio_in(ratio) * single, 0.04));
      }
    }
  }
  CHECK(seen.size() >= 90);
}

TEST_CASE("Tensor peaks halve with each doubling of the type's width", "[load/gpu_catalogue]") {
  for (const auto& [path, gpu, json] : gpu_files()) {
    INFO(path);
    const auto check = [rates = gpu.peak_flop_per_s](Engine fast, Engine slow) {
      if (!rate_of(rates, fast) || !rate_of(rates, slow)) return;
      INFO(name_of(fast) << " and " << name_of(slow));
      CHECK(near(*rate_of(rates, fast), 2 * *rate_of(rates, slow), 0.03));
    };
    check(Engine::fp16_tensor, Engine::tf32);
    check(Engine::fp8, Engine::fp16_tensor);
    check(Engine::int4, Engine::int8);
    check(Engine::fp16_tensor_fp16_accumulate, Engine::fp16_tensor);
    const auto half = rate_of(gpu.peak_flop_per_s, Engine::fp16_tensor);
    const auto brain = rate_of(gpu.peak_flop_per_s, Engine::bf16);
    if (half && brain && gpu.architecture != "CDNA") CHECK(near(*brain, *half, 0.01));
  }
}

TEST_CASE("Every field has a source or says that it has none", "[load/gpu_catalogue]") {
  for (const auto& [path, gpu, json] : gpu_files()) {
    INFO(path);
    std::set<std::string> covered;
    CHECK_FALSE(gpu.sources.empty());
    for (const Source& source : gpu.sources) {
      CHECK_FALSE(source.title.empty());
      CHECK_FALSE(source.fields.empty());
      covered.insert(source.fields.begin(), source.fields.end());
    }
    for (const auto& [key, value] : json.items()) {
      if (key == "notes" || key == "sources" || key == "aliases") continue;
      INFO(key);
      CHECK((covered.count(key) == 1 || admitted(gpu, key)));
    }
    for (const std::string& field : covered) {
      INFO(field);
      CHECK(json.contains(field));
    }
  }
}

TEST_CASE("Parts that public tables are known to confuse", "[load/gpu_catalogue]") {
  const auto peak = [](const char* name, Engine engine) {
    return *rate_of(find_gpu(name).value().peak_flop_per_s, engine) / 1e12;
  };
  CHECK(peak("a100", Engine::fp16_tensor) == Approx(312));       // 624 is with sparsity
  CHECK(peak("a100", Engine::fp32) == Approx(19.5));             // 156 is tf32
  CHECK(peak("h100", Engine::fp16_tensor) == Approx(989.4));     // 1979 is with sparsity
  CHECK(peak("rtx4090", Engine::fp16_tensor) == Approx(165.2));  // 330 is with fp16 accumulation
  CHECK(peak("b200", Engine::fp4) == Approx(9000));              // 18000 is with sparsity
  CHECK(peak("rtx5090", Engine::fp4) == Approx(1676));  // the advertised 3352 are with sparsity
  CHECK(peak("mi355x", Engine::fp4) == Approx(10066.3));
  CHECK(peak("gb200", Engine::fp16_tensor) == Approx(2500));  // 5000 is with sparsity
  CHECK(peak("b300", Engine::int8) == Approx(150));           // not B200's 4500
  CHECK(peak("gb300", Engine::fp4) == Approx(15000));
  CHECK(peak("thor", Engine::fp4) == Approx(1035));        // the advertised 2070 are with sparsity
  CHECK(peak("gb10", Engine::fp4) == Approx(500));         // the advertised 1000 are with sparsity
  CHECK(peak("a10g", Engine::fp16_tensor) == Approx(70));  // 125 is the A10
  CHECK(peak("h20", Engine::fp16_tensor) == Approx(148));
  CHECK(peak("mi250", Engine::fp16_tensor) == Approx(362.1));
  CHECK(peak("t4", Engine::int4) == Approx(260));
  CHECK(find_gpu("a100-40gb").value().bandwidth_byte_per_s == Approx(1555e9));
  CHECK(find_gpu("a100-80gb").value().bandwidth_byte_per_s == Approx(2039e9));
  CHECK(find_gpu("a100-80gb-pcie").value().bandwidth_byte_per_s == Approx(1935e9));
  CHECK(find_gpu("mi250x").value().bandwidth_byte_per_s ==
        Approx(2 * find_gpu("mi250x-gcd").value().bandwidth_byte_per_s));  // both dies and one
  CHECK(find_gpu("mi250").value().sm_count == 2 * *find_gpu("mi250-gcd").value().sm_count);
  CHECK(find_gpu("rtx-pro-6000-server").value().bandwidth_byte_per_s == Approx(1597e9));
  CHECK(find_gpu("k80").value().bandwidth_byte_per_s == Approx(240e9));  // a die
}
