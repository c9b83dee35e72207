// What a framework sets: engines, fusion, launches, layouts; what the user says of them wins.

#include <map>
#include <string>
#include <vector>

#include "load/loading.hpp"
#include "measured_rows.hpp"
#include "roofline/accuracy.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/library.hpp"

namespace frameworks {

using namespace roofline;

/// A convolution with a bias, what reads it, and a product, large enough for TF32 to be faster:
/// tensors of 64 x 128 x 28 x 28 fp32 are 25,690,112 bytes.
const char* const network = R"([
    {"name": "conv", "input": [64, 128, 28, 28], "out_channels": 128, "kernel_size": 3,
     "padding": 1, "bias": true},
    {"name": "relu", "type": "relu"},
    {"name": "fc", "type": "linear", "out_features": 1024, "bias": true}])";

/// Vision transformers' attention as exporters write it: 2 x 3 heads of 16 queries and values of 4
/// numbers.
const char* const written_out = R"([
    {"name": "scores", "type": "matmul", "inputs": [[6, 16, 4], [6, 4, 16]]},
    {"name": "weights", "type": "softmax"},
    {"name": "values", "type": "matmul",
     "inputs": [{"layer": "weights", "shape": [6, 16, 16]}, [6, 16, 4]]},
    {"name": "out", "type": "relu"}])";

Result run(const char* text, const std::string& gpu, const AnalysisOptions& options) {
  return analyze(load_text(text), find_gpu(gpu).value(), options);
}

/// "conv:tf32 relu:fp32": the rows and their engines; what is fused is in brackets.
std::string rows_of(const Result& result) {
  std::string text;
  for (const LayerResult& row : result.layers) {
    const std::string each = row.layer.name + ':' + std::string(name_of(row.engine));
    text += (text.empty() ? "" : " ") + (row.layer.fused_into ? '(' + each + ')' : each);
  }
  return text;
}

TEST_CASE("An engine's layers start sooner than library calls on Turing and Ada",
          "[model/frameworks]") {
  struct Case {
    const char* gpu;
    double share;  ///< of what a library call adds to a graph's launch
  };
  for (const Case& each : {Case{"t4", 0.5}, Case{"l4", 0.5}, Case{"a100", 1}}) {
    INFO(each.gpu);
    const auto expected_s = [&](LaunchProtocol launch, FusionKind fusion) {
      AnalysisOptions options;
      options.launch = launch;
      options.fusion = fusion;
      return *run(network, each.gpu, options).layers.back().expected_time_s();
    };
    const double engine_s = expected_s(LaunchProtocol::stream, FusionKind::epilogue) -
                            expected_s(LaunchProtocol::graph, FusionKind::epilogue);
    const double call_s = expected_s(LaunchProtocol::stream, FusionKind::none) -
                          expected_s(LaunchProtocol::graph, FusionKind::none);
    CHECK(engine_s == Approx(each.share * call_s));
  }
}

TEST_CASE("A framework sets engines, kernels, launches and layouts", "[model/frameworks]") {
  struct Case {
    Framework framework;
    const char* gpu;
    const char* rows;
    LaunchProtocol launch;
    std::optional<Layout> layout;
  };
  const Case table[] = {
      {Framework::pytorch, "a100", "conv:tf32 conv.bias:fp32 relu:fp32 fc:fp32",
       LaunchProtocol::eager, Layout::nchw},
      {Framework::pytorch, "v100", "conv:fp32 conv.bias:fp32 relu:fp32 fc:fp32",
       LaunchProtocol::eager, Layout::nchw},
      {Framework::pytorch, "mi300x", "conv:fp32_tensor conv.bias:fp32 relu:fp32 fc:fp32_tensor",
       LaunchProtocol::eager, Layout::nchw},
      {Framework::torch_compile, "a100", "graph.input:fp32 conv:tf32 relu:fp32 fc:fp32",
       LaunchProtocol::graph, Layout::nhwc},
      {Framework::tensorrt, "a100", "conv:tf32 (relu:fp32) fc:tf32", LaunchProtocol::stream, {}},
      {Framework::tensorrt, "v100", "conv:fp32 (relu:fp32) fc:fp32", LaunchProtocol::stream, {}},
  };
  for (const Case& each : table) {
    INFO(name_of(each.framework) << " on " << each.gpu);
    const AnalysisOptions options = options_of(each.framework);
    const Context context = make_context(find_gpu(each.gpu).value(), options).value();
    CHECK(context.launch.protocol == each.launch);
    const Result result = run(network, each.gpu, options);
    CHECK(rows_of(result) == each.rows);
    CHECK(result.setting.framework == each.framework);
    CHECK(result.layers.front().layer.layout == each.layout);
  }
}

