// Different spellings of one layer load as the same layer.

#include "load/loading.hpp"

using namespace roofline;

namespace {

/// All that makes up a layer, as a text to compare.
std::string text_of(const Layer& layer) {
  std::string text = layer.name + ' ' + std::string(info(layer.kind).name) + ' ' +
                     std::string(name_of(layer.pass));
  const auto add = [&](const auto& numbers) {
    text += " [";
    for (const auto number : numbers) text += std::to_string(number) + ' ';
    text += ']';
  };
  const auto add_shape = [&](const Shape& shape) {
    add(std::array<std::uint64_t, 3>{shape.batch, shape.channels, shape.spatial_rank});
    add(shape.spatial);
  };
  for (const Operand& operand : layer.inputs) add_shape(operand.shape);
  add_shape(layer.output);
  for (const Axes& axes :
       {layer.window->kernel, layer.window->stride, layer.window->pad_begin, layer.window->pad_end,
        layer.window->dilation, layer.window->output_padding})
    add(axes);
  for (const DataType type : {layer.dtypes.input, layer.dtypes.weight, layer.dtypes.output})
    text += ' ' + std::string(name_of(type));
  add(std::array<std::uint64_t, 5>{layer.window->rank, layer.groups, layer.bias ? 1U : 0U,
                                   layer.norm_elements, layer.window->ceil_mode ? 1U : 0U});
  return text;
}

using Texts = std::vector<const char*>;

void check_same(const Texts& texts) {
  const std::string first = text_of(load_layer(texts.front()));
  for (const char* text : texts) {
    INFO(text);
    CHECK(text_of(load_layer(text)) == first);
  }
}

Axes begins(const std::string& text) { return load_layer(text).window->pad_begin; }
Axes ends(const std::string& text) { return load_layer(text).window->pad_end; }

}  // namespace

TEST_CASE("PyTorch's words and cuDNN's letters", "[load/spellings]") {
  check_same({
      R"({"in_channels": 3, "input_size": [9, 7], "out_channels": 4, "kernel_size": [3, 2],
          "stride": [2, 1], "padding": [1, 0], "dilation": [2, 3], "batch": 5})",
      R"({"n": 5, "c": 3, "h": 9, "w": 7, "k": 4, "r": 3, "s": 2, "stride_h": 2, "stride_w": 1,
          "pad_h": 1, "pad_w": 0, "dil_h": 2, "dil_w": 3})",
      R"({"input": [5, 3, 9, 7], "k": 4, "r": 3, "s": 2, "stride": [2, 1], "pad_h": 1,
          "dilation": [2, 3]})",
      R"({"input": [3, 9, 7], "batch": 5, "out_channels": 4, "kernel_size": [3, 2], "stride_h": 2,
          "padding": [1, 0, 1, 0], "dil_h": 2, "dil_w": 3, "type": "conv2d", "p": 4, "q": 4})",
      R"({"N": 5, "C": 3, "H": 9, "W": 7, "K": 4, "R": 3, "S": 2, "strides": [2, 1], "pad_h": 1,
          "dilation": [2, 3], "P": 4, "Q": 4})",
      // Keras' words, and what is said twice and agrees.
      R"({"input": [5, 3, 9, 7], "in_channels": 3, "batch": 5, "n": 5, "filters": 4,
          "out_channels": 4, "kernel_size": [3, 2], "strides": [2, 1], "padding": [1, 0],
          "dilation": [2, 3], "use_bias": false, "padding_mode": "zeros"})",
  });
  // Caffe's, ONNX's and TensorFlow's words, and those of tables of measured layers.
  check_same({
      R"({"n": 2, "c": 4, "h": 9, "w": 7, "k": 4, "r": 3, "s": 2, "stride_h": 2, "stride_w": 1,
          "pad_h": 1, "pad_w": 0, "dil_h": 2, "dil_w": 3, "groups": 2, "dtype": "fp16"})",
      R"({"kind": "conv", "batch_size": 2, "c": 4, "h": 9, "w": 7, "num_filters": 4, "kernel_h": 3,
          "kernel_w": 2, "u": 2, "V": 1, "padding_h": 1, "padding_w": 0, "dilation_h": 2,
          "dilation_w": 3, "group": 2, "precision": "half", "direction": "fwd"})",
      R"({"op": "Conv", "input": [2, 4, 9, 7], "filters": 4, "kernel_shape": [3, 2],
          "h_stride": 2, "w_stride": 1, "pads": [1, 0, 1, 0], "dilations": [2, 3],
          "num_groups": 2, "data_type": "float16"})",
      R"({"input": [2, 4, 9, 7], "k": 4, "filter_size": [3, 2], "stride": [2, 1], "h_pad": 1,
          "w_pad": 0, "dilation_rate": [2, 3], "group": 2, "groups": 2, "dtype": "fp16"})",
  });
  check_same({R"({"type": "linear", "input": [512], "out_features": 10})",
              R"({"type": "linear", "input": [512], "units": 10})"});
  check_same({R"({"type": "matmul", "m": 4, "n": 5, "k": 6, "name": "x"})",
              R"({"type": "matmul", "M": 4, "N": 5, "K": 6, "name": "x"})"});
  check_same({R"({"type": "batch_norm", "input": [64, 7, 7]})",
              R"({"type": "BatchNorm2d", "input": [64, 7, 7], "num_features": 64})"});
  for (const char* layout : {"nhwc", "NHWC", "Nhwc"})
    CHECK(load_layer(R"({"input": [3, 9, 9], "k": 4, "r": 3, "s": 3, "layout": ")" +
                     std::string(layout) + "\"}")
              .layout == Layout::nhwc);
}

