#pragma once

// All that any format shows, computed: results with their sums, what of them is shown, points,
// sweeps. Rendering it (render.hpp) works nothing out.

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
#include "roofline/recording.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {

/// The ceilings of the hierarchical roofline.
enum class KernelRoof : std::uint8_t { compute, dram, l2 };

struct KernelRow {
  RecordedKernel kernel;
  double time_share = 0;         ///< 0..1, of all kernels' time
  std::optional<double> flop;    ///< that all units did
  std::optional<Engine> engine;  ///< the units whose FLOP take the longest at their peak
  std::optional<double> flop_per_s;
  std::optional<double> dram_byte_per_s;
  std::optional<double> l2_byte_per_s;
  std::optional<double> intensity_flop_per_byte;  ///< over what DRAM moved
  std::optional<double> l2_intensity_flop_per_byte;
  /// Achieved rate over ceiling, by KernelRoof; of compute, that of `engine`.
  EnumArray<KernelRoof, std::optional<double>> roof_share;
  std::optional<KernelRoof> nearest_roof;  ///< the largest share
};

/// A recording of kernels under the roofs of its GPU: what each kernel took and, where hardware
/// counters were read, where it stands on the hierarchical roofline (Yang, Kurth, Williams,
/// "Hierarchical Roofline Analysis for GPUs", Concurrency and Computation: Practice and Experience
/// 32(20), 2020). A kernel has one intensity for each level of memory: its FLOP over the bytes that
/// moved there. What counters saw includes the work of a tile's padding and traffic that no
/// algorithm asks for; there is no layer to hold it against.
struct KernelTable {
  std::shared_ptr<const KernelRecording> recording;
  std::string gpu;               ///< as the catalogue names it, else as recorded; may be empty
  std::optional<Bounds> bounds;  ///< absent where no counters were read or the GPU is not known
  std::vector<KernelRow> rows;   ///< in descending order of time
  double time_s = 0;             ///< that all kernels took
  std::uint64_t launches = 0;
};

/// `context`: of the GPU that it was recorded on; null where that is not known.
KernelTable place_kernels(std::shared_ptr<const KernelRecording> recording, const Context* context);

/// Equal work together.
struct WorkTime {
  double count = 0;   ///< layers; of what no layer stands for, launches
  double time_s = 0;  ///< that all of them take; 0 where there is none
  // Known where layers are compared by their expected times.
  double flop = 0;
  double byte = 0;
  std::optional<Limiter> limiter;  ///< the first layer's
  // Of measured layers, 0 of what no layer stands for.
  double roofline_s = 0;
  double expected_s = 0;
};

/// Why the same layers take another time on another GPU. Ratios of after to before, whose product
/// is that of the measured times.
struct RatioSplit {
  double hardware = 1;  ///< of the roofline bounds
  double kernels = 1;   ///< of expected time over bound: what good kernels make of the hardware
  double library = 1;   ///< of measured time over expected: what this library makes of it
};

/// The same work in one result and in another, or in one of them alone.
struct Change {
  std::string name;
  std::string later_name;    ///< in the second, where it has another name there
  std::optional<Pass> pass;  ///< absent of GPU work that no layer stands for
  WorkTime before;
  WorkTime after;
  std::optional<RatioSplit> split{};  ///< of layers measured on two GPUs

  double change_s() const { return after.time_s - before.time_s; }
};

/// The largest changes first.
struct ChangeGroup {
  std::vector<Change> work;
  double before_s = 0;
  double after_s = 0;
  std::optional<RatioSplit> split{};  ///< of all of them together, where each has one

  double change_s() const { return after_s - before_s; }
};

/// A result as a whole; of a recording, a step.
struct RunTotals {
  double work_s = 0;  ///< all layers and all other GPU work, added up
  // Known where a recording holds the gaps between its kernels.
  std::optional<double> step_s;
  std::optional<double> busy_s;  ///< less than work_s where kernels ran side by side
  std::optional<double> idle_s;
  std::optional<double> launches;
  // Known where results are compared by their expected times.
  std::optional<double> roofline_s;
  std::optional<double> time_per_image_s;
  std::optional<double> images_per_s;
  std::optional<double> flop;
  std::optional<double> byte;
  std::optional<double> needed_memory_byte;
};

/// Which times of two results are held against each other.
enum class ChangesOf : std::uint8_t {
  measured,  ///< where both have them
  expected,
};

/// Two results. Work is the same by its name and pass; of what is left over, layers that are alike
/// in all but their names. The changes of the three groups sum to that of RunTotals::work_s.
struct Changes {
  std::string before;  ///< the first result's label, GPU and setting
  std::string after;
  ChangesOf times = ChangesOf::measured;
  RunTotals before_run;
  RunTotals after_run;
  ChangeGroup gone;         ///< in the first alone
  ChangeGroup come;         ///< in the second alone
  ChangeGroup changed;      ///< in both
  bool of_kernels = false;  ///< work is kernels of recordings without layers
};

