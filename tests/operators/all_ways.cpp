// An operator is one layer, whatever brought it: from one table of operators and sizes come an ONNX
// model, a program of torch.export, a profiler's recording and a layer file.

#include "operators/forms.hpp"

// Names of a unity build's files may meet.
namespace operator_forms::all_ways {

namespace {

constexpr std::uint64_t images = 2 * 8 * 14 * 14;
constexpr std::uint64_t maps = 4 * 6 * 64 * 64;
constexpr std::uint64_t large = 4 * 6 * 512 * 512;
const Numbers image_sizes{2, 8, 14, 14};
const Numbers map_sizes{4, 6, 64, 64};
const Numbers large_sizes{4, 6, 512, 512};
const std::string two_tensors = "as_tensors: [{\"name\": \"x\"}, {\"name\": \"y\"}]";

/// Two operands of one type and their result.
Case of_two(const std::string& name, const Numbers& a, const Numbers& b, const Numbers& result) {
  return {.name = name, .tensors = {{"x", a}, {"y", b}}, .result = {"r", result}};
}

std::vector<Case> elementwise_cases() {
  std::vector<Case> cases;
  Case relu{.name = "relu", .tensors = {{"x", map_sizes}}, .result = {"r", map_sizes}};
  relu.onnx = {"Relu", {"x"}};
  relu.pytorch = {"relu", {"x"}};
  relu.layer = R"({"type": "relu", "input": [4, 6, 64, 64]})";
  relu.expected = {"relu", 0, maps, 0, 4 * 2 * maps};
  cases.push_back(relu);

  for (const auto& [onnx, pytorch] :
       {std::pair{"Elu", "elu"}, {"Selu", "selu"}, {"Celu", "celu"}}) {
    Case exponential{.name = pytorch, .tensors = {{"x", map_sizes}}, .result = {"r", map_sizes}};
    exponential.onnx = {onnx, {"x"}};
    exponential.pytorch = {pytorch, {"x"}};
    exponential.layer = R"({"type": ")" + std::string(pytorch) + R"(", "input": [4, 6, 64, 64]})";
    exponential.expected = {"elu", 0, 4 * maps, 0, 4 * 2 * maps};
    cases.push_back(exponential);
  }

  for (const auto& [onnx, ours] :
       {std::pair{"Add", "add"}, {"Sub", "sub"}, {"Mul", "mul"}, {"Div", "div"}}) {
    Case pairs = of_two(ours, map_sizes, map_sizes, map_sizes);
    pairs.onnx = {onnx, {"x", "y"}};
    pairs.pytorch = {ours, {"x", "y"}};
    pairs.layer =
        R"({"type": ")" + std::string(ours) + R"(", "inputs": [[4, 6, 64, 64], [4, 6, 64, 64]]})";
    pairs.expected = {ours, 0, maps, 0, 4 * 3 * maps};
    cases.push_back(pairs);
  }

  Case channels = of_two("a factor a channel", map_sizes, {6, 1, 1}, map_sizes);
  channels.tensors[1].is_parameter = true;
  channels.onnx = {"Mul", {"x", "y"}};
  channels.pytorch = {"mul", {"x", "y"}, false};
  channels.layer = R"({"type": "mul", "inputs": [[4, 6, 64, 64], {"parameter": [6, 1, 1]}]})";
  channels.expected = {"mul", 0, maps, 6, 4 * (2 * maps + 6)};
  cases.push_back(channels);

  Case scale = of_two("a scale without axes before its tensor", {}, map_sizes, map_sizes);
  scale.onnx = {"Mul", {"x", "y"}};
  scale.pytorch = {"mul", {"x", "y"}};
  scale.layer = R"({"type": "mul", "inputs": [[1, 1, 1, 1], [4, 6, 64, 64]]})";
  scale.expected = {"mul", 0, maps, 0, 4 * (2 * maps + 1)};
  cases.push_back(scale);

  Case most = of_two("the larger of two", map_sizes, map_sizes, map_sizes);
  most.onnx = {"Max", {"x", "y"}};
  most.pytorch = {"max", {"x", "y"}};
  most.layer = R"({"type": "other", "inputs": [[4, 6, 64, 64], [4, 6, 64, 64]],
                   "output": [4, 6, 64, 64]})";
  most.expected = {"other", 0, 0, 0, 4 * 3 * maps};
  cases.push_back(most);

