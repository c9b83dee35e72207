// Files of the kernel model's constants: what they cover, how they are read and written, and what
// is wrong with those that cannot be.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "kernel/architecture.hpp"
#include "kernel/constants.hpp"
#include "load/embedded.hpp"
#include "load/image.hpp"
#include "load/kernel_model.hpp"
#include "load/loading.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/gpu.hpp"

namespace {

using namespace roofline;

/// A file that inherits Volta's constants and states more.
std::string file(const std::string& more) {
  return R"({"name": "mine", "title": "Mine", "inherits": "cudnn7-volta", )" + more + "}";
}

std::string with_constants(const std::string& path_and_value) {
  return file(R"("constants": )" + path_and_value);
}

std::string with_choice(const std::string& row) { return file(R"("choices": [{)" + row + "}]"); }

std::string constants_message(const std::string& text) {
  return message_of([&] { load_constants(text, "mine.json"); });
}

const char* const four = R"("unit": "share", "range": [0.5, 1], "origin": "mine")";

}  // namespace

TEST_CASE("Every architecture has constants, each within its range and with an origin",
          "[load/kernel_models]") {
  for (const Architecture architecture : enumerators<Architecture>) {
    INFO(name_of(architecture));
    Gpu gpu;
    gpu.architecture = name_of(architecture);
    const SharedConstants constants = built_in_constants(gpu);
    CHECK(constants->covers == std::vector<std::string>{std::string(name_of(architecture))});
    const auto numbers = numbers_of(constants->values);
    REQUIRE(constants->notes.size() == constant_fields().size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      INFO(constant_fields()[i].path);
      CHECK(!constants->origins.at(constants->notes[i].origin).empty());
      if (!constants->notes[i].stated) continue;
      CHECK(numbers[i] >= constants->notes[i].least);
      CHECK(numbers[i] <= constants->notes[i].most);
    }
  }
}

TEST_CASE("A compute capability of its own goes before the architecture", "[load/kernel_models]") {
  CHECK(find_gpu("a100").value().constants->name == "cudnn9-ga100");
  CHECK(find_gpu("rtx3090").value().constants->name == "cudnn9-ga102");
  CHECK(find_gpu("v100").value().constants->name == "cudnn7-volta");
  CHECK(find_gpu("b200").value().constants->name == "cudnn9-blackwell");
  CHECK(find_gpu("rtx5090").value().constants->name == "cudnn9-gb202");
  CHECK(find_gpu("mi100").value().constants->name == "miopen-gfx908");
  CHECK(find_gpu("mi210").value().constants->name == "miopen-cdna");
}

TEST_CASE("The tables name the members of a set and its constants, each once",
          "[load/kernel_models]") {
  std::set<std::string_view> paths;
  for (const ConstantField& field : constant_fields()) paths.insert(field.path);
  CHECK(paths.size() == constant_fields().size());
  std::set<std::string_view> members;
  for (const ConstantMember& member : constant_members()) members.insert(member.path);
  CHECK(members.size() == constant_members().size());
  CHECK(std::ranges::includes(members, paths));

  const ConstantValues values{};
  const std::pair<std::string_view, const double&> cases[] = {
      {"memory/dram_share", values.memory.dram_share},
      {"part/library_share", values.part.library_share},
      {"dense/tensor/math_share", values.dense[EngineClass::tensor].math_share},
      {"dense/tf32/volume_share", values.dense[EngineClass::tf32].volume_share},
      {"transforms/batched_share", values.transforms.batched_share},
      {"selection/wgrad_splits", values.selection.wgrad_splits},
      {"streaming/permuted/in_flight_byte", values.streaming.permuted.in_flight_byte},
      {"streaming/group_norm_backward/start_s", values.streaming.group_norm_backward.start_s},
      {"grouped/packed_16bit/dgrad/start_s", values.grouped.packed_16bit[Pass::dgrad].start_s},
      {"grouped/general_nchw/wgrad/mac_clock", values.grouped.general_nchw[Pass::wgrad].mac_clock},
      {"attention/backward/block_clock", values.attention.backward.block_clock},
  };
  for (const auto& [path, member] : cases) {
    INFO(path);
    const std::size_t index = index_of(values, member);
    REQUIRE(index < constant_members().size());
    CHECK(constant_members()[index].path == path);
  }
}