TEST_CASE("One number for all axes, whole numbers with a point", "[load/spellings]") {
  check_same({
      R"({"input": [4, 9, 9], "out_channels": 4, "kernel_size": 3, "stride": 2, "padding": 1})",
      R"({"input": [4, 9, 9], "out_channels": 4, "kernel_size": [3, 3], "stride": [2, 2],
          "padding": [1, 1, 1, 1]})",
      R"({"input": [4, 9.0, 9], "out_channels": 4e0, "kernel_size": 3.0, "stride": 2,
          "padding": 1, "groups": 1, "bias": false, "dilation": 1, "repeat": 1})",
      R"({"c": 4, "input_size": 9, "k": 4, "r": 3, "s": 3, "stride": 2, "padding": 1,
          "output": [4, 5, 5]})",
  });
}

TEST_CASE("Depthwise is groups = channels", "[load/spellings]") {
  check_same({
      R"({"input": [6, 9, 9], "out_channels": 12, "kernel_size": 3, "depthwise": true})",
      R"({"input": [6, 9, 9], "out_channels": 12, "kernel_size": 3, "groups": 6})",
  });
}

TEST_CASE("1-D and 3-D by type or by the kernel's list", "[load/spellings]") {
  check_same({
      R"({"type": "conv1d", "input": [4, 9], "out_channels": 2, "kernel_size": 3, "name": "a"})",
      R"({"type": "conv", "input": [4, 9], "out_channels": 2, "kernel_size": [3], "name": "a"})",
      R"({"type": "conv1d", "c": 4, "w": 9, "k": 2, "s": 3, "name": "a"})",
  });
  check_same({
      R"({"type": "conv3d", "input": [4, 5, 6, 7], "out_channels": 2, "kernel_size": 3,
          "name": "a"})",
      R"({"input": [1, 4, 5, 6, 7], "out_channels": 2, "kernel_size": [3, 3, 3], "name": "a"})",
      R"({"type": "conv3d", "c": 4, "input_size": [5, 6, 7], "k": 2, "kernel_size": 3,
          "name": "a"})",
  });
}

TEST_CASE("Linear layers", "[load/spellings]") {
  check_same({
      R"({"type": "linear", "in_features": 8, "out_features": 4, "batch": 3})",
      R"({"type": "linear", "in_features": 8, "out_features": 4, "n": 3})",
      R"({"type": "linear", "input": [3, 8], "out_features": 4})",
      R"({"type": "linear", "input": [3, 8], "in_features": 8, "out_features": 4})",
  });
}

TEST_CASE("Data types one by one or all at once", "[load/spellings]") {
  const std::string conv = R"("input": [4, 9, 9], "out_channels": 4, "kernel_size": 3)";
  const auto types = [&](const std::string& more) {
    const DataTypes found = load_layer("{" + conv + more + "}").dtypes;
    return std::string(name_of(found.input)) + ' ' + std::string(name_of(found.weight)) + ' ' +
           std::string(name_of(found.output));
  };
  CHECK(types("") == "fp32 fp32 fp32");
  CHECK(types(R"(, "dtype": "bf16")") == "bf16 bf16 bf16");
  CHECK(types(R"(, "dtypes": {"input": "fp16"})") == "fp16 fp16 fp16");
  CHECK(types(R"(, "dtypes": {"input": "int8", "output": "int32"})") == "int8 int8 int32");
  CHECK(types(R"(, "dtypes": {"weight": "fp8"})") == "fp32 fp8 fp32");
}

