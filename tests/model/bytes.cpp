// Bytes by hand: what is needed of every operand read once, every result written once, each at its
// own type.

#include "load/loading.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

namespace {

struct BytesOfLayer {
  const char* text;
  std::uint64_t input, weight, output;
};

void check_bytes(const std::vector<BytesOfLayer>& table) {
  for (const BytesOfLayer& each : table) {
    INFO(each.text);
    const Bytes bytes = count(load_layer(each.text)).bytes;
    CHECK(bytes.input == each.input);
    CHECK(bytes.weight == each.weight);
    CHECK(bytes.output == each.output);
    CHECK(bytes.total == each.input + each.weight + each.output);
  }
}

}  // namespace

TEST_CASE("Bytes of contractions, forward", "[model/bytes]") {
  check_bytes({
      {R"({"input": [2, 8, 10, 6], "out_channels": 16, "kernel_size": 3})",  //
       2 * 8 * 60 * 4, 8 * 16 * 9 * 4, 2 * 16 * 32 * 4},
      {R"({"input": [2, 8, 10, 6], "out_channels": 16, "kernel_size": 3, "groups": 4,
           "bias": true, "dtype": "fp16"})",
       2 * 8 * 60 * 2, (2 * 16 * 9 + 16) * 2, 2 * 16 * 32 * 2},
      {R"({"input": [8, 10, 6], "out_channels": 16, "kernel_size": 3,
           "dtypes": {"input": "int8", "output": "int32"}})",
       8 * 60, 8 * 16 * 9, 16 * 32 * 4},
      {R"({"input": [8, 10, 6], "out_channels": 16, "kernel_size": 3,
           "dtypes": {"input": "fp16", "weight": "fp8", "output": "fp32"}})",
       8 * 60 * 2, 8 * 16 * 9, 16 * 32 * 4},
      {R"({"type": "conv_transpose", "input": [8, 5, 3], "out_channels": 4, "kernel_size": 2,
           "stride": 2, "groups": 2})",
       8 * 15 * 4, 8 * 2 * 4 * 4, 4 * 60 * 4},
      {R"({"type": "linear", "input": [3, 7, 10], "out_features": 20, "bias": true})",
       3 * 7 * 10 * 4, (200 + 20) * 4, 3 * 7 * 20 * 4},
      {R"({"type": "matmul", "m": 3, "n": 5, "k": 7, "batch": 11, "dtype": "fp64"})",
       11 * 3 * 7 * 8, 11 * 5 * 7 * 8, 11 * 3 * 5 * 8},
  });
}

TEST_CASE("Bytes of types below a byte and of block scales", "[model/bytes]") {
  // 3 x 7 rows of 10 features, 10 x 20 weights and 20 biases, 3 x 7 rows of 20 features.
  const auto linear = [](const std::string& type) {
    return R"({"type": "linear", "input": [3, 7, 10], "out_features": 20, "bias": true, "dtype": ")" +
           type + "\"}";
  };
  const std::string int4 = linear("int4"), fp6 = linear("fp6"), mxfp8 = linear("mxfp8"),
                    mxfp6 = linear("mxfp6"), mxfp4 = linear("mxfp4"), nvfp4 = linear("nvfp4");
  check_bytes({
      {int4.c_str(), 105, 110, 210},                  // half of 210, 220 and 420
      {fp6.c_str(), 158, 165, 315},                   // 210 x 6 / 8 = 157.5
      {mxfp8.c_str(), 210 + 7, 220 + 7, 420 + 14},    // ceil(210 / 32) = 7 scales
      {mxfp6.c_str(), 158 + 7, 165 + 7, 315 + 14},    //
      {mxfp4.c_str(), 105 + 7, 110 + 7, 210 + 14},    //
      {nvfp4.c_str(), 105 + 14, 110 + 14, 210 + 27},  // ceil(220 / 16) = 14, ceil(420 / 16) = 27
      {R"({"type": "linear", "input": [1, 4096], "out_features": 4096,
           "dtypes": {"input": "half", "weight": "int4"}})",
       4096 * 2, 4096 * 4096 / 2, 4096 * 2},
      {R"({"type": "linear", "input": [1, 4096], "out_features": 4096,
           "dtypes": {"input": "bfloat16", "weight": "nvfp4"}})",
       4096 * 2, 4096 * 4096 / 2 + 4096 * 4096 / 16, 4096 * 2},
      {R"({"type": "relu", "input": [1, 3], "dtype": "int4"})", 2, 0, 2},  // 12 bits
  });
}

