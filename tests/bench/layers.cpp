#include "bench/layers.hpp"

#include <cstdint>
#include <cstdio>

namespace bench {
namespace {

/// Numbers that look random and are the same everywhere (Knuth's multiplicative hashing).
class Numbers {
 public:
  explicit Numbers(std::size_t seed) : state_(static_cast<std::uint32_t>(seed) * 2654435761U + 1) {}
  /// From `least` to `least` + `count` - 1.
  int operator()(int least, int count) {
    state_ = state_ * 1664525U + 1013904223U;
    return least + static_cast<int>((state_ >> 8U) % static_cast<std::uint32_t>(count));
  }

 private:
  std::uint32_t state_;
};

}  // namespace

std::string layer(std::size_t i) {
  Numbers number(i);
  const int kind = number(0, 10);
  const int channels = 8 * number(1, 64);
  const int size = number(7, 106);
  const int batch = 1 << number(0, 6);
  char text[256];
  const auto print = [&](const char* format, auto... values) {
    std::snprintf(text, sizeof text, format, values...);
  };
  if (kind < 5)
    print(R"({"type": "conv", "batch": %d, "input": [%d, %d, %d], "out_channels": %d, )"
          R"("kernel_size": %d, "padding": 1, "stride": %d})",
          batch, channels, size, size, 8 * number(1, 64), 1 + 2 * number(0, 3), number(1, 2));
  else if (kind == 5)
    print(R"({"type": "conv", "input": [%d, %d, %d], "out_channels": %d, "kernel_size": 3, )"
          R"("padding": 1, "depthwise": true})",
          channels, size, size, channels);
  else if (kind == 6)
    print(R"({"type": "linear", "batch": %d, "in_features": %d, "out_features": %d, )"
          R"("dtype": "fp16"})",
          batch, 4 * channels, 8 * number(1, 500));
  else if (kind == 7)
    print(R"({"type": "batch_norm", "input": [%d, %d, %d]})", channels, size, size);
  else if (kind == 8)
    print(R"({"type": "relu", "input": [%d, %d, %d], "dtype": "fp16"})", channels, size, size);
  else
    print(R"({"type": "max_pool", "input": [%d, %d, %d], "kernel_size": 3, "stride": 2})", channels,
          size, size);
  return text;
}

std::string lines(std::size_t count, std::size_t bad_percent) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += (i * 37 % 100 < bad_percent ? R"({"type": "conv", "stride": 0})" : layer(i)) + '\n';
  return text;
}

std::string array(std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",\n") + layer(i);
  return text + "]";
}

}  // namespace bench
