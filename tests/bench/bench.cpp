// Times whole runs of the program, launch to exit, against `jq .` on the same file, of an ONNX
// model against `cat`, pair by pair so that both see the same machine; and the kernel model against
// counting and the roofline alone.
//
//   roofline_bench PATH_OF_ROOFLINE [RUNS]

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "roofline/catalogue.hpp"
#include "roofline/kernel.hpp"
#include "roofline/load.hpp"
#include "roofline/roofline.hpp"

namespace {

double run_ms(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", 1, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (posix_spawnp(&child, argv[0], &quiet, nullptr, argv.data(), environ) != 0) {
    std::fprintf(stderr, "cannot run %s\n", argv[0]);
    std::exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&quiet);
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Nanoseconds a layer of work that is done over and over for a twentieth of a second or more.
template <class Work>
double layer_ns(const std::vector<roofline::Layer>& layers, Work work) {
  using clock = std::chrono::steady_clock;
  double sum = 0;  // printed, so that nothing is optimised away
  std::size_t done = 0;
  const auto start = clock::now();
  std::chrono::duration<double, std::nano> elapsed{};
  while (elapsed.count() < 5e7) {
    for (const roofline::Layer& layer : layers) sum += work(layer);
    done += layers.size();
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
  const Network network = load_network(*find_network(network_name), network_name, defaults);
  std::vector<Layer> convolutions;
  for (const Layer& layer : network.layers)
    if (layer.kind == LayerKind::conv) convolutions.push_back(layer);
  const Gpu gpu = find_gpu(gpu_name);
  const KernelModel model = kernel_model_of(gpu);
  const double bound_ns = layer_ns(convolutions, [&](const Layer& layer) {
    const Engine engine = *select_engine(layer, gpu.peak_flop_per_s, EngineChoice::automatic);
    return evaluate(count(layer), *rate_of(gpu.peak_flop_per_s, engine), gpu.bandwidth_byte_per_s)
        .roofline_time_s;
  });
  const double kernel_ns = layer_ns(convolutions, [&](const Layer& layer) {
    const Engine engine = *select_engine(layer, gpu.peak_flop_per_s, EngineChoice::automatic);
    return plan_kernel(layer, count(layer), engine, model, CacheState::warm)->expected_time_s;
  });
  std::printf("kernel model, %-12s %s %s %8.0f ns a layer   bound alone %6.0f ns   ratio %.1f\n",
              network_name.c_str(), std::string(name_of(dtype)).c_str(), gpu_name.c_str(),
              kernel_ns, bound_ns, kernel_ns / bound_ns);
}

void compare(const char* title, const std::vector<std::string>& ours,
             const std::vector<std::string>& theirs, int runs) {
  std::vector<double> our_ms;
  std::vector<double> their_ms;
  std::vector<double> ratios;
  for (int i = 0; i < runs; ++i) {
    our_ms.push_back(run_ms(ours));
    their_ms.push_back(run_ms(theirs));
    ratios.push_back(our_ms.back() / their_ms.back());
  }
  std::printf("%-32s %8.2f ms   %s %8.2f ms   ratio %.2f (medians of %d)\n", title, median(our_ms),
              theirs.front().c_str(), median(their_ms), median(ratios), runs);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: roofline_bench PATH_OF_ROOFLINE [RUNS]\n");
    return 2;
  }
  const std::string roofline = argv[1];
  const int runs = argc > 2 ? std::atoi(argv[2]) : 101;
  const std::string one = "/tmp/roofline_bench_conv.json";
  const std::string many = "/tmp/roofline_bench_layers.ndjson";
  const std::string layer =
      R"({"type": "conv", "input": [64, 56, 56], "out_channels": 64, "kernel_size": 3, "padding": 1})";
  std::ofstream(one) << layer << '\n';
  {
    std::ofstream file(many);
    for (int i = 0; i < 100000; ++i) file << layer << '\n';
  }
  compare("one layer", {roofline, one, "--gpu", "v100"}, {"jq", ".", one}, runs);
  compare("100,000 layers, NDJSON to NDJSON",
          {roofline, many, "--gpu", "v100", "--format", "ndjson"}, {"jq", "-c", ".", many}, 3);
  const std::string model = ROOFLINE_SOURCE_FOLDER "/tests/onnx/resnet18.dynamo.onnx";
  compare("resnet18.dynamo.onnx", {roofline, model, "--gpu", "v100"}, {"cat", model}, runs);
  for (const char* network : {"resnet50", "mobilenet_v2"})
    for (const roofline::DataType dtype : {roofline::DataType::fp16, roofline::DataType::fp32})
      for (const char* gpu : {"v100", "h200"}) time_model(network, dtype, gpu);
}