  Case greater = of_two("a comparison", map_sizes, map_sizes, map_sizes);
  greater.result.type = boolean;
  greater.onnx = {"Greater", {"x", "y"}};
  greater.pytorch = {"gt", {"x", "y"}};
  greater.layer = R"({"type": "other", "inputs": [[4, 6, 64, 64], [4, 6, 64, 64]],
                      "dtypes": {"input": "fp32", "output": "bool"}, "output": [4, 6, 64, 64]})";
  greater.expected = {"other", 0, 0, 0, (4 + 4 + 1) * maps};
  cases.push_back(greater);

  for (const bool is_half : {false, true}) {
    const TypeNames& type = is_half ? fp16 : fp32;
    const std::uint64_t byte = is_half ? 2 : 4;
    Case choice{.name = is_half ? "a choice in fp16" : "a choice",
                .tensors = {{"c", large_sizes, boolean},
                            {"x", large_sizes, type},
                            {"y", large_sizes, type}},
                .result = {"r", large_sizes, type}};
    choice.onnx = {"Where", {"c", "x", "y"}};
    choice.pytorch = {"where", {"c", "x", "y"}};
    choice.layer = std::string(R"({"type": "other", "dtype": ")") + (is_half ? "fp16" : "fp32") +
                   R"(", "inputs": [{"shape": [4, 6, 512, 512], "dtype": "bool"},
                       [4, 6, 512, 512], [4, 6, 512, 512]], "output": [4, 6, 512, 512]})";
    choice.expected = {"other", 0, 0, 0, large * (1 + 3 * byte)};  // 81.8 and 44.0 MB
    cases.push_back(choice);
  }

  Case negative{
      .name = "int64", .tensors = {{"x", {10, 100}, int64}}, .result = {"r", {10, 100}, int64}};
  negative.onnx = {"Neg", {"x"}};
  negative.pytorch = {"neg", {"x"}};
  negative.layer = R"({"type": "elementwise", "input": [10, 100], "dtype": "int64"})";
  negative.expected = {"elementwise", 0, 1000, 0, 2 * 8 * 1000};
  cases.push_back(negative);
  return cases;
}

