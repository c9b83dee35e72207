#pragma once

// The steps from rows to a Result: their sums, what is made of measured times, and what would help.

#include <optional>
#include <vector>

#include "roofline/analysis.hpp"

namespace roofline {

/// Fills in the total, types, shares and accuracy. Throws OverflowError.
void sum_up(Result& result);

/// Adds a row to those of its type. Throws OverflowError.
void add_to_types(std::vector<TypeRow>& types, const LayerResult& row);

/// What lies between the SMs and device memory.
std::optional<std::uint64_t> cache_byte_of(const Gpu& gpu);

/// The bounds of a result that is summed up; none where no row reads what another one writes.
std::optional<NetworkBounds> network_bounds(const Result& result, CacheState cache);

/// Gives the row the measured time that its layer states, where it was measured like this row: at
/// the same batch, of the same pass, on the same GPU, with caches in the same state. Where it is
/// below the bound, says why that may be. Times of another batch, pass or GPU fall away.
/// `gpu_is_known`: that it is this GPU, whatever its source calls it.
void set_measured(LayerResult& row, const Context& context, bool gpu_is_known);

/// Where the measured time of the result's rows went; none where no row has one.
std::optional<MeasuredSummary> measured_summary(const Result& result, const Context& context);

/// The verdict on a result that has such a summary.
Verdict verdict_of(const Result& result, const Context& context);

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
