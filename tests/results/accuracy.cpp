// The accuracy that README states, on the layers measured for this project.

#include "roofline/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "load/loading.hpp"
#include "measured_rows.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"

namespace {

using namespace roofline;

const std::string measured = ROOFLINE_SOURCE_FOLDER "/tests/measured/";

/// The records of a file, each evaluated alone, as one result.
Result measured_result(const std::string& file, const AnalysisOptions& options,
                       const char* gpu = "h200") {
  const Context context = make_context(find_gpu(gpu).value(), options).value();
  std::vector<std::vector<LayerResult>> records;
  const std::unique_ptr<Reader> reader = open_input(measured + file).value();
  while (const auto item = reader->next())
    records.push_back(
        evaluate_layers(infer(*item->value().spec({}).value(), {}).value(), context).value());
  return join_records(file, "measured", std::move(records), context).value();
}

struct MeasuredOn {
  EngineChoice engine = EngineChoice::automatic;
  const char* gpu = "h200";
  CacheState cache = CacheState::warm;
  LaunchProtocol launch = LaunchProtocol::graph;
};

std::vector<Accuracy> accuracy_of(const std::string& file, const MeasuredOn& setting) {
  AnalysisOptions options;
  options.engine = setting.engine;
  options.cache = setting.cache;
  options.launch = setting.launch;
  return measured_result(file, options, setting.gpu).measured.accuracy;
}

struct AccuracyCell {
  LayerClass layer_class;
  DataType dtype;
  Pass pass;
  std::uint64_t layers;
  double most_geometric_error;
  double least_bias;
  double most_bias;
};

/// The figures are today's, rounded up at the second decimal: a change for the worse fails.
void check(const std::string& file, const MeasuredOn& setting,
           const std::vector<AccuracyCell>& cells) {
  const std::vector<Accuracy> accuracy = accuracy_of(file, setting);
  INFO(setting.gpu);
  REQUIRE(accuracy.size() == cells.size());
  for (const AccuracyCell& cell : cells) {
    const auto found = std::find_if(accuracy.begin(), accuracy.end(), [&](const Accuracy& each) {
      return each.layer_class == cell.layer_class && each.dtype == cell.dtype &&
             each.pass == cell.pass;
    });
    INFO(file << ' ' << name_of(cell.layer_class) << ' ' << name_of(cell.dtype) << ' '
              << name_of(cell.pass));
    REQUIRE(found != accuracy.end());
    CHECK(found->layers == cell.layers);
    CHECK(found->expected.geometric_error <= cell.most_geometric_error);
    CHECK(found->expected.bias >= cell.least_bias);
    CHECK(found->expected.bias <= cell.most_bias);
    CHECK(found->expected.geometric_error < found->roofline.geometric_error);
  }
}

}  // namespace