TEST_CASE("Bits overflow no earlier than bytes", "[model/bytes]") {
  const std::uint64_t most = ~std::uint64_t{0};
  CHECK(stored_byte(most, DataType::int8) == most);
  CHECK(stored_byte(most, DataType::int4) == most / 2 + 1);
  CHECK(stored_byte(most, DataType::mxfp4) == most / 2 + 1 + most / 32 + 1);
  CHECK(stored_byte(0, DataType::nvfp4) == 0);
  CHECK_THROWS_AS(stored_byte(most, DataType::mxfp8), OverflowError);
  CHECK_THROWS_AS(stored_byte(most / 2 + 1, DataType::fp16), OverflowError);
}

TEST_CASE("Bytes of RMS norms and of rows that indices pick", "[model/bytes]") {
  check_bytes({
      {R"({"type": "RMSNorm", "input": [2, 5, 12]})", 120 * 4, 12 * 4, 120 * 4},  // a scale alone
      {R"({"type": "Embedding", "input": [2, 7], "num_embeddings": 1000, "embedding_dim": 64,
           "dtype": "fp16"})",
       14 * 8, 14 * 64 * 2, 14 * 64 * 2},
      {R"({"type": "embedding", "input": [4, 100], "num_embeddings": 10, "embedding_dim": 8})",
       400 * 8, 10 * 8 * 4, 400 * 8 * 4},  // no row is read from memory twice
      {R"({"type": "embedding", "input": [2, 7], "num_embeddings": 1000, "embedding_dim": 64,
           "pass": "dgrad"})",
       14 * 8, 1000 * 64 * 4, 14 * 64 * 4},
      {R"({"type": "gather", "input": [1000, 64], "output": [30, 64]})",  //
       30 * 64 * 4 + 30 * 8, 0, 30 * 64 * 4},
      {R"({"type": "scatter", "input": [30, 64], "output": [1000, 64]})", 2 * 30 * 64 * 4 + 30 * 8,
       0, 30 * 64 * 4},
  });
  CHECK(count(load_layer(R"({"type": "rms_norm", "input": [2, 5, 12]})")).params == 12);
  const Layer embedding = load_layer(
      R"({"type": "embedding", "input": [2, 7], "num_embeddings": 1000, "embedding_dim": 64})");
  CHECK(count(embedding).params == 64000);
  CHECK(embedding.output == Shape{2, 64, {1, 1, 7}, 1});
  CHECK(count(embedding).flops == 0);
  // Its gradient adds a row of 64 for each of 14 positions.
  const Layer gradient = load_layer(
      R"({"type": "embedding", "input": [2, 7], "num_embeddings": 1000, "embedding_dim": 64,
          "pass": "dgrad"})");
  CHECK(count(gradient).flops == 14 * 64);
}

TEST_CASE("Bytes of contractions, backward: the same tensors", "[model/bytes]") {
  // dgrad writes the input's gradient and needs no bias; wgrad writes the bias's gradient too.
  check_bytes({
      {R"({"input": [2, 8, 10, 6], "out_channels": 16, "kernel_size": 3, "bias": true,
           "pass": "dgrad"})",
       2 * 8 * 60 * 4, 8 * 16 * 9 * 4, 2 * 16 * 32 * 4},
      {R"({"input": [2, 8, 10, 6], "out_channels": 16, "kernel_size": 3, "bias": true,
           "pass": "wgrad"})",
       2 * 8 * 60 * 4, (8 * 16 * 9 + 16) * 4, 2 * 16 * 32 * 4},
      {R"({"type": "linear", "in_features": 10, "out_features": 20, "bias": true, "batch": 3,
           "pass": "dgrad"})",
       3 * 10 * 4, 200 * 4, 3 * 20 * 4},
      {R"({"type": "linear", "in_features": 10, "out_features": 20, "bias": true, "batch": 3,
           "pass": "wgrad"})",
       3 * 10 * 4, 220 * 4, 3 * 20 * 4},
  });
}

