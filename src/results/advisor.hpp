#pragma once

// What would help: one list of actions, which the model times for a layer, a network or a run.

#include <optional>
#include <vector>

#include "roofline/analysis.hpp"

namespace roofline {

/// What would shorten a measured run, as Verdict::actions has it.
std::vector<Advice> advise_run(const Result& result, const Context& context,
                               const Verdict& verdict);

/// What would shorten a network, as NetworkExplanation::changes has it.
std::vector<Advice> advise_network(const Result& result, const Context& context,
                                   const Network& network);

/// The expected time; none where the network cannot run so or does not fit into memory.
std::optional<double> network_time_s(const Network& network, const Gpu& gpu,
                                     const AnalysisOptions& options);

}  // namespace roofline
