// Fits of the kernel model's constants to layers whose times the model itself made.

#include <algorithm>

#include "load/loading.hpp"
#include "model/calibrate.hpp"
#include "model/kernel/constant_fields.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/kernel_model.hpp"

namespace {

using namespace roofline;

/// Adds and large products as a GPU with these constants would run them.
std::vector<MeasuredLayer> layers_on(const Gpu& gpu) {
  const KernelModel model = kernel_model_of(gpu).value();
  std::vector<MeasuredLayer> layers;
  const auto measure = [&](const std::string& text, const std::string& network) {
    const Layer layer = load_layer(text);
    MeasuredLayer each{layer, count(layer), Engine::fp32, CacheState::warm, {}, 0, network};
    each.measured_s =
        plan_kernel(layer, each.counts, each.engine, model, each.cache).value()->expected_time_s;
    layers.push_back(each);
  };
  for (int size = 1; size <= 12; ++size) {
    const std::string shape = "[" + std::to_string(8 * size) + ", 64, 224, 224]";
    measure(R"({"type": "add", "inputs": [)" + shape + ", " + shape + "]}",
            "network" + std::to_string(size % 4));
  }
  return layers;
}

Calibration fit(const std::vector<MeasuredLayer>& layers, const std::string& pattern) {
  return calibrate(find_gpu("v100").value(), layers, {pattern, 4}, [](double) {});
}

}  // namespace

TEST_CASE("A calibration finds the constant that made the times", "[model/calibration]") {
  Gpu gpu = find_gpu("v100").value();
  ModelConstants other = *gpu.constants;
  other.values.memory.dram_share = 0.7;
  gpu.constants = std::make_shared<const ModelConstants>(other);
  const Calibration calibration = fit(layers_on(gpu), "memory.*");
  CHECK(calibration.constants.values.memory.dram_share == Approx(0.7).epsilon(0.02));
  CHECK(calibration.networks == 4);
  REQUIRE(calibration.cells.size() == 1);
  CHECK(calibration.cells.front().layers == 12);
  CHECK(calibration.cells.front().before.gerr == Approx(0.83 / 0.7).epsilon(0.02));
  CHECK(calibration.cells.front().after.gerr < 1.02);
  CHECK(calibration.cells.front().held_out->gerr < 1.03);
}

TEST_CASE("What the layers do not tell stays where it was", "[model/calibration]") {
  const Gpu gpu = find_gpu("v100").value();
  const Calibration exact = fit(layers_on(gpu), "*");
  CHECK(exact.fitted.empty());
  CHECK(exact.kept > 0);
  // Adds of hundreds of megabytes say little of latencies.
  const auto all = constants_of(exact.constants.values);
  CHECK(std::any_of(exact.undetermined.begin(), exact.undetermined.end(), [&](std::size_t i) {
    return path_of(all[i].name) == "memory/dram_latency_s";
  }));
  // A constant outside the pattern does not move, whatever the times say.
  std::vector<MeasuredLayer> slower = layers_on(gpu);
  for (MeasuredLayer& layer : slower) layer.measured_s *= 1.5;
  CHECK(fit(slower, "dense.*").fitted.empty());
}
