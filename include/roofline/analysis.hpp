#pragma once

// Layers on a GPU, from counts to times: what every output format shows.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofline/accuracy.hpp"
#include "roofline/counts.hpp"
#include "roofline/kernel.hpp"
#include "roofline/memory.hpp"
#include "roofline/network.hpp"
#include "roofline/roofline.hpp"

namespace roofline {

/// Host memory that copies go to and come from: page-locked, or ordinary and so staged by the
/// driver.
enum class HostMemory : std::uint8_t { pinned, pageable };

struct AnalysisOptions {
  EngineChoice engine = EngineChoice::automatic;
  CeilingKind ceilings = CeilingKind::datasheet;  ///< datasheet or sustained
  bool training = false;                          ///< all three passes; else each layer's own
  bool fuse_epilogues = false;
  std::optional<HostMemory> host_copies;
  CacheState cache = CacheState::warm;
  std::optional<double> peak_flop_per_s;       ///< in place of the peak of the main engine
  std::optional<double> bandwidth_byte_per_s;  ///< in place of the GPU's
};

struct LayerResult {
  Layer layer;
  Counts counts;  ///< of one copy
  Engine engine = Engine::fp32;
  RooflinePoint point;
  bool first_pass = true;            ///< of its layer: parameters are summed over these rows
  std::optional<KernelPlan> kernel;  ///< none where no kernel runs, or for want of GPU data
  std::optional<double> expected_time_s;
  double time_share = 0;  ///< of the network's time, all copies together; 0..1
};

/// Sums over the layers, each times its `repeat`.
struct Total {
  std::uint64_t macs = 0;
  std::uint64_t flops = 0;
  std::uint64_t params = 0;
  std::uint64_t buffers = 0;
  Bytes bytes;
  double compute_time_s = 0;
  double memory_time_s = 0;
  double roofline_time_s = 0;
  std::optional<double> expected_time_s = 0;  ///< where every layer has one
  std::optional<double> measured_time_s = 0;  ///< where every layer has a measured time
};

struct Result {
  std::string source;
  std::string network;
  std::string gpu;
  std::optional<DataType> dtype;       ///< absent where layers differ
  std::optional<std::uint64_t> batch;  ///< absent where layers differ
  std::string pass;                    ///< "training", or empty where layers differ
  Ceilings ceilings;
  Engine main_engine = Engine::fp32;  ///< of the first dense contraction, else of the first layer
  std::vector<LayerResult> layers;
  Total total;
  std::vector<Accuracy> accuracy;  ///< a pass and data type apart; empty without measured times
  std::size_t rows_hidden = 0;     ///< cut from `layers` for display; totals count them
  std::optional<Memory> memory;    ///< of a whole network; absent for records of a stream
  std::optional<std::uint64_t> gpu_memory_byte;
  std::optional<double> tdp_w;
};

/// Adds a row to sums, all its copies. Throws OverflowError.
void add_to_total(Total& total, const LayerResult& row);

/// The time that one copy of the layer is given in summaries: the expected time, or where there is
/// none the roofline bound.
double time_s(const LayerResult& row);
double time_s(const Total& total);

/// Device memory that the result's pass needs at most; `memory` must be there.
std::uint64_t needed_memory_byte(const Result& result);

/// The rate of copies over the host link: the part's measured one for this kind of memory; for
/// pinned memory else the link's own. None where the part states neither.
std::optional<double> host_copy_byte_per_s(const Gpu& gpu, HostMemory memory);

/// Evaluates a network. Throws InputError where the GPU has no peak for a layer's data type, or
/// where a total exceeds 64 bits.
Result analyze(const Network& network, const Gpu& gpu, const AnalysisOptions& options);

// The same in steps, for layers that arrive one by one.

Result begin_result(const std::string& source, const std::string& network, const Gpu& gpu);
/// Adds a layer that stands alone, in each pass that the options ask for. Throws InputError and
/// leaves the result as it was where the GPU has no peak for the layer.
void add_layer(Result& result, const Layer& layer, const Gpu& gpu, const AnalysisOptions& options);
/// Evaluates all layers. Throws InputError where there is none, or for a total over 64 bits.
void finish_result(Result& result, const Gpu& gpu, const AnalysisOptions& options);

}  // namespace roofline
