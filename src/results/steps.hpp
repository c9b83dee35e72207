#pragma once

// The steps from rows to a Result: sums, measured times, uncertainty, and advice.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernel/constants.hpp"
#include "roofline/analysis.hpp"

namespace roofline {

/// Fills in the total, unless it is given, types, shares and accuracy. Throws OverflowError.
void sum_up(Result& result, const std::optional<Total>& total = {});

/// The source, total and memory alone of what evaluate() returns, and the same errors but for those
/// of measured times.
Expected<Result> evaluate_total(Network network, const Context& context);

/// What rows of records tell beside their times, where columns are chosen.
struct RowParts {
  bool other_tuning = true;  ///< LayerResult::other_tuning_s
  bool uncertainty = true;   ///< LayerResult::expected_uncertainty of what was not measured
};

/// evaluate_layers() with these parts alone. Takes over the layers.
Expected<std::vector<LayerResult>> evaluate_layers(Network&& network, const Context& context,
                                                   const RowParts& parts);

/// Throws OverflowError.
void add_to_types(std::vector<TypeRow>& types, const LayerResult& row);

/// Caches between the SMs and device memory.
std::optional<std::uint64_t> cache_byte_of(const Gpu& gpu);

/// For a summed-up result; nullopt if no row reads another row's output.
std::optional<NetworkBounds> network_bounds(const Result& result, CacheState cache);

/// Sets the measured time, if measured under the row's conditions: batch, pass, GPU and cache
/// state; and the reason if it is below the bound. Drops other times.
void set_measured(LayerResult& row, const Context& context);

/// False for a time of a wrong unit, or of fewer bytes.
bool is_of_counted_work(const LayerResult& row);

/// Measured times below any kernel's time on this GPU; nullopt if there are none.
std::optional<ImpossibleTimes> impossible_times(const Result& result, const Context& context);

/// Where the measured time went; nullopt without measured times.
std::optional<MeasuredSummary> measured_summary(const Result& result, const Context& context);

std::optional<double> better_time_s(const LayerResult& row, const KernelModel& model,
                                    CacheState cache);

/// What the kernel does, in words; empty if its name does not tell.
std::string_view kernel_family(std::string_view kernel);

/// Whether it computes a matrix product, by its name: no kernel for depthwise convolutions.
bool multiplies_matrices(std::string_view kernel);

/// Equal in all but their names.
bool is_same_work(const LayerResult& row, const LayerResult& other);

/// Those of a recording, the worst first. An inference engine has timed its algorithms itself.
std::vector<SlowConvolution> slow_convolutions(const Result& result, const Context& context);

/// The advice of advise(), and what gains nothing.
std::vector<Advice> changes_of(const LayerResult& row, const Result& result,
                               const Context& context);

/// For a result with a summary.
Verdict verdict_of(const Result& result, const Context& context);

std::vector<Advice> advise_run(const Result& result, const Context& context,
                               const Verdict& verdict);

std::vector<Advice> advise_network(const Result& result, const Context& context,
                                   const Network& network);

/// nullopt without applicable measurements. A stated mapping belongs to no library, so its kernel
/// was measured on no GPU, and neither was one that is newer than the measurements.
std::optional<Uncertainty> layer_uncertainty(const LayerResult& row, const FoundErrors& errors,
                                             bool is_newer = false);

/// Uncertainty of the sum of the rows' times. With l = ln factor of a row and s its share of the
/// time,
///
///   ln^2 factor = c (sum of s l)^2 + (1 - c) sum over works of (sum of s l)^2 + (sum of s h)^2 +
///   r^2
///
/// h is the part of this logarithm from waiting for an assumed host; l is the rest. Rows of the
/// same work have the same error. c is the share of a layer's squared error in common with all
/// others (TotalErrors::common_share), measured on sums of layers; r = ln run_factor is the error
/// of a whole network's run beyond the sum of its layers measured alone (WayErrors::run_factor if
/// larger), and 0 for rows outside a network. factor_95 likewise. The basis is that of most of the
/// time. nullopt if no row has an uncertainty.
std::optional<Uncertainty> total_uncertainty(const std::vector<const LayerResult*>& rows,
                                             std::optional<RunWay> way,
                                             const MeasuredErrors& errors);

void set_total_uncertainty(Result& result, const MeasuredErrors& errors);

/// Whether no software is named that runs the layers: a library's kernels, one after the other.
bool runs_kernels_alone(const Result& result);

/// The expected time; nullopt if the network cannot run with these options or exceeds the memory.
std::optional<double> network_time_s(const Network& network, const Gpu& gpu,
                                     const AnalysisOptions& options);

}  // namespace roofline
