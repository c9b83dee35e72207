#pragma once

// A whole network in what fits on a screen: what its time is made of, what would shorten it and by
// how much, as the models say.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis.hpp"

namespace roofline {

/// Layers that are alike.
struct MainLayer {
  std::vector<std::size_t> rows;  ///< indices into the result's layers; at least one
  double time_s = 0;              ///< of all of them: measured where the whole network is
  double share = 0;               ///< of the network's time
};

/// The network in another setting.
struct NetworkChange {
  std::string change;  ///< "batch 64 in place of 8"
  double time_s = 0;   ///< expected, of as much work as before
  double speedup = 1;
};

/// The network on a GPU of which one thing is more by a tenth.
struct Sensitivity {
  std::string what;  ///< "bandwidth"; of "launch", what starts kernels, it is a tenth less
  double time_s = 0;
  double saved_share = 0;  ///< of the expected time; below 0 where that grows
};

struct NetworkExplanation {
  std::size_t result = 0;  ///< index in Report::results
  /// Of the expected time, by what it is made of. With host copies, and with layers whose kernels
  /// are not known, it sums to 1.
  EnumArray<Limiter, double> limiter_share{};
  double other_share = 0;
  std::vector<MainLayer> layers;  ///< five at most, in descending order of time
  /// Those that gain 3 % or more, in descending order of gain; then what the best of a sort bring
  /// together. Empty of recordings, whose verdict says what to do.
  std::vector<NetworkChange> changes;
  std::vector<Sensitivity> sensitivity;  ///< empty of records
};

/// `network`: what the result is of; null of records.
NetworkExplanation explain_network(const Result& result, const Context& context,
                                   const std::shared_ptr<const Network>& network);

}  // namespace roofline
