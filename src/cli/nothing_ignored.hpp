#pragma once

// An option that would do nothing is wrong usage, or an error of the input that cannot take it.

#include "cli/request.hpp"

namespace roofline {

/// Rejects options that do nothing beside others, whatever the input. Throws UsageError.
void check_combinations(const Request& request);

/// A given option that these kernels without layers cannot take; null if there is none.
const GivenOption* useless_for(const KernelTable& kernels, const Request& request);

/// Options that layers may state for themselves, or not be able to take.
class LayerOptions {
 public:
  explicit LayerOptions(const Request& request);

  /// One bit for each given option that this row obeys. `runs_as`: absent for a record.
  unsigned obeyed(const LayerSetting& setting, std::optional<RunsAs> runs_as,
                  const LayerResult& row) const;
  /// Why the first option without a bit does nothing; empty if all are obeyed.
  std::string problem(unsigned obeyed) const;

 private:
  const Request* request_;
  std::vector<const GivenOption*> given_;  ///< null if not given
};

}  // namespace roofline