TEST_CASE("Some file states each constant, and all constants make all members of a set",
          "[load/kernel_models]") {
  std::set<std::string_view> stated;
  for (const EmbeddedFile& embedded : embedded_kernel_models()) {
    INFO(embedded.name);
    const SharedConstants constants = load_constants(embedded.text, "text");
    for (std::size_t i = 0; i < constant_fields().size(); ++i)
      if (constants->notes[i].stated) stated.insert(constant_fields()[i].path);
    const ConstantNumbers numbers = numbers_of(constants->values);
    CHECK(numbers_of(values_of(numbers)) == numbers);
  }
  for (const ConstantField& field : constant_fields()) {
    INFO(field.path);
    CHECK(stated.contains(field.path));
  }
  for (const ConstantMember& member : constant_members()) {
    INFO(member.path << " like " << member.like);
    CHECK((member.like.empty() || find_constant(member.like).has_value()));
    CHECK((member.like.empty() || !find_constant(member.path).has_value()));
  }
}

TEST_CASE("A start has the numbers and words that the file of a kernel model states",
          "[load/kernel_models]") {
  for (const EmbeddedFile& embedded : embedded_kernel_models()) {
    INFO(embedded.name);
    const SharedConstants read = load_constants(embedded.text, "text");
    const SharedConstants started = load_constants('"' + std::string(embedded.name) + '"', "name");
    CHECK(started->covers == read->covers);
    CHECK(started->notes == read->notes);
    CHECK(started->origins == read->origins);
    CHECK(started->errors == read->errors);
    CHECK(numbers_of(started->values) == numbers_of(read->values));
    CHECK(write_constants(*started) == write_constants(*read));
  }
}

TEST_CASE("The build's image of a kernel model is what the reader makes of its file",
          "[load/kernel_models]") {
  for (std::size_t i = 0; i < embedded_kernel_models().size(); ++i) {
    const EmbeddedFile& file = embedded_kernel_models()[i];
    INFO(file.name);
    CHECK(kernel_model_images()[i] == image_of(*load_constants(file.text, "text")));
  }
}

TEST_CASE("No file states a value that it inherits", "[load/kernel_models]") {
  for (const EmbeddedFile& embedded : embedded_kernel_models()) {
    const auto file = nlohmann::json::parse(embedded.text);
    if (!file.contains("inherits")) continue;
    const SharedConstants base = load_constants(file.at("inherits").dump(), "name");
    const auto numbers = numbers_of(base->values);
    const auto stated = file.value("constants", nlohmann::json::object()).flatten();
    for (const auto& [path, value] : stated.items()) {
      if (!path.ends_with("/value")) continue;
      INFO(embedded.name << path);
      const std::size_t index = find_constant(path.substr(1, path.rfind('/') - 1)).value();
      CHECK((!base->notes[index].stated || numbers[index] != value.get<double>()));
    }
  }
}

TEST_CASE("A set that was written reads the same", "[load/kernel_models]") {
  for (const EmbeddedFile& embedded : embedded_kernel_models()) {
    INFO(embedded.name);
    const std::string text = write_constants(*load_constants(embedded.text, "built-in"));
    CHECK(write_constants(*load_constants(text, "written")) == text);
  }
}