TEST_CASE("Bytes of other kinds, forward", "[model/bytes]") {
  check_bytes({
      {R"({"type": "relu", "input": [2, 6, 5, 4]})", 2 * 120 * 4, 0, 2 * 120 * 4},
      {R"({"type": "batch_norm", "input": [2, 6, 5, 4], "dtype": "fp16"})",  //
       2 * 120 * 2, 4 * 6 * 2, 2 * 120 * 2},  // scale, shift, mean, variance
      {R"({"type": "layer_norm", "input": [2, 5, 12]})", 120 * 4, 2 * 12 * 4, 120 * 4},
      {R"({"type": "max_pool", "input": [6, 8, 4], "kernel_size": 2})",  //
       6 * 32 * 4, 0, 6 * 8 * 4},
      {R"({"type": "global_avg_pool", "input": [6, 8, 4]})", 6 * 32 * 4, 0, 6 * 4},
      {R"({"type": "add", "inputs": [[6, 8, 4], [6, 8, 4]]})", 2 * 192 * 4, 0, 192 * 4},
      {R"({"type": "mul", "inputs": [[6, 8, 4], [6, 1, 1]]})", (192 + 6) * 4, 0, 192 * 4},
      {R"({"type": "mul", "inputs": [[6, 8, 4], {"parameter": [6, 1, 1]}]})",  //
       192 * 4, 6 * 4, 192 * 4},
      {R"({"type": "concat", "inputs": [[6, 8, 4], [2, 8, 4], [1, 8, 4]]})",  //
       9 * 32 * 4, 0, 9 * 32 * 4},
      {R"({"type": "upsample", "input": [6, 8, 4], "scale_factor": 2})",  //
       192 * 4, 0, 4 * 192 * 4},
      {R"({"type": "flatten", "input": [6, 8, 4]})", 0, 0, 0},
      {R"({"type": "softmax", "input": [4, 1000], "dtype": "bf16"})", 4000 * 2, 0, 4000 * 2},
  });
}

TEST_CASE("Bytes of other kinds, backward", "[model/bytes]") {
  // Read the output's gradient, and the forward input where the formula needs it; write the
  // input's gradient and the parameters'.
  check_bytes({
      {R"({"type": "relu", "input": [6, 5, 4], "pass": "dgrad"})", 2 * 120 * 4, 0, 120 * 4},
      {R"({"type": "avg_pool", "input": [6, 8, 4], "kernel_size": 2, "pass": "dgrad"})", 192 * 4, 0,
       48 * 4},
      {R"({"type": "max_pool", "input": [6, 8, 4], "kernel_size": 2, "pass": "dgrad"})",
       2 * 192 * 4, 0, 48 * 4},
      {R"({"type": "batch_norm", "input": [6, 5, 4], "pass": "dgrad"})",  //
       2 * 120 * 4, (4 + 2) * 6 * 4, 120 * 4},
  });
}