std::vector<Case> row_cases() {
  std::vector<Case> cases;
  Case last{.name = "a softmax of the last axis",
            .tensors = {{"x", {8, 128, 64}}},
            .result = {"r", {8, 128, 64}}};
  last.onnx = {"Softmax", {"x"}};
  last.pytorch = {"softmax", {"x", "as_int: -1"}};
  last.layer = R"({"type": "softmax", "input": [1024, 64]})";
  last.expected = {"softmax", 0, 5 * 65536, 0, 4 * 2 * 65536};
  cases.push_back(last);

  Case channels{.name = "a softmax of channels",
                .tensors = {{"x", {8, 21, 64, 64}}},
                .result = {"r", {8, 21, 64, 64}}};
  channels.onnx = {"Softmax", {"x"}, onnx_bytes::attribute("axis", 1)};
  channels.pytorch = {"softmax", {"x", "as_int: 1"}};
  channels.layer = R"({"type": "softmax", "input": {"shape": [8, 21, 4096]}, "axis": 1})";
  channels.expected = {"softmax", 0, 5 * 688128, 0, 4 * 2 * 688128};
  cases.push_back(channels);

  Case rows{.name = "a layer norm",
            .tensors = {{"x", {8, 128, 64}}, parameter("g", {64}), parameter("b", {64})},
            .result = {"r", {8, 128, 64}}};
  rows.onnx = {"LayerNormalization", {"x", "g", "b"}};
  rows.pytorch = {"layer_norm", {"x", "as_ints: [64]", "g", "b"}};
  rows.layer = R"({"type": "layer_norm", "input": [8, 128, 64]})";
  rows.expected = {"layer_norm", 0, 7 * 65536, 128, 4 * (2 * 65536 + 128)};
  cases.push_back(rows);

  Case norm{.name = "a batch norm",
            .tensors = {{"x", image_sizes},
                        parameter("g", {8}),
                        parameter("b", {8}),
                        parameter("m", {8}),
                        parameter("v", {8})},
            .result = {"r", image_sizes}};
  norm.onnx = {"BatchNormalization", {"x", "g", "b", "m", "v"}};
  norm.pytorch = {"batch_norm", {"x", "g", "b", "m", "v", "as_bool: false"}};
  norm.layer = R"({"type": "batch_norm", "input": [2, 8, 14, 14]})";
  norm.expected = {"batch_norm", 0, 2 * images, 16, 4 * (2 * images + 32)};
  cases.push_back(norm);

  Case greatest{
      .name = "a reduction", .tensors = {{"x", {32, 64, 16}}}, .result = {"r", {32, 1, 16}}};
  greatest.onnx = {"ReduceMax", {"x"}, onnx_bytes::integers_attribute("axes", {1})};
  greatest.pytorch = {"amax", {"x", "as_ints: [1]", "as_bool: true"}};
  greatest.layer = R"({"type": "reduce", "input": {"shape": [32, 64, 16]}, "output": [32, 1, 16]})";
  greatest.expected = {"reduce", 0, 32768, 0, 4 * (32768 + 512)};
  cases.push_back(greatest);

  Case place{.name = "the place of the greatest",
             .tensors = {{"x", {128, 512}}},
             .result = {"r", {128, 1}, int64}};
  place.onnx = {"ArgMax", {"x"}, onnx_bytes::attribute("axis", 1)};
  place.pytorch = {"argmax", {"x", "as_int: 1", "as_bool: true"}};
  place.layer = R"({"type": "reduce", "input": {"shape": [128, 512]}, "output": [128, 1],
                    "dtypes": {"input": "fp32", "output": "int64"}})";
  place.expected = {"reduce", 0, 65536, 0, 4 * 65536 + 8 * 128};  // 263,168 bytes
  cases.push_back(place);
  place.name = "the place of the least";
  place.onnx.op = "ArgMin";
  place.pytorch.op = "argmin";
  cases.push_back(place);

  Case sequence{
      .name = "a mean over steps", .tensors = {{"x", {32, 64, 16}}}, .result = {"r", {32, 64, 1}}};
  sequence.onnx = {"ReduceMean", {"x"}, onnx_bytes::integers_attribute("axes", {2})};
  sequence.pytorch = {"mean", {"x", "as_ints: [2]", "as_bool: true"}};
  sequence.layer = R"({"type": "reduce", "input": {"shape": [32, 64, 16]}, "output": [32, 64, 1]})";
  sequence.expected = {"reduce", 0, 32768, 0, 4 * (32768 + 2048)};
  cases.push_back(sequence);

  Case positions{.name = "a mean over positions",
                 .tensors = {{"x", image_sizes}},
                 .result = {"r", {2, 8, 1, 1}}};
  positions.onnx = {"ReduceMean", {"x"}, onnx_bytes::integers_attribute("axes", {2, 3})};
  positions.pytorch = {"mean", {"x", "as_ints: [2, 3]", "as_bool: true"}};
  positions.layer = R"({"type": "global_avg_pool", "input": [2, 8, 14, 14]})";
  positions.expected = {"global_avg_pool", 0, images, 0, 4 * (images + 16)};
  cases.push_back(positions);

  Case groups{.name = "a group norm",
              .tensors = {{"x", image_sizes}, parameter("g", {8}), parameter("b", {8})},
              .result = {"r", image_sizes}};
  groups.onnx = {"GroupNormalization", {"x", "g", "b"}, onnx_bytes::attribute("num_groups", 4), 21};
  groups.pytorch = {"group_norm", {"x", "as_int: 4", "g", "b"}};
  groups.layer = R"({"type": "group_norm", "input": [2, 8, 14, 14], "groups": 4})";
  groups.expected = {"group_norm", 0, 7 * images, 16, 4 * (2 * images + 16)};
  cases.push_back(groups);

  Case squares{.name = "an RMS norm",
               .tensors = {{"x", {8, 128, 64}}, parameter("g", {64})},
               .result = {"r", {8, 128, 64}}};
  squares.onnx = {"RMSNormalization", {"x", "g"}, "", 23};
  squares.pytorch = {"rms_norm", {"x", "as_ints: [64]", "g"}};
  squares.layer = R"({"type": "rms_norm", "input": [8, 128, 64]})";
  squares.expected = {"rms_norm", 0, 4 * 65536, 64, 4 * (2 * 65536 + 64)};
  cases.push_back(squares);
  return cases;
}

