#pragma once

// What the time of a layer or of a whole network is made of, and what would shorten it.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "roofline/analysis.hpp"

namespace roofline {

/// Layers that are alike.
struct MainLayer {
  std::vector<std::size_t> rows;  ///< indices into the result's layers; at least one
  double time_s = 0;              ///< in sum; measured where the whole network is
  double share = 0;               ///< 0..1, of the network's time
};

/// The network on a GPU of which one thing is more by a tenth.
struct Sensitivity {
  std::string what;  ///< "bandwidth"; of "launch", what starts kernels, it is a tenth less
  double time_s = 0;
  double saved_share = 0;  ///< share of the expected time; below 0 where that grows
};

struct NetworkExplanation {
  std::size_t result = 0;  ///< index in Report::results
  /// What shares of the expected time are made of. With other_share, which is host copies and
  /// layers whose kernels are not known, they sum to 1.
  EnumArray<Limiter, double> limiter_share{};
  double other_share = 0;
  std::vector<MainLayer> layers;  ///< five at most, in descending order of time
  /// What gains 3 % or more, in descending order of gain; then what the best on each thing gain
  /// together. Empty for recordings, whose verdict says what to do.
  std::vector<Advice> changes;
  std::vector<Sensitivity> sensitivity;  ///< empty for records
};

/// What would shorten a layer's time by 3 % or more, under the same ceilings as the row.
std::vector<Advice> advise(const LayerResult& row, const Result& result, const Context& context);

/// `network`: what the result is of; null of records.
NetworkExplanation explain_network(const Result& result, const Context& context,
                                   const std::shared_ptr<const Network>& network);

}  // namespace roofline
