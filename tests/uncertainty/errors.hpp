#pragma once

// From measured errors to the uncertainty that files of constants state, and back: how often the
// truth is where it says.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "results/steps.hpp"
#include "uncertainty/samples.hpp"

namespace roofline::uncertainty {

/// Whose errors they are, and for whom they hold.
struct ErrorScope {
  UncertaintyBasis basis = UncertaintyBasis::measured;
  std::vector<std::string> applies_to;
  std::string origin;
  std::size_t least_layers = 20;  ///< that a quantile is taken of
};

/// Quantiles of |ln(expected / measured)| by class, type and pass, most keys first: those of fewer
/// keys where there are too few layers, and where more keys tell nothing.
/// The errors of the samples, each GPU of which counts as much as any other.
std::vector<LayerErrors> layer_errors(const std::vector<const Sample*>& samples,
                                      const ErrorScope& scope);

/// The share that errors of layers have in common: 68 in 100 sums of the layers of a network, in
/// one type, pass and batch, then lie where total_uncertainty() says. Samples of one GPU.
double common_share(const std::vector<const Sample*>& samples, const FoundErrors& errors);

/// By basis, such that 68 and 95 in 100 runs lie where total_uncertainty() says: what sets runs
/// apart from sums of their layers, from runs on GPUs that were calibrated, where the common share
/// is `share`; and the common share of all others, where runs are set apart by the same. It is no
/// less there, as nobody is surer of them.
std::vector<TotalErrors> total_errors(const std::vector<Run>& runs, double share,
                                      const std::string& origin);

/// How many of how many lie where they should.
struct Coverage {
  std::size_t all = 0;
  std::size_t within_68 = 0;
  std::size_t within_95 = 0;
  double log_factor_sum = 0;  ///< of the factors for 68 in 100

  void add(double log_ratio, const Uncertainty& uncertainty);
  void add(const Coverage& more);
  double mean_factor() const;
};

using GroupOf = std::function<std::string(const Sample&)>;

/// Layers against the errors of others, by what `label` calls them: those of each value of
/// `group` are left out in turn.
std::map<std::string, Coverage> coverage(const std::vector<const Sample*>& samples,
                                         const ErrorScope& scope, const GroupOf& group,
                                         const GroupOf& label);

}  // namespace roofline::uncertainty