std::vector<Case> window_cases() {
  std::vector<Case> cases;
  Case conv{.name = "a convolution",
            .tensors = {{"x", image_sizes}, parameter("w", {16, 8, 3, 3}), parameter("b", {16})},
            .result = {"r", {2, 16, 14, 14}}};
  conv.onnx = {"Conv", {"x", "w", "b"}, onnx_bytes::integers_attribute("pads", {1, 1, 1, 1})};
  conv.pytorch = {"conv2d", {"x", "w", "b", "as_ints: [1, 1]", "as_ints: [1, 1]"}};
  conv.layer = R"({"input": [2, 8, 14, 14], "out_channels": 16, "kernel_size": 3, "padding": 1,
                   "bias": true})";
  conv.expected = {"conv", 2 * 16 * 196 * 8 * 9, 2 * 2 * 16 * 196 * 8 * 9, 16 * 72 + 16,
                   4 * (images + 16 * 72 + 16 + 2 * images)};
  cases.push_back(conv);

  Case pool{
      .name = "a maximum pool", .tensors = {{"x", image_sizes}}, .result = {"r", {2, 8, 7, 7}}};
  pool.onnx = {"MaxPool",
               {"x"},
               onnx_bytes::integers_attribute("kernel_shape", {2, 2}) +
                   onnx_bytes::integers_attribute("strides", {2, 2})};
  pool.pytorch = {"max_pool2d", {"x", "as_ints: [2, 2]", "as_ints: [2, 2]"}};
  pool.layer = R"({"type": "max_pool", "input": [2, 8, 14, 14], "kernel_size": 2, "stride": 2})";
  pool.expected = {"max_pool", 0, images, 0, 4 * (images + images / 4)};
  cases.push_back(pool);

  Case mean{
      .name = "a global mean", .tensors = {{"x", image_sizes}}, .result = {"r", {2, 8, 1, 1}}};
  mean.onnx = {"GlobalAveragePool", {"x"}};
  mean.pytorch = {"adaptive_avg_pool2d", {"x", "as_ints: [1, 1]"}};
  mean.layer = R"({"type": "global_avg_pool", "input": [2, 8, 14, 14]})";
  mean.expected = {"global_avg_pool", 0, images, 0, 4 * (images + 16)};
  cases.push_back(mean);

  Case greatest{
      .name = "a global maximum", .tensors = {{"x", image_sizes}}, .result = {"r", {2, 8, 1, 1}}};
  greatest.onnx = {"GlobalMaxPool", {"x"}};
  greatest.pytorch = {"adaptive_max_pool2d", {"x", "as_ints: [1, 1]"}};
  greatest.layer = R"({"type": "max_pool", "input": [2, 8, 14, 14], "output_size": 1})";
  greatest.expected = {"max_pool", 0, images, 0, 4 * (images + 16)};
  cases.push_back(greatest);

  Case both = of_two("a concatenation", image_sizes, {2, 4, 14, 14}, {2, 12, 14, 14});
  both.onnx = {"Concat", {"x", "y"}, onnx_bytes::attribute("axis", 1)};
  both.pytorch = {"cat", {two_tensors, "as_int: 1"}};
  both.layer = R"({"type": "concat", "inputs": [[2, 8, 14, 14], [2, 4, 14, 14]]})";
  both.expected = {"concat", 0, 0, 0, 4 * 2 * (images + images / 2)};
  cases.push_back(both);
  return cases;
}