TEST_CASE("What no file states is like another constant, or the simplest", "[load/kernel_models]") {
  const SharedConstants h200 = find_gpu("h200").value().constants;
  const ConstantValues& values = h200->values;
  // Backward attention has the forward kernel's, TF32 the tensor cores'.
  CHECK(values.attention.backward.vector_share == values.attention.forward.vector_share);
  CHECK(values.dense[EngineClass::tf32].scatter_per_clk_per_sm ==
        values.dense[EngineClass::tensor].scatter_per_clk_per_sm);
  // A share of 1, a time of 0, no limit to the bytes in flight.
  CHECK(values.dense[EngineClass::tensor].math_share == 1);
  CHECK(values.dense[EngineClass::tensor].step_latency_clk == 0);
  CHECK(values.streaming.broadcast.in_flight_byte == 0);
  // Kernels of about the same start have one.
  CHECK(values.streaming.prelu.start_s == values.streaming.glu.start_s);
  CHECK(values.grouped.general_nchw[Pass::dgrad].start_s ==
        values.grouped.packed_16bit[Pass::dgrad].start_s);
  // A file that states what its parent leaves out has it.
  const SharedConstants v100 = find_gpu("v100").value().constants;
  CHECK(v100->values.dense[EngineClass::tensor].math_share == 0.97);
}

TEST_CASE("A GPU's file may hold its constants", "[load/kernel_models]") {
  const std::string gpu =
      R"({"name": "G", "peak_tflops": {"fp32": 10}, "bandwidth_gb_per_s": 500,
      "architecture": "Volta", "kernel_model": )" +
      with_constants(R"({"memory": {"dram_share": {"value": 0.7, )" + std::string(four) + "}}}") +
      "}";
  CHECK(load_gpu(gpu, "g.json").value().constants->values.memory.dram_share == 0.7);
  CHECK(load_constants(gpu, "g.json")->values.memory.dram_share == 0.7);
  // All else is inherited.
  CHECK(load_gpu(gpu, "g.json").value().constants->values.memory.l2_latency_s == 0.25e-6);
}

