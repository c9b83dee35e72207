#pragma once

// What stands beside the rows of layers: sums by type, GPUs compared, batches compared.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofline/analysis.hpp"

namespace roofline {

/// The layers of one type, all copies and passes together.
struct TypeRow {
  LayerKind kind = LayerKind::conv;
  std::uint64_t layers = 0;
  Total total;
  double time_share = 0;
};

/// Types in descending order of time.
std::vector<TypeRow> by_type(const Result& result);

/// One piece of work on one of several GPUs.
struct ComparisonRow {
  std::string name;  ///< of the network or layer
  std::string gpu;
  double time_s = 0;
  double speedup = 1;              ///< over the first GPU
  double compute_bound_share = 0;  ///< of the roofline time
  /// time x TDP: an upper estimate, for the part draws its TDP at most.
  std::optional<double> energy_at_tdp_j;
  bool fewest_joules = false;  ///< the best per watt
};

/// Networks by GPUs; of a single network also its layers, those that take time, in the order and
/// number of `shown`. Empty for a single GPU.
std::vector<ComparisonRow> compare(const std::vector<Result>& results,
                                   const std::vector<Result>& shown);

/// A network at one batch: seconds by kind of layer, all copies together.
struct SweepRow {
  std::uint64_t batch = 1;
  double copies_s = 0;  ///< over the host link, where they were asked for
  double conv_s = 0;
  double linear_s = 0;
  double pool_s = 0;
  double other_s = 0;
  double total_s = 0;
};

struct Sweep {
  std::string network;
  std::string gpu;
  std::vector<SweepRow> rows;  ///< by batch
  /// From this batch on, time grows as the batch does: between neighbours by at least the power 0.9
  /// of the batch's growth.
  std::optional<std::uint64_t> linear_from;
};

/// Each network and GPU that was evaluated at two batches or more.
std::vector<Sweep> sweeps_of(const std::vector<Result>& results);

}  // namespace roofline