std::vector<Case> product_cases() {
  std::vector<Case> cases;
  Case linear{.name = "a linear layer",
              .tensors = {{"x", {32, 128}}, parameter("w", {64, 128}), parameter("b", {64})},
              .result = {"r", {32, 64}}};
  linear.onnx = {"Gemm", {"x", "w", "b"}, onnx_bytes::attribute("transB", 1)};
  linear.pytorch = {"linear", {"x", "w", "b"}};
  linear.layer = R"({"type": "linear", "input": [32, 128], "out_features": 64, "bias": true})";
  linear.expected = {"linear", 262144, 524288, 8256, 4 * (4096 + 8256 + 2048)};
  cases.push_back(linear);

  Case learned{.name = "x @ W",
               .tensors = {{"x", {32, 128}}, parameter("w", {128, 64})},
               .result = {"r", {32, 64}}};
  learned.onnx = {"MatMul", {"x", "w"}};
  learned.pytorch = {"matmul", {"x", "w"}, false};
  learned.layer = R"({"type": "linear", "input": [32, 128], "out_features": 64})";
  learned.expected = {"linear", 262144, 524288, 8192, 4 * (4096 + 8192 + 2048)};
  cases.push_back(learned);

  Case added = linear;
  added.name = "x @ W + b";
  added.tensors[1] = parameter("w", {128, 64});
  added.onnx = {"Gemm", {"x", "w", "b"}};
  added.pytorch = {"addmm", {"b", "x", "w"}};
  cases.push_back(added);

  Case products = of_two("products", {8, 64, 32}, {8, 32, 16}, {8, 64, 16});
  products.onnx = {"MatMul", {"x", "y"}};
  products.pytorch = {"bmm", {"x", "y"}};
  products.layer = R"({"type": "matmul", "inputs": [[8, 64, 32], [8, 32, 16]]})";
  products.expected = {"matmul", 262144, 524288, 0, 4 * (16384 + 4096 + 8192)};
  cases.push_back(products);

  Case sums = products;
  sums.name = "products that are added";
  sums.tensors.push_back({"c", {8, 64, 16}});
  sums.onnx = {};
  sums.pytorch = {"baddbmm", {"c", "x", "y"}};
  cases.push_back(sums);

  products.name = "products by parameters";
  products.tensors[1].is_parameter = true;
  products.pytorch.in_recordings = false;
  products.layer = R"({"type": "matmul", "inputs": [[8, 64, 32],
                       {"shape": [8, 32, 16], "parameter": true}]})";
  products.expected.params = 4096;
  cases.push_back(products);

  Case shared = of_two("a shared second matrix", {32, 1, 128}, {128, 4096}, {32, 1, 4096});
  shared.onnx = {"MatMul", {"x", "y"}};
  shared.pytorch = {"matmul", {"x", "y"}, false};
  shared.layer = R"({"type": "matmul", "inputs": [[32, 1, 128], [128, 4096]]})";
  shared.expected = {"matmul", 16777216, 33554432, 0, 4 * (4096 + 524288 + 131072)};  // 2.64 MB
  cases.push_back(shared);

  // PyTorch copies the shared matrices first.
  Case grouped = of_two("matrices shared in groups", {1, 8, 4, 1, 128}, {1, 8, 1, 128, 4096},
                        {1, 8, 4, 1, 4096});
  grouped.onnx = {"MatMul", {"x", "y"}};
  grouped.layer = R"({"type": "matmul", "inputs": [[1, 8, 4, 1, 128], [1, 8, 1, 128, 4096]]})";
  grouped.expected = {"matmul", 16777216, 33554432, 0, 4 * (4096 + 4194304 + 131072)};  // 17.3 MB
  cases.push_back(grouped);

  struct Equation {
    std::string text;
    Numbers a, b, result;
    Expected expected;
  };
  for (const Equation& each : {
           Equation{"bhid,bhjd->bhij",
                    {2, 4, 16, 8},
                    {2, 4, 32, 8},
                    {2, 4, 16, 32},
                    {"matmul", 32768, 65536, 0, 4 * (1024 + 2048 + 4096)}},
           Equation{"ik,kj",  // the result is "ij"
                    {64, 32},
                    {32, 16},
                    {64, 16},
                    {"matmul", 32768, 65536, 0, 4 * (2048 + 512 + 1024)}},
           // The sum along s comes first: 131,072 additions, and a result of 64 x 32.
           Equation{"isk,kj->ij",
                    {64, 64, 32},
                    {32, 32},
                    {64, 32},
                    {"matmul", 65536, 2 * 65536 + 131072, 0,
                     4 * (131072 + 2048) + 4 * (2048 + 1024 + 2048)}},
       }) {
    Case einsum = of_two(each.text, each.a, each.b, each.result);
    einsum.onnx = {"Einsum", {"x", "y"}, onnx_bytes::text_attribute("equation", each.text)};
    einsum.pytorch = {"einsum", {"as_string: \"" + each.text + "\"", two_tensors}, false};
    einsum.expected = each.expected;
    cases.push_back(einsum);
  }
  return cases;
}

