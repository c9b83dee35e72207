// What no library and no GPU can break, on generated layers of every kind.

#include <cmath>
#include <map>

#include "model/generated_layers.hpp"
#include "roofline/catalogue.hpp"

namespace {

using namespace roofline;

constexpr double most_gain = 1.25;  ///< of doing more

/// Times of a layer on a GPU; none where it has no kernel there.
std::optional<double> seconds(Layer layer, Pass pass, const Gpu& gpu, const KernelModel& model) {
  layer.pass = pass;
  if (!runs(layer, pass)) return std::nullopt;
  const auto engine = select_engine(layer, gpu.peak_flop_per_s, EngineChoice::automatic);
  if (!engine) return std::nullopt;
  const auto plan = plan_kernel(layer, count(layer), *engine, model, CacheState::warm);
  return plan ? std::optional(plan->expected_time_s) : std::nullopt;
}

/// Whether some outputs see padding alone: their multiply-adds count, but gradients skip them.
bool pads_beyond_window(const Layer& layer) {
  const Window& window = layer.window;
  return 2 * window.pad_begin[2] > window.kernel[2] - 1;
}

Layer with_twice_the_batch(Layer layer) {
  for (Operand& operand : layer.inputs) operand.shape.batch *= 2;
  layer.output.batch *= 2;
  return layer;
}

}  // namespace

TEST_CASE("Times are finite and above zero, and twice the batch is no faster",
          "[model/kernel_physics]") {
  for (const char* name : {"v100", "h200", "a100", "t4", "rtx3090", "gtx1080ti", "mi210", "mi25"}) {
    const Gpu gpu = find_gpu(name);
    const KernelModel model = kernel_model_of(gpu);
    for (const DataType dtype : {DataType::fp32, DataType::tf32, DataType::fp16, DataType::int8})
      for (const Layer& layer : generated::layers(17, 8, dtype))
        for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
          const auto time_s = seconds(layer, pass, gpu, model);
          if (!time_s) continue;
          INFO(name << ' ' << layer.name << ' ' << name_of(pass) << ' ' << name_of(dtype));
          CHECK(std::isfinite(*time_s));
          CHECK(*time_s > 0);
          const auto twice_s = seconds(with_twice_the_batch(layer), pass, gpu, model);
          CHECK(*twice_s * most_gain >= *time_s);
        }
  }
}

TEST_CASE("With cold caches no kernel beats the bound but those that do fewer multiply-adds",
          "[model/kernel_physics]") {
  for (const char* name : {"v100", "h200", "a100", "t4", "rtx3090", "gtx1080ti", "mi210", "mi25"}) {
    const Gpu gpu = find_gpu(name);
    const KernelModel model = kernel_model_of(gpu);
    for (const DataType dtype : {DataType::fp32, DataType::fp16})
      for (Layer layer : generated::layers(23, 8, dtype))
        for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
          layer.pass = pass;
          const auto engine = select_engine(layer, gpu.peak_flop_per_s, EngineChoice::automatic);
          if (!runs(layer, pass) || !engine || pads_beyond_window(layer)) continue;
          const Counts counts = count(layer);
          const auto plan = plan_kernel(layer, counts, *engine, model, CacheState::cold);
          if (!plan) continue;
          const std::string_view algorithm = name_of(plan->algorithm);
          if (algorithm.find("winograd") != algorithm.npos || algorithm == "fft_tiled") continue;
          const double bound_s =
              evaluate(counts, *rate_of(gpu.peak_flop_per_s, *engine), gpu.bandwidth_byte_per_s)
                  .roofline_time_s;
          INFO(name << ' ' << layer.name << ' ' << name_of(pass) << ' ' << name_of(dtype) << ' '
                    << algorithm);
          CHECK(plan->expected_time_s >= bound_s);
        }
  }
}

TEST_CASE("A window of 2^32 taps is planned without looking at each", "[model/kernel_physics]") {
  const Gpu gpu = find_gpu("v100");
  const KernelModel model = kernel_model_of(gpu);
  const Layer layer = load_layer(R"({"type": "conv1d", "input": [4, 4294967299], "groups": 4,
                                     "out_channels": 4, "kernel_size": 4294967295})");
  CHECK(seconds(layer, Pass::fwd, gpu, model) > 0.0);
}
