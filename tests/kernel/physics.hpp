#pragma once

// Times and layers for the laws that no library and no GPU can break.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/generated_layers.hpp"
#include "roofline/analysis.hpp"

namespace physics {

using namespace roofline;

inline constexpr double most_gain = 1.25;  ///< of doing more

/// Times of a layer on a GPU; none where it has no kernel there.
inline std::optional<double> seconds(Layer layer, Pass pass, const Gpu& gpu,
                                     const KernelModel& model, CacheState cache = CacheState::warm,
                                     EngineChoice choice = EngineChoice::automatic) {
  layer.pass = pass;
  if (!runs(layer, pass)) return std::nullopt;
  const auto engine = select_engine(layer, gpu.peak_flop_per_s, choice);
  if (!engine) return std::nullopt;
  const auto plan = plan_kernel(layer, count(layer), *engine, model, cache).value();
  return plan ? std::optional(plan->expected_time_s()) : std::nullopt;
}

/// Dense convolutions of usual sizes, and the same with other channels.
inline std::vector<Layer> dense_layers(DataType dtype, std::uint64_t more_in,
                                       std::uint64_t more_out) {
  LayerDefaults defaults;
  defaults.dtype = dtype;
  std::vector<Layer> layers;
  for (const char* batch : {"1", "32"})
    for (const std::uint64_t in : {16U, 64U, 256U})
      for (const std::uint64_t out : {32U, 128U})
        for (const char* size : {"7", "14", "56"})
          for (const char* window : {R"("kernel_size": 1)", R"("kernel_size": 3, "padding": 1)",
                                     R"("kernel_size": 3, "padding": 1, "stride": 2)"})
            layers.push_back(load_layer(R"({"input": [)" + std::string(batch) + ", " +
                                            std::to_string(in + more_in) + ", " + size + ", " +
                                            size + R"(], "out_channels": )" +
                                            std::to_string(out + more_out) + ", " + window + "}",
                                        defaults));
  return layers;
}

/// Streams of all sizes: activations, sums, norms, pools, softmax.
inline std::vector<Layer> streams(DataType dtype) {
  LayerDefaults defaults;
  defaults.dtype = dtype;
  std::vector<Layer> layers;
  const auto add = [&](const std::string& text) { layers.push_back(load_layer(text, defaults)); };
  for (const char* type : {"relu", "gelu"})
    for (const char* size : {"65536", "4194304", "536870912"})
      add(R"({"input": [1, 1, 1, )" + std::string(size) + R"(], "type": ")" + type + "\"}");
  for (const char* rows : {"128", "8192"})
    for (const char* features : {"768", "4096"})
      for (const char* type : {"layer_norm", "softmax"})
        add(R"({"input": [)" + std::string(rows) + ", " + features + R"(], "type": ")" + type +
            "\"}");
  for (const char* batch : {"1", "32", "256"})
    for (const char* image : {"64, 56, 56", "256, 14, 14", "1024, 7, 7"}) {
      const std::string shape = "[" + std::string(batch) + ", " + image + "]";
      add(R"({"type": "batch_norm", "input": )" + shape + "}");
      add(R"({"type": "add", "inputs": [)" + shape + ", " + shape + "]}");
      add(R"({"type": "max_pool", "kernel_size": 3, "stride": 2, "padding": 1, "input": )" + shape +
          "}");
    }
  return layers;
}

/// Convolutions and linear layers of any number of channels, the same in every run.
inline Layer drawn_layer(generated::Numbers& numbers, DataType dtype) {
  LayerDefaults defaults;
  defaults.dtype = dtype;
  const std::string batch = numbers.text_of({1, 4, 32, 128});
  const std::vector<std::uint64_t> channels{1, 2, 4, 7, 16, 24, 50, 64, 104, 256, 500, 1024};
  const std::string in = numbers.text_of(channels);
  const std::string out = numbers.text_of(channels);
  const std::string size = numbers.text_of({7, 14, 28, 56});
  const std::string window = numbers.text_of({1, 3, 3, 5});
  const std::string stride = numbers.text_of({1, 1, 2});
  if (numbers.of({0, 0, 0, 1}) == 1)
    return load_layer(R"({"type": "linear", "input": [)" + batch + ", " + in +
                          R"(], "out_features": )" + out + "}",
                      defaults);
  return load_layer(R"({"input": [)" + batch + ", " + in + ", " + size + ", " + size +
                        R"(], "out_channels": )" + out + R"(, "kernel_size": )" + window +
                        R"(, "padding": )" +
                        (window == "1"   ? "0"
                         : window == "3" ? "1"
                                         : "2") +
                        R"(, "stride": )" + stride + "}",
                    defaults);
}

/// Heads, queries, keys and features, the same in every run.
inline Layer drawn_attention(generated::Numbers& numbers, DataType dtype) {
  LayerDefaults defaults;
  defaults.dtype = dtype;
  const std::string head = numbers.text_of({1, 4, 16}) + ", " + numbers.text_of({1, 4, 32});
  const std::string queries = numbers.text_of({1, 16, 127, 128, 512, 2048});
  const std::string keys = numbers.text_of({77, 128, 1024, 4096});
  const std::string features = ", " + numbers.text_of({64, 128, 256}) + "]";
  const std::string operand = ", [" + head + ", " + keys + features;
  return load_layer(R"({"type": "attention", "inputs": [[)" + head + ", " + queries + features +
                        operand + operand + "]}",
                    defaults);
}

}  // namespace physics
