// One layer with one thing wrong: the whole message that a user reads.

#include "load/loading.hpp"

namespace {

/// A good convolution with these keys in place of, or beside, its own.
std::string conv_with(const std::string& more) {
  return R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3, )" + more + "}";
}

constexpr const char* all_types =
    "expected a layer type (conv, conv_transpose, deform_conv, linear, matmul, "
    "attention, lstm, gru, rnn, batch_norm, "
    "layer_norm, rms_norm, group_norm, instance_norm, local_response_norm, relu, relu6, "
    "leaky_relu, prelu, elu, sigmoid, hardsigmoid, tanh, silu, hardswish, gelu, softmax, "
    "glu, elementwise, rowwise, add, sub, mul, div, concat, max_pool, avg_pool, global_avg_pool, "
    "reduce, upsample, copy, embedding, gather, scatter, im2col, col2im, other, flatten, "
    "identity), got ";

const std::string one_type =
    "expected one of fp64, fp32, tf32, fp16, bf16, fp8, int8, int4, fp4, fp6, mxfp8, mxfp6, mxfp4, "
    "nvfp4, got ";

}  // namespace

TEST_CASE("The layer that the tables vary is good", "[load/bad_layers]") {
  CHECK(message_of([] { load_text(conv_with("\"stride\": 1")); }) == "");
}

TEST_CASE("A value of the wrong type or size", "[load/bad_layers]") {
  check_messages({
      {conv_with("\"stride\": 0"), "/stride: expected an integer >= 1, got 0"},
      {conv_with("\"stride\": -1"), "/stride: expected an integer >= 1, got -1"},
      {conv_with("\"stride\": 1.5"), "/stride: expected an integer >= 1, got 1.5"},
      {conv_with("\"stride\": \"2\""), "/stride: expected an integer >= 1, got \"2\""},
      {conv_with("\"stride\": null"), "/stride: expected an integer >= 1, got null"},
      {conv_with("\"stride\": [1, 0]"), "/stride/1: expected an integer >= 1, got 0"},
      {conv_with("\"stride\": [1, 1, 1]"),
       "/stride: expected a number or a list of 2, got [1,1,1]"},
      {conv_with("\"stride\": {\"h\": 1}"), "/stride: expected an integer >= 1, got {\"h\":1}"},
      {conv_with("\"padding\": -1"), "/padding: expected an integer >= 0, got -1"},
      {conv_with("\"padding\": [1, 1, 1, -1]"), "/padding/3: expected an integer >= 0, got -1"},
      {conv_with("\"padding\": \"full\""),
       "/padding: expected numbers, \"same\" or \"valid\", got \"full\""},
      {conv_with("\"dilation\": 0"), "/dilation: expected an integer >= 1, got 0"},
      {conv_with("\"repeat\": 0"), "/repeat: expected an integer >= 1, got 0"},
      {conv_with("\"bias\": 1"), "/bias: expected true or false, got 1"},
      {conv_with("\"depthwise\": \"yes\""), "/depthwise: expected true or false, got \"yes\""},
      {conv_with("\"name\": 7"), "/name: expected a string, got 7"},
      {conv_with("\"type\": 2"), "/type: expected a string, got 2"},
      {conv_with("\"measured_us\": 0"), "/measured_us: expected a number > 0, got 0"},
      {conv_with("\"measured_ms\": \"3 ms\""), "/measured_ms: expected a number > 0, got \"3 ms\""},
      {conv_with("\"kernel\": {\"tile\": [64, 64]}"),
       "/kernel/tile: expected [m, n, k], got [64,64]"},
      {conv_with("\"kernel\": true"),
       R"(/kernel: expected a kernel mapping such as {"tile": [128, 64, 8]} (the window's size is "kernel_size"), got true)"},
      {conv_with("\"kernel\": 5"), "/kernel: expected one spelling, got this and kernel_size"},
      {conv_with("\"id\": [1]"), "/id: expected a string, a number, true or false, got [1]"},
      {R"({"input": "conv1", "out_channels": 4, "kernel_size": 3})",
       "/input: expected a shape: there is no earlier layer to name"},
      {R"({"input": 3, "out_channels": 4, "kernel_size": 3})",
       "/input: expected a list of sizes such as [3, 224, 224], got 3"},
      {R"({"input": [], "out_channels": 4, "kernel_size": 3})",
       "/input: expected a list of sizes such as [3, 224, 224], got []"},
      {R"({"input": [3, 0, 8], "out_channels": 4, "kernel_size": 3})",
       "/input/1: expected an integer >= 1, got 0"},
      {R"({"input": [3, 8], "out_channels": 4, "kernel_size": 3})",
       "/input: expected a shape [C, H, W] or [N, C, H, W], got [3,8]"},
      {R"({"type": "conv", "input": [1, 3, 8, 32, 32], "out_channels": 4, "kernel_size": 3})",
       "/input: expected a shape [C, H, W] or [N, C, H, W] (conv3d takes [N, C, D, H, W]), got "
       "[1,3,8,32,32]"},
  });
}

