#pragma once

// The grids and sentences that stand beside the rows of layers.

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "report/grid.hpp"
#include "roofline/report.hpp"

namespace roofline {

/// "17.20 ms bound + 7.691 ms slower than the model - 10.00 us rates and caches"
struct SumText {
  std::string text;
  std::size_t parts = 0;

  void add(double seconds, std::string_view what);
};

Grid type_grid(const Result& result, const Selection& selection);
Grid accuracy_grid(const Result& result, std::optional<std::size_t> width);
Grid comparison_grid(const std::vector<SettingsTable>& tables);
/// A batch a row, its time by kind of layer.
Grid sweep_grid(const SettingsTable& sweep, std::optional<std::size_t> width);
/// Whether any part of the network has a measured time as a whole.
bool has_measured_parts(const SettingsTable& sweep);
/// A point a row; columns that say the same of all points are left out, and on a terminal of
/// `width` columns what there is no room for.
Grid points_grid(const Report& report, std::optional<std::size_t> width);
/// What all points have in common.
std::string points_title(std::span<const SettingsTable> tables, std::optional<Framework> framework);
/// From which batch on the work is bound by compute.
std::string points_sentences(const SettingsTable& table, std::optional<std::size_t> width);
/// How many rows of a ranking are not shown, and what does not fit.
std::string ranking_sentences(const SettingsTable& table, const PointSelection& selection,
                              std::optional<std::size_t> width);
/// What the columns of points mean that are shown, and batches that were searched for.
std::string points_legend(const Report& report, const std::set<std::string>& headers);
/// "compute", "memory 80%": by what most of the bound's time is bound.
std::string bound_share_text(double compute_share);

/// What the cells of a column of limiters mean, each in a few words, in lines.
std::string limiter_legend(const std::set<std::string>& cells);
/// The best batch and where growth turns linear, in sentences.
std::string sweep_sentence(const SettingsTable& sweep);
/// What of the GPU was set, from what to what; empty where nothing was.
std::string gpu_changes_sentence(const Result& result);
/// What a framework's choice of engines makes of its layers' time, where it is much; else empty.
std::string other_engine_sentence(const Result& result);
/// What the network takes of the GPU's memory; empty where it is not known.
std::string memory_sentence(const Result& result);
/// The expected time of all layers and how sure it is; empty where either is not known, and beside
/// measured times.
std::string expected_sentence(const Result& result, std::optional<std::size_t> width);
/// What no run of the network is faster than; empty where that is not known.
std::string network_bounds_sentence(const Result& result, std::optional<std::size_t> width);
/// What a person needs first of a measured input: what the time is made of and what to do first.
std::string verdict_sentences(const Result& result);
/// What a profiler recorded: GPU busy and idle, launches, what the layers stand for.
std::string recording_sentences(const Result& result);
/// What the measured time is, less the expected.
std::string_view unexplained_text(double unexplained_s);
/// The gaps that take most of a GPU's idle time, `most` kinds and the rest.
Grid idle_grid(const TraceSummary& recording, std::size_t most);
/// Where the measured time went: bound, the model's parts, what it does not explain.
Grid measured_parts_grid(const MeasuredSummary& summary);
Grid measured_types_grid(const MeasuredSummary& summary);
/// Two results: what changed in the whole, then what went, came and changed, `top` rows of each and
/// the rest as one, each grid rendered by `render`, on a terminal of `width` columns.
std::string changes_text(const Changes& changes, std::optional<std::uint64_t> top,
                         std::optional<std::size_t> width,
                         const std::function<std::string(const Grid&)>& render);
/// The layers that lose most, why, and what would help; the rates that were achieved at best.
std::string lost_sentences(const Result& result);
/// GPU work that no layer stands for, in descending time; `most` rows.
Grid unmodelled_grid(const TraceSummary& recording, std::size_t most,
                     std::optional<std::size_t> width);
/// Measured times that are below the bound, and why that may be; empty where there are none.
std::string below_bound_sentences(const Result& result);
/// Measured times that are of something else; empty where there are none.
std::string not_compared_sentence(const Result& result);

}  // namespace roofline
