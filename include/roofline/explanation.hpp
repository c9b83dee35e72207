#pragma once

// How the kernel model comes to a layer's expected time, what the time of a layer or of a whole
// network is made of, and what would shorten it.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/kernel.hpp"

namespace roofline {

/// One number. Expressions have the numbers put in, six significant digits of each (whole numbers
/// all), in base units, and know + - x / ^, parentheses, max, min, ceil, floor and sqrt: "ceil(1568
/// / 128) x 2". Sizes and constants have no expression.
struct DerivationStep {
  std::string quantity;    ///< its name, which later steps do not repeat: they show the number
  std::string expression;  ///< empty where the number is given
  double value = 0;
  std::string unit;  ///< "s", "byte", "FLOP/s", ...; empty for counts and shares
  std::vector<std::string>
      origins;  ///< where the number, or the constants in the expression, come from
};

/// The steps from the layer's counts to its plan, the same numbers that plan_kernel returns. The
/// last ones are the parts of the time that are not 0, by the names of their limiters, and
/// "expected time", their sum. Empty where plan_kernel gives no plan; an error where that gives
/// one.
Expected<std::vector<DerivationStep>> derive_kernel(const Layer& layer, const Counts& counts,
                                                    Engine engine, const KernelModel& model,
                                                    CacheState cache);

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
