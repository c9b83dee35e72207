// Fits of the kernel model's constants to layers whose times the model itself made.

#include <algorithm>

#include "calibrate/fit.hpp"
#include "kernel/constants.hpp"
#include "load/loading.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/kernel.hpp"

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
        plan_kernel(layer, each.counts, each.engine, model, each.cache).value()->expected_time_s();
    layers.push_back(each);
  };
  for (int size = 1; size <= 12; ++size) {
    const std::string shape = "[" + std::to_string(8 * size) + ", 64, 224, 224]";
    measure(R"({"type": "add", "inputs": [)" + shape + ", " + shape + "]}",
            "network" + std::to_string(size % 4));
  }
  return layers;
}

/// Square products as a GPU with these constants would run them.
std::vector<MeasuredLayer> products_on(const Gpu& gpu) {
  const KernelModel model = kernel_model_of(gpu).value();
  std::vector<MeasuredLayer> layers;
  for (int size = 1; size <= 12; ++size) {
    const std::string width = std::to_string(1024 + 256 * size);
    const Layer layer = load_layer(R"({"type": "linear", "input": [)" + width + ", " + width +
                                   R"(], "out_features": )" + width + "}");
    MeasuredLayer each{layer,
                       count(layer),
                       Engine::fp32,
                       CacheState::warm,
                       {},
                       0,
                       "products" + std::to_string(size % 4)};
    each.measured_s =
        plan_kernel(layer, each.counts, each.engine, model, each.cache).value()->expected_time_s();
    layers.push_back(each);
  }
  return layers;
}

Calibration fit(const std::vector<MeasuredLayer>& layers, const std::string& pattern) {
  return calibrate(find_gpu("v100").value(), layers, pattern, [] {});
}

}  // namespace

TEST_CASE("A calibration finds the constant that made the times", "[results/calibration]") {
  Gpu gpu = find_gpu("v100").value();
  ModelConstants other = *gpu.constants;
  other.values.memory.dram_share = 0.7;
  gpu.constants = std::make_shared<const ModelConstants>(other);
  const Calibration calibration = fit(layers_on(gpu), "memory.*");
  CHECK(calibration.constants.values.memory.dram_share == Approx(0.7).epsilon(0.02));
  CHECK(calibration.networks == 4);
  REQUIRE(calibration.cells.size() == 1);
  const CalibrationScore& score = calibration.cells.front().score;
  CHECK(score.layers == 12);
  CHECK(score.before.geometric_error == Approx(0.83 / 0.7).epsilon(0.02));
  CHECK(score.before.within_30 == 1);
  CHECK(score.after.geometric_error < 1.02);
  CHECK(score.held_out->geometric_error < 1.03);
  CHECK(calibration.all.held_out->geometric_error == score.held_out->geometric_error);
  CHECK(calibration.refused.empty());
}

TEST_CASE("A class of layers that a fit would not help keeps its constants",
          "[results/calibration]") {
  Gpu gpu = find_gpu("v100").value();
  ModelConstants other = *gpu.constants;
  other.values.dense[EngineClass::vector].math_share = 0.5;
  gpu.constants = std::make_shared<const ModelConstants>(other);
  // Sums of which one network's take half of what they should, the next one's twice as long.
  std::vector<MeasuredLayer> layers = layers_on(find_gpu("v100").value());
  for (MeasuredLayer& layer : layers)
    layer.measured_s *= layer.network == "network0" || layer.network == "network2" ? 0.5 : 2;
  const std::vector<MeasuredLayer> products = products_on(gpu);
  layers.insert(layers.end(), products.begin(), products.end());
  const Calibration calibration = fit(layers, "*");
  CHECK(calibration.refused == std::vector{LayerClass::other});
  CHECK(calibration.constants.values.memory.dram_share ==
        find_gpu("v100")->constants->values.memory.dram_share);
  CHECK_FALSE(calibration.frozen.empty());
  // The products gain all the same.
  REQUIRE(calibration.cells.size() == 2);
  CHECK(calibration.cells[0].layer_class == LayerClass::dense);
  CHECK(calibration.cells[0].score.before.geometric_error > 1.5);
  CHECK(calibration.cells[0].score.held_out->geometric_error < 1.1);
  CHECK(calibration.cells[1].score.held_out->geometric_error ==
        calibration.cells[1].score.before.geometric_error);
}

TEST_CASE("Layers of one network are held out layer by layer", "[results/calibration]") {
  std::vector<MeasuredLayer> layers = layers_on(find_gpu("v100").value());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].network = "one";
    layers[i].layer.name = std::to_string(i);
    layers[i].measured_s *= 1.2;
  }
  const Calibration calibration = fit(layers, "memory.*");
  CHECK(calibration.networks == 1);
  REQUIRE(calibration.all.held_out);
  CHECK(calibration.all.before.geometric_error == Approx(1.2).epsilon(0.01));
  CHECK(calibration.all.held_out->geometric_error < 1.03);
}

TEST_CASE("What the layers do not tell stays where it was", "[results/calibration]") {
  const Gpu gpu = find_gpu("v100").value();
  const Calibration exact = fit(layers_on(gpu), "*");
  CHECK(exact.fitted.empty());
  CHECK(exact.kept > 0);
  // Adds of hundreds of megabytes say little of latencies.
  CHECK(std::any_of(exact.undetermined.begin(), exact.undetermined.end(), [&](std::size_t i) {
    return constant_fields()[i].path == "memory/dram_latency_s";
  }));
  // A constant outside the pattern does not move, whatever the times say.
  std::vector<MeasuredLayer> slower = layers_on(gpu);
  for (MeasuredLayer& layer : slower) layer.measured_s *= 1.5;
  CHECK(fit(slower, "dense.*").fitted.empty());
}
