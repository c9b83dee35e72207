// Different spellings of one layer load as the same layer.

#include "cli/process.hpp"
#include "load/loading.hpp"
#include "model/layer_kind.hpp"
#include "roofline/roofline_point.hpp"

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
      R"({"batch_size": 2, "C_in": 4, "in_h": 9, "w_in": 7, "cout": 4, "kH": 3, "filter_width": 2,
          "conv_stride_h": 2, "conv_stride_w": 1, "pad_h": 1, "dil_h": 2, "dil_w": 3,
          "group_count": 2, "dtype": "fp16"})",
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

TEST_CASE("The words of courses: B images, M results, K or Mask for the window's side",
          "[load/spellings]") {
  check_same({R"({"n": 16, "c": 1, "h": 86, "w": 80, "k": 12, "r": 7, "s": 7})",
              R"({"N": 16, "C": 1, "H": 86, "W": 80, "M": 12, "K": 7})",
              R"({"B": 16, "C": 1, "H": 86, "W": 80, "M": 12, "K": 7})",
              R"({"B": 16, "C": 1, "H": 86, "W": 80, "K": 12, "Mask": 7})",
              R"({"type": "conv", "B": 16, "C": 1, "H": 86, "W": 80, "M": 12, "Mask": 7})",
              R"({"b": 16, "c": 1, "h": 86, "w": 80, "m": 12, "k": 7})"});
}

TEST_CASE("Layers as written before reading any reference", "[load/spellings]") {
  const std::vector<Texts> pairs{
      {R"({"type": "Conv2d", "in_channels": 3, "out_channels": 64, "kernel_size": 7, "stride": 2,
           "padding": 3, "height": 224, "width": 200, "batch_size": 32, "name": "a"})",
       R"({"n": 32, "c": 3, "h": 224, "w": 200, "k": 64, "r": 7, "s": 7, "stride": 2, "padding": 3,
           "name": "a"})"},
      {R"({"type": "Conv2D", "filters": 64, "kernel_size": [3, 3], "strides": [1, 1],
           "padding": "SAME", "input_shape": [56, 56, 64], "dtype": "FP16"})",
       R"({"input": [64, 56, 56], "k": 64, "kernel_size": 3, "padding": 1, "dtype": "fp16"})"},
      {R"({"layer_type": "conv", "input_channels": 64, "output_channels": 128, "kernel": 3,
           "image_size": 56, "padding": "VALID", "dtype": "torch.float16"})",
       R"({"input": [64, 56, 56], "k": 128, "kernel_size": 3, "dtype": "fp16"})"},
      {R"({"type": "DepthwiseConv2D", "input_shape": [32, 112, 112], "kernel_size": 3,
           "padding": "same", "dtype": "BF16"})",
       R"({"input": [32, 112, 112], "k": 32, "kernel_size": 3, "padding": 1, "groups": 32,
           "dtype": "bf16"})"},
      {R"({"type": "nn.Conv2d", "inChannels": 16, "outChannels": 16, "kernelSize": 3, "Height": 32,
           "width": 32, "batchSize": 8})",
       R"({"input": [8, 16, 32, 32], "k": 16, "kernel_size": 3})"},
      {R"({"M": 1024, "N": 4096, "K": 512, "dtype": "f16"})",
       R"({"type": "matmul", "m": 1024, "n": 4096, "k": 512, "dtype": "fp16"})"},
      {R"({"type": "GEMM", "m": 128, "n": 256, "k": 512, "dtype": "s8"})",
       R"({"type": "matmul", "m": 128, "n": 256, "k": 512, "dtype": "int8"})"},
      {R"({"in_features": 2048, "out_features": 1000, "batch_size": 64, "dtype": "f32"})",
       R"({"type": "linear", "input": [64, 2048], "out_features": 1000})"},
      {R"({"type": "Dense", "input_shape": [784], "units": 10})",
       R"({"type": "linear", "input": [784], "out_features": 10})"},
      {R"({"type": "MaxPooling2D", "pool_size": 3, "strides": 2, "input_shape": [64, 112, 112]})",
       R"({"type": "max_pool", "kernel_size": 3, "stride": 2, "input": [64, 112, 112]})"},
      {R"({"type": "AdaptiveAvgPool2d", "output_size": [1, 1], "input_shape": [512, 7, 7]})",
       R"({"type": "global_avg_pool", "input": [512, 7, 7]})"},
      {R"({"type": "AdaptiveAvgPool2d", "output_size": 7, "input_shape": [512, 14, 14],
           "name": "a"})",
       R"({"type": "avg_pool", "input": [512, 14, 14], "kernel_size": 2, "name": "a"})"},
      {R"({"type": "BatchNorm2d", "num_features": 64, "height": 56, "width": 56, "eps": 1e-05,
           "momentum": 0.1})",
       R"({"type": "batch_norm", "input": [64, 56, 56]})"},
      {R"({"type": "Dropout", "p": 0.5, "input_shape": [4096]})",
       R"({"type": "Identity", "input": [4096]})"},
      {R"({"type": "LogSoftmax", "input_shape": [1000], "batch_size": 32})",
       R"({"type": "softmax", "input": [32, 1000]})"},
      {R"({"type": "Upsample", "scale_factor": 2, "mode": "nearest", "input_shape": [64, 8, 8]})",
       R"({"type": "upsample", "scale_factor": 2, "input": [64, 8, 8]})"},
      {R"({"type": "Conv2DTranspose", "filters": 32, "kernel_size": 2, "strides": 2,
           "input_shape": [8, 8, 64]})",
       R"({"type": "conv_transpose", "input": [64, 8, 8], "k": 32, "kernel_size": 2,
           "stride": 2})"},
  };
  for (const Texts& pair : pairs) check_same(pair);
  CHECK(pairs.size() == 17);
  const Layer dropout = load_layer(R"({"type": "Dropout", "input": [64, 8, 8]})");
  CHECK(dropout.output == Shape{1, 64, {1, 8, 8}, 2});
  CHECK(count(dropout).bytes.total == 0);
  for (const auto& [name, type] :
       std::vector<std::pair<const char*, DataType>>{{"FP16", DataType::fp16},
                                                     {"torch.bfloat16", DataType::bf16},
                                                     {"F32", DataType::fp32},
                                                     {"f64", DataType::fp64},
                                                     {"S8", DataType::int8},
                                                     {"Float16", DataType::fp16},
                                                     {"float8_e4m3fn", DataType::fp8},
                                                     {"TF32", DataType::tf32}})
    CHECK(load_layer(R"({"m": 1, "n": 1, "k": 1, "dtype": ")" + std::string(name) + R"("})")
              .dtypes.input == type);
}

