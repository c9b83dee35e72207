#pragma once

// Layers of every kind in many sizes, the same ones in every run.

#include <cstdint>
#include <string>
#include <vector>

#include "load/loading.hpp"

namespace generated {

using namespace roofline;

/// Numbers of a linear congruential generator (Knuth, MMIX).
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t of(const std::vector<std::uint64_t>& choices) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return choices[(state_ >> 33) % choices.size()];
  }
  std::string text_of(const std::vector<std::uint64_t>& choices) {
    return std::to_string(of(choices));
  }

 private:
  std::uint64_t state_;
};

// Numbers are drawn one a statement: compilers evaluate the operands of + in any order.

inline std::string convolution(Numbers& numbers, const std::string& type) {
  const std::string batch = numbers.text_of({1, 2, 8, 32, 128});
  const std::uint64_t groups = numbers.of({1, 1, 1, 2, 4, 32});
  const std::uint64_t in = groups * numbers.of({1, 3, 4, 8, 16, 20, 64, 160});
  const std::uint64_t out = groups * numbers.of({1, 4, 8, 17, 32, 64, 256});
  const std::string size = numbers.text_of({7, 14, 28, 57});
  const std::string kernel = numbers.text_of({1, 3, 3, 5, 7});
  const std::string stride = numbers.text_of({1, 1, 2});
  const std::string padding = numbers.text_of({1, 3});
  const std::string plane = type == "conv1d"   ? size
                            : type == "conv3d" ? "7, " + size + ", " + size
                                               : size + ", " + size;
  return R"({"type": ")" + type + R"(", "input": [)" + batch + ", " + std::to_string(in) + ", " +
         plane + R"(], "out_channels": )" + std::to_string(out) + R"(, "groups": )" +
         std::to_string(groups) + R"(, "kernel_size": )" + kernel + R"(, "stride": )" + stride +
         R"(, "padding": )" + padding + "}";
}

inline std::string depthwise(Numbers& numbers) {
  const std::string batch = numbers.text_of({1, 8, 64});
  const std::string channels = numbers.text_of({3, 32, 33, 96, 512});
  const std::string size = numbers.text_of({7, 14, 28, 112});
  const std::string kernel = numbers.text_of({3, 5, 7, 9});
  const std::string stride = numbers.text_of({1, 2});
  return R"({"input": [)" + batch + ", " + channels + ", " + size + ", " + size +
         R"(], "out_channels": )" + channels + R"(, "groups": )" + channels +
         R"(, "kernel_size": )" + kernel + R"(, "stride": )" + stride + R"(, "padding": 4})";
}

/// [batch, channels, height, width]
inline std::string image(Numbers& numbers) {
  const std::string batch = numbers.text_of({1, 4, 64});
  const std::string channels = numbers.text_of({1, 3, 24, 64, 480});
  const std::string size = numbers.text_of({7, 14, 56});
  return "[" + batch + ", " + channels + ", " + size + ", " + size + "]";
}

/// [rows, features]
inline std::string sequence(Numbers& numbers) {
  const std::string rows = numbers.text_of({16, 197, 32768});
  const std::string features = numbers.text_of({64, 197, 768, 4096});
  return "[" + rows + ", " + features + "]";
}

inline std::string streaming(Numbers& numbers, const std::string& type) {
  const bool over_rows = type == "layer_norm" || type == "softmax";
  const std::string shape = over_rows ? sequence(numbers) : image(numbers);
  const std::string window = numbers.text_of({2, 3});
  const std::string head = R"({"type": ")" + type + R"(", )";
  if (type == "add" || type == "mul") return head + R"("inputs": [)" + shape + ", " + shape + "]}";
  if (type == "concat") return head + R"("inputs": [)" + shape + ", " + shape + ", " + shape + "]}";
  if (type == "max_pool" || type == "avg_pool")
    return head + R"("input": )" + shape + R"(, "kernel_size": )" + window + R"(, "stride": 2})";
  if (type == "upsample") return head + R"("input": )" + shape + R"(, "scale_factor": 2})";
  return head + R"("input": )" + shape + "}";
}

inline std::string matrix_product(Numbers& numbers, const std::string& type) {
  if (type == "linear") {
    const std::string batch = numbers.text_of({1, 3, 64, 2048});
    const std::string in = numbers.text_of({25, 512, 4096});
    const std::string out = numbers.text_of({10, 1000, 4096});
    return R"({"type": "linear", "batch": )" + batch + R"(, "in_features": )" + in +
           R"(, "out_features": )" + out + "}";
  }
  const std::string batch = numbers.text_of({1, 12, 96});
  const std::string m = numbers.text_of({1, 197, 1024});
  const std::string n = numbers.text_of({64, 197, 8192});
  const std::string k = numbers.text_of({64, 100, 1024});
  return R"({"type": "matmul", "batch": )" + batch + R"(, "m": )" + m + R"(, "n": )" + n +
         R"(, "k": )" + k + "}";
}

