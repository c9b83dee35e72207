// Several layers in one file: names, inherited inputs, operands that do not fit together.

#include "load/loading.hpp"

namespace {

/// Two convolutions called a and b, and one more layer after them.
std::string after_two(const std::string& third) {
  return R"([{"name": "alpha", "input": [3, 8, 8], "out_channels": 4, "kernel_size": 3},
             {"name": "beta", "out_channels": 6, "kernel_size": 3}, )" +
         third + "]";
}

}  // namespace

TEST_CASE("The layers that the tables build on are good", "[load/bad_networks]") {
  CHECK(message_of([] { load_text(after_two(R"({"type": "relu"})")); }) == "");
}

TEST_CASE("An input that names no earlier layer", "[load/bad_networks]") {
  check_messages({
      {after_two(R"({"type": "relu", "input": "alpah"})"),
       "/2/input: expected the name of an earlier layer, got \"alpah\""},
      {after_two(R"({"type": "relu", "input": "alphaa"})"),
       "/2/input: expected the name of an earlier layer, got \"alphaa\"; did you mean \"alpha\"?"},
      {after_two(R"({"type": "relu", "name": "self", "input": "self"})"),
       "/2/input: expected the name of an earlier layer, got \"self\""},
      {R"([{"type": "relu", "input": "later"}, {"type": "relu", "name": "later", "input": [8]}])",
       "/0/input: expected the name of an earlier layer, got \"later\""},
      {after_two(R"({"type": "relu", "name": "alpha"}, {"type": "relu", "input": "alpha"})"),
       "/3/input: expected the name of one earlier layer, got \"alpha\", which two have"},
      {after_two(R"({"type": "add", "inputs": ["alpha", "gamma"]})"),
       "/2/inputs/1: expected the name of an earlier layer, got \"gamma\""},
      {R"([{"out_channels": 4, "kernel_size": 3}])",
       "/0/input: expected a shape such as [3, 224, 224]: there is no layer before this one"},
  });
}

TEST_CASE("A layer that does not fit its input", "[load/bad_networks]") {
  check_messages({
      {after_two(R"({"out_channels": 4, "kernel_size": 5})"),
       "/2/kernel_size: expected a kernel that fits the padded input, got one that spans 5 where "
       "the height with padding is 4"},
      {after_two(R"({"out_channels": 4, "kernel_size": 3, "in_channels": 7})"),
       "/2/in_channels: expected 6, the channels of the input [1, 6, 4, 4], got 7"},
      {after_two(R"({"out_channels": 4, "kernel_size": 3, "groups": 4})"),
       "/2/groups: expected a divisor of the 6 input channels, got 4"},
      {after_two(R"({"out_channels": 4, "kernel_size": 3, "batch": 2})"),
       "/2/batch: expected 1, the batch of the input [1, 6, 4, 4], got 2"},
      {after_two(R"({"type": "conv3d", "out_channels": 4, "kernel_size": 3})"),
       "/2: expected an input with 3 spatial sizes, got [1, 6, 4, 4]; the type can be given as "
       "conv2d"},
      {after_two(R"({"type": "linear", "in_features": 97, "out_features": 4})"),
       "/2/in_features: expected 96, the elements of the input [1, 6, 4, 4], or 6, its features a "
       "position, got 97"},
      {after_two(R"({"type": "linear", "out_features": 0})"),
       "/2/out_features: expected an integer >= 1, got 0"},
  });
}

TEST_CASE("Operands that do not broadcast or join", "[load/bad_networks]") {
  check_messages({
      {after_two(R"({"type": "add", "inputs": ["alpha", "beta"]})"),
       "/2/inputs/1: expected a shape that broadcasts with [1, 4, 6, 6], got [1, 6, 4, 4]"},
      {R"({"type": "mul", "inputs": [[4, 8, 8], [4, 8, 4]]})",
       "/inputs/1: expected a shape that broadcasts with [1, 4, 8, 8], got [1, 4, 8, 4]"},
      {R"({"type": "concat", "inputs": [[4, 8, 8], [6, 8, 1]]})",
       "/inputs/1: expected the sizes of [1, 4, 8, 8] beside the channels, got [1, 6, 8, 1]"},
      {R"({"type": "add", "inputs": []})",
       "/inputs: expected a list of shapes or names of earlier layers, got []"},
      {R"({"type": "add", "inputs": [[4, 8, 8], 3]})",
       "/inputs/1: expected a list of sizes such as [3, 224, 224], got 3"},
      {R"({"type": "add", "inputs": [[4, 8, 8], {"shapes": [4]}]})",
       "/inputs/1/shapes: expected a key of an operand, got \"shapes\"; did you mean \"shape\"?"},
      {R"({"type": "add", "inputs": [[4, 8, 8], {"parameter": [4], "x": 1}]})",
       "/inputs/1/x: expected a key of an operand, got \"x\""},
  });
}

TEST_CASE("A network object with something wrong beside its layers", "[load/bad_networks]") {
  const std::string layers = R"("layers": [{"type": "relu", "input": [8]}])";
  check_messages({
      {"{\"batch\": 0, " + layers + "}", "/batch: expected an integer >= 1, got 0"},
      {"{\"name\": 1, " + layers + "}", "/name: expected a string, got 1"},
      {"{\"dtype\": \"fp17\", " + layers + "}",
       "/dtype: expected one of fp64, fp32, tf32, fp16, bf16, fp8, int8, int4, fp4, fp6, mxfp8, "
       "mxfp6, mxfp4, nvfp4, got \"fp17\"; did you mean \"fp16\"?"},
      {"{\"host\": \"a\", " + layers + "}", "/host: expected a key of a network, got \"host\""},
      {"{\"batchs\": 2, " + layers + "}",
       "/batchs: expected a key of a network, got \"batchs\"; did you mean \"batch\"?"},
      {R"({"layers": [{"type": "relu", "input": [8]}, {"type": "relu", "repeat": -3}]})",
       "/layers/1/repeat: expected an integer >= 1, got -3"},
      {R"({"layers": [{"type": "relu", "input": [8]}, {"type": "softmaxx"}]})",
       "/layers/1/type: expected a layer type (conv, conv_transpose, deform_conv, linear, matmul, "
       "attention, lstm, gru, rnn, "
       "batch_norm, layer_norm, rms_norm, group_norm, instance_norm, local_response_norm, relu, "
       "relu6, leaky_relu, prelu, elu, sigmoid, hardsigmoid, tanh, silu, hardswish, gelu, softmax, "
       "glu, elementwise, rowwise, add, sub, mul, div, concat, max_pool, avg_pool, "
       "global_avg_pool, "
       "reduce, upsample, copy, embedding, gather, scatter, im2col, col2im, other, flatten, "
       "identity), got "
       "\"softmaxx\"; did "
       "you mean \"softmax\"?"},
  });
}
