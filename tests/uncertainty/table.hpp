#pragma once

// How often the truth lies where the uncertainty says.

#include <map>
#include <string>
#include <vector>

#include "uncertainty/errors.hpp"

namespace roofline::uncertainty {

/// A fifth of the networks.
std::string fold_of(const Sample& sample);
std::string gpu_of_sample(const Sample& sample);

/// Samples by what their errors are used for: the GPUs that were calibrated one by one, other ones
/// of architectures that were, all others together.
struct Use {
  ErrorScope scope;
  GroupOf left_out;  ///< together, for the check
  std::vector<const Sample*> samples;
};
std::vector<Use> uses_of(const std::vector<Sample>& samples);

/// By basis, then by the class of layer or "runs of networks". Layers against the errors of others,
/// runs against what is stated.
using CheckTable = std::map<UncertaintyBasis, std::map<std::string, Coverage>>;
CheckTable check_table(const std::vector<Use>& uses, const std::vector<Run>& runs);

/// In Markdown.
std::string text_of(const CheckTable& table);

}  // namespace roofline::uncertainty
