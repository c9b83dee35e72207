#pragma once

// All computed contents of an output. Rendering (render.hpp) computes nothing.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/context.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/error.hpp"
#include "roofline/explanation.hpp"
#include "roofline/gpu.hpp"
#include "roofline/library.hpp"
#include "roofline/recording.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {

enum class KernelRoof : std::uint8_t { compute, dram, l2 };

struct KernelRow {
  RecordedKernel kernel;
  double time_share = 0;         ///< 0..1, of all kernels' time
  std::optional<double> flop;    ///< of all units
  std::optional<Engine> engine;  ///< the unit with the longest time at its peak
  std::optional<double> flop_per_s;
  std::optional<double> dram_byte_per_s;
  std::optional<double> l2_byte_per_s;
  std::optional<double> intensity_flop_per_byte;  ///< over DRAM bytes
  std::optional<double> l2_intensity_flop_per_byte;
  /// Achieved rate over ceiling; for compute, the ceiling of `engine`.
  EnumArray<KernelRoof, std::optional<double>> roof_share;
  std::optional<KernelRoof> nearest_roof;
};

/// Recorded kernels under the roofs of their GPU: their times and, with hardware counters, their
/// place on the hierarchical roofline (Yang, Kurth, Williams, "Hierarchical Roofline Analysis for
/// GPUs", Concurrency and Computation: Practice and Experience 32(20), 2020). A kernel has one
/// intensity for each level of memory: its FLOP over the bytes moved there. Counters include tile
/// padding and traffic beyond the algorithm's; there is no layer for comparison.
struct KernelTable {
  std::shared_ptr<const KernelRecording> recording;
  std::string gpu;               ///< name in the catalogue, else as recorded; may be empty
  std::optional<Bounds> bounds;  ///< absent without counters or with an unknown GPU
  std::vector<KernelRow> rows;   ///< in descending order of time
  double time_s = 0;             ///< of all kernels
  std::uint64_t launches = 0;
};

/// `context`: of the recorded GPU; null if unknown. An error without a recording.
Expected<KernelTable> place_kernels(std::shared_ptr<const KernelRecording> recording,
                                    const Context* context);

struct WorkTime {
  double count = 0;   ///< layers, or launches of work without a layer
  double time_s = 0;  ///< total; 0 if there is no such work
  // Set if layers are compared by expected times.
  double flop = 0;
  double byte = 0;
  std::optional<Limiter> limiter;
  // Times of the measured layers; 0 for work without a layer.
  double roofline_s = 0;
  double expected_s = 0;
  std::string kernel{};  ///< its name; empty if unknown
};

/// Why the same layers take another time on another GPU: three ratios after / before, whose product
/// is the ratio of the measured times.
struct RatioSplit {
  double hardware = 1;  ///< of the roofline bounds
  double kernels = 1;   ///< of expected time / bound: how well good kernels use the hardware
  double library = 1;   ///< of measured / expected time: how well this library does
};

struct Change {
  std::string name;
  std::string later_name;    ///< name in the second result, if different
  std::optional<Pass> pass;  ///< absent for work without a layer
  WorkTime before;
  WorkTime after;
  std::optional<RatioSplit> split{};  ///< of layers measured on two GPUs

  double change_s() const { return after.time_s - before.time_s; }
};

struct ChangeGroup {
  std::vector<Change> work;
  double before_s = 0;
  double after_s = 0;
  std::optional<RatioSplit> split{};  ///< of all work together, if each has one

  double change_s() const { return after_s - before_s; }
};

/// Totals of a result; of a recording, per step.
struct RunTotals {
  double work_s = 0;  ///< sum over all layers and other GPU work
  // Known if a recording has the gaps between its kernels.
  std::optional<double> step_s;
  std::optional<double> busy_s;  ///< less than work_s if kernels ran side by side
  std::optional<double> idle_s;
  std::optional<double> launches;
  // Known if results are compared by expected times.
  std::optional<double> roofline_s;
  std::optional<double> time_per_image_s;
  std::optional<double> images_per_s;
  std::optional<double> tokens_per_s;
  std::optional<double> flop;
  std::optional<double> byte;
  std::optional<double> needed_memory_byte;
};

enum class ChangesOf : std::uint8_t {
  measured,  ///< if both results have them
  expected,
};

/// Comparison of two results. Work matches by name and pass; of the rest, layers equal in all but
/// their names match. The changes of the three groups sum to the change of RunTotals::work_s.
struct Changes {
  std::string before;  ///< label, GPU and setting of the first result
  std::string after;
  ChangesOf times = ChangesOf::measured;
  RunTotals before_run;
  RunTotals after_run;
  ChangeGroup gone;         ///< only in the first
  ChangeGroup come;         ///< only in the second
  ChangeGroup changed;      ///< in both
  bool of_kernels = false;  ///< compares kernels of recordings without layers
};