TEST_CASE("What a user says of engines and fusion wins", "[model/frameworks]") {
  AnalysisOptions options = options_of(Framework::pytorch);
  options.engine = EngineChoice::automatic;
  CHECK(rows_of(run(network, "a100", options)) == "conv:fp32 conv.bias:fp32 relu:fp32 fc:fp32");
  options.engine = EngineChoice::tf32;
  options.fusion = FusionKind::none;
  CHECK(rows_of(run(network, "a100", options)) == "conv:tf32 relu:fp32 fc:tf32");
  // TF32 that a person asks for is taken on AMD's parts too.
  CHECK(rows_of(run(network, "mi300x", options)) == "conv:tf32 relu:fp32 fc:tf32");
}

TEST_CASE("A convolution's bias is a kernel over its output", "[model/frameworks]") {
  const Result plain = run(network, "a100", {});
  const Result result = run(network, "a100", options_of(Framework::pytorch));
  const LayerResult& bias = result.layers[1];
  CHECK(bias.layer.kind == LayerKind::add);
  CHECK(bias.counts.bytes.input == 25690112);
  CHECK(bias.counts.bytes.weight == 128 * 4);
  CHECK(bias.counts.bytes.output == 25690112);
  CHECK(bias.counts.flops == 64 * 128 * 28 * 28);
  CHECK(bias.counts.params == 0);
  CHECK(result.total.params == plain.total.params);
  CHECK(result.layers[2].input_from == std::vector<std::string>{"conv"});
  CHECK(result.total.bytes.total == plain.total.bytes.total + 2 * 25690112 + 512);
}

TEST_CASE("Names that bias kernels take are those of no layer", "[model/frameworks]") {
  const Result result = run(R"([
      {"name": "a", "input": [8, 8, 8], "out_channels": 8, "kernel_size": 1, "bias": true,
       "repeat": 2},
      {"name": "a.bias", "type": "relu"}])",
                            "v100", options_of(Framework::pytorch));
  CHECK(rows_of(result) == "a:fp32 a.bias#2:fp32 a#2:fp32 a.bias#3:fp32 a.bias:fp32");
}

TEST_CASE("PyTorch has no convolution in one byte", "[model/frameworks]") {
  const char* const bytes = R"([
      {"name": "c", "input": [16, 8, 8], "out_channels": 16, "kernel_size": 3, "dtype": "int8"}])";
  for (const Framework framework : {Framework::pytorch, Framework::torch_compile}) {
    const std::string message = message_of([&] { run(bytes, "t4", options_of(framework)); });
    CHECK(message ==
          "conv.json: layer \"c\" is a convolution in int8, which PyTorch does not run on GPUs; "
          "engines do: --framework tensorrt on NVIDIA's, MIGraphX on AMD's");
  }
  CHECK(rows_of(run(bytes, "t4", options_of(Framework::tensorrt))) == "c:int8");
  CHECK(rows_of(run(bytes, "t4", {})) == "c:int8");
}

TEST_CASE("Attention that is written out runs in one kernel", "[model/frameworks]") {
  AnalysisOptions options = options_of(Framework::pytorch);
  const Result result = run(written_out, "a100", options);
  CHECK(rows_of(result) == "scores:fp32 (weights:fp32) (values:fp32) out:fp32");
  const LayerResult& attention = result.layers.front();
  CHECK(attention.layer.kind == LayerKind::attention);
  CHECK(attention.counts.macs == 6 * 16 * 16 * 4 * 2);
  // Queries, keys, values and the result: 6 x 16 x 4 numbers each.
  CHECK(attention.counts.bytes.total == 4 * 6 * 16 * 4 * 4);
  CHECK(rows_of(run(written_out, "a100", {})) == "scores:fp32 weights:fp32 values:fp32 out:fp32");
}

TEST_CASE("Products that something else reads or is added to stay", "[model/frameworks]") {
  const char* const biased = R"([
      {"name": "scores", "type": "matmul", "inputs": [[6, 16, 4], [6, 4, 16]]},
      {"name": "position", "type": "add",
       "inputs": ["scores", {"shape": [1, 16, 16], "parameter": true}]},
      {"name": "weights", "type": "softmax"},
      {"name": "values", "type": "matmul",
       "inputs": [{"layer": "weights", "shape": [6, 16, 16]}, [6, 16, 4]]}])";
  CHECK(rows_of(run(biased, "a100", options_of(Framework::pytorch))) ==
        "scores:fp32 position:fp32 weights:fp32 values:fp32");
  const char* const shared = R"([
      {"name": "scores", "type": "matmul", "inputs": [[6, 16, 4], [6, 4, 16]]},
      {"name": "weights", "type": "softmax"},
      {"name": "shown", "type": "relu"},
      {"name": "values", "type": "matmul",
       "inputs": [{"layer": "weights", "shape": [6, 16, 16]}, [6, 16, 4]]}])";
  CHECK(rows_of(run(shared, "a100", options_of(Framework::pytorch))) ==
        "scores:fp32 weights:fp32 shown:fp32 values:fp32");
}

