#pragma once

// Layers on a GPU, from counts to times: what every output format shows.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofline/counts.hpp"
#include "roofline/kernel.hpp"
#include "roofline/network.hpp"
#include "roofline/roofline.hpp"

namespace roofline {

struct AnalysisOptions {
  EngineChoice engine = EngineChoice::automatic;
  std::optional<double> peak_flop_per_s;       ///< in place of the peak of the main engine
  std::optional<double> bandwidth_byte_per_s;  ///< in place of the GPU's
};

struct LayerResult {
  Layer layer;
  Counts counts;  ///< of one copy
  Engine engine = Engine::fp32;
  RooflinePoint point;
  double time_share = 0;  ///< of the network's roofline time, all copies together; 0..1
};

/// Sums over the layers, each times its `repeat`.
struct Total {
  std::uint64_t macs = 0;
  std::uint64_t flops = 0;
  std::uint64_t params = 0;
  Bytes bytes;
  double compute_time_s = 0;
  double memory_time_s = 0;
  double roofline_time_s = 0;
  std::optional<double> measured_time_s;  ///< where every layer has a measured time
};

struct Result {
  std::string source;
  std::string network;
  std::string gpu;
  std::optional<DataType> dtype;       ///< absent where layers differ
  std::optional<std::uint64_t> batch;  ///< absent where layers differ
  std::optional<Pass> pass;            ///< absent where layers differ
  Ceilings ceilings;
  Engine main_engine = Engine::fp32;  ///< of the first dense contraction, else of the first layer
  std::vector<LayerResult> layers;
  Total total;
};

/// Evaluates a network. Throws InputError where the GPU has no peak for a layer's data type, or
/// where a total exceeds 64 bits.
Result analyze(const Network& network, const Gpu& gpu, const AnalysisOptions& options);

// The same in steps, for layers that arrive one by one.

Result begin_result(const std::string& source, const std::string& network, const Gpu& gpu);
/// Throws InputError and leaves the result as it was where the GPU has no peak for the layer.
void add_layer(Result& result, const Layer& layer, const Gpu& gpu, const AnalysisOptions& options);
/// Evaluates all layers, of which there must be one. Throws InputError for a total over 64 bits.
void finish_result(Result& result, const Gpu& gpu, const AnalysisOptions& options);

}  // namespace roofline