TEST_CASE("A long value is shown by its kind", "[load/bad_layers]") {
  const std::string many = "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]";
  check_messages({
      {conv_with("\"stride\": " + many),
       "/stride: expected a number or a list of 2, got an array of 32"},
      {conv_with("\"stride\": \"" + std::string(80, 'x') + "\""),
       "/stride: expected an integer >= 1, got a long string"},
  });
}

TEST_CASE("A key that is missing", "[load/bad_layers]") {
  check_messages({
      {R"({"input": [3, 8, 8], "kernel_size": 3})",
       "/out_channels: expected an integer >= 1, got nothing"},
      {R"({"input": [3, 8, 8], "out_channels": 4})",
       "/kernel_size: expected an integer >= 1 or a list of 2, got nothing"},
      {R"({"c": 3, "h": 8, "k": 4, "r": 3, "s": 3})", "/w: expected an integer >= 1, got nothing"},
      {R"({"h": 8, "w": 8, "k": 4, "r": 3, "s": 3})",
       "/in_channels: expected an integer >= 1, got nothing"},
      {R"({"c": 3, "k": 4, "r": 3, "s": 3})",
       "/c: expected input_size, or h and w, beside the channels"},
      {R"({"type": "linear", "in_features": 8})",
       "/out_features: expected an integer >= 1, got nothing"},
      {R"({"type": "matmul", "m": 2, "n": 2})", "/k: expected an integer >= 1, got nothing"},
      {R"({"type": "add"})",
       "/inputs: expected a list of shapes or names of earlier layers, got nothing"},
      {R"({"type": "upsample", "input": [3, 8, 8]})",
       "/scale_factor: expected an integer >= 1 or a list, got nothing"},
      {R"({"type": "softmax", "input": [2, 3, 8, 8], "axis": 4})",
       "/axis: expected an axis of [2, 3, 8, 8], -4 to 3, got 4"},
      {R"({"type": "softmax", "input": [2, 3, 8, 8], "axis": 1.5})",
       "/axis: expected an integer from -5 to 4, got 1.5"},
      {R"({"type": "glu", "input": [2, 3, 8, 8]})",
       "/input: expected an even number to halve along axis 1, got 3"},
      {R"({"type": "pad", "input": [1, 3, 8, 8], "mode": "reflect"})",
       "/output: expected the padded sizes, beside pad_mode, got nothing"},
      {R"({"type": "pad", "input": [1, 3, 8, 8], "output": [1, 3, 8, 8], "mode": "reflect"})",
       "/output: expected sizes beyond the input's [1, 3, 8, 8], as pad_mode pads it, got "
       "[1, 3, 8, 8]"},
      {R"({"type": "pad", "input": [1, 3, 8, 8], "output": [1, 3, 9, 8], "mode": "mirror"})",
       "/mode: expected constant, reflect, replicate or circular, got \"mirror\""},
      {R"({"type": "im2col", "input": [8, 64, 56, 56], "output": [8, 570, 3136]})",
       "/output: expected an image [N, C, H, W] and its windows as columns [N, C x taps, windows], "
       "got [8, 570, 3136] of [8, 64, 56, 56]"},
      {R"({"type": "col2im", "input": [8, 576, 3136], "output": [8, 64, 56, 56]})",
       "/output: expected an image [N, C, H, W] and its windows as columns [N, C x taps, 1, "
       "windows], got [8, 64, 56, 56] of [1, 8, 576, 3136]"},
  });
}