Changes changes_between(const Result& before, const Result& after);
Changes changes_between(const KernelTable& before, const KernelTable& after);

// Rows are selected before rendering. A selection never changes a sum.

/// A table's row: a layer, all layers of a type, or, ranked, a whole network in one setting.
enum class RowsBy : std::uint8_t { layer, type, gpu };

/// Default: all rows, in the network's order.
struct RowFilter {
  std::optional<SortBy> sort;         ///< default for cut or ranked rows: time
  std::optional<std::uint64_t> top;   ///< at most this many rows
  std::optional<double> cover_share;  ///< the fewest rows with this share of the time
  std::optional<RowsBy> by;           ///< default: layer
  bool all = false;                   ///< every row, even on a terminal

  bool selects() const { return sort || top || cover_share; }
  bool is_default() const { return !selects() && !by && !all; }
  bool ranks_gpus() const { return by == RowsBy::gpu; }
  /// Whether it asks for layers, or sums of them, of work evaluated in several settings.
  bool asks_for_layers() const { return !is_default() && !ranks_gpus(); }
};

/// Indices of a table's selected rows, in output order.
struct Selection {
  using Groups = std::vector<std::vector<std::size_t>>;

  std::vector<std::size_t> rows;  ///< for files: each row by itself
  /// For tables: equal layers grouped; in a ranking, only settings which fit into memory.
  Groups groups;
  std::size_t all_groups = 0;  ///< number of groups, shown or not
  /// For tables without a filter: of many groups those with 90 % of the time, in descending order
  /// of time, with other rows in `rest`; of few those that take time. Of a ranking, the first ones.
  Groups main_groups;
  std::vector<std::size_t> rest;

  std::vector<std::size_t> main_rows() const {
    std::vector<std::size_t> first;
    for (const auto& group : main_groups) first.push_back(group.front());
    return first;
  }
};

Selection select(const Result& result, const RowFilter& filter);

/// Whether keep_leading() keeps all rows of a stream that files of rows may hold.
bool needs_leading_rows_alone(const RowFilter& filter);
/// Drops the rows of a stream that the filter cannot choose; none without RowFilter::top.
void keep_leading(std::vector<LayerResult>& rows, const RowFilter& filter);

/// Rows of the result's types.
Selection select_types(const Result& result, const RowFilter& filter);
Selection select(const KernelTable& table, const RowFilter& filter);
Selection select(const SettingsTable& table, const RowFilter& filter);

struct Explanation {
  std::size_t result = 0;
  std::size_t row = 0;
  std::vector<DerivationStep> steps;  ///< up to the expected time; empty if no kernel runs
  std::vector<Advice> advice;
  LibraryRelease library{};  ///< whose kernels are assumed
};

/// A table with those of its rows that are shown.
template <class Whole>
struct Shown : Whole {
  Selection selection;
};

struct ShownResult : Shown<Result> {
  Selection shown_types;  ///< rows of Result::types
};

struct Report {
  RowFilter filter;
  std::vector<ShownResult> results;
  std::vector<Shown<KernelTable>> kernels;  ///< recordings without layers
  std::vector<SettingsTable> sweeps;
  std::vector<Shown<SettingsTable>> points;
  std::optional<Changes> changes;         ///< between two results, if asked for
  std::vector<Explanation> explanations;  ///< of the requested layers
  std::vector<NetworkExplanation> network_explanations;
  std::vector<Gpu> gpus;  ///< GPUs of the results, each once
  std::string currency;   ///< of prices; empty if unnamed
  std::vector<InputError> errors;
};

/// A result and its context, which must outlive make_report.
struct Evaluated {
  Result result;
  const Context* context;
  std::shared_ptr<const Network> network = nullptr;
};

/// Sorts inputs with one layer, evaluated alike, as rows, within their places among the other
/// results. Returns which of all results are shown.
std::vector<bool> select(std::vector<Evaluated>& results, const RowFilter& filter);

struct ReportOptions {
  RowFilter filter;
  bool compare = false;  ///< two results
  Prices price_per_hour;
  std::optional<double> max_time_s;  ///< of a run, for a ranking and BatchGoal::best
  std::string currency;              ///< may be empty
  /// A layer's name, or a pattern with * and ?; empty: no layer.
  std::string explain;
  bool explain_networks = false;
};

/// Errors: a result without a context, kernels without a recording, `explain` matches no layer
/// (with the nearest name), or `compare` without two results.
Expected<Report> make_report(std::vector<Evaluated> evaluated, std::vector<InputError> errors,
                             const ReportOptions& options, std::vector<KernelTable> kernels = {});

}  // namespace roofline