TEST_CASE("What is wrong with a kernel model's file is said", "[load/kernel_models]") {
  struct Case {
    std::string text;
    const char* message;
  };
  const auto dram_share = [](const std::string& members) {
    return with_constants(R"({"memory": {"dram_share": {)" + members + "}}}");
  };
  const auto accuracy = [&](const std::string& members) {
    return file(R"("accuracy": {"layers": [{)" + members + "}]}");
  };
  const std::string shared(four);
  const std::vector<Case> table{
      {R"({"title": "Mine"})", "mine.json: /name: expected the kernel model's name, got nothing"},
      {R"({"name": "mine", "title": "Mine"})",
       "mine.json: /constants/memory/l2_byte_per_clock_per_sm: expected a constant or a kernel "
       "model "
       "to inherit it from (\"inherits\"), got neither"},
      {R"({"name": "mine", "title": "Mine", "inherits": "cudnn7-volt"})",
       "mine.json: /inherits: expected cudnn7-gp100, cudnn7-kepler, cudnn7-maxwell, cudnn7-pascal, "
       "cudnn7-turing, cudnn7-volta, cudnn9-ada, cudnn9-ampere, cudnn9-blackwell, cudnn9-ga100, "
       "cudnn9-ga102, cudnn9-gb202, cudnn9-hopper, miopen-cdna-base, miopen-cdna, miopen-gcn, "
       "miopen-gfx11, "
       "miopen-gfx900, miopen-gfx908, miopen-gfx942, miopen-rdna or onednn-xe, got "
       "\"cudnn7-volt\""},
      {with_constants(R"({"memory": {"dram_shar": 1}})"),
       "mine.json: /constants/memory/dram_shar: unknown constant; did you mean "
       "\"memory/dram_share\"?"},
      {with_constants(R"({"memory": 1})"),
       "mine.json: /constants/memory: expected a group of constants, got 1"},
      {with_constants(R"({"memory": {"dram_share": 0.7}})"),
       "mine.json: /constants/memory/dram_share: expected {\"value\", \"unit\", \"range\", "
       "\"origin\"}, got 0.7"},
      {dram_share(shared),
       "mine.json: /constants/memory/dram_share/value: expected a number in share, got nothing"},
      {dram_share(R"("value": 0.7, "unit": "s", "range": [0, 1], "origin": "mine")"),
       "mine.json: /constants/memory/dram_share/unit: expected \"share\", got \"s\""},
      {dram_share(R"("value": 0.7, "unit": "share", "range": [0.5, 2], "origin": "mine")"),
       "mine.json: /constants/memory/dram_share/range/1: expected a number from 0.5 to 1, got "
       "2"},
      {dram_share(R"("value": 5e-324, "unit": "share", "range": [5e-324, 1], "origin": "mine")"),
       "mine.json: /constants/memory/dram_share/range/0: expected a number from 0.001 to 1, got "
       "5e-324"},
      {dram_share(R"("value": 0.4, )" + shared),
       "mine.json: /constants/memory/dram_share/value: expected a number from 0.5 to 1, got "
       "0.4"},
      {dram_share(R"("value": "much", )" + shared),
       "mine.json: /constants/memory/dram_share/value: expected a number from 0.5 to 1, got "
       "\"much\""},
      {file(R"("features": {"vector": ["winograt"]})"),
       "mine.json: /features/vector/0: expected split_k, scatter, skips_empty_phases, "
       "products_of_images, pads_gathered, converts_wgrad, winograd, winograd_wgrad, winograd_box, "
       "winograd_boxes, fft or fft_tiled_fwd, got \"winograt\""},
      {accuracy(R"("basis": "felt")"),
       "mine.json: /accuracy/layers/0/basis: expected measured, architecture or datasheet, got "
       "\"felt\""},
      {accuracy(R"("basis": "measured", "layers": 9, "factor": 1.2, "factor_95": 1.5)"),
       "mine.json: /accuracy/layers/0/applies_to: expected names of GPUs (measured) or "
       "architectures (architecture), and none where the basis is datasheet"},
      {accuracy(R"("basis": "datasheet", "layers": 9, "factor": 0.8, "factor_95": 1.5)"),
       "mine.json: /accuracy/layers/0/factor: expected a number from 1 to 100, got 0.8"},
      {accuracy(R"("basis": "datasheet", "dtype": "bf16")"),
       "mine.json: /accuracy/layers/0/dtype: expected fp32, tf32, fp16 or int8, got \"bf16\""},
      {file(R"("choices": [])"), "mine.json: /choices: expected a list of rows, got []"},
      {with_choice(R"("kernel": "packed", "case": "mine")"),
       "mine.json: /choices/0: expected a kernel or the name of a case, got both"},
      {with_choice(R"("pass": ["fwd"])"),
       "mine.json: /choices/0: expected a kernel or the name of a case, got neither"},
      {with_choice(R"("kernel": "packed", "pass": ["line"])"),
       "mine.json: /choices/0/pass: expected a list of passes, got [\"line\"]"},
      {with_choice(R"("kernel": "packed", "range": {"taps": 3})"),
       "mine.json: /choices/0/range/taps: expected [least, most], got 3"},
      {with_choice(R"("kernel": "packed", "range": {"taps": [3, 1]})"),
       "mine.json: /choices/0/range/taps/1: expected a number from 3 to 4.29497e+09, got 1"},
      {with_choice(R"("kernel": "packed", "layers": 0)"),
       "mine.json: /choices/0/library: expected whose kernel it is, got nothing"},
      {file(R"("solvers": [{"name": "Mine", "algorithm": "gem"}])"),
       "mine.json: /solvers/0/algorithm: expected implicit_gemm, gemm, scatter_gemm, gemv, direct, "
       "winograd_2x2_fused, winograd_4x4_nonfused, winograd_5x5_nonfused, fft or fft_tiled, got "
       "\"gem\""},
      {file(R"("solvers": [{"name": "Mine", "algorithm": "gemm", "family": "gemm"}])"),
       "mine.json: /solvers/0/method: expected what it makes of a layer, got nothing"},
      {file(R"("tiles": {"vector_gemm": []})"),
       "mine.json: /tiles: expected the list vector_gemm, got none"},
      {file(R"("tiles": {"vector_gemm": [[128, 128, 8]]})"),
       "mine.json: /tiles/vector_gemm/0: expected [m, n, k, threads, stages, registers], got "
       "[128,128,8]"},
  };
  for (const Case& each : table) {
    INFO(each.text);
    CHECK(constants_message(each.text) == each.message);
  }
}