TEST_CASE("An unknown word comes with the nearest known one", "[load/bad_layers]") {
  const std::string types = "conv.json: /type: " + std::string(all_types);
  check_messages({
      {conv_with("\"strid\": 1"),
       "/strid: expected a key of a conv layer, got \"strid\"; did you mean \"stride\"?"},
      {conv_with("\"paddings\": 1"),
       "/paddings: expected a key of a conv layer, got \"paddings\"; did you mean \"padding\"?"},
      {conv_with("\"colour\": 1"), "/colour: expected a key of a conv layer, got \"colour\""},
      {conv_with("\"in_features\": 1"), "/in_features: a conv layer takes no \"in_features\""},
      {R"({"type": "relu", "input": [8], "stride": 2})",
       "/stride: a relu layer takes no \"stride\""},
      {conv_with("\"type\": \"convv\""), types + "\"convv\"; did you mean \"conv\"?"},
      {conv_with("\"type\": \"capsule\""), types + "\"capsule\""},
      {conv_with("\"dtype\": \"fp61\""),
       "/dtype: " + one_type + "\"fp61\"; did you mean \"fp64\"?"},
      {conv_with("\"pass\": \"backward\""),
       "/pass: expected fwd, dgrad or wgrad, got \"backward\""},
      {conv_with("\"dtypes\": {\"inputs\": \"fp16\"}"),
       "/dtypes/inputs: expected a key of dtypes, got \"inputs\"; did you mean \"input\"?"},
      {conv_with("\"kernel\": {\"thread\": 128}"),
       "/kernel/thread: expected a key of kernel, got \"thread\"; did you mean \"threads\"?"},
      {conv_with("\"kernel\": {\"algorithm\": \"implicitgemm\"}"),
       "/kernel/algorithm: expected an algorithm (implicit_gemm, gemm, scatter_gemm, gemv, direct, "
       "winograd_2x2_fused, winograd_4x4_nonfused, winograd_5x5_nonfused, fft, fft_tiled), got "
       "\"implicitgemm\"; did you mean \"implicit_gemm\"?"},
      {conv_with("\"kernel\": {\"algorithm\": \"softmax_warp\"}"),
       "/kernel/algorithm: expected an algorithm (implicit_gemm, gemm, scatter_gemm, gemv, direct, "
       "winograd_2x2_fused, winograd_4x4_nonfused, winograd_5x5_nonfused, fft, fft_tiled), got "
       "\"softmax_warp\""},
  });
}

TEST_CASE("All unknown keys stand in one message", "[load/bad_layers]") {
  check_messages({
      {R"({"hight": 4, "width": 4, "activation": "relu", "latency": 3, "in_features": 3,
           "kernel_size": 3, "foo": 1})",
       "expected keys of a conv layer, got \"activation\" (write it as the next layer, such as "
       "{\"type\": \"relu\"}), \"foo\", \"hight\" (did you mean \"height\"?), \"in_features\", "
       "\"latency\" (write a time with its unit, as measured_us or measured_ms)"},
      {conv_with("\"output_size\": 6"),
       "/output_size: a conv layer takes no \"output_size\"; did you mean \"output\"?"},
      {R"({"type": "DepthwiseConv2D", "input": [3, 8, 8], "kernel": 3, "depth_multiplier": 2})",
       "/depth_multiplier: expected a key of a conv layer, got \"depth_multiplier\"; write "
       "out_channels, the input's times this number"},
      {R"({"m": 4, "n": 5, "k": 6, "mean": 7})",
       "/mean: expected a key of a matmul layer, got \"mean\"; write a time with its unit, as "
       "measured_us or measured_ms"},
      {R"({"type": "AdaptiveAvgPool2d", "input": [3, 8, 8], "output_size": 9})",
       "/output_size: expected at most 8, the input's height, got 9"},
  });
}

