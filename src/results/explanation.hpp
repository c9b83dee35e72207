#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "roofline/analysis.hpp"

namespace roofline {

/// Equal layers of the result.
struct MainLayer {
  std::vector<std::size_t> rows;  ///< indices; at least one
  double time_s = 0;  ///< sum over the layers; measured if the whole network is measured
  double share = 0;   ///< 0..1, of the network's time
};

/// The network on a GPU with one property raised by a tenth.
struct Sensitivity {
  std::string what;  ///< "bandwidth"; "launch" (the time to start kernels) is a tenth less
  double time_s = 0;
  double saved_share = 0;  ///< negative if the time grows
};

struct NetworkExplanation {
  std::size_t result = 0;
  /// With other_share (host copies and layers without a known kernel) they sum to 1.
  EnumArray<Limiter, double> limiter_share{};
  double other_share = 0;
  std::vector<MainLayer> layers;  ///< at most five, in descending order of time
  /// Changes gaining 3 % or more, in descending order of gain, then the best of each kind combined.
  /// Empty for recordings: their verdict has the advice.
  std::vector<Advice> changes;
  std::vector<Sensitivity> sensitivity;  ///< empty for records
};

/// Next steps for a kernel of one's own, by the roof that is near and by what the layer is:
/// the lines of a sentence. Empty without a measured time, and for one below its bound.
std::vector<std::string> next_steps(const LayerResult& row);

/// Oddities of a stated mapping: threads that are no whole warps, or that have no result.
/// Empty if nothing is.
std::string doubts_on_mapping(const LayerResult& row, const Gpu& gpu);

/// Changes which shorten a layer's time by 3 % or more, under the row's ceilings.
std::vector<Advice> advise(const LayerResult& row, const Result& result, const Context& context);

/// `network`: null for records.
NetworkExplanation explain_network(const Result& result, const Context& context,
                                   const std::shared_ptr<const Network>& network);

}  // namespace roofline
