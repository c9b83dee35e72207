#pragma once

// Measured layers and runs of whole networks, as the kernel model expects them.

#include <string>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/gpu.hpp"

namespace roofline::uncertainty {

/// A file of measured layers.
struct LayerSet {
  const char* file;
  const char* gpu;
  UncertaintyBasis basis;  ///< of what its errors say
  /// The GPU whose architecture's constants are taken for this one's: those that it would have, had
  /// nothing of its own been fitted. Null: its own.
  const char* constants_of = nullptr;
  LaunchProtocol launch = LaunchProtocol::graph;
  CacheState cache = CacheState::warm;
  EngineChoice engine = EngineChoice::automatic;
  /// Constants that were fitted to it: their names' pattern. Null: none were.
  const char* fitted = nullptr;
  /// Its windows are square, and it states padding axis by axis: uneven padding is misread.
  bool has_axis_by_axis_padding = false;
};

/// One measured layer.
struct Sample {
  LayerResult row;
  LayerSet set;
  std::string network;  ///< what the layer's name has before its first slash
  double log_ratio;     ///< ln(expected / measured)
};

/// A run of a whole network.
struct Run {
  Result result;
  std::string file;
  double measured_s;

  double log_ratio() const;
};

/// The sets of tests/measured.
std::vector<LayerSet> own_layer_sets();
/// Sets that are not in this repository: DeepBench's, TensorFlow's, and recordings of others.
std::vector<LayerSet> other_layer_sets();

Gpu gpu_of(const LayerSet& set);

/// The layers of one file that were measured on its GPU, those that are alike once.
std::vector<Sample> samples_of(const std::string& folder, const LayerSet& set);

/// tests/measured/h200_networks.tsv and h200_steps.tsv.
std::vector<Run> own_runs(const std::string& folder);
/// Throughputs that NVIDIA published, and networks that were exported to ONNX and run on an H100.
std::vector<Run> other_runs(const std::string& folder);

/// For each sample the error of a fit of its set's constants that had not seen its network, where
/// any were fitted. All of one GPU.
void hold_out(const std::vector<Sample*>& samples);

}  // namespace roofline::uncertainty