namespace accuracy {

using enum LayerClass;
using enum DataType;
using enum Pass;

TEST_CASE("Errors are ratios, predicted to measured", "[results/accuracy]") {
  // ratios 2, 1/2, 1.1, 1: logs cancel but for ln 1.1 = 0.0953.
  const ModelError error = model_error({{1, 2}, {2, 1}, {10, 11}, {3, 3}});
  CHECK(error.bias == Approx(std::pow(1.1, 0.25)));
  CHECK(error.geometric_error == Approx(std::pow(2 * 2 * 1.1, 0.25)));
  CHECK(error.median_error == Approx(0.3));  // of 0, 0.1, 0.5, 1
  CHECK(error.within_25 == Approx(0.5));
}

TEST_CASE("Convolutions measured on an H200", "[results/accuracy]") {
  check("h200.csv", {},
        {
            {dense, fp32, fwd, 551, 1.14, 0.95, 1.05},
            {dense, fp32, dgrad, 366, 1.21, 0.93, 1.05},
            {dense, fp32, wgrad, 353, 1.27, 0.95, 1.05},
            {dense, tf32, fwd, 551, 1.14, 0.95, 1.05},
            {dense, tf32, dgrad, 68, 1.21, 0.91, 1.05},
            {dense, tf32, wgrad, 68, 1.26, 0.86, 1.05},
            {dense, fp16, fwd, 551, 1.18, 0.95, 1.05},
            {dense, fp16, dgrad, 364, 1.19, 0.95, 1.05},
            {dense, fp16, wgrad, 362, 1.17, 0.95, 1.05},
            {grouped, fp32, fwd, 30, 1.07, 0.95, 1.05},
            {grouped, fp32, dgrad, 15, 1.08, 0.95, 1.05},
            {grouped, fp32, wgrad, 16, 1.07, 0.95, 1.05},
            {grouped, tf32, fwd, 30, 1.31, 0.86, 1.05},
            {grouped, fp16, fwd, 30, 1.24, 0.95, 1.05},
            {grouped, fp16, dgrad, 15, 1.23, 0.95, 1.05},
            {grouped, fp16, wgrad, 14, 1.23, 0.95, 1.07},
        });
}

TEST_CASE("Other layers measured on an H200", "[results/accuracy]") {
  check("h200_ops.ndjson", {},
        {
            {dense, fp32, fwd, 21, 1.26, 0.81, 1.05},
            {dense, fp16, fwd, 21, 1.20, 0.95, 1.05},
            {other, fp32, fwd, 367, 1.06, 0.95, 1.05},
            {other, fp16, fwd, 367, 1.08, 0.95, 1.05},
        });
}

TEST_CASE("Convolutions of networks that the grouped constants never saw, on an H200",
          "[results/accuracy]") {
  check("h200_more.csv", {},
        {
            {dense, fp32, fwd, 364, 1.14, 0.95, 1.05},
            {dense, fp32, dgrad, 236, 1.23, 0.95, 1.06},
            {dense, fp32, wgrad, 226, 1.24, 0.94, 1.05},
            {dense, tf32, fwd, 364, 1.15, 0.95, 1.05},
            {dense, tf32, dgrad, 22, 1.22, 0.94, 1.05},
            {dense, tf32, wgrad, 22, 1.28, 0.85, 1.05},
            {dense, fp16, fwd, 364, 1.21, 0.94, 1.05},
            {dense, fp16, dgrad, 246, 1.17, 0.95, 1.05},
            {dense, fp16, wgrad, 219, 1.19, 0.95, 1.05},
            {grouped, fp32, fwd, 81, 1.16, 0.95, 1.06},
            {grouped, fp32, dgrad, 45, 1.12, 0.95, 1.05},
            {grouped, fp32, wgrad, 48, 1.17, 0.95, 1.05},
            {grouped, tf32, fwd, 81, 1.26, 0.92, 1.05},
            {grouped, fp16, fwd, 81, 1.21, 0.95, 1.05},
            {grouped, fp16, dgrad, 52, 1.22, 0.90, 1.05},
            {grouped, fp16, wgrad, 51, 1.30, 0.91, 1.05},
        });
}

TEST_CASE("Backward kernels of other layers measured on an H200", "[results/accuracy]") {
  check("h200_ops_backward.ndjson", {},
        {
            {dense, fp32, dgrad, 27, 1.58, 0.94, 1.05},
            {dense, fp32, wgrad, 27, 1.22, 0.93, 1.05},
            {dense, fp16, dgrad, 27, 1.10, 0.95, 1.09},
            {dense, fp16, wgrad, 27, 1.32, 0.79, 1.05},
            {other, fp32, fwd, 66, 1.10, 0.95, 1.05},
            {other, fp32, dgrad, 254, 1.11, 0.95, 1.05},
            {other, fp16, fwd, 66, 1.10, 0.95, 1.05},
            {other, fp16, dgrad, 254, 1.14, 0.92, 1.05},
        });
}

TEST_CASE("Products of six types measured on an H200", "[results/accuracy]") {
  check("h200_gemms.ndjson", {},
        {
            {dense, fp32, fwd, 101, 1.23, 0.95, 1.05},
            {dense, tf32, fwd, 101, 1.17, 0.95, 1.05},
            {dense, fp16, fwd, 101, 1.17, 0.95, 1.09},
            {dense, bf16, fwd, 101, 1.16, 0.95, 1.09},
            {dense, fp8, fwd, 67, 1.13, 0.95, 1.07},
            {dense, int8, fwd, 71, 1.22, 0.95, 1.05},
        });
}

TEST_CASE("Products in bf16 on an A100, an L40S and a B200 that no constant was fitted to",
          "[results/accuracy]") {
  const auto products = [](const char* gpu, CacheState cache, const AccuracyCell& cell) {
    check("aiconfigurator_products.ndjson", {EngineChoice::automatic, gpu, cache}, {cell});
  };
  products("a100", CacheState::warm, {dense, bf16, fwd, 72, 1.16, 0.95, 1.05});
  products("a100", CacheState::cold, {dense, bf16, fwd, 128, 1.08, 0.95, 1.05});
  products("l40s", CacheState::warm, {dense, bf16, fwd, 108, 1.18, 0.95, 1.08});
  products("l40s", CacheState::cold, {dense, bf16, fwd, 92, 1.12, 0.95, 1.05});
  products("b200", CacheState::warm, {dense, bf16, fwd, 108, 1.11, 0.95, 1.05});
  products("b200", CacheState::cold, {dense, bf16, fwd, 92, 1.09, 0.95, 1.05});
}

TEST_CASE("3x3 convolutions of random shapes in fp32 that no constant was fitted to",
          "[results/accuracy]") {
  struct Part {
    const char* gpu;
    AccuracyCell cell;
    std::size_t agreed;  ///< at least so many run the algorithm that ran
  };
  const Part parts[] = {
      {"a100-pcie-80gb", {dense, fp32, fwd, 150, 1.21, 0.88, 1.05}, 111},
      {"v100-pcie-16gb", {dense, fp32, fwd, 150, 1.17, 0.88, 1.05}, 124},
      {"t4", {dense, fp32, fwd, 150, 1.17, 0.89, 1.05}, 120},
      {"p4", {dense, fp32, fwd, 150, 1.22, 0.91, 1.05}, 88},
  };
  for (const auto& [gpu, cell, agreed] : parts) {
    MeasuredOn setting;
    setting.gpu = gpu;
    check("neusight_convs.ndjson", setting, {cell});
    const Result result = measured_result("neusight_convs.ndjson", {}, gpu);
    INFO(gpu);
    CHECK(std::ranges::count_if(result.layers, [](const LayerResult& row) {
            return row.measured_time_s &&
                   row.layer.name.starts_with(std::string(name_of(row.kernel->algorithm)) + '/');
          }) >= static_cast<std::ptrdiff_t>(agreed));
  }
}

TEST_CASE("What transformers are made of in fp32 on other GPUs", "[results/accuracy]") {
  struct Part {
    const char* gpu;
    std::vector<AccuracyCell> cells;
  };
  const Part parts[] = {
      {"a100-pcie-40gb",
       {{dense, fp32, fwd, 90, 1.13, 0.95, 1.05}, {other, fp32, fwd, 56, 1.06, 0.95, 1.05}}},
      {"v100-pcie-16gb",
       {{dense, fp32, fwd, 73, 1.11, 0.95, 1.05}, {other, fp32, fwd, 60, 1.06, 0.95, 1.06}}},
      {"t4", {{dense, fp32, fwd, 90, 1.15, 0.95, 1.05}, {other, fp32, fwd, 60, 1.06, 0.95, 1.05}}},
      {"p4", {{dense, fp32, fwd, 84, 1.18, 0.95, 1.06}, {other, fp32, fwd, 60, 1.06, 0.95, 1.06}}},
      {"p100-pcie-16gb",
       {{dense, fp32, fwd, 90, 1.11, 0.95, 1.05}, {other, fp32, fwd, 60, 1.06, 0.95, 1.05}}},
      {"l4", {{dense, fp32, fwd, 90, 1.16, 0.95, 1.07}, {other, fp32, fwd, 60, 1.03, 0.95, 1.05}}},
      {"mi100",
       {{dense, fp32, fwd, 90, 1.28, 0.86, 1.05}, {other, fp32, fwd, 60, 1.07, 0.95, 1.05}}},
      {"mi210",
       {{dense, fp32, fwd, 90, 1.21, 0.89, 1.05}, {other, fp32, fwd, 60, 1.07, 0.95, 1.05}}},
  };
  for (const auto& [gpu, cells] : parts) {
    MeasuredOn setting;
    setting.gpu = gpu;
    check("neusight_ops.ndjson", setting, cells);
  }
}

// The half of those drawn at random that no constant was fitted to.
TEST_CASE("Convolutions of every kind measured on an H100", "[results/accuracy]") {
  check("h100_convs.ndjson", {EngineChoice::automatic, "h100"},
        {
            {dense, fp32, fwd, 117, 1.22, 0.95, 1.05},
            {dense, fp32, dgrad, 65, 1.30, 0.95, 1.05},
            {dense, fp32, wgrad, 72, 1.34, 0.95, 1.07},
            {dense, tf32, fwd, 129, 1.23, 0.89, 1.05},
            {dense, tf32, dgrad, 79, 1.25, 0.89, 1.05},
            {dense, tf32, wgrad, 73, 1.32, 0.95, 1.05},
            {dense, fp16, fwd, 426, 1.22, 0.945, 1.05},
            {dense, fp16, dgrad, 187, 1.24, 0.95, 1.05},
            {dense, fp16, wgrad, 216, 1.24, 0.95, 1.05},
            {dense, bf16, fwd, 136, 1.21, 0.935, 1.05},
            {dense, bf16, dgrad, 71, 1.32, 0.89, 1.05},
            {dense, bf16, wgrad, 71, 1.21, 0.95, 1.05},
            {grouped, fp32, fwd, 35, 1.30, 0.95, 1.05},
            {grouped, fp32, dgrad, 28, 1.41, 0.95, 1.05},
            {grouped, fp32, wgrad, 24, 1.29, 0.93, 1.05},
            {grouped, tf32, fwd, 48, 1.25, 0.89, 1.05},
            {grouped, tf32, dgrad, 18, 1.30, 0.84, 1.05},
            {grouped, tf32, wgrad, 24, 1.26, 0.94, 1.05},
            {grouped, fp16, fwd, 136, 1.31, 0.92, 1.05},
            {grouped, fp16, dgrad, 55, 1.28, 0.95, 1.05},
            {grouped, fp16, wgrad, 79, 1.46, 0.93, 1.05},
            {grouped, bf16, fwd, 45, 1.25, 0.94, 1.05},
            {grouped, bf16, dgrad, 20, 1.32, 0.95, 1.05},
            {grouped, bf16, wgrad, 22, 1.25, 0.93, 1.05},
        });
}

// Half of those drawn with more of what models know least; no constant was fitted to them.
TEST_CASE("Convolutions of seldom kinds measured on an H200", "[results/accuracy]") {
  check("h200_drawn.ndjson", {},
        {
            {dense, fp32, fwd, 78, 1.28, 0.95, 1.05},
            {dense, fp32, dgrad, 48, 1.25, 0.91, 1.05},
            {dense, fp32, wgrad, 40, 1.29, 0.89, 1.05},
            {dense, tf32, fwd, 86, 1.31, 0.95, 1.05},
            {dense, tf32, dgrad, 45, 1.24, 0.95, 1.05},
            {dense, tf32, wgrad, 51, 1.28, 0.92, 1.05},
            {dense, fp16, fwd, 249, 1.29, 0.915, 1.05},
            {dense, fp16, dgrad, 125, 1.31, 0.89, 1.05},
            {dense, fp16, wgrad, 162, 1.27, 0.93, 1.05},
            {dense, bf16, fwd, 93, 1.27, 0.92, 1.05},
            {dense, bf16, dgrad, 51, 1.29, 0.89, 1.05},
            {dense, bf16, wgrad, 51, 1.27, 0.95, 1.05},
            {grouped, fp32, fwd, 38, 1.35, 0.91, 1.05},
            {grouped, fp32, dgrad, 36, 1.27, 0.93, 1.05},
            {grouped, fp32, wgrad, 34, 1.41, 0.95, 1.05},
            {grouped, tf32, fwd, 51, 1.29, 0.93, 1.05},
            {grouped, tf32, dgrad, 14, 1.31, 0.95, 1.05},
            {grouped, tf32, wgrad, 27, 1.37, 0.87, 1.05},
            {grouped, fp16, fwd, 179, 1.40, 0.93, 1.05},
            {grouped, fp16, dgrad, 114, 1.37, 0.94, 1.05},
            {grouped, fp16, wgrad, 98, 1.38, 0.91, 1.05},
            {grouped, bf16, fwd, 58, 1.32, 0.94, 1.05},
            {grouped, bf16, dgrad, 35, 1.56, 0.86, 1.05},
            {grouped, bf16, wgrad, 39, 1.60, 0.91, 1.05},
        });
}

// cuDNN did not find FFT for some of those in fp32 and took ten times as long.
TEST_CASE("Convolutions where kernels change, measured on an H100", "[results/accuracy]") {
  check("h100_cliffs.ndjson", {EngineChoice::automatic, "h100"},
        {
            {dense, fp32, fwd, 24, 1.59, 0.68, 1.05},
            {dense, fp32, dgrad, 24, 1.45, 0.75, 1.05},
            {dense, fp32, wgrad, 24, 1.55, 0.68, 1.05},
            {dense, fp16, fwd, 42, 1.35, 0.76, 1.05},
            {dense, fp16, dgrad, 42, 1.32, 0.95, 1.05},
            {dense, fp16, wgrad, 42, 1.26, 0.90, 1.05},
            {grouped, tf32, fwd, 14, 1.30, 0.95, 1.06},
            {grouped, tf32, dgrad, 14, 1.32, 0.95, 1.10},
            {grouped, tf32, wgrad, 14, 1.31, 0.89, 1.05},
            {grouped, fp16, fwd, 17, 1.23, 0.95, 1.14},
            {grouped, fp16, dgrad, 17, 1.36, 0.85, 1.05},
            {grouped, fp16, wgrad, 17, 1.47, 0.81, 1.05},
        });
}

// The best of MIOpen's solvers (ROCm/MIOpen, MIT), as many layers of each kind, type and pass.
TEST_CASE("Convolutions of MIOpen's find databases", "[results/accuracy]") {
  struct Cells {
    const char* gpu;
    std::string kind;  ///< that the layer's name begins with; its solver follows
    DataType dtype;
    EnumArray<Pass, double> most_geometric_error{};
  };
  const std::vector<Cells> table{
      {"mi100", "2-D", fp32, {{{1.13, 1.30, 1.29}}}},
      {"mi100", "2-D", fp16, {{{1.15, 1.16, 1.47}}}},
      {"mi100", "2-D", bf16, {{{1.41, 1.64, 1.22}}}},
      {"mi100", "grouped", fp32, {{{1.17, 1.16, 1.41}}}},
      {"mi100", "grouped", fp16, {{{1.16, 1.15, 1.13}}}},
      {"mi100", "grouped", bf16, {{{1.22, 1.36, 1.29}}}},
      {"mi100", "3-D", fp32, {{{1.17, 1.20, 1.20}}}},
      {"mi100", "3-D", fp16, {{{1.50, 1.16, 1.25}}}},
      {"mi100", "3-D", bf16, {{{1.11, 1.12, 1.44}}}},
      {"mi210", "2-D", fp32, {{{1.07, 1.20, 1.18}}}},
      {"mi210", "2-D", fp16, {{{1.21, 1.34, 1.23}}}},
      {"mi210", "2-D", bf16, {{{1.24, 1.18, 1.19}}}},
      {"mi210", "grouped", fp32, {{{1.14, 1.29, 1.27}}}},
      {"mi210", "grouped", fp16, {{{1.28, 1.46, 1.33}}}},
      {"mi210", "grouped", bf16, {{{1.19, 1.16, 1.22}}}},
      {"mi210", "3-D", fp32, {{{1.28, 1.32, 1.36}}}},
      {"mi210", "3-D", fp16, {{{1.18, 1.13, 1.14}}}},
      {"mi210", "3-D", bf16, {{{1.27, 1.15, 1.32}}}},
      {"mi300x", "2-D", fp32, {{{1.18, 1.20, 1.24}}}},
      {"mi300x", "2-D", fp16, {{{1.33, 1.23, 1.26}}}},
      {"mi300x", "grouped", fp32, {{{1.26, 1.14, 1.20}}}},
      {"mi300x", "grouped", fp16, {{{1.12, 1.11, 1.21}}}},
      {"mi50", "2-D", fp32, {{{1.28, 1.15, 1.50}}}},
      {"mi50", "2-D", fp16, {{{1.51, 1.15, 1.44}}}},
      {"mi50", "grouped", fp32, {{{1.37, 1.36, 1.51}}}},
      {"mi50", "grouped", fp16, {{{1.19, 1.34, 1.73}}}},
      {"mi50", "3-D", fp32, {{{1.28, 1.67, 2.02}}}},
      {"mi25", "2-D", fp32, {{{1.21, 1.18, 1.37}}}},
      {"mi25", "2-D", fp16, {{{1.34, 1.19, 1.18}}}},
      {"mi25", "grouped", fp32, {{{1.31, 1.31, 1.42}}}},
      {"mi25", "grouped", fp16, {{{1.29, 1.24, 1.41}}}},
      {"rx6800xt", "2-D", fp32, {{{1.35, 1.50, 1.49}}}},
      {"rx6800xt", "2-D", fp16, {{{1.25, 1.50, 1.88}}}},
      {"rx6800xt", "grouped", fp32, {{{1.72, 1.93, 1.43}}}},
      {"rx6800xt", "grouped", fp16, {{{1.41, 1.90, 1.27}}}},
  };
  struct Chip {
    const char* gpu;
    double least_within_95;  ///< share of the layers within the range that is stated of 95 %
    double least_same;       ///< share of those whose fastest solver is the one that is named
  };
  for (const auto& [gpu, least_within_95, least_same] :
       std::vector<Chip>{{"mi100", 0.94, 0.61},
                         {"mi210", 0.94, 0.65},
                         {"mi300x", 0.93, 0.74},
                         {"mi50", 0.94, 0.50},
                         {"mi25", 0.94, 0.61},
                         {"rx6800xt", 0.95, 0.45}}) {
    AnalysisOptions options;  // the databases are older than MIOpen 7.1
    if (std::string_view(gpu) == "mi300x")
      options.library = LibraryRelease{KernelLibrary::miopen, {6, 4}};
    options.clock = ClockState::idle;  // the find step runs each kernel once on an idle GPU
    const Result result = measured_result("miopen_" + std::string(gpu) + ".ndjson", options, gpu);
    double within = 0, same = 0;
    for (const LayerResult& row : result.layers) {
      const double ratio = *row.expected_time_s() / *row.measured_time_s;
      within += std::max(ratio, 1 / ratio) <= row.expected_uncertainty->factor_95 ? 1 : 0;
      same += row.layer.name.find('/' + *row.kernel->solver + '/') != std::string::npos ? 1 : 0;
    }
    INFO(gpu);
    CHECK(within >= least_within_95 * static_cast<double>(result.layers.size()));
    CHECK(same >= least_same * static_cast<double>(result.layers.size()));
    for (const Cells& cells : table) {
      if (std::string_view(cells.gpu) != gpu) continue;
      for (const Pass pass : enumerators<Pass>) {
        std::vector<TimedPair> pairs;
        for (const LayerResult& row : result.layers)
          if (row.layer.name.starts_with(cells.kind) && row.layer.pass == pass &&
              row.layer.dtypes.input == cells.dtype)
            pairs.push_back({*row.measured_time_s, *row.expected_time_s()});
        INFO(cells.kind << ' ' << name_of(cells.dtype) << ' ' << name_of(pass));
        REQUIRE(!pairs.empty());
        CHECK(model_error(pairs).geometric_error <= cells.most_geometric_error[pass]);
      }
    }
  }
}

// mlcommons/inference_results_v4.1, closed/NVIDIA: ResNet-50, Offline.
TEST_CASE("An int8 engine is fastest at the batch that NVIDIA submitted with",
          "[results/accuracy]") {
  struct Submission {
    const char* gpu;
    std::uint64_t batch;
  };
  AnalysisOptions options;
  options.fusion = FusionKind::epilogue;
  options.launch = LaunchProtocol::graph;
  for (const auto& [gpu, batch] :
       {Submission{"l4", 32}, Submission{"l40s", 64}, Submission{"a100", 2048},
        Submission{"h100", 2048}, Submission{"h200", 2048}}) {
    double most_images_per_s = 0;
    std::uint64_t fastest = 0;
    for (std::uint64_t each = 8; each <= 2048; each *= 2) {
      LayerDefaults defaults = at_batch(each);
      defaults.dtype = DataType::int8;
      const Network resnet = load_network(*find_network("resnet50"), "resnet50", defaults).value();
      const double images_per_s =
          static_cast<double>(each) /
          *analyze(resnet, find_gpu(gpu).value(), options).total.expected_time_s;
      if (images_per_s <= most_images_per_s) continue;
      most_images_per_s = images_per_s;
      fastest = each;
    }
    INFO(gpu);
    CHECK(fastest == batch);
  }
}

TEST_CASE("Odd convolutions measured on an H200, fp32 as TF32", "[results/accuracy]") {
  check("h200_odd_convs.ndjson", {EngineChoice::tf32},
        {
            {dense, fp32, fwd, 38, 1.27, 0.88, 1.11},
            {dense, fp16, fwd, 38, 1.18, 0.92, 1.13},
            {grouped, fp32, fwd, 6, 1.14, 0.95, 1.05},
            {grouped, fp16, fwd, 6, 1.11, 0.93, 1.05},
        });
}

TEST_CASE("Volumes, and groups over long windows, measured on an H200", "[results/accuracy]") {
  check("h200_volumes.ndjson", {},
        {
            {dense, fp16, fwd, 34, 1.23, 0.95, 1.10},
            {grouped, fp16, fwd, 56, 1.36, 0.92, 1.05},
            {other, fp16, fwd, 34, 1.26, 0.92, 1.07},
            {other, fp32, fwd, 19, 1.33, 0.95, 1.07},
        });
}

TEST_CASE("Convolutions in NCHW on tensor cores that no constant was fitted to, on an H200",
          "[results/accuracy]") {
  check("h200_nchw.ndjson", {},
        {
            {dense, tf32, fwd, 94, 1.19, 0.95, 1.05},
            {dense, tf32, dgrad, 91, 1.25, 0.93, 1.05},
            {dense, tf32, wgrad, 94, 1.33, 0.88, 1.05},
            {dense, fp16, fwd, 94, 1.26, 0.89, 1.05},
            {dense, fp16, dgrad, 91, 1.28, 0.95, 1.05},
            {dense, fp16, wgrad, 94, 1.25, 0.95, 1.05},
        });
}

TEST_CASE("Kinds and shapes that networks seldom have, measured on an H200", "[results/accuracy]") {
  check("h200_seldom.ndjson", {},
        {
            {grouped, fp32, fwd, 56, 1.30, 0.89, 1.07},
            {grouped, fp32, dgrad, 56, 1.28, 0.93, 1.10},
            {grouped, fp32, wgrad, 56, 1.31, 0.85, 1.05},
            {grouped, tf32, fwd, 55, 1.19, 0.95, 1.05},
            {grouped, tf32, dgrad, 56, 1.41, 0.89, 1.05},
            {grouped, tf32, wgrad, 56, 1.37, 0.95, 1.16},
            {grouped, fp16, fwd, 56, 1.28, 0.95, 1.16},
            {grouped, fp16, dgrad, 56, 1.27, 0.95, 1.15},
            {grouped, fp16, wgrad, 55, 1.31, 0.95, 1.05},
            {other, fp32, fwd, 170, 1.12, 0.95, 1.05},
            {other, fp32, dgrad, 102, 1.11, 0.95, 1.05},
            {other, fp16, fwd, 170, 1.16, 0.95, 1.06},
            {other, fp16, dgrad, 102, 1.16, 0.95, 1.05},
        });
}

TEST_CASE("Convolutions of odd channels and wide dilations measured on an H200",
          "[results/accuracy]") {
  // Not fitted but for dilated_share: a library's choices there differ by up to x3 from one layer
  // to the next.
  check("h200_unaligned.ndjson", {},
        {
            {dense, fp16, fwd, 87, 1.27, 0.93, 1.11},
            {dense, fp16, dgrad, 87, 1.23, 0.89, 1.05},
            {dense, fp16, wgrad, 87, 1.39, 0.95, 1.14},
        });
}

TEST_CASE("Kernels that depend on order, axes and alignment, on an H100", "[results/accuracy]") {
  struct Family {
    const char* name;  ///< of the layers, before the slash
    double most_geometric_error;
    double least_bias;
    double most_bias;
  };
  // None of these was fitted: two other thirds of what was measured were.
  const Family families[] = {
      {"attention", 1.17, 0.88, 1.05},
      {"batch_norm", 1.24, 0.88, 1.05},
      {"concat", 1.28, 0.95, 1.05},
      {"copy", 1.20, 0.95, 1.08},
      {"elementwise", 1.18, 0.91, 1.05},
      {"group_norm", 1.18, 0.95, 1.05},
      {"instance_norm", 1.24, 0.88, 1.05},
      {"layer_norm", 1.10, 0.95, 1.05},
      {"lookup", 1.24, 0.85, 1.05},
      {"matmul", 1.28, 0.89, 1.05},
      {"reduce", 1.14, 0.95, 1.05},
      {"rms_norm", 1.14, 0.95, 1.12},
      {"softmax", 1.12, 0.95, 1.05},
      {"upsample", 1.20, 0.94, 1.05},
      {"layer_norm_unaligned", 1.22, 0.82, 1.05},
  };
  const Result result = measured_result("h100_order.ndjson", {}, "h100");
  for (const Family& family : families) {
    std::vector<TimedPair> pairs;
    for (const LayerResult& row : result.layers)
      if (row.layer.name.starts_with(std::string(family.name) + '/'))
        pairs.push_back({*row.measured_time_s, *row.expected_time_s()});
    INFO(family.name);
    REQUIRE(!pairs.empty());
    const ModelError error = model_error(pairs);
    CHECK(error.geometric_error <= family.most_geometric_error);
    CHECK(error.bias >= family.least_bias);
    CHECK(error.bias <= family.most_bias);
  }
}

TEST_CASE("Streaming kernels of random shapes on an H100", "[results/accuracy]") {
  struct Family {
    const char* name;  ///< of the layers, before the slash
    double most_geometric_error_fwd;
    double most_geometric_error_dgrad;
  };
  // Half of what was measured; the other half was fitted to.
  const Family families[] = {
      {"avg_pool", 1.12, 1.07},   {"batch_norm", 1.14, 1.16}, {"group_norm", 1.09, 1.07},
      {"layer_norm", 1.07, 1.13}, {"max_pool", 1.16, 1.16},   {"softmax", 1.14, 1.21},
  };
  const Result result = measured_result("h100_kernels.ndjson", {}, "h100");
  for (const Family& family : families)
    for (const Pass pass : {fwd, dgrad}) {
      std::vector<TimedPair> pairs;
      for (const LayerResult& row : result.layers)
        if (row.layer.pass == pass && row.layer.name.starts_with(std::string(family.name) + '/'))
          pairs.push_back({*row.measured_time_s, *row.expected_time_s()});
      INFO(family.name << ' ' << name_of(pass));
      REQUIRE(!pairs.empty());
      CHECK(model_error(pairs).geometric_error <=
            (pass == fwd ? family.most_geometric_error_fwd : family.most_geometric_error_dgrad));
    }
}

TEST_CASE("DRAM bytes against hardware counters, cold caches", "[results/accuracy]") {
  AnalysisOptions options;
  options.cache = CacheState::cold;
  const Result result = measured_result("h200_counters.csv", options);
  std::ifstream file(measured + "h200_counters.csv");
  std::string line;
  std::getline(file, line);
  std::vector<double> errors;
  for (const LayerResult& row : result.layers) {
    REQUIRE(std::getline(file, line));
    // The last three columns: read, written, through L2.
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    const double counted = std::stod(cells[cells.size() - 3]) + std::stod(cells[cells.size() - 2]);
    const double predicted = row.kernel->dram_read_byte + row.kernel->dram_write_byte;
    errors.push_back(std::fabs(predicted / counted - 1));
  }
  std::sort(errors.begin(), errors.end());
  REQUIRE(errors.size() == 70);
  CHECK(errors[35] < 0.08);
  CHECK(errors[63] < 0.30);  // nine in ten
}

// MLPerf Inference, closed division, ResNet-50 Offline, NVIDIA's results (mlcommons/
// inference_results_v0.7 to v3.0, Apache-2.0): images a second of one GPU. Its engines fuse the
// first stage into one kernel as well, which TensorRT does not do by itself: predictions are lower.
TEST_CASE("Published int8 throughputs of ResNet-50 on engines", "[results/accuracy]") {
  struct Published {
    const char* gpu;
    std::uint64_t batch;
    double images_per_s;
  };
  AnalysisOptions options;
  options.fusion = FusionKind::epilogue;
  double log_sum = 0;
  const std::vector<Published> table{
      {"t4", 128, 48897.8 / 8},          {"a10", 2048, 13276}, {"a30", 2048, 18265},
      {"a100-pcie-80gb", 2048, 39814.4}, {"l4", 32, 13157.8},  {"h100-sxm5-80gb", 2048, 81292.2},
  };
  for (const Published& each : table) {
    INFO(each.gpu);
    LayerDefaults defaults = at_batch(each.batch);
    defaults.dtype = DataType::int8;
    const Result result =
        analyze(load_network(*find_network("resnet50"), "resnet50", defaults).value(),
                find_gpu(each.gpu).value(), options);
    const double ratio =
        *result.total.expected_time_s * each.images_per_s / static_cast<double>(each.batch);
    CHECK(ratio > 0.9);
    CHECK(ratio < 1.45);
    log_sum += std::abs(std::log(ratio));
  }
  CHECK(std::exp(log_sum / static_cast<double>(table.size())) < 1.15);
}

TEST_CASE("Whole networks measured on an H200", "[results/accuracy]") {
  const Gpu gpu = find_gpu("h200").value();
  std::vector<TimedPair> pairs;
  for (const auto& row : measured_rows("h200_networks.tsv")) {
    const std::string& model = row.at("model");
    LayerDefaults defaults;
    defaults.dtype = *parse<DataType>(row.at("dtype"));
    defaults.batch_override = std::stoull(row.at("batch"));
    const Network network = load_network(*find_network(model), model, defaults).value();
    pairs.push_back(
        {std::stod(row.at("graph_us")) * 1e-6, *analyze(network, gpu, {}).total.expected_time_s});
  }
  REQUIRE(pairs.size() == 30);
  CHECK(model_error(pairs).geometric_error <= 1.16);
  CHECK(model_error(pairs).bias >= 0.88);
}

}  // namespace accuracy

