// Training and inference under PyTorch's autocast: types, casts and their bytes, by hand.

#include <map>

#include "load/loading.hpp"
#include "measured_rows.hpp"
#include "roofline/accuracy.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"

namespace autocasts {

using namespace roofline;

LayerDefaults amp(DataType how = DataType::amp) {
  LayerDefaults defaults;
  defaults.autocast = how;
  return defaults;
}

AnalysisOptions training() {
  AnalysisOptions options;
  options.training = true;
  return options;
}

/// 112 parameters in the convolution, 8 in the batch norm, 514 in the product.
const char* const network = R"([
    {"name": "conv", "input": [3, 8, 8], "out_channels": 4, "kernel_size": 3, "padding": 1,
     "bias": true},
    {"name": "bn", "type": "batch_norm"},
    {"name": "relu", "type": "relu"},
    {"name": "fc", "type": "linear", "out_features": 2, "bias": true},
    {"name": "softmax", "type": "softmax"}])";

Result run(const char* text, const LayerDefaults& defaults, const AnalysisOptions& options = {}) {
  return analyze(load_text(text, defaults), find_gpu("a100").value(), options);
}

std::string types_of(const Result& result) {
  std::string text;
  for (const LayerResult& row : result.layers) {
    const DataTypes& types = row.layer.dtypes;
    text += row.layer.name + ' ' + std::string(name_of(types.input));
    if (types.output != types.input) text += '>' + std::string(name_of(types.output));
    text += '\n';
  }
  return text;
}

std::string rows_of(const Result& result) {
  std::string text;
  for (const LayerResult& row : result.layers)
    text += row.layer.name + ' ' + std::string(name_of(row.layer.pass)) + ' ' +
            std::to_string(row.counts.bytes.total) + '\n';
  return text;
}

TEST_CASE("Each operator runs in its type, with the casts that this takes", "[model/autocast]") {
  const Result result = run(network, amp());
  CHECK(types_of(result) ==
        "conv.input to fp16 fp32>fp16\n"
        "conv.weight to fp16 fp32>fp16\n"
        "conv.bias to fp16 fp32>fp16\n"
        "conv fp16\n"
        "bn fp16\n"
        "relu fp16\n"
        "fc.weight to fp16 fp32>fp16\n"
        "fc.bias to fp16 fp32>fp16\n"
        "fc fp16\n"
        "softmax.input to fp32 fp16>fp32\n"
        "softmax fp32\n");
  CHECK(result.setting.dtype == DataType::amp);
  CHECK(result.setting.batch == 1);
  CHECK(result.total.params == 112 + 8 + 514);
  CHECK(result.layers[4].layer.dtypes.weight == DataType::fp32);
  CHECK(run(network, amp(DataType::amp_bf16), {}).setting.dtype == DataType::amp_bf16);
}

TEST_CASE("Gradients are cast back and unscaled", "[model/autocast]") {
  const Result result = run(network, amp(), training());
  // A cast of n numbers moves 6 n bytes; the data gradient of a weight's cast is its gradient's.
  CHECK(rows_of(result) ==
        "conv.input to fp16 fwd 1152\n"
        "conv.weight to fp16 fwd 648\n"
        "conv.weight to fp16 dgrad 648\n"
        "conv.bias to fp16 fwd 24\n"
        "conv.bias to fp16 dgrad 24\n"
        "conv fwd 1120\n"
        "conv wgrad 1120\n"
        "bn fwd 1088\n"
        "bn dgrad 1632\n"
        "relu fwd 1024\n"
        "relu dgrad 1536\n"
        "fc.weight to fp16 fwd 3072\n"
        "fc.weight to fp16 dgrad 3072\n"
        "fc.bias to fp16 fwd 12\n"
        "fc.bias to fp16 dgrad 12\n"
        "fc fwd 1544\n"
        "fc dgrad 1540\n"
        "fc wgrad 1544\n"
        "softmax.input to fp32 fwd 12\n"
        "softmax.input to fp32 dgrad 12\n"
        "softmax fwd 16\n"
        "softmax dgrad 24\n"
        "gradients.unscale fwd 5072\n");
  CHECK(result.total.params == 112 + 8 + 514);
  const std::string bf16 = rows_of(run(network, amp(DataType::amp_bf16), training()));
  CHECK(bf16.find("unscale") == std::string::npos);
}

TEST_CASE("Weights are kept in fp32, their casts until the backward pass", "[model/autocast]") {
  const Result plain = run(network, {}, training());
  const Result cast = run(network, amp(), training());
  CHECK(cast.memory->training_weight_byte == plain.memory->training_weight_byte);
  // What bn reads, what relu writes and fc reads, the network's input, what softmax writes. Under
  // autocast all but the last are in fp16, and so are the cast weights.
  CHECK(plain.memory->saved_activation_byte == 768 + 2 * 1024 + 8);
  CHECK(cast.memory->saved_activation_byte == 384 + 2 * 512 + 8 + 2 * (112 + 514));
}