TEST_CASE("A launch in CUDA's words is shown in our keys", "[load/bad_layers]") {
  // 16 x 16 threads are 256; a step of 16 is that of a square tile.
  const std::string tile_of_16 = R"("kernel": {"tile": [16, 16, 16], "threads": 256}})";
  check_messages({
      {R"({"type": "matmul", "M": 64, "N": 64, "K": 32, "grid": [4, 4], "block": "16x16"})",
       "expected keys of a matmul layer, got \"block\", \"grid\"; this layer in our keys: "
       "{\"K\": 32, \"M\": 64, \"N\": 64, \"type\": \"matmul\", " +
           tile_of_16},
      {R"({"C": 3, "H": 8, "W": 8, "M": 4, "K": 3, "blockDim": {"x": 16, "y": 16}})",
       "expected a key of a conv layer, got \"blockDim\"; this layer in our keys: {\"C\": 3, "
       "\"H\": 8, \"K\": 3, \"M\": 4, \"W\": 8, " +
           tile_of_16},
      {R"({"type": "matmul", "m": 64, "n": 64, "k": 32, "TILE_WIDTH": 8})",
       "expected a key of a matmul layer, got \"TILE_WIDTH\"; this layer in our keys: {\"k\": 32, "
       "\"m\": 64, \"n\": 64, \"type\": \"matmul\", \"kernel\": {\"tile\": [8, 8, 8]}}"},
      {conv_with("\"grid\": [1, 1], \"colour\": 1"),
       "expected keys of a conv layer, got \"colour\", \"grid\" (leave it out: it follows from the "
       "tile and the sizes)"},
  });
}

TEST_CASE("What is proposed for a key differs by no unit", "[load/bad_layers]") {
  const std::string with_unit = "; write a time with its unit, as measured_us or measured_ms";
  check_messages({
      {conv_with("\"measured_mus\": 1"),
       "/measured_mus: expected a key of a conv layer, got \"measured_mus\"" + with_unit},
      {conv_with("\"measured_m\": 1"),
       "/measured_m: expected a key of a conv layer, got \"measured_m\"" + with_unit},
      {conv_with("\"time_ns\": 1"),
       "/time_ns: expected a key of a conv layer, got \"time_ns\"" + with_unit},
      {conv_with("\"gflops\": 1"), "/gflops: expected a key of a conv layer, got \"gflops\""},
      {conv_with("\"inch\": 1"),
       "/inch: expected a key of a conv layer, got \"inch\"; did you mean \"in_channels\"?"},
      {conv_with("\"dW\": 1"),
       "/dW: expected a key of a conv layer, got \"dW\"; write stride_h and stride_w for steps, as "
       "Torch's dH and dW, and dil_h and dil_w for dilations"},
  });
}

TEST_CASE("A misspelt key is named even where its absence breaks the layer", "[load/bad_layers]") {
  check_messages({
      {R"({"inputt": [3, 8, 8], "out_channels": 4, "kernel_size": 3})",
       "/inputt: expected a key of a conv layer, got \"inputt\"; did you mean \"input\"?"},
      {R"({"input": [3, 8, 8], "out_chanels": 4, "kernel_size": 3})",
       "/out_chanels: expected a key of a conv layer, got \"out_chanels\"; did you mean "
       "\"out_channels\"?"},
      {R"({"type": "linear", "in_features": 8, "out_feature": 4})",
       "/out_feature: expected a key of a linear layer, got \"out_feature\"; did you mean "
       "\"out_features\"?"},
  });
}

TEST_CASE("One thing in two spellings", "[load/bad_layers]") {
  check_messages({
      {conv_with("\"k\": 5"), "/k: expected one spelling, got this and out_channels"},
      {conv_with("\"r\": 3"), "/kernel_size: expected one spelling, got this and r"},
      {conv_with("\"stride\": 1, \"stride_w\": 1"),
       "/stride: expected one spelling, got this and stride_w"},
      {conv_with("\"padding\": \"same\", \"pad_h\": 1"),
       "/pad_h: expected one spelling, got this and padding"},
      {conv_with("\"dilation\": 1, \"dil_h\": 1"),
       "/dilation: expected one spelling, got this and dil_h"},
      {conv_with("\"groups\": 1, \"depthwise\": true"),
       "/depthwise: expected one spelling, got this and groups"},
      {conv_with("\"c\": 4"), "/c: expected 3, the channels of the input [1, 3, 8, 8], got 4"},
      {conv_with("\"h\": 8"), "/input: expected one spelling, got this and sizes"},
      {conv_with("\"batch\": 2, \"n\": 3"), "/n: expected one spelling, got this and batch"},
      {conv_with("\"dtype\": \"fp16\", \"dtypes\": {}"),
       "/dtypes: expected one spelling, got this and dtype"},
      {conv_with("\"measured_us\": 1, \"measured_ms\": 1"),
       "/measured_us: expected one spelling, got this and measured_ms"},
      {R"({"input": [2, 3, 8, 8], "batch": 3, "out_channels": 4, "kernel_size": 3})",
       "/batch: expected 2, the first number of the shape, got 3"},
  });
}