std::vector<Case> attention_cases() {
  std::vector<Case> cases;
  Case causal{.name = "causal attention with fewer queries than keys",
              .tensors = {{"q", {1, 1, 4, 64}}, {"k", {1, 1, 64, 64}}, {"v", {1, 1, 64, 64}}},
              .result = {"r", {1, 1, 4, 64}}};
  causal.onnx = {"Attention", {"q", "k", "v"}, onnx_bytes::attribute("is_causal", 1), 23};
  causal.pytorch = {"scaled_dot_product_attention",
                    {"q", "k", "v", "as_none: true", "as_float: 0.0", "as_bool: true"}};
  causal.layer = R"({"type": "attention", "causal": true, "causal_from_first": true,
                     "inputs": [[1, 1, 4, 64], [1, 1, 64, 64], [1, 1, 64, 64]]})";
  // 1 + 2 + 3 + 4 pairs of a query and a key; four queries, keys, values and results.
  causal.expected = {"attention", 10 * 2 * 64, 2 * 10 * 2 * 64, 0, 4 * 4 * 4 * 64};
  cases.push_back(causal);

  Case heads{.name = "attention of three axes",
             .tensors = {{"q", {8, 16, 32}}, {"k", {8, 16, 32}}, {"v", {8, 16, 32}}},
             .result = {"r", {8, 16, 32}}};
  heads.pytorch = {"scaled_dot_product_attention", {"q", "k", "v"}};
  heads.layer = R"({"type": "attention",
                    "inputs": [[8, 1, 16, 32], [8, 1, 16, 32], [8, 1, 16, 32]]})";
  heads.expected = {"attention", 8 * 16 * 16 * 64, 2 * 8 * 16 * 16 * 64, 0, 4 * 4 * 4096};
  cases.push_back(heads);

  Case positions{.name = "attention with the heads third",
                 .tensors = {{"q", {2, 16, 4, 32}}, {"k", {2, 16, 4, 32}}, {"v", {2, 16, 4, 32}}},
                 .result = {"r", {2, 16, 4, 32}}};
  positions.pytorch = {"_flash_attention_forward",
                       {"q", "k", "v", "as_none: true", "as_none: true", "as_none: true",
                        "as_none: true", "as_float: 0.0", "as_bool: true"}};
  positions.layer = R"({"type": "attention", "causal": true, "backend": "flash",
                        "inputs": [[2, 4, 16, 32], [2, 4, 16, 32], [2, 4, 16, 32]]})";
  // 136 pairs of a query and a key in each of 8 heads.
  positions.expected = {"attention", 8 * 136 * 64, 2 * 8 * 136 * 64, 0, 4 * 4 * 4096};
  cases.push_back(positions);
  return cases;
}

