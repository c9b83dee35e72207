// Every name in the table of operators is the layer of its row: an ONNX model of one node, a
// program and a recording of one call, an engine of one layer.

#include <map>

#include "operators/forms.hpp"
#include "operators/table.hpp"

// Names of a unity build's files may meet.
namespace operator_forms::every_name {

namespace {

using Arguments = std::map<std::string, std::string>;

/// The operands and attributes that the names of a row are called with.
struct Sample {
  std::string row;    ///< ours
  std::string names;  ///< between blanks; empty: all of the row that have no other sample
  std::vector<Tensor> tensors;
  Tensor result;
  Expected expected;
  std::string attributes = "";             ///< of ONNX, whose inputs are all tensors
  Arguments arguments = {{"input", "x"}};  ///< of PyTorch, by their names in the table
  std::string engine = "";                 ///< members of TensorRT's description
};

constexpr std::uint64_t n = 32 * 64;
constexpr std::uint64_t images = 2 * 8 * 14 * 14;
const Tensor x{"x", {32, 64}};
const Tensor y{"y", {32, 64}};
const Tensor z{"z", {32, 64}};
const Tensor result{"r", {32, 64}};
const Tensor mask{"r", {32, 64}, boolean};
const Tensor sequence{"x", {2, 8, 14}};
const Tensor image{"x", {2, 8, 14, 14}};
const Tensor volume{"x", {2, 8, 6, 14, 14}};

Sample of_one(const std::string& row, const std::string& kind, std::uint64_t flop,
              const std::string& names = "") {
  return {row, names, {x}, result, {kind, 0, flop * n, 0, 2 * 4 * n}};
}

/// Operators on two or three tensors.
Sample of_several(const std::string& row, const std::string& names, std::vector<Tensor> tensors) {
  const std::uint64_t byte = 4 * (tensors.size() + 1) * n;
  return {row, names, std::move(tensors), result, {"other", 0, 0, 0, byte}};
}

std::vector<Sample> pointwise_samples() {
  std::vector<Sample> samples;
  const std::pair<std::string, std::uint64_t> activations[] = {
      {"relu", 1},    {"relu6", 2},     {"leaky_relu", 2}, {"elu", 4},
      {"sigmoid", 4}, {"tanh", 6},      {"silu", 5},       {"hardsigmoid", 4},
      {"gelu", 8},    {"hardswish", 5}, {"rowwise", 1},    {"prelu", 2}};
  for (const auto& [row, flop] : activations) samples.push_back(of_one(row, row, flop));
  samples.push_back(of_one("local_response_norm", "local_response_norm", 7));
  samples.back().attributes = onnx_bytes::attribute("size", 5);
  samples.push_back(of_one("clamp", "elementwise", 1));
  samples.back().arguments = {
      {"input", "x"}, {"least", "as_float: -1.0"}, {"most", "as_float: 1.0"}};
  samples.push_back(of_one("function", "elementwise", 1));
  samples.push_back(of_several(
      "function",
      "BitShift BitwiseAnd BitwiseOr BitwiseXor Max Min Mod Pow __and_ __or_ __xor_ atan2 "
      "bitwise_and bitwise_or bitwise_xor floor_divide fmod logical_and logical_or logical_xor "
      "maximum minimum pow remainder masked_fill mse_loss smooth_l1_loss huber_loss "
      "binary_cross_entropy",
      {x, y}));
  samples.push_back(of_several("function", "Where addcdiv addcmul lerp where", {x, y, z}));

  samples.push_back(of_one("comparison", "elementwise", 1));
  samples.push_back(of_several("comparison",
                               "Equal Greater GreaterOrEqual Less LessOrEqual eq ne lt "
                               "le gt ge",
                               {x, y}));
  for (Sample* each : {&samples[samples.size() - 2], &samples.back()}) {
    each->result = mask;  // of a byte an element
    each->expected.byte -= 3 * n;
  }
  const Tensor is_true{"x", {32, 64}, boolean};
  const Tensor is_so{"y", {32, 64}, boolean};
  samples.push_back({"comparison", "Not", {is_true}, mask, {"elementwise", 0, n, 0, 2 * n}});
  samples.push_back(
      {"comparison", "And Or Xor", {is_true, is_so}, mask, {"other", 0, 0, 0, 3 * n}});
  for (const std::string row : {"add", "sub", "mul", "div"})
    samples.push_back(
        {row, "", {x, y}, result, {row, 0, n, 0, 3 * 4 * n}, "", {{"input", "x"}, {"other", "y"}}});
  return samples;
}

std::vector<Sample> row_samples() {
  std::vector<Sample> samples{of_one("softmax", "softmax", 5), of_one("hardmax", "rowwise", 1)};
  samples.front().arguments = {
      {"input", "x"}, {"axis", "as_int: -1"}, {"to_float", "as_bool: false"}};
  for (const std::string row : {"mean", "reduce"})
    samples.push_back({row,
                       "",
                       {x},
                       {"r", {32, 1}},
                       {"reduce", 0, n, 0, 4 * (n + 32)},
                       onnx_bytes::integers_attribute("axes", {1}),
                       {{"input", "x"}, {"axes", "as_ints: [1]"}}});
  samples.push_back({"argmax",
                     "",
                     {x},
                     {"r", {32, 1}, int64},
                     {"reduce", 0, n, 0, 4 * n + 8 * 32},
                     onnx_bytes::attribute("axis", 1),
                     {{"input", "x"}, {"axes", "as_int: 1"}}});
  const Tensor one{"r", {2, 8, 1, 1}};
  const std::uint64_t byte = 4 * (images + 16);
  samples.push_back({"reduce", "GlobalLpPool", {image}, one, {"reduce", 0, images, 0, byte}});
  const Arguments to_one{{"input", "x"}, {"sizes", "as_ints: [1, 1]"}};
  samples.push_back(
      {"global_avg_pool", "", {image}, one, {"global_avg_pool", 0, images, 0, byte}, "", to_one});
  samples.push_back(
      {"global_max_pool", "", {image}, one, {"max_pool", 0, images, 0, byte}, "", to_one});
  const std::uint64_t steps = images / 14;
  samples.push_back({"global_avg_pool",
                     "adaptive_avg_pool1d",
                     {sequence},
                     {"r", {2, 8, 1}},
                     {"global_avg_pool", 0, steps, 0, 4 * (steps + 16)},
                     "",
                     {{"input", "x"}, {"sizes", "as_ints: [1]"}}});
  samples.push_back({"global_avg_pool",
                     "_adaptive_avg_pool3d adaptive_avg_pool3d",
                     {volume},
                     {"r", {2, 8, 1, 1, 1}},
                     {"global_avg_pool", 0, 6 * images, 0, 4 * (6 * images + 16)},
                     "",
                     {{"input", "x"}, {"sizes", "as_ints: [1, 1, 1]"}}});
  return samples;
}

std::vector<Sample> norm_samples() {
  const Tensor scale = parameter("g", {8});
  const Tensor shift = parameter("b", {8});
  const Tensor image_result{"r", {2, 8, 14, 14}};
  const std::uint64_t byte = 4 * (2 * images + 16);
  const Arguments arguments{
      {"input", "x"}, {"weight", "g"}, {"groups", "as_int: 4"}, {"training", "as_bool: false"}};
  std::vector<Sample> samples;
  samples.push_back({"batch_norm",
                     "",
                     {image, scale, shift, parameter("m", {8}), parameter("v", {8})},
                     image_result,
                     {"batch_norm", 0, 2 * images, 16, byte + 4 * 16},
                     "",
                     arguments});
  samples.push_back({"instance_norm",
                     "",
                     {image, scale, shift},
                     image_result,
                     {"instance_norm", 0, 7 * images, 16, byte},
                     "",
                     arguments});
  samples.push_back({"group_norm",
                     "",
                     {image, scale, shift},
                     image_result,
                     {"group_norm", 0, 7 * images, 16, byte},
                     onnx_bytes::attribute("num_groups", 4),
                     arguments});
  const Arguments of_rows{{"input", "x"}, {"sizes", "as_ints: [64]"}, {"weight", "g"}};
  samples.push_back({"layer_norm",
                     "",
                     {x, parameter("g", {64}), parameter("b", {64})},
                     result,
                     {"layer_norm", 0, 7 * n, 128, 4 * (2 * n + 128)},
                     "",
                     of_rows});
  samples.push_back({"rms_norm",
                     "",
                     {x, parameter("g", {64})},
                     result,
                     {"rms_norm", 0, 4 * n, 64, 4 * (2 * n + 64)},
                     "",
                     of_rows});
  return samples;
}

Arguments window_of(const std::string& weight, int axes, int padding, int stride) {
  const auto ints = [&](int number) {
    std::string text;
    for (int i = 0; i < axes; ++i) text += (i > 0 ? ", " : "") + std::to_string(number);
    return "as_ints: [" + text + "]";
  };
  return {{"input", "x"},
          {"weight", weight},
          {"padding", ints(padding)},
          {"stride", ints(stride)},
          {"dilation", ints(1)},
          {"output_padding", ints(0)},
          {"kernel", ints(2)},
          {"transposed", "as_bool: false"},
          {"groups", "as_int: 1"},
          {"ceil", "as_bool: false"}};
}

std::vector<Sample> window_samples() {
  using onnx_bytes::integers_attribute;
  std::vector<Sample> samples;
  constexpr std::uint64_t macs = images * 16 * 9;
  const Tensor weights = parameter("w", {16, 8, 3, 3});
  const Tensor maps{"r", {2, 16, 14, 14}};
  samples.push_back({"convolution",
                     "",
                     {image, weights},
                     maps,
                     {"conv", macs, 2 * macs, 1152, 4 * (3 * images + 1152)},
                     integers_attribute("pads", {1, 1, 1, 1}),
                     window_of("w", 2, 1, 1)});
  samples.back().engine =
      R"(, "Kernel": [3, 3], "PrePadding": [1, 1], "PostPadding": [1, 1], "Stride": [1, 1], )"
      R"("OutMaps": 16, "Groups": 1)";
  samples.push_back(samples.back());
  samples.back().names = "ConvActPool";
  samples.back().engine =
      R"(, "ConvKernel": [3, 3], "ConvPrePadding": [1, 1], "ConvPostPadding": [1, 1], )"
      R"("ConvStride": [1, 1], "ConvOutMaps": 16)";
  // Two offsets of each of nine taps at each position; four multiply-adds a tap of each channel.
  constexpr std::uint64_t deformed = macs + 4 * 9 * images;
  samples.push_back(
      {"deformable_convolution",
       "",
       {image, weights, {"o", {2, 18, 14, 14}}},
       maps,
       {"deform_conv", deformed, 2 * deformed, 1152, 4 * (3 * images + 1152 + 2 * 18 * 196)},
       integers_attribute("pads", {1, 1, 1, 1}),
       {{"input", "x"}, {"weight", "w"}, {"offset", "o"}}});
  for (const char* one : {"stride_h", "stride_w", "pad_h", "pad_w", "dilation_h", "dilation_w",
                          "groups", "offset_groups"})
    samples.back().arguments[one] = "as_int: 1";
  samples.push_back({"convolution",
                     "_conv_depthwise2d miopen_depthwise_convolution",
                     {image, parameter("w", {8, 1, 3, 3})},
                     image,
                     {"conv", images * 9, 2 * images * 9, 72, 4 * (2 * images + 72)},
                     "",
                     window_of("w", 2, 1, 1)});
  samples.back().arguments["groups"] = "as_int: 8";
  samples.push_back({"convolution",
                     "conv_depthwise3d",
                     {volume, parameter("w", {8, 1, 3, 3, 3})},
                     volume,
                     {"conv", 6 * images * 27, 12 * images * 27, 216, 4 * (12 * images + 216)},
                     "",
                     window_of("w", 3, 1, 1)});
  samples.push_back(
      {"convolution",
       "slow_conv_dilated3d",
       {volume, parameter("w", {16, 8, 3, 3, 3})},
       {"r", {2, 16, 6, 14, 14}},
       {"conv", 6 * images * 16 * 27, 12 * images * 16 * 27, 3456, 4 * (18 * images + 3456)},
       "",
       window_of("w", 3, 1, 1)});
  samples.push_back({"transposed_convolution",
                     "",
                     {image, parameter("w", {8, 16, 2, 2})},
                     {"r", {2, 16, 28, 28}},
                     {"conv_transpose", images * 64, 2 * images * 64, 512, 4 * (9 * images + 512)},
                     integers_attribute("strides", {2, 2}),
                     window_of("w", 2, 0, 2)});
  samples.back().engine = R"(, "Kernel": [2, 2], "Stride": [2, 2], "OutMaps": 16, "Groups": 1)";
  const std::string halved =
      integers_attribute("kernel_shape", {2, 2}) + integers_attribute("strides", {2, 2});
  struct Images {
    std::string names;
    Tensor from;
    Numbers sizes;
    std::uint64_t elements = 0;
    std::uint64_t share = 1;  ///< elements of each result
  };
  for (const std::string row : {"max_pool", "avg_pool"}) {
    const std::string name = row;
    for (const Images& each :
         {Images{"", image, {2, 8, 7, 7}, images, 4},
          Images{name + "1d", sequence, {2, 8, 7}, images / 14, 2},
          Images{name + "3d " + (row == "max_pool" ? "max_pool3d_with_indices" : ""),
                 volume,
                 {2, 8, 3, 7, 7},
                 6 * images,
                 8}})
      samples.push_back(
          {row,
           each.names,
           {each.from},
           {"r", each.sizes},
           {row, 0, each.elements, 0, 4 * (each.elements + each.elements / each.share)},
           halved,
           window_of("", static_cast<int>(each.sizes.size()) - 2, 0, 2),
           R"(, "PoolingType": "MAX", "WindowSize": [2, 2], "Stride": [2, 2])"});
  }
  return samples;
}

std::vector<Sample> product_samples() {
  std::vector<Sample> samples;
  samples.push_back({"linear",
                     "",
                     {x, parameter("w", {16, 64})},
                     {"r", {32, 16}},
                     {"linear", 16 * n, 32 * n, 1024, 4 * (n + 1024 + 512)},
                     "",
                     {{"input", "x"}, {"weight", "w"}}});
  const Expected products{"matmul", 16 * n, 32 * n, 0, 4 * (n + 1024 + 512)};
  samples.push_back({"matmul",
                     "",
                     {x, {"w", {64, 16}}},
                     {"r", {32, 16}},
                     products,
                     onnx_bytes::text_attribute("equation", "ij,jk->ik"),
                     {{"input", "x"}, {"weight", "w"}}});
  samples.push_back({"matmul",
                     "bmm baddbmm",
                     {{"x", {1, 32, 64}}, {"w", {1, 64, 16}}},
                     {"r", {1, 32, 16}},
                     products,
                     "",
                     {{"input", "x"}, {"weight", "w"}}});
  return samples;
}

std::vector<Sample> attention_samples() {
  std::vector<Sample> samples;
  const Arguments arguments{
      {"query", "q"}, {"key", "k"}, {"value", "v"}, {"causal", "as_bool: false"}};
  const Expected expected{"attention", 8 * 16 * 16 * 64, 2 * 8 * 16 * 16 * 64, 0, 4 * 4 * 4096};
  const auto operands = [](const Numbers& sizes) {
    return std::vector<Tensor>{{"q", sizes}, {"k", sizes}, {"v", sizes}};
  };
  samples.push_back({"attention",
                     "",
                     operands({2, 4, 16, 32}),
                     {"r", {2, 4, 16, 32}},
                     expected,
                     onnx_bytes::attribute("num_heads", 4),
                     arguments});
  samples.push_back({"attention_of_positions",
                     "",
                     operands({2, 16, 4, 32}),
                     {"r", {2, 16, 4, 32}},
                     expected,
                     "",
                     arguments});
  samples.push_back({"attention_on_cache",
                     "",
                     operands({16, 4, 32}),
                     {"r", {16, 4, 32}},
                     {"other", 0, 0, 0, 4 * 2 * 2048},
                     "",
                     arguments});
  // Two of four experts for each token: 64 rows in 4 products with 3 x 16 columns.
  samples.push_back(
      {"experts",
       "",
       {x, {"w", {4, 32, 64}}, {"d", {4, 64, 16}}, {"s", {32, 2}}},
       result,
       {"matmul", 64 * 48 * 64, 2 * 64 * 48 * 64, 0, 4 * (64 * 64 + 4 * 64 * 48 + 64 * 48)},
       "",
       {{"input", "x"}, {"weight", "w"}, {"down", "d"}, {"shares", "s"}}});
  return samples;
}

std::vector<Sample> copy_samples() {
  using onnx_bytes::attribute;
  using onnx_bytes::integers_attribute;
  std::vector<Sample> samples{of_one("copy", "copy", 0), of_one("copy_in_order", "copy", 0),
                              of_one("copy", "copy", 0, "copy _copy_from")};
  samples.back().tensors = {x, y};
  samples.back().arguments = {{"to", "x"}, {"from", "y"}};
  samples.front().result.sizes = {64, 32};
  const Expected moved{"copy", 0, 0, 0, 4 * 2 * images};
  const std::string block = attribute("blocksize", 2);
  samples.push_back({"copy", "DepthToSpace", {image}, {"r", {2, 2, 28, 28}}, moved, block});
  samples.push_back({"copy", "SpaceToDepth", {image}, {"r", {2, 32, 7, 7}}, moved, block});
  samples.push_back({"copy",
                     "Slice",
                     {x},
                     {"r", {16, 64}},
                     {"copy", 0, 0, 0, 4 * n},
                     integers_attribute("starts", {0}) + integers_attribute("ends", {16})});
  // Engines: their layers may copy as they are.
  samples.push_back(of_one("copy", "copy", 0,
                           "Cast Dequantize Gather Identity Padding Quantize Reformat Resize "
                           "Shuffle"));
  samples.push_back({"pad",
                     "",
                     {image},
                     {"r", {2, 8, 14, 18}},
                     {"copy", 0, 0, 0, 4 * (images + 2 * 8 * 14 * 18)},
                     integers_attribute("pads", {0, 0, 0, 0, 0, 0, 0, 4}),
                     {{"input", "x"}, {"amounts", "as_ints: [0, 4]"}}});
  samples.push_back(
      {"concat",
       "",
       {x, y},
       {"r", {64, 64}},
       {"concat", 0, 0, 0, 4 * 4 * n},
       attribute("axis", 0),
       {{"-", R"(as_tensors: [{"name": "x"}, {"name": "y"}])"}, {"axis", "as_int: 0"}}});
  return samples;
}

std::vector<Sample> resize_samples() {
  std::vector<Sample> samples;
  struct Images {
    std::string names;
    Tensor from;
    Numbers sizes;
    std::uint64_t elements = 0;
    std::string positions;
  };
  for (const Images& each :
       {Images{"", image, {2, 8, 28, 28}, images, "28, 28"},
        Images{"upsample_nearest1d upsample_linear1d", sequence, {2, 8, 28}, images / 14, "28"},
        Images{"upsample_nearest3d upsample_trilinear3d",
               volume,
               {2, 8, 12, 28, 28},
               6 * images,
               "12, 28, 28"}}) {
    const std::uint64_t times = 1ULL << (each.sizes.size() - 2);
    samples.push_back({"resize",
                       each.names,
                       {each.from},
                       {"r", each.sizes},
                       {"upsample", 0, 0, 0, 4 * (1 + times) * each.elements},
                       floats("scales", {1, 1, 2, 2}),
                       {{"input", "x"}, {"sizes", "as_ints: [" + each.positions + "]"}}});
  }
  return samples;
}

std::vector<Sample> pick_samples() {
  std::vector<Sample> samples;
  samples.push_back({"gather",
                     "",
                     {x, {"i", {16}, int64}},
                     {"r", {16, 64}},
                     {"gather", 0, 0, 0, 4 * 2 * 16 * 64 + 8 * 16},
                     "",
                     {{"from", "x"}, {"index", "i"}}});
  samples.push_back({"gather_elements",
                     "",
                     {x, {"i", {32, 64}, int64}},
                     result,
                     {"other", 0, 0, 0, (4 + 8 + 4) * n},
                     "",
                     {{"from", "x"}, {"axis", "as_int: 0"}, {"index", "i"}}});
  samples.push_back({"index_select",
                     "",
                     {x, {"i", {16}, int64}},
                     {"r", {32, 16}},
                     {"other", 0, 0, 0, 4 * 2 * 32 * 16 + 8 * 16},
                     "",
                     {{"from", "x"}, {"axis", "as_int: 1"}, {"index", "i"}}});
  return samples;
}

std::vector<Sample> traffic_samples() {
  std::vector<Sample> samples{of_several("traffic", "", {x, y})};
  // A layer reads a value at least.
  samples.push_back(
      {"fill", "", {x}, result, {"other", 0, 0, 0, 4 * (n + 1)}, "", {{"result", "x"}}});
  samples.push_back({"dropout", "", {x}, result, {"other", 0, 0, 0, (4 + 4 + 1) * n}});
  samples.push_back({"norm_of_sum",
                     "",
                     {x, y, parameter("g", {64})},
                     result,
                     {"other", 0, 0, 0, 4 * (4 * n + 64)},
                     "",
                     {{"input", "x"}, {"residual", "y"}, {"weight", "g"}}});
  samples.push_back({"gates_of_cell",
                     "",
                     {{"x", {2, 16}}, {"y", {2, 16}}, {"z", {2, 4}}},
                     {"r", {2, 4}},
                     {"other", 0, 0, 0, 4 * (32 + 32 + 8 + 6 * 8)}});
  return samples;
}

std::vector<Sample> all_samples() {
  std::vector<Sample> all;
  for (const auto family :
       {pointwise_samples, row_samples, norm_samples, window_samples, product_samples,
        attention_samples, copy_samples, resize_samples, pick_samples, traffic_samples})
    for (Sample& each : family()) all.push_back(std::move(each));
  return all;
}

/// Rows and names whose tensors, types or attributes are their own: all_ways.cpp states them, or
/// the tests of their format.
constexpr std::string_view stated_elsewhere =
    "lstm gru rnn view index index_add index_put scatter picked_loss gradient_of_rows sums_of_rows "
    "look_up look_up_gradient patches image_of_patches rotary_embedding cache ConvInteger Expand "
    "GroupQueryAttention MatMulInteger MatMulNBits Split Tile";

/// Views in a program, and padding, which is a fill and a copy.
constexpr std::string_view runs_otherwise = "Pad Slice Transpose constant_pad_nd contiguous";

/// The sample that lists the name, or else the row's.
const Sample* sample_of(const std::vector<Sample>& samples, const OperatorRow& row,
                        std::string_view name) {
  const Sample* found = nullptr;
  for (const Sample& each : samples)
    if (each.row == row.name &&
        (has_word(each.names, name) || (each.names.empty() && found == nullptr)))
      found = &each;
  return found;
}

Case case_of(const Sample& sample, std::string_view name) {
  return {.name = std::string(name),
          .tensors = sample.tensors,
          .result = sample.result,
          .expected = sample.expected};
}

void check_onnx(const Sample& sample, std::string_view name) {
  Case each = case_of(sample, name);
  each.onnx = {std::string(name), {}, sample.attributes, 23};
  for (const Tensor& tensor : sample.tensors) each.onnx.inputs.push_back(tensor.name);
  std::optional<double> time_s;
  INFO("ONNX's " << name);
  check(each, of_onnx(each), time_s);
  if (has_word(runs_otherwise, name)) return;
  INFO("as PyTorch runs it");
  time_s.reset();  // strides are known
  LayerDefaults defaults;
  defaults.as_pytorch_runs = true;
  check(each, of_onnx(each, defaults), time_s);
}

/// `names`: of arguments. The operators of other libraries are in recordings alone.
void check_pytorch(const Sample& sample, std::string_view name, std::string_view names) {
  Case each = case_of(sample, name);
  if (names == "tensors")
    for (const Tensor& tensor : sample.tensors) each.pytorch.arguments.push_back(tensor.name);
  for (std::string_view rest = names == "tensors" ? "" : names; !rest.empty();) {
    const std::string argument(take(rest, ' '));
    if (argument == "result?") continue;
    const auto stated = sample.arguments.find(argument);
    each.pytorch.arguments.push_back(stated != sample.arguments.end() ? stated->second
                                                                      : "as_none: true");
  }
  const bool is_own = !name.starts_with("::");
  // A name's last "_" is that of variants in place.
  each.pytorch.op = (is_own ? "" : "library") + std::string(name);
  if (name.ends_with('_')) each.pytorch.op += '_';
  std::optional<double> time_s;
  INFO("PyTorch's " << name);
  check(each, of_recording(each), time_s);
  if (is_own && !has_word(runs_otherwise, name)) check(each, of_program(each), time_s);
}

void check_tensorrt(const Sample& sample, std::string_view type) {
  std::optional<double> time_s;
  INFO("TensorRT's " << type);
  const Case each = case_of(sample, type);
  check(each, of_engine(each, std::string(type), sample.engine), time_s);
}

}  // namespace

TEST_CASE("Every name in the table of operators is its row's layer", "[operators/every_name]") {
  const std::vector<Sample> samples = all_samples();
  for (const auto family : operator_families())
    for (const OperatorRow& row : family) {
      if (has_word(stated_elsewhere, row.name)) continue;
      INFO(row.name);
      const auto check_each = [&](std::string_view names, const auto& check_name) {
        while (!names.empty()) {
          const std::string_view name = take(names, ' ');
          // Gradients have other operands.
          if (has_word(stated_elsewhere, name) || mentions(name, {"backward"})) continue;
          const Sample* sample = sample_of(samples, row, name);
          INFO(name);
          REQUIRE(sample != nullptr);
          check_name(*sample, name);
        }
      };
      check_each(row.onnx, check_onnx);
      check_each(row.tensorrt, check_tensorrt);
      for (std::string_view groups = row.pytorch; !groups.empty();) {
        const std::string_view group = take(groups, ';');
        const std::size_t end = group.find(": ");
        check_each(group.substr(0, end), [&](const Sample& sample, std::string_view name) {
          check_pytorch(sample, name, group.substr(end + 2));
        });
      }
    }
}

}  // namespace operator_forms::every_name