TEST_CASE("Sizes that do not fit together", "[load/bad_layers]") {
  check_messages({
      {conv_with("\"groups\": 2"), "/groups: expected a divisor of the 3 input channels, got 2"},
      {conv_with("\"depthwise\": true"),
       "/out_channels: expected a multiple of the 3 groups, got 4"},
      {R"({"input": [3, 8, 4], "out_channels": 4, "kernel_size": [3, 7], "padding": 1})",
       "/kernel_size: expected a kernel that fits the padded input, got one that spans 7 where the "
       "width with padding is 6"},
      {conv_with("\"dilation\": 4"),
       "/kernel_size: expected a kernel that fits the padded input, got one that spans 9 where the "
       "height with padding is 8"},
      {R"({"type": "conv_transpose", "input": [3, 1, 1], "out_channels": 4, "kernel_size": 3,
           "padding": 2})",
       "/padding: expected an output of at least 1, got padding that leaves nothing of the height"},
      {R"({"type": "linear", "input": [2, 8], "in_features": 9, "out_features": 4})",
       "/in_features: expected 8, the elements of the input [2, 8], or 8, its features a position, "
       "got 9"},
      {conv_with("\"type\": \"conv3d\""),
       "/input: expected a shape [C, D, H, W] or [N, C, D, H, W], got [3,8,8]"},
      {R"({"type": "conv1d", "input": [3, 8], "out_channels": 4, "r": 3})",
       "/r: expected only the width of a 1-D layer"},
      {R"({"type": "conv3d", "input": [3, 8, 8, 8], "out_channels": 4, "r": 3, "s": 3})",
       "/r: expected kernel_size: [d, h, w] for a 3-D layer"},
  });
}

TEST_CASE("A stated output is checked and the padding that gives it is named",
          "[load/bad_layers]") {
  const std::string notebook =
      R"("input": [3, 256, 256], "out_channels": 64, "kernel_size": 5, "padding": 3)";
  check_messages({
      {"{" + notebook + R"(, "output": [64, 256, 256]})",
       "/output/1: expected 258, the computed output height, got 256; padding 2 gives 256"},
      {"{" + notebook + R"(, "p": 256, "q": 256})",
       "/p: expected 258, the computed output height, got 256; padding 2 gives 256"},
      {"{" + notebook + R"(, "output": [32, 258, 258]})",
       "/output/0: expected 64, the computed output channels, got 32"},
      {"{" + notebook + R"(, "output": [2, 64, 258, 258]})",
       "/output/0: expected 1, the layer's batch, got 2"},
      {"{" + notebook + R"(, "stride": 2, "q": 128})",
       "/q: expected 129, the computed output width, got 128"},
      {"{" + notebook + R"(, "output": [64]})",
       "/output: expected a shape [C, H, W] or [N, C, H, W], got [64]"},
  });
}