/// 5 steps of 2 samples with 6 features, and states of 4.
std::vector<Case> recurrent_cases() {
  std::vector<Case> cases;
  struct Kind {
    std::string name, onnx, pytorch;
    std::int64_t gates = 1;
  };
  for (const Kind& kind : {Kind{"lstm", "LSTM", "lstm", 4}, Kind{"gru", "GRU", "gru", 3},
                           Kind{"rnn", "RNN", "rnn_tanh", 1}}) {
    const auto gates = static_cast<std::uint64_t>(kind.gates);
    const std::uint64_t weights = 4 * gates * (6 + 4);
    const Expected expected{kind.name, 10 * weights, 2 * 10 * weights, weights,
                            4 * (60 + weights + 40)};
    Case onnx{.name = kind.onnx,
              .tensors = {{"x", {5, 2, 6}},
                          parameter("w", {1, 4 * kind.gates, 6}),
                          parameter("u", {1, 4 * kind.gates, 4})},
              .result = {"r", {5, 1, 2, 4}}};
    onnx.onnx = {kind.onnx, {"x", "w", "u"}, onnx_bytes::attribute("hidden_size", 4)};
    onnx.layer = R"({"type": ")" + kind.name +
                 R"(", "input": [5, 2, 6], "hidden_size": 4, "batch_first": false})";
    onnx.expected = expected;
    cases.push_back(onnx);

    const std::string states =
        kind.name == "lstm" ? R"(as_tensors: [{"name": "h"}, {"name": "h"}])" : "h";
    Case pytorch{.name = kind.pytorch,
                 .tensors = {{"x", {5, 2, 6}},
                             {"h", {1, 2, 4}},
                             parameter("w", {4 * kind.gates, 6}),
                             parameter("u", {4 * kind.gates, 4})},
                 .result = {"r", {5, 2, 4}}};
    pytorch.pytorch = {
        kind.pytorch,
        {"x", states, R"(as_tensors: [{"name": "w"}, {"name": "u"}])", "as_bool: false",
         "as_int: 1", "as_float: 0.0", "as_bool: false", "as_bool: false", "as_bool: false"},
        false};
    pytorch.layer = onnx.layer;
    pytorch.expected = expected;
    cases.push_back(pytorch);
  }

  Case cell{
      .name = "a cell",
      .tensors = {{"x", {2, 6}}, {"h", {2, 4}}, parameter("w", {12, 6}), parameter("u", {12, 4})},
      .result = {"r", {2, 4}}};
  cell.pytorch = {"gru_cell", {"x", "h", "w", "u"}};
  cell.layer = R"({"type": "gru", "input": [2, 1, 6], "hidden_size": 4})";
  cell.expected = {"gru", 2 * 120, 2 * 2 * 120, 120, 4 * (12 + 120 + 8)};
  cases.push_back(cell);
  return cases;
}