inline std::string attention(Numbers& numbers) {
  const std::string head =
      "[" + numbers.text_of({1, 8, 32}) + ", " + numbers.text_of({3, 12}) + ", ";
  const std::string queries = numbers.text_of({1, 49, 197, 1024});
  const std::string keys = numbers.text_of({49, 77, 1024});
  const std::string features = numbers.text_of({32, 64, 80, 256}) + "]";
  const std::string causal = numbers.of({0, 1}) == 0 ? "false" : "true";
  return R"({"type": "attention", "inputs": [)" + head + queries + ", " + features + ", " + head +
         keys + ", " + features + ", " + head + keys + ", " + features + R"(], "causal": )" +
         causal + "}";
}

/// Kernels that choose by what is reduced, where elements lie, how they are made.
inline std::vector<std::string> by_access(Numbers& numbers) {
  const std::string n = numbers.text_of({1, 8, 64});
  const std::string c = numbers.text_of({32, 96, 1024});
  const std::string s = numbers.text_of({7, 49, 300});
  const std::string four = "[" + n + ", " + c + ", " + s + ", 8]";
  const std::string reduce = R"({"type": "reduce", "input": )" + four + R"(, "output": [)";
  const std::string copy = R"({"type": "copy", "input": )" + four + R"(, "access": ")";
  const std::string upsample =
      R"({"type": "upsample", "input": )" + four + R"(, "scale_factor": 2, "interpolation": ")";
  return {reduce + n + ", 1, " + s + ", 8]}",
          reduce + "1, " + c + ", 1, 1]}",
          reduce + n + ", " + c + ", 1, 1], \"layout\": \"nhwc\"}",
          reduce + "1, 1, 1, 1]}",
          copy + "strided\"}",
          copy + "transposed\"}",
          upsample + "bilinear\"}",
          upsample + "bicubic\"}",
          R"({"type": "group_norm", "groups": 8, "input": )" + four + "}",
          R"({"type": "instance_norm", "input": )" + four + "}",
          R"({"type": "gather", "input": [5000, )" + c + R"(], "output": [)" + s + ", " + c + "]}"};
}

inline std::string recurrent(Numbers& numbers) {
  const std::string type = numbers.of({0, 1}) == 0 ? "lstm" : "gru";
  const std::string sizes = numbers.text_of({1, 16, 64}) + ", " + numbers.text_of({1, 50, 81});
  return R"({"type": ")" + type + R"(", "input": [)" + sizes + ", " +
         numbers.text_of({80, 256, 512}) + R"(], "hidden_size": )" +
         numbers.text_of({128, 256, 1000}) + R"(, "num_layers": )" + numbers.text_of({1, 2}) +
         R"(, "bidirectional": )" + (numbers.of({0, 1}) == 0 ? "false}" : "true}");
}

/// `count` layers of each kind, in the forward pass.
inline std::vector<Layer> layers(std::uint64_t seed, std::size_t count, DataType dtype) {
  Numbers numbers(seed);
  LayerDefaults defaults;
  defaults.dtype = dtype;
  std::vector<Layer> all;
  const auto add = [&](const std::string& text) { all.push_back(load_layer(text, defaults)); };
  for (std::size_t i = 0; i < count; ++i) {
    for (const char* type : {"conv", "conv", "conv", "conv1d", "conv3d", "conv_transpose"})
      add(convolution(numbers, type));
    add(depthwise(numbers));
    for (const char* type : {"linear", "matmul"}) add(matrix_product(numbers, type));
    for (const char* type :
         {"batch_norm",  "layer_norm", "relu",   "relu6",     "leaky_relu", "sigmoid",
          "hardsigmoid", "tanh",       "silu",   "hardswish", "gelu",       "softmax",
          "add",         "mul",        "concat", "max_pool",  "avg_pool",   "global_avg_pool",
          "upsample",    "flatten"})
      add(streaming(numbers, type));
    add(attention(numbers));
  }
  for (std::size_t i = 0; i < count; ++i)
    for (const std::string& text : by_access(numbers)) add(text);
  for (std::size_t i = 0; i < count; ++i) add(recurrent(numbers));
  return all;
}

}  // namespace generated