Changes changes_between(const Result& before, const Result& after);
Changes changes_between(const KernelTable& before, const KernelTable& after);

// Which rows of a result are shown, chosen before anything is rendered. A selection never changes a
// sum.

/// What a row of the table stands for: a layer, all layers of a type, or a whole network on a GPU
/// in one type at one batch, ranked.
enum class RowsBy : std::uint8_t { layer, type, gpu };

/// Without any of these: all rows, in the network's order.
struct RowFilter {
  std::optional<SortBy> sort;         ///< by time where rows are cut or ranked
  std::optional<std::uint64_t> top;   ///< as many rows at most
  std::optional<double> cover_share;  ///< the fewest rows that make up this share of the time
  std::optional<RowsBy> by;           ///< by layer where it is not said
  bool all = false;                   ///< every row, also where a terminal would show the most

  bool selects() const { return sort || top || cover_share; }
  bool is_default() const { return !selects() && !by && !all; }
  bool ranks_gpus() const { return by == RowsBy::gpu; }
  /// Whether it asks for layers, or sums of them, where work was evaluated in several ways.
  bool asks_for_layers() const { return !is_default() && !ranks_gpus(); }
};

/// Which rows of a table are shown, in the order shown, by their indices.
struct Selection {
  using Groups = std::vector<std::vector<std::size_t>>;

  std::vector<std::size_t> rows;  ///< as files have them, each by itself
  /// As tables have them, which show equal layers as one row, and in a ranking what fits into
  /// memory alone.
  Groups groups;
  std::size_t all_groups = 0;  ///< that there are, shown or not
  /// As a terminal has them: where nothing else is asked for and groups are many, those that make
  /// up 90 % of the time, in descending time; `rest` has the rows of all others. Of a ranking the
  /// first.
  Groups main_groups;
  std::vector<std::size_t> rest;

  /// The first of each group that a terminal has.
  std::vector<std::size_t> main_rows() const {
    std::vector<std::size_t> first;
    for (const auto& group : main_groups) first.push_back(group.front());
    return first;
  }
};

Selection select(const Result& result, const RowFilter& filter);

/// Whether files of rows hold no other rows than those that keep_leading() keeps.
bool needs_leading_rows_alone(const RowFilter& filter);
/// Of a stream's rows so far, keeps the rows that the filter may choose.
void keep_leading(std::vector<LayerResult>& rows, const RowFilter& filter);

/// Of the result's types.
Selection select_types(const Result& result, const RowFilter& filter);
Selection select(const KernelTable& table, const RowFilter& filter);
Selection select(const SettingsTable& table, const RowFilter& filter);

/// The derivation of one layer's numbers.
struct Explanation {
  std::size_t result = 0;             ///< index in Report::results
  std::size_t row = 0;                ///< index in its layers
  std::vector<DerivationStep> steps;  ///< to the expected time; empty where no kernel runs
  std::vector<Advice> advice;
};

struct Report {
  RowFilter filter;
  std::vector<Result> results;
  std::vector<Selection> selections;         ///< one for each result
  std::vector<Selection> type_selections;    ///< one for each result
  std::vector<KernelTable> kernels;          ///< recordings without layers
  std::vector<Selection> kernel_selections;  ///< one for each of them
  std::vector<SettingsTable> sweeps;
  std::vector<SettingsTable> points;
  std::vector<Selection> point_selections;               ///< one for each of them
  std::optional<Changes> changes;                        ///< between two results, where asked for
  std::vector<Explanation> explanations;                 ///< of the layers that were asked for
  std::vector<NetworkExplanation> network_explanations;  ///< of the networks that were asked for
  /// Of recordings, where nothing is asked for by name: what a terminal shows of them.
  std::vector<NetworkExplanation> screens;
  std::vector<Gpu> gpus;  ///< that results are on, each once
  std::string currency;   ///< of prices; empty where they name none
  std::vector<InputError> errors;
};

/// A result and what it was evaluated in, which must outlive make_report.
struct Evaluated {
  Result result;
  const Context* context;
  std::shared_ptr<const Network> network = nullptr;  ///< to explain it as a whole
};

/// Inputs of one layer, evaluated alike, are rows among which the filter chooses: puts them in its
/// order, at the places that they have among the other results. Returns which of all are shown.
std::vector<bool> select(std::vector<Evaluated>& results, const RowFilter& filter);

struct ReportOptions {
  RowFilter filter;
  bool compare = false;  ///< two results
  Prices price_per_hour;
  std::string currency;  ///< of them; may be empty
  /// A layer's name, or a pattern of them with * and ?; empty: none.
  std::string explain;
  bool explain_networks = false;  ///< each as a whole
};

/// An error, with the nearest name, where `explain` fits no layer of any result, and where
/// `compare` finds other than two results.
Expected<Report> make_report(std::vector<Evaluated> evaluated, std::vector<InputError> errors,
                             const ReportOptions& options, std::vector<KernelTable> kernels = {});

}  // namespace roofline