TEST_CASE("Bytes under windows that leave out positions", "[model/bytes]") {
  check_bytes({
      // Every second row and column: ResNet's downsampling layer. Its gradient is written whole.
      {R"({"input": [64, 256, 56, 56], "out_channels": 512, "kernel_size": 1, "stride": 2,
           "dtype": "fp16"})",
       64 * 256 * 784 * 2, 256 * 512 * 2, 64 * 512 * 784 * 2},
      {R"({"input": [64, 256, 56, 56], "out_channels": 512, "kernel_size": 1, "stride": 2,
           "dtype": "fp16", "pass": "wgrad"})",
       64 * 256 * 784 * 2, 256 * 512 * 2, 64 * 512 * 784 * 2},
      {R"({"input": [64, 256, 56, 56], "out_channels": 512, "kernel_size": 1, "stride": 2,
           "dtype": "fp16", "pass": "dgrad"})",
       64 * 256 * 3136 * 2, 256 * 512 * 2, 64 * 512 * 784 * 2},
      {R"({"type": "conv3d", "input": [16, 448, 32, 32, 32], "out_channels": 48,
           "kernel_size": [3, 1, 1], "stride": [1, 2, 2], "padding": [1, 0, 0], "dtype": "fp16",
           "pass": "wgrad"})",
       16 * 448 * 32 * 256 * 2, 448 * 48 * 3 * 2, 16 * 48 * 32 * 256 * 2},
      // A remainder of one column and row: 3x3 windows at 0, 2 and 4 of 8.
      {R"({"input": [1, 8, 8], "out_channels": 1, "kernel_size": 3, "stride": 2})",  //
       49 * 4, 9 * 4, 9 * 4},
      // Taps at 0 and 4 of one window: positions 0, 4, 1, 5 of 6.
      {R"({"type": "conv1d", "input": [3, 6], "out_channels": 5, "kernel_size": 2, "dilation": 4})",
       3 * 4 * 4, 3 * 5 * 2 * 4, 5 * 2 * 4},
      // Windows of one position around which there is padding: the outer ones see nothing of the
      // image, so that no gradient comes from them, but for the bias's.
      {R"({"input": [3, 4, 4], "out_channels": 5, "kernel_size": 1, "padding": 1})",  //
       3 * 16 * 4, 15 * 4, 5 * 36 * 4},
      {R"({"input": [3, 4, 4], "out_channels": 5, "kernel_size": 1, "padding": 1,
           "pass": "dgrad"})",
       3 * 16 * 4, 15 * 4, 5 * 16 * 4},
      {R"({"input": [3, 4, 4], "out_channels": 5, "kernel_size": 1, "padding": 1, "bias": true,
           "pass": "wgrad"})",
       3 * 16 * 4, 20 * 4, 5 * 36 * 4},
      // Transposed, an input writes every second output: the others are zeros, whose gradient
      // nobody reads.
      {R"({"type": "conv_transpose", "input": [8, 5, 3], "out_channels": 4, "kernel_size": 1,
           "stride": 2})",
       8 * 15 * 4, 8 * 4 * 4, 4 * 9 * 5 * 4},
      {R"({"type": "conv_transpose", "input": [8, 5, 3], "out_channels": 4, "kernel_size": 1,
           "stride": 2, "pass": "dgrad"})",
       8 * 15 * 4, 8 * 4 * 4, 4 * 15 * 4},
      {R"({"type": "conv_transpose", "input": [8, 5, 3], "out_channels": 4, "kernel_size": 1,
           "stride": 2, "pass": "wgrad"})",
       8 * 15 * 4, 8 * 4 * 4, 4 * 15 * 4},
      // Its padding cuts off the outputs of the outer inputs.
      {R"({"type": "conv_transpose", "input": [8, 5, 4], "out_channels": 4, "kernel_size": 1,
           "padding": 1})",
       8 * 6 * 4, 8 * 4 * 4, 4 * 6 * 4},
      {R"({"type": "max_pool", "input": [6, 8, 4], "kernel_size": 1, "stride": 2})",  //
       6 * 8 * 4, 0, 6 * 8 * 4},
      {R"({"type": "avg_pool", "input": [6, 8, 4], "kernel_size": [2, 1], "stride": [3, 2]})",
       6 * 6 * 2 * 4, 0, 6 * 3 * 2 * 4},
      // The whole gradient, and of the input again what was looked at.
      {R"({"type": "max_pool", "input": [6, 8, 4], "kernel_size": 1, "stride": 2,
           "pass": "dgrad"})",
       (192 + 6 * 8) * 4, 0, 6 * 8 * 4},
      {R"({"type": "upsample", "input": [6, 8, 4], "output": [6, 4, 2]})", 6 * 8 * 4, 0, 6 * 8 * 4},
  });
}