TEST_CASE("Numbers too large for exact counts", "[load/bad_layers]") {
  const auto images = [](std::size_t count) {
    std::string list = "[[1, 1, 1]";
    for (std::size_t i = 1; i < count; ++i) list += ", [1, 1, 1]";
    return list + "]";
  };
  const std::string copies =
      "/repeat: expected at most 200000 layers by repeat in all, each 400 bytes of names and "
      "operands counting as one, got more";
  check_messages({
      {R"({"input": [4294967296, 65536, 65536], "out_channels": 2, "kernel_size": 1})",
       "expected counts below 2^64, got an overflow in layer \"conv0\""},
      {conv_with("\"repeat\": 18446744073709551615"), copies},
      {conv_with("\"repeat\": 100000, \"name\": \"" + std::string(3000, 'n') + '"'), copies},
      {"{\"type\": \"concat\", \"repeat\": 50, \"inputs\": " + images(20000) + "}", copies},
      {conv_with("\"repeat\": 20, \"fused\": " + images(100000)), copies},
      {conv_with("\"padding\": 18446744073709551615"),
       "expected counts below 2^64, got an overflow in layer \"conv0\""},
      {conv_with("\"dilation\": 18446744073709551615"),
       "expected counts below 2^64, got an overflow in layer \"conv0\""},
      {R"({"type": "matmul", "m": 4294967296, "n": 4294967296, "k": 1, "name": "big"})",
       "expected counts below 2^64, got an overflow in layer \"big\""},
      {R"({"type": "batch_norm", "input": [4611686018427387904], "dtype": "fp8"})",
       "expected counts below 2^64, got an overflow in layer \"batch_norm0\""},
      {conv_with("\"stride\": 1e30"),
       "/stride: expected an integer from 1 to 18446744073709551615, got 1e+30"},
      {conv_with("\"stride\": 18446744073709551616"),
       "/stride: expected an integer from 1 to 18446744073709551615, got 1.8446744073709552e+19"},
      {conv_with("\"padding\": 1e16"),
       "/padding: expected an integer from 0 to 18446744073709551615 in digits alone, got 1e+16"},
  });
}

TEST_CASE("Kinds of layers have their article", "[load/bad_layers]") {
  const auto with_key = [](const std::string& type) {
    return R"({"type": ")" + type +
           R"(", "input": [8, 8], "inputs": [[1], [1], [1]], "groups": 1})";
  };
  check_messages({
      {with_key("other"), "expected keys of an other layer, got \"groups\", \"input\""},
      {with_key("attention"), "expected keys of an attention layer, got \"groups\", \"input\""},
      {with_key("upsample"), "expected keys of an upsample layer, got \"groups\", \"inputs\""},
      {with_key("rms_norm"), "expected keys of an rms_norm layer, got \"groups\", \"inputs\""},
      {with_key("relu"), "expected keys of a relu layer, got \"groups\", \"inputs\""},
  });
}

TEST_CASE("Names and keys of any length are shown by their beginning", "[load/bad_layers]") {
  const std::string name(5'000'000, 'n');
  const std::string shown = '"' + std::string(200, 'n') + "...\"";
  const std::string place = '/' + std::string(200, 'n') + "...: ";
  const std::string accented = "n\u00e9";  // 3 bytes, of which 200 hold 66
  std::string accents;
  std::string whole_accents;
  for (int i = 0; i < 1000; ++i) accents += accented;
  for (int i = 0; i < 66; ++i) whole_accents += accented;
  check_messages({
      {conv_with('"' + name + "\": 1"), place + "expected a key of a conv layer, got " + shown},
      {conv_with('"' + accents + "\": 1"), '/' + whole_accents +
                                               "n...: expected a key of a conv layer, got \"" +
                                               whole_accents + "n...\""},
      {conv_with("\"type\": \"" + name + '"'), "/type: " + std::string(all_types) + shown},
      {conv_with("\"dtype\": \"" + name + '"'), "/dtype: " + one_type + shown},
      {conv_with("\"padding\": 18446744073709551615, \"name\": \"" + name + '"'),
       "expected counts below 2^64, got an overflow in layer " + shown},
      {conv_with("\"kernel\": {\"" + name + "\": 1}"),
       "/kernel" + place + "expected a key of kernel, got " + shown},
  });
}

TEST_CASE("32-bit integers are an output type only", "[load/bad_layers]") {
  CHECK(load_layer(conv_with(R"("dtypes": {"input": "int8", "output": "int32"})")).dtypes.output ==
        roofline::DataType::int32);
  check_messages({
      {conv_with("\"dtype\": \"int32\""),
       "/dtype: " + one_type + "\"int32\", which only outputs can be"},
      {conv_with("\"dtypes\": {\"output\": \"amp\"}"),
       "/dtypes/output: " + one_type + "\"amp\", which only whole networks can be (--dtype)"},
      {conv_with("\"dtypes\": {\"weight\": \"int32\"}"),
       "/dtypes/weight: " + one_type + "\"int32\", which only outputs can be"},
  });
}
