// More work is no faster: more images, channels, places, states.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "kernel/physics.hpp"
#include "load/loading.hpp"
#include "model/generated_layers.hpp"
#include "model/layer_kind.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"

namespace {

using namespace roofline;
using namespace physics;

/// PyTorch gives a sum to several blocks only once its threads have 256 elements each: on an H100,
/// 65,536 numbers in one block take longer than 200,000 in 25, and 32 x 256 x 14 x 14 by channel
/// three times as long as 16 x 128 x 28 x 28 (tests/measured/h100_order.ndjson).
constexpr double most_gain_of_longer_sum = 2.1;

Layer with_twice_the_batch(Layer layer) {
  for (Operand& operand : layer.inputs) operand.shape.batch *= 2;
  layer.output.batch *= 2;
  return layer;
}

}  // namespace

TEST_CASE("Times are finite and above zero, and twice the batch is no faster",
          "[kernel/physics_more_work]") {
  for (const char* name : {"v100", "h200", "a100", "t4", "rtx3090", "gtx1080ti", "mi210", "mi25"}) {
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    for (const DataType dtype : {DataType::fp32, DataType::tf32, DataType::fp16, DataType::int8})
      for (const Layer& layer : generated::layers(17, 8, dtype))
        for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
          const auto time_s = seconds(layer, pass, gpu, model);
          if (!time_s) continue;
          INFO(name << ' ' << layer.name << ' ' << name_of(pass) << ' ' << name_of(dtype));
          CHECK(std::isfinite(*time_s));
          CHECK(*time_s > 0);
          const auto twice_s = seconds(with_twice_the_batch(layer), pass, gpu, model);
          const bool sums = layer.kind == LayerKind::reduce;
          CHECK(*twice_s * (sums ? most_gain_of_longer_sum : most_gain) >= *time_s);
        }
  }
}

TEST_CASE("Twice the channels or the image are no faster", "[kernel/physics_more_work]") {
  for (const char* name : {"v100", "h200", "a100", "t4", "rtx3090", "gtx1080ti", "mi210"}) {
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    for (const DataType dtype : {DataType::fp32, DataType::fp16, DataType::int8})
      for (const Layer& layer : dense_layers(dtype, 0, 0)) {
        const std::uint64_t in = layer.inputs.front().shape.channels;
        Layer wider = layer, larger = layer;
        wider.inputs.front().shape.channels = 2 * in;
        for (const std::size_t axis : {1U, 2U}) {
          larger.inputs.front().shape.spatial[axis] *= 2;
          larger.output.spatial[axis] *= 2;
        }
        for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
          const auto time_s = seconds(layer, pass, gpu, model);
          if (!time_s) continue;
          INFO(name << ' ' << name_of(dtype) << ' ' << name_of(pass) << ' ' << in << " -> "
                    << layer.output.channels << " at " << layer.output.spatial[1]);
          CHECK(*seconds(wider, pass, gpu, model) * most_gain >= *time_s);
          CHECK(*seconds(larger, pass, gpu, model) * most_gain >= *time_s);
        }
      }
  }
}

TEST_CASE("A recurrent layer of twice the state is no faster", "[kernel/physics_more_work]") {
  for (const char* name : {"v100", "p100", "t4", "a100", "l4", "h100", "b200", "rtx4090"}) {
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    generated::Numbers numbers(43);
    for (int i = 0; i < 60; ++i)
      for (const DataType dtype : {DataType::fp32, DataType::tf32, DataType::fp16}) {
        if (dtype == DataType::tf32 && !gpu.peak_flop_per_s[Engine::tf32]) continue;
        LayerDefaults defaults;
        defaults.dtype = dtype;
        const std::string type = std::array{"lstm", "gru", "rnn"}[numbers.of({0, 1, 2})];
        const std::string input = numbers.text_of({1, 8, 64, 165}) + ", " +
                                  numbers.text_of({1, 30, 87}) + ", " + numbers.text_of({8, 152});
        const std::string layers = numbers.text_of({1, 3});
        const std::uint64_t state = numbers.of({32, 64, 96, 128, 192, 256, 384, 512});
        const auto time_s = [&](std::uint64_t size, Pass pass) {
          return *seconds(load_layer(R"({"type": ")" + type + R"(", "input": [)" + input +
                                         R"(], "num_layers": )" + layers + R"(, "hidden_size": )" +
                                         std::to_string(size) + "}",
                                     defaults),
                          pass, gpu, model);
        };
        for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
          INFO(name << ' ' << type << ' ' << name_of(dtype) << ' ' << name_of(pass) << ' ' << input
                    << ": " << layers << " layers of " << state);
          CHECK(time_s(2 * state, pass) >= 0.97 * time_s(state, pass));
        }
      }
  }
}