std::vector<Case> movement_cases() {
  std::vector<Case> cases;
  Case rows{.name = "rows of a table",
            .tensors = {{"x", {50000, 768}}, {"i", {128}, int64}},
            .result = {"r", {128, 768}}};
  rows.onnx = {"Gather", {"x", "i"}};
  rows.pytorch = {"index_select", {"x", "as_int: 0", "i"}};
  rows.layer = R"({"type": "gather", "input": [50000, 768], "output": [128, 768]})";
  rows.expected = {"gather", 0, 0, 0, 2 * 4 * 128 * 768 + 8 * 128};
  cases.push_back(rows);

  Case larger{.name = "an image twice as large",
              .tensors = {{"x", image_sizes}},
              .result = {"r", {2, 8, 28, 28}}};
  larger.onnx = {"Upsample",
                 {"x"},
                 onnx_bytes::text_attribute("mode", "linear") + floats("scales", {1, 1, 2, 2}),
                 7};
  larger.pytorch = {"upsample_bilinear2d", {"x", "as_ints: [28, 28]", "as_bool: false"}};
  larger.layer = R"({"type": "upsample", "input": [2, 8, 14, 14], "scale_factor": 2,
                     "interpolation": "bilinear"})";
  larger.expected = {"upsample", 0, 0, 0, 4 * 5 * images};
  cases.push_back(larger);

  Case nearest = larger;
  nearest.name = "an image twice as large, of the nearest elements";
  nearest.onnx.attributes = floats("scales", {1, 1, 2, 2});
  nearest.pytorch = {"upsample_nearest2d", {"x", "as_ints: [28, 28]"}};
  nearest.layer = R"({"type": "upsample", "input": [2, 8, 14, 14], "scale_factor": 2})";
  cases.push_back(nearest);

  Case table{.name = "rows of a learned table",
             .tensors = {parameter("x", {50000, 768}), {"i", {128}, int64}},
             .result = {"r", {128, 768}}};
  table.onnx = {"Gather", {"x", "i"}};
  table.pytorch = {"embedding", {"x", "i"}, false};
  table.expected = {"gather", 0, 0, 50000 * 768, 2 * 4 * 128 * 768 + 8 * 128};
  cases.push_back(table);

  Case elements{.name = "elements from anywhere",
                .tensors = {{"x", {64, 1000}}, {"i", {64, 10}, int64}},
                .result = {"r", {64, 10}}};
  elements.onnx = {"GatherElements", {"x", "i"}, onnx_bytes::attribute("axis", 1)};
  elements.pytorch = {"gather", {"x", "as_int: 1", "i"}};
  elements.layer = R"({"type": "other", "inputs": [[64, 10], {"shape": [64, 10], "dtype": "int64"}],
                       "output": [64, 10]})";
  elements.expected = {"other", 0, 0, 0, (4 + 8 + 4) * 640};
  cases.push_back(elements);

  Case slices{.name = "slices of the second axis",
              .tensors = {{"x", {64, 1000}}, {"i", {10}, int64}},
              .result = {"r", {64, 10}}};
  slices.pytorch = {"index_select", {"x", "as_int: 1", "i"}};
  slices.layer = R"({"type": "other", "inputs": [[64, 10], {"shape": [10], "dtype": "int64"}],
                     "output": [64, 10]})";
  slices.expected = {"other", 0, 0, 0, (4 + 4) * 640 + 8 * 10};
  cases.push_back(slices);

  Case behind =
      of_two("a concatenation of the last axis", {2, 8, 14, 14}, {2, 8, 14, 6}, {2, 8, 14, 20});
  behind.onnx = {"Concat", {"x", "y"}, onnx_bytes::attribute("axis", 3)};
  behind.pytorch = {"cat", {two_tensors, "as_int: 3"}};
  behind.layer = R"({"type": "concat", "inputs": [[224, 14], [224, 6]]})";
  behind.expected = {"concat", 0, 0, 0, 4 * 2 * 224 * 20};
  cases.push_back(behind);

  Case border{.name = "a mirrored border",
              .tensors = {{"x", image_sizes}},
              .result = {"r", {2, 8, 16, 18}}};
  border.onnx = {"Pad",
                 {"x"},
                 onnx_bytes::integers_attribute("pads", {0, 0, 1, 2, 0, 0, 1, 2}) +
                     onnx_bytes::text_attribute("mode", "reflect"),
                 10};
  border.pytorch = {"reflection_pad2d", {"x", "as_ints: [2, 2, 1, 1]"}};
  border.layer = R"({"type": "copy", "input": [2, 8, 14, 14], "output": [2, 8, 16, 18]})";
  border.expected = {"copy", 0, 0, 0, 4 * (images + 16 * 16 * 18)};
  cases.push_back(border);

  Case shuffled{.name = "channels that become positions",
                .tensors = {{"x", image_sizes}},
                .result = {"r", {2, 2, 28, 28}}};
  shuffled.pytorch = {"pixel_shuffle", {"x", "as_int: 2"}};
  shuffled.layer = R"({"type": "copy", "input": [2, 8, 14, 14]})";
  shuffled.expected = {"copy", 0, 0, 0, 4 * 2 * images};
  cases.push_back(shuffled);

  Case patches{.name = "patches of an image",
               .tensors = {{"x", image_sizes}},
               .result = {"r", {2, 72, 144}}};
  patches.pytorch = {
      "im2col", {"x", "as_ints: [3, 3]", "as_ints: [1, 1]", "as_ints: [0, 0]", "as_ints: [1, 1]"}};
  patches.layer = R"({"type": "im2col", "input": [2, 8, 14, 14], "output": [2, 72, 144]})";
  patches.expected = {"im2col", 0, 0, 0, 4 * (images + 2 * 72 * 144)};
  cases.push_back(patches);
  return cases;
}

}  // namespace

TEST_CASE("An operator is one layer, whatever brought it", "[operators/all_ways]") {
  for (const auto family : {elementwise_cases, row_cases, window_cases, product_cases,
                            attention_cases, recurrent_cases, movement_cases})
    for (const Case& each : family()) {
      std::optional<double> time_s;
      INFO(each.name);
      if (!each.layer.empty()) {
        INFO("a layer file");
        check(each, load_text(each.layer).layers, time_s);
      }
      if (!each.onnx.op.empty()) {
        INFO("ONNX");
        check(each, of_onnx(each), time_s);
      }
      if (!each.pytorch.op.empty()) {
        INFO("a program");
        check(each, of_program(each), time_s);
      }
      if (!each.pytorch.op.empty() && each.pytorch.in_recordings) {
        INFO("a recording");
        check(each, of_recording(each), time_s);
      }
    }
}

}  // namespace operator_forms::all_ways