TEST_CASE("Convolutions by the heuristic, which no ratio was fitted to, lie in their ranges",
          "[results/accuracy]") {
  struct Rows {
    const char* file;
    const char* gpu;
    double most_error;
  };
  const auto [file, gpu, most_error] = GENERATE(Rows{"h100_heuristic.ndjson", "h100", 1.4},
                                                Rows{"h200_heuristic.ndjson", "h200", 1.5});
  INFO(file);
  const auto rows = [file = file, gpu = gpu](Tuning tuning) {
    AnalysisOptions options;
    options.tuning = tuning;
    return measured_result(file, options, gpu).layers;
  };
  const auto errors = [](const std::vector<LayerResult>& layers) {
    struct Errors {
      double geometric = 0;
      double within_68 = 0;
      double within_95 = 0;
    } all;
    const auto share = 1 / static_cast<double>(layers.size());
    for (const LayerResult& row : layers) {
      const double error = std::fabs(std::log(*row.expected_time_s() / *row.measured_time_s));
      all.geometric += share * error;
      all.within_68 += error <= std::log(row.expected_uncertainty->factor) ? share : 0;
      all.within_95 += error <= std::log(row.expected_uncertainty->factor_95) ? share : 0;
    }
    all.geometric = std::exp(all.geometric);
    return all;
  };
  const auto picked = rows(Tuning::heuristic);
  for (const LayerResult& row : picked)
    CHECK(*row.expected_time_s() >= row.other_tuning_s.value_or(0) * 0.999999);
  const auto by_heuristic = errors(picked);
  CAPTURE(by_heuristic.geometric);
  CHECK(by_heuristic.geometric <= most_error);
  CHECK(by_heuristic.geometric < errors(rows(Tuning::best)).geometric);
  CHECK(by_heuristic.within_68 == Approx(0.68).margin(0.05));
  CHECK(by_heuristic.within_95 == Approx(0.95).margin(0.03));
}