TEST_CASE("Counts of each pass fit 64 bits", "[model/bytes]") {
  // Forward two of the positions are read; the gradient of all is written, 2^61 numbers of 8 bytes.
  check_messages({{R"({"type": "conv1d", "input": [1073741824, 2147483648], "out_channels": 1,
                       "kernel_size": 1, "stride": 2147483647, "dtype": "fp64"})",
                   "expected counts below 2^64, got an overflow in layer \"conv0\""}});
}

TEST_CASE("Where fewer bytes may do, the counts say so", "[model/bytes]") {
  const struct {
    const char* text;
    bool is_upper_estimate;
  } table[] = {
      {R"({"type": "embedding", "input": [2, 7], "num_embeddings": 9, "embedding_dim": 64})", true},
      {R"({"type": "gather", "input": [100, 16], "output": [8, 16]})", true},
      {R"({"type": "scatter", "input": [8, 16], "output": [100, 16]})", true},
      {R"({"type": "other", "inputs": [[8, 16]], "output": [8]})", true},
      {R"({"type": "upsample", "input": [3, 8, 8], "output": [3, 4, 4],
           "interpolation": "bilinear"})",
       true},
      {R"({"type": "upsample", "input": [3, 8, 8], "output": [3, 4, 4]})", false},
      {R"({"type": "copy", "input": [8, 16], "output": [4, 16]})", false},
      {R"({"type": "reduce", "input": [8, 16], "output": [8]})", false},
      {R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})", false},
      {R"({"type": "matmul", "m": 3, "n": 5, "k": 7})", false},
  };
  for (const auto& [text, is_upper_estimate] : table) {
    INFO(text);
    CHECK(count(load_layer(text)).is_upper_estimate == is_upper_estimate);
  }
}

TEST_CASE("Which passes a kind runs", "[model/bytes]") {
  const auto passes_of = [](const std::string& text) {
    const Layer layer = load_layer(text);
    std::string passes;
    for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad})
      if (runs(layer, pass)) passes += std::string(name_of(pass)) + ' ';
    return passes;
  };
  CHECK(passes_of(R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})") ==
        "fwd dgrad wgrad ");
  CHECK(passes_of(R"({"type": "linear", "in_features": 8, "out_features": 4})") ==
        "fwd dgrad wgrad ");
  CHECK(passes_of(R"({"type": "batch_norm", "input": [3, 8, 8]})") == "fwd dgrad ");
  CHECK(passes_of(R"({"type": "relu", "input": [3, 8, 8]})") == "fwd dgrad ");
  CHECK(passes_of(R"({"type": "add", "inputs": [[8], [8]]})") == "fwd ");
}

TEST_CASE("Norms of a model keep 16 bits where its tensors are requested in shorter floats",
          "[model/bytes]") {
  const std::string norm = R"({"type": "layer_norm", "input": [8, 64], "dtype": "fp8"})";
  LayerDefaults requested;
  requested.dtype = DataType::fp8;
  requested.dtype_given = true;
  const DataTypes types = load_layer(norm, requested).dtypes;
  for (const DataType each : {types.input, types.weight, types.output})
    CHECK(each == DataType::fp16);
  CHECK(load_layer(norm).dtypes.input == DataType::fp8);  // as it states itself
}

TEST_CASE("Norms keep 16 bits where a network is in shorter floats", "[model/bytes]") {
  const auto types = [](const std::string& dtype, const std::string& own) {
    const Network network = load_text(R"({"dtype": ")" + dtype + R"(", "layers": [
        {"type": "linear", "input": [8, 64], "out_features": 64}, {"type": "layer_norm")" +
                                      own + R"(}, {"type": "relu"}]})");
    std::string text;
    for (const Layer& layer : network.layers)
      text += std::string(name_of(layer.dtypes.input)) + ' ';
    return text;
  };
  CHECK(types("fp8", "") == "fp8 fp16 fp8 ");
  CHECK(types("nvfp4", "") == "nvfp4 fp16 nvfp4 ");
  CHECK(types("int8", "") == "int8 int8 int8 ");
  CHECK(types("fp8", R"(, "dtype": "fp8")") == "fp8 fp8 fp8 ");
}
