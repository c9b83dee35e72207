// The library's fastest kernel, and the one which its heuristic picks.

#include "cli/process.hpp"
#include "load/loading.hpp"

using namespace roofline;

TEST_CASE("Each tuning tells the time of the other", "[results/tuning]") {
  const Network network = load_network(R"({"layers": [
        {"name": "conv", "type": "conv", "dtype": "fp16", "input": [16, 64, 56, 56],
         "out_channels": 64, "kernel_size": 3, "padding": 1},
        {"name": "relu", "type": "relu"}]})",
                                       "two layers", {})
                              .value();
  AnalysisOptions options;
  const Gpu gpu = find_gpu("h100").value();
  const Result best = analyze(network, gpu, options);
  options.tuning = Tuning::heuristic;
  const Result picked = analyze(network, gpu, options);
  // The median of 758 such convolutions.
  CHECK(*picked.layers[0].expected_time_s() == Approx(1.093 * *best.layers[0].expected_time_s()));
  CHECK(*best.layers[0].other_tuning_s == Approx(*picked.layers[0].expected_time_s()));
  CHECK(*picked.layers[0].other_tuning_s == Approx(*best.layers[0].expected_time_s()));
  CHECK(*picked.layers[1].expected_time_s() == *best.layers[1].expected_time_s());
  CHECK(!best.layers[1].other_tuning_s);
  // The host takes 23 us to start either.
  options.launch = LaunchProtocol::eager;
  const Result eager = analyze(network, gpu, options);
  CHECK(*eager.layers[0].expected_time_s() == Approx(23e-6));
  CHECK(*eager.layers[0].other_tuning_s == Approx(23e-6));
}

TEST_CASE("What is shown names the tuning and what the other one saves", "[results/tuning]") {
  const TemporaryFolder folder;
  folder.write("c.json", R"({"name": "c", "type": "conv", "dtype": "fp16",
      "input": [32, 64, 56, 56], "out_channels": 64, "kernel_size": 3, "padding": 1})");
  const auto has = [&](const std::string& options, const char* text) {
    const Outcome outcome = run(folder, "roofline c.json --gpu " + options);
    INFO(outcome.out << outcome.err);
    CHECK((outcome.out + outcome.err).find(text) != std::string::npos);
  };
  has("h100 --explain c", "\n  heuristic  picks a kernel of ");
  has("h100 --tuning heuristic --explain c", "\n  autotuned  runs a kernel of ");
  has("h100 --tuning heuristic --explain c", "\nlet the library time its algorithms ");
  has("h100 --tuning heuristic", ", nhwc, kernels by heuristic\n");
  has("h100 --framework pytorch", ", nchw, by pytorch, autotuned\n");
  has("h100 --tuning heuristic --format ndjson", R"("tuning":"heuristic")");
  has("mi300x --tuning heuristic",
      "what the library of Instinct MI300X picks by its heuristic was not measured: expected "
      "--tuning best\n");
}