TEST_CASE("Scores are scaled by one number, not by a tensor", "[model/frameworks]") {
  const auto rows = [](const std::string& factor) {
    return rows_of(run((R"([
      {"name": "scores", "type": "matmul", "inputs": [[6, 16, 4], [6, 4, 16]]},
      {"name": "factor", "type": "mul", "inputs": ["scores", {"shape": )" +
                        factor + R"(, "parameter": true}]},
      {"name": "weights", "type": "softmax"},
      {"name": "values", "type": "matmul",
       "inputs": [{"layer": "weights", "shape": [6, 16, 16]}, [6, 16, 4]]}])")
                           .c_str(),
                       "a100", options_of(Framework::pytorch)));
  };
  CHECK(rows("[1, 1, 1]") == "scores:fp32 (factor:fp32) (weights:fp32) (values:fp32)");
  CHECK(rows("[6, 16, 16]") == "scores:fp32 factor:fp32 weights:fp32 values:fp32");
  CHECK(rows("[6, 1, 16]") == "scores:fp32 factor:fp32 weights:fp32 values:fp32");
}

TEST_CASE("A release that data does not show says which it does", "[model/frameworks]") {
  AnalysisOptions options;
  const auto assumed = [&](std::uint16_t major_number, std::uint16_t minor_number) {
    options.library = LibraryRelease{KernelLibrary::cudnn, {major_number, minor_number}};
    return make_context(find_gpu("h100").value(), options).value().assumptions;
  };
  CHECK(assumed(8, 0) ==
        std::vector<std::string>{"kernels for groups are those of cuDNN 8.0, as --assume says"});
  CHECK(assumed(99, 0) ==
        std::vector<std::string>{"kernels for groups are those of cuDNN 99.0, as --assume says: "
                                 "later than 9.19, the newest that data shows here"});
}

TEST_CASE("The release before another", "[model/frameworks]") {
  CHECK(Release{9, 1}.previous().text() == "9.0");
  CHECK(Release{9, 0}.previous().text() == "8");
  CHECK(Release{9, 0}.previous() > Release{8, 99});
}

TEST_CASE("The host's cost of an operator is assumed, and said to be", "[model/frameworks]") {
  const Context context =
      make_context(find_gpu("v100").value(), options_of(Framework::pytorch)).value();
  CHECK(context.launch.host_operator_s == 25e-6);
  REQUIRE(context.assumptions.size() == 1);
  CHECK(context.assumptions.front() ==
        "host_operator_us is not stated: 25 us an operator are assumed, between 23 and 30 of hosts "
        "of an H200 and an H100");
  Gpu stated = find_gpu("v100").value();
  stated.host_operator_s = 8e-6;
  const Context own = make_context(stated, options_of(Framework::pytorch)).value();
  CHECK(own.launch.host_operator_s == 8e-6);
  CHECK(own.assumptions.empty());
}

TEST_CASE("What a framework cannot run is refused", "[model/frameworks]") {
  CHECK(message_of([] {
          make_context(find_gpu("mi300x").value(), options_of(Framework::tensorrt)).value();
        }) == "TensorRT runs on NVIDIA's GPUs, and Instinct MI300X is AMD's");
}

/// Measured on an H100: as PyTorch runs what it is given, and as it does with its defaults changed.
TEST_CASE("Networks in PyTorch, measured on an H100", "[model/frameworks]") {
  const Gpu gpu = find_gpu("h100").value();
  std::map<std::string, std::vector<TimedPair>> pairs;
  for (const auto& row : measured_rows("h100_pytorch.tsv")) {
    const std::string &model = row.at("model"), &dtype = row.at("dtype"),
                      &layout = row.at("layout"), &batch = row.at("batch");
    LayerDefaults defaults = at_batch(std::stoull(batch));
    defaults.dtype = *parse<DataType>(dtype);
    AnalysisOptions options = options_of(Framework::pytorch);
    options.launch = LaunchProtocol::graph;
    options.layout = parse<Layout>(layout);
    if (row.at("tf32") == "off") options.engine = EngineChoice::automatic;
    const Network loaded = load_network(*find_network(model), model, defaults).value();
    pairs[dtype + ' ' + layout + ' ' + batch].push_back(
        {std::stod(row.at("graph_us")) * 1e-6,
         *analyze(loaded, gpu, options).total.expected_time_s});
  }
  struct Cell {
    const char* name;
    std::size_t networks;
    double most_geometric_error;
  };
  for (const Cell& cell : {Cell{"fp32 nchw 32", 10, 1.068}, Cell{"fp32 nchw 1", 5, 1.12},
                           Cell{"fp16 nchw 32", 5, 1.082}, Cell{"fp16 nchw 1", 5, 1.09},
                           Cell{"fp16 nhwc 32", 5, 1.04}, Cell{"fp16 nhwc 1", 5, 1.12}}) {
    INFO(cell.name);
    CHECK(pairs[cell.name].size() == cell.networks);
    CHECK(model_error(pairs[cell.name]).geometric_error <= cell.most_geometric_error);
  }
}

}  // namespace frameworks