TEST_CASE("Sums of both types are in fp32, and so is what parameters meet", "[model/autocast]") {
  const Result result = run(R"([
      {"name": "in", "type": "relu", "input": [8, 4, 4]},
      {"name": "conv", "out_channels": 8, "kernel_size": 1},
      {"name": "scale", "type": "mul", "inputs": ["conv", {"parameter": [8, 1, 1]}]},
      {"name": "add", "type": "add", "inputs": ["conv", "in"]},
      {"name": "half", "type": "add", "inputs": ["conv", "conv"]},
      {"name": "stated", "type": "relu", "input": "in", "dtype": "bf16"}])",
                            amp());
  CHECK(types_of(result).find("scale fp32\n") != std::string::npos);
  CHECK(types_of(result).find("add fp32\n") != std::string::npos);
  CHECK(types_of(result).find("half fp16\n") != std::string::npos);
  CHECK(types_of(result).find("stated bf16\n") != std::string::npos);
}

TEST_CASE("Functions that autocast keeps in fp32 have their operand cast", "[model/autocast]") {
  const Result result = run(R"([
      {"name": "conv", "input": [8, 4, 4], "out_channels": 8, "kernel_size": 1},
      {"name": "pow", "type": "elementwise", "fp32_under_autocast": true},
      {"name": "abs", "type": "elementwise", "input": "conv"}])",
                            amp());
  CHECK(types_of(result).ends_with("pow.input to fp32 fp16>fp32\npow fp32\nabs fp16\n"));
}

TEST_CASE("Gradients of what is repeated and of what is overwritten take kernels",
          "[model/autocast]") {
  AnalysisOptions options = training();
  options.fusion = FusionKind::eager;
  // 2 x 6 x 6 fp32 are 288 bytes: silu keeps its input; the mean's gradient is one of two; the
  // gradient of the factor is a product, summed up.
  const std::string rows = rows_of(run(R"([
      {"name": "silu", "type": "silu", "input": [2, 6, 6], "in_place": true},
      {"name": "mean", "type": "global_avg_pool"},
      {"name": "scale", "type": "mul", "inputs": ["silu", "mean"]}])",
                                       {}, options));
  CHECK(rows.find("silu.input kept fwd 576\n") != std::string::npos);
  CHECK(rows.find("silu.gradient sum fwd 864\n") != std::string::npos);
  CHECK(rows.find("scale.factor gradient fwd 864\n") != std::string::npos);
  CHECK(rows.find("scale.sum of gradients fwd 296\n") != std::string::npos);
}

TEST_CASE("PyTorch's own kernels run beside the layers in training", "[model/autocast]") {
  AnalysisOptions options = training();
  options.fusion = FusionKind::eager;
  const char* const block = R"([
      {"name": "conv", "input": [3, 8, 8], "out_channels": 4, "kernel_size": 3, "bias": true},
      {"name": "bn", "type": "batch_norm"},
      {"name": "add", "type": "add", "inputs": ["conv", "bn"]}])";
  // 4 x 6 x 6 fp32 are 576 bytes.
  CHECK(rows_of(run(block, {}, options)) ==
        "conv fwd 1792\n"
        "conv wgrad 1792\n"
        "conv.bias fwd 1168\n"
        "conv.bias gradient fwd 592\n"
        "conv.gradient sum fwd 1728\n"
        "bn fwd 1216\n"
        "bn dgrad 1824\n"
        "bn.counter fwd 8\n"
        "add fwd 1728\n");
  options.training = false;
  CHECK(rows_of(run(block, {}, options)) ==
        "conv fwd 1792\n"
        "conv.bias fwd 1168\n"
        "bn fwd 1216\n"
        "add fwd 1728\n");
}

/// Steps of training without an optimiser, under autocast and in TF32 as PyTorch does by default.
TEST_CASE("Training in PyTorch, measured on an H100", "[model/autocast]") {
  const Gpu gpu = find_gpu("h100").value();
  std::map<std::string, std::vector<TimedPair>> pairs;
  for (const auto& row : measured_rows("h100_training.tsv")) {
    const std::string &model = row.at("model"), &dtype = row.at("dtype"),
                      &layout = row.at("layout");
    LayerDefaults defaults = at_batch(std::stoull(row.at("batch")));
    const DataType type = *parse<DataType>(dtype);
    if (!is_tensor_type(type)) defaults.autocast = type;
    AnalysisOptions options = options_of(Framework::pytorch);
    options.training = true;
    options.launch = LaunchProtocol::graph;
    options.layout = parse<Layout>(layout);
    const Network loaded = load_network(*find_network(model), model, defaults).value();
    pairs[dtype + ' ' + layout].push_back({std::stod(row.at("graph_us")) * 1e-6,
                                           *analyze(loaded, gpu, options).total.expected_time_s});
  }
  CHECK(pairs["amp nhwc"].size() == 7);
  CHECK(model_error(pairs["amp nhwc"]).geometric_error <= 1.12);
  CHECK(pairs["fp32 nchw"].size() == 7);
  CHECK(model_error(pairs["fp32 nchw"]).geometric_error <= 1.09);
}

}  // namespace autocasts