TEST_CASE("Padding by words, begins and ends", "[load/spellings]") {
  const auto conv = [](const std::string& more) {
    return R"({"input": [4, 9, 10], "out_channels": 4, )" + more + "}";
  };
  CHECK(begins(conv(R"("kernel_size": 3, "padding": [1, 2, 3, 4])")) == Axes{0, 1, 2});
  CHECK(ends(conv(R"("kernel_size": 3, "padding": [1, 2, 3, 4])")) == Axes{0, 3, 4});
  CHECK(begins(conv(R"("kernel_size": 3, "padding": "valid")")) == Axes{0, 0, 0});
  CHECK(begins(conv(R"("kernel_size": [3, 4], "padding": "same")")) == Axes{0, 1, 1});
  CHECK(ends(conv(R"("kernel_size": [3, 4], "padding": "same")")) == Axes{0, 1, 2});
  CHECK(ends(conv(R"("kernel_size": 3, "dilation": [1, 2], "padding": "same")")) == Axes{0, 1, 2});
}

TEST_CASE("Same padding keeps the size, or divides it by the stride and rounds up",
          "[load/spellings]") {
  for (std::uint64_t size = 1; size <= 12; ++size)
    for (std::uint64_t kernel = 1; kernel <= 5; ++kernel)
      for (std::uint64_t stride = 1; stride <= 3; ++stride)
        for (std::uint64_t dilation = 1; dilation <= 2; ++dilation) {
          const std::string text = R"({"type": "conv1d", "input": [1, )" + std::to_string(size) +
                                   R"(], "out_channels": 1, "padding": "same", "kernel_size": )" +
                                   std::to_string(kernel) +
                                   ", \"stride\": " + std::to_string(stride) +
                                   ", \"dilation\": " + std::to_string(dilation) + "}";
          INFO(text);
          CHECK(load_layer(text).output.spatial[2] == (size + stride - 1) / stride);
        }
}

TEST_CASE("Pools step by their kernel and may round up", "[load/spellings]") {
  const auto size = [](std::uint64_t input, const std::string& more) {
    return load_layer(R"({"type": "max_pool1d", "input": [1, )" + std::to_string(input) + "], " +
                      more + "}")
        .output.spatial[2];
  };
  CHECK(size(9, R"("kernel_size": 2)") == 4);
  CHECK(size(9, R"("kernel_size": 2, "ceil_mode": true)") == 5);
  CHECK(size(112, R"("kernel_size": 3, "stride": 2, "padding": 1)") == 56);
  CHECK(size(112, R"("kernel_size": 3, "stride": 2, "ceil_mode": true)") == 56);  // GoogLeNet
  // PyTorch drops a window that would start in the padding at the end.
  CHECK(size(4, R"("kernel_size": 2, "stride": 3, "padding": 1, "ceil_mode": true)") == 2);
  CHECK(size(5, R"("kernel_size": 1, "stride": 4, "padding": 0, "ceil_mode": true)") == 2);
}

TEST_CASE("Transposed convolutions and their output padding", "[load/spellings]") {
  const auto size = [](const std::string& more) {
    return load_layer(R"({"type": "conv_transpose", "input": [4, 7, 7], "out_channels": 2, )" +
                      more + "}")
        .output.spatial[2];
  };
  // PyTorch's documentation: (in - 1) stride - 2 padding + dilation (kernel - 1) + output_padding
  // + 1.
  CHECK(size(R"("kernel_size": 2, "stride": 2)") == 14);
  CHECK(size(R"("kernel_size": 3, "stride": 2, "padding": 1)") == 13);
  CHECK(size(R"("kernel_size": 3, "stride": 2, "padding": 1, "output_padding": 1)") == 14);
  CHECK(size(R"("kernel_size": 3, "dilation": 2)") == 11);
}

TEST_CASE("Times in micro- or milliseconds, mappings", "[load/spellings]") {
  const std::string conv = R"("input": [4, 9, 9], "out_channels": 4, "kernel_size": 3)";
  CHECK(*load_layer("{" + conv + R"(, "measured_us": 1500})").measured->warm_s == Approx(1.5e-3));
  CHECK(*load_layer("{" + conv + R"(, "measured_ms": 1.5})").measured->warm_s == Approx(1.5e-3));
  CHECK(*load_layer("{" + conv + R"(, "measured_cold_us": 2})").measured->cold_s == Approx(2e-6));
  const KernelMapping mapping =
      *load_layer("{" + conv + R"(, "kernel": {"tile": [128, 64, 32], "threads": 256}})").mapping;
  CHECK(*mapping.tile == std::array<std::uint64_t, 3>{128, 64, 32});
  CHECK(*mapping.threads == 256);
  CHECK_FALSE(mapping.split_k);
}
