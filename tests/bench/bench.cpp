// Times whole runs of the program, launch to exit, against `jq .` on the same file, of an ONNX
// model against `cat`, pair by pair so that both see the same machine; the kernel model against
// counting and the roofline alone; streams of layers, and their memory.
//
//   roofline_bench PATH_OF_ROOFLINE [RUNS]

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/layers.hpp"
#include "bench/process.hpp"
#include "bench/streams.hpp"
#include "report/formats.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/kernel.hpp"
#include "roofline/load.hpp"
#include "roofline/render.hpp"
#include "roofline/roofline_point.hpp"

namespace {

/// Nanoseconds an item of work that is done over and over for a twentieth of a second or more.
template <class Item, class Work>
double item_ns(const std::vector<Item>& items, Work work) {
  using clock = std::chrono::steady_clock;
  double sum = 0;  // printed, so that nothing is optimised away
  std::size_t done = 0;
  const auto start = clock::now();
  std::chrono::duration<double, std::nano> elapsed{};
  while (elapsed.count() < 5e7) {
    for (const Item& item : items) sum += static_cast<double>(work(item));
    done += items.size();
    elapsed = clock::now() - start;
  }
  if (sum < 0) std::printf("impossible\n");
  return elapsed.count() / static_cast<double>(done);
}

/// Mapping search included, one core.
void time_model(const std::string& network_name, roofline::DataType dtype,
                const std::string& gpu_name) {
  using namespace roofline;
  LayerDefaults defaults;
  defaults.dtype = dtype;
  defaults.batch_override = 32;
  const Network network = load_network(*find_network(network_name), network_name, defaults).value();
  std::vector<Layer> convolutions;
  for (const Layer& layer : network.layers)
    if (layer.kind == LayerKind::conv) convolutions.push_back(layer);
  const Gpu gpu = find_gpu(gpu_name).value();
  const KernelModel model = kernel_model_of(gpu).value();
  const double bound_ns = item_ns(convolutions, [&](const Layer& layer) {
    const Engine engine = *select_engine(layer, gpu.peak_flop_per_s, EngineChoice::automatic);
    return evaluate(count(layer), *rate_of(gpu.peak_flop_per_s, engine), gpu.bandwidth_byte_per_s)
        .roofline_time_s;
  });
  const double kernel_ns = item_ns(convolutions, [&](const Layer& layer) {
    const Engine engine = *select_engine(layer, gpu.peak_flop_per_s, EngineChoice::automatic);
    return plan_kernel(layer, count(layer), engine, model, CacheState::warm)
        .value()
        ->expected_time_s();
  });
  std::printf("kernel model, %-12s %s %s %8.0f ns a layer   bound alone %6.0f ns   ratio %.1f\n",
              network_name.c_str(), std::string(name_of(dtype)).c_str(), gpu_name.c_str(),
              kernel_ns, bound_ns, kernel_ns / bound_ns);
}

/// Rows of results, against the JSON library's dump of what they say.
void time_rows() {
  using namespace roofline;
  const Network network = load_network(*find_network("resnet50"), "resnet50", {}).value();
  const Context context = make_context(find_gpu("v100").value(), {}).value();
  const Result result = evaluate(network, context).value();
  std::string text;
  const auto write = [&](const char* format, const LayerResult& layer) {
    text.clear();
    append_row(text, *find_output_format(format)->rows(), line_of(result, layer, true), {}, {});
    return text.size();
  };
  for (const char* format : {"ndjson", "csv"})
    std::printf("a row of %-23s %8.0f ns\n", format,
                item_ns(result.layers, [&](const auto& layer) { return write(format, layer); }));
  std::vector<nlohmann::ordered_json> trees;
  for (const LayerResult& layer : result.layers) {
    write("ndjson", layer);
    trees.push_back(nlohmann::ordered_json::parse(text));
  }
  std::printf("its dump by the JSON library     %8.0f ns\n",
              item_ns(trees, [](const auto& tree) { return tree.dump().size(); }));
}

struct Command {
  const char* title;
  std::vector<std::string> words;
};

void compare(const Command& ours, const Command& theirs, int runs) {
  std::vector<double> our_ms;
  std::vector<double> their_ms;
  std::vector<double> ratios;
  for (int i = 0; i < runs; ++i) {
    our_ms.push_back(1e3 * bench::run(ours.words).wall_s);
    their_ms.push_back(1e3 * bench::run(theirs.words).wall_s);
    ratios.push_back(our_ms.back() / their_ms.back());
  }
  std::printf("%-32s %8.2f ms   %s %8.2f ms   ratio %.2f (medians of %d)\n", ours.title,
              bench::median(our_ms), theirs.title, bench::median(their_ms), bench::median(ratios),
              runs);
}

/// Against programs that do next to nothing, and against what no start of ours does without.
void time_start(const std::string& roofline, int runs) {
  const bench::Files files;
  const std::string one = files.write("conv.json", bench::layer(0));
  const std::string model = ROOFLINE_SOURCE_FOLDER "/tests/onnx/resnet18.dynamo.onnx";
  const Command version{"--version", {roofline, "--version"}};
  const Command layer{"one layer", {roofline, one, "--gpu", "v100"}};
  const Command onnx{"resnet18.dynamo.onnx", {roofline, model, "--gpu", "v100"}};
  compare(version, {"true", {"true"}}, runs);
  compare(layer, {"jq", {"jq", ".", one}}, runs);
  compare(onnx, {"cat", {"cat", model}}, runs);
  const std::vector<Command> starts{
      layer,
      {"one layer, h200", {roofline, one, "--gpu", "h200"}},
      {"one layer to NDJSON", {roofline, one, "--gpu", "v100", "--format", "ndjson"}},
      {"resnet18", {roofline, "resnet18", "--gpu", "v100"}},
      onnx,
      {"--help", {roofline, "--help"}},
      {"roofline gpus", {roofline, "gpus"}},
  };
  for (const Command& start : starts) compare(start, version, runs);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() > 3 && words[1] == "--memory") {
    bench::print_memory_byte(words[2], {words.begin() + 3, words.end()});
    return 0;
  }
  if (words.size() == 4 && words[1] == "--floor") {
    bench::print_floor_us(words[2], words[3]);
    return 0;
  }
  if (words.size() < 2) {
    std::fprintf(stderr, "usage: roofline_bench PATH_OF_ROOFLINE [RUNS]\n");
    return 2;
  }
  const std::string& roofline = words[1];
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const int runs = words.size() > 2 ? std::stoi(words[2]) : 101;
  time_start(roofline, runs);
  for (const char* network : {"resnet50", "mobilenet_v2"})
    for (const roofline::DataType dtype : {roofline::DataType::fp16, roofline::DataType::fp32})
      for (const char* gpu : {"v100", "h200"}) time_model(network, dtype, gpu);
  time_rows();
  bench::time_streams(roofline, words[0]);
  bench::measure_memory(roofline, words[0]);
}