TEST_CASE("A user's id comes out of every format as it went in", "[load/spellings]") {
  const TemporaryFolder folder;
  const auto id_in = [&](const std::string& command) {
    const Outcome outcome = run(folder, "roofline " + command);
    INFO(outcome.err);
    CHECK(outcome.exit_code == 0);
    return outcome.out;
  };
  for (const std::string id : {"\"a 1\"", "7", "1.5", "-3", "true"}) {
    folder.write("x.json", R"({"m": 4, "n": 5, "k": 6, "id": )" + id + "}");
    id_in("x.json --to-layers y.json");
    id_in("x.json --to-layers y.ndjson");
    id_in("x.json --gpu v100 -o y.csv");
    const std::string bare = id.front() == '"' ? id.substr(1, id.size() - 2) : id;
    CHECK(id_in("x.json --gpu v100").find(" (id " + bare + ") of x on ") != bare.npos);
    folder.write("two.json", R"([{"m": 4, "n": 5, "k": 6, "id": )" + id +
                                 R"(}, {"type": "relu", "input": [8]}])");
    CHECK(id_in("two.json --gpu v100 --format markdown").find("| " + bare + " ") != bare.npos);
    for (const std::string file : {"x.json", "y.json", "y.ndjson", "y.csv"})
      for (const std::string format : {"json", "ndjson"}) {
        const std::string text = id_in(file + " --gpu v100 --format " + format);
        INFO(file << ' ' << text);
        CHECK(text.find(format == "json" ? "\"id\": " + id : ",\"id\":" + id) != text.npos);
      }
  }
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
  CHECK(*load_layer("{" + conv + R"(, "measured_ns": 1500})").measured->warm_s == Approx(1.5e-6));
  for (const auto& [unit, seconds] :
       std::vector<std::pair<std::string, double>>{{"ms", 2e-3}, {"us", 2e-6}, {"ns", 2e-9}})
    CHECK(*load_layer("{" + conv + ", \"measured_cold_" + unit + "\": 2}").measured->cold_s ==
          Approx(seconds));
  const KernelMapping mapping =
      *load_layer("{" + conv + R"(, "kernel": {"tile": [128, 64, 32], "threads": 256}})").mapping;
  CHECK(*mapping.tile == std::array<std::uint64_t, 3>{128, 64, 32});
  CHECK(*mapping.threads == 256);
  CHECK_FALSE(mapping.split_k);
}
