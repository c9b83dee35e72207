#pragma once

// The steps from rows to a Result: their sums, what is made of measured times, how sure expected
// ones are, and what would help.

#include <optional>
#include <vector>

#include "kernel/constants.hpp"
#include "roofline/analysis.hpp"

namespace roofline {

/// Fills in the total, unless it is given, types, shares and accuracy. Throws OverflowError.
void sum_up(Result& result, const std::optional<Total>& total = {});

/// Adds a row to those of its type. Throws OverflowError.
void add_to_types(std::vector<TypeRow>& types, const LayerResult& row);

/// What lies between the SMs and device memory.
std::optional<std::uint64_t> cache_byte_of(const Gpu& gpu);

/// The bounds of a result that is summed up; none where no row reads what another one writes.
std::optional<NetworkBounds> network_bounds(const Result& result, CacheState cache);

/// Gives the row the measured time that its layer states, where it was measured like this row: at
/// the same batch, of the same pass, on the same GPU, with caches in the same state. Where it is
/// below the bound, says why that may be. Times of another batch, pass or GPU fall away, and those
/// that name none.
void set_measured(LayerResult& row, const Context& context);

/// Whether the measured time can be of the work that the row counts: not of another unit, say, or
/// of fewer bytes.
bool is_of_counted_work(const LayerResult& row);

/// The times of the result's rows that no kernel on this GPU takes; none where all are possible.
std::optional<ImpossibleTimes> impossible_times(const Result& result, const Context& context);

/// Where the measured time of the result's rows went; none where no row has one.
std::optional<MeasuredSummary> measured_summary(const Result& result, const Context& context);

/// LayerResult::better_time_s of a row that has all else.
std::optional<double> better_time_s(const LayerResult& row, const KernelModel& model,
                                    CacheState cache);

/// The verdict on a result that has such a summary.
Verdict verdict_of(const Result& result, const Context& context);

/// What would shorten a measured run, as Verdict::actions has it.
std::vector<Advice> advise_run(const Result& result, const Context& context,
                               const Verdict& verdict);

/// What would shorten a network, as NetworkExplanation::changes has it.
std::vector<Advice> advise_network(const Result& result, const Context& context,
                                   const Network& network);

/// How sure the time of a row with a kernel is; none where nothing was measured that says. A
/// mapping that the layer states is nobody's library's: its kernel was not measured on any GPU.
std::optional<Uncertainty> layer_uncertainty(const LayerResult& row, const MeasuredErrors& errors);

/// How sure the sum of the rows' times is. With l = ln factor of a row and s its share of the time,
///
///   ln^2 factor = c (sum of s l)^2 + (1 - c) sum over works of (sum of s l)^2 + (sum of s h)^2 +
///   r^2
///
/// h is what the row's waiting for an assumed host has of that logarithm; l is the rest.
/// Rows of the same work have the same error. c is the share of a layer's squared error that it has
/// in common with all others (TotalErrors::common_share), measured by sums of layers; r = ln
/// run_factor is what sets a whole network's run apart from the sum of its layers, each measured
/// alone (WayErrors::run_factor where that is more), and 0 of rows that are no network. The same of
/// factor_95. The basis is that of most of the time. None where no row has an uncertainty.
std::optional<Uncertainty> total_uncertainty(const std::vector<const LayerResult*>& rows,
                                             std::optional<RunWay> way,
                                             const MeasuredErrors& errors);

/// Fills in how sure a result's total and types are.
void set_total_uncertainty(Result& result, const MeasuredErrors& errors);

/// The expected time; none where the network cannot run so or does not fit into memory.
std::optional<double> network_time_s(const Network& network, const Gpu& gpu,
                                     const AnalysisOptions& options);

}  // namespace roofline
