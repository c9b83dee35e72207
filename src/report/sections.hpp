#pragma once

// A document's parts beside the rows of layers, and sentences in them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/document.hpp"
#include "report/rows.hpp"
#include "report/text.hpp"
#include "report/writer.hpp"
#include "results/changes.hpp"
#include "results/explanation.hpp"
#include "results/report.hpp"
#include "roofline/report.hpp"

namespace roofline {

/// The report for people; `rows`: of its tables.
Document document_of(const Report& report, ShownRows rows);

/// Device memory of the network; empty if unknown.
std::string memory_sentence(const Result& result);
/// That the network needs more memory than the GPU has; empty if it fits or that is unknown.
std::string fit_sentence(const Result& result);
/// The expected time with its range, the rate, and what a step takes under named stacks.
void add_time(Document& document, const Result& result);
/// The GPU's ceilings, and what was changed of it.
void add_ceilings(Document& document, const Result& result);
/// One layer's work, bound and times.
List layer_list(const Result& result);
/// Bounds on every run of the network; empty if unknown.
std::string network_bounds_sentence(const Result& result);

// Work in several settings.

/// Omits columns of one value.
void add_points(Document& document, const Report& report, ShownRows rows);
void add_sweep(Document& document, const Report& report, const SettingsTable& sweep);
/// A smaller share of the time has no sentence of its own.
inline constexpr double least_said_share = 0.03;

/// Whether a convolution for tensor cores runs on vector units.
bool falls_to_vector_units(const LayerResult& row);
/// How much of the time such layers compute, and for which the library has no better kernel.
std::string vector_units_sentence(const Result& result);
/// What the model leaves out for tensors of 2^31 elements and more; empty without any.
std::string large_tensors_sentence(const Result& result);

/// "resnet50, fp16, best batch, nhwc": what all rows have in common.
std::string settings_title(std::span<const Shown<SettingsTable>> tables);
std::string ranking_answer(const SettingsTable& table, const std::string& currency);
/// Headers, after the currency, of the cost of a million images and of a million tokens.
inline constexpr std::string_view million_header = "a million";
inline constexpr std::string_view million_tokens_header = "1M tokens";
/// Empty without a framework.
std::string framework_text(const SettingRow& row);
/// "fp16", "64"; "mixed" if layers differ.
std::string type_text(const SettingRow& row);
std::string batch_text(const SettingRow& row);
/// Names a row by what differs from other rows.
std::string point_name(const SettingsTable& table, const SettingRow& row);
/// The ranked quantity: "86623 images/s", "12.69 mJ an image", "0.031 USD a million images".
/// "images", or of a language model "tokens".
std::string_view pieces_of(const SettingRow& row);
/// Pieces a second at its expected time.
std::optional<double> rate_of(const SettingRow& row);
std::string quantity_text(const SettingRow& row, SortBy by, const std::string& currency);
/// Changes that look alike, with their count: "layer1.0.conv1 x3".
struct AlikeChanges {
  Change first;
  std::size_t times = 1;

  double change_s() const { return static_cast<double>(times) * first.change_s(); }
};
/// Measured times are of single layers, so they never fold.
std::vector<AlikeChanges> folded_changes(const Changes& changes, const ChangeGroup& group);
std::string name_text(const AlikeChanges& alike);
void write_run(JsonWriter& writer, std::string_view name, const RunTotals& run);
/// "+1.234 ms"
std::string change_text(double change_s);
/// Kernels' names as in tables.
Changes shortened_names(Changes changes);
/// `top` rows each of work that went, came and changed, and the rest as one.
void add_changes(Document& document, const Changes& changes, std::optional<std::uint64_t> top);

// Parts of a time.

/// "math: the layer's own FLOP", "idle, waiting for data".
std::string part_text(Limiter part);
std::string part_text(StepPart part);
/// The parts of a whole, small ones together.
template <Enumeration E>
Grid parts_grid(std::string title, const EnumArray<E, double>& part_s, double whole_s,
                std::string_view whole = "total") {
  constexpr double least_named = 0.02;
  double rest_s = 0;
  Grid grid{{left(std::move(title)), right("time"), right("share")}};
  const auto add = [&](const std::string& what, double time_s) {
    grid.add_row({what, duration(time_s), percent(time_s / whole_s)});
  };
  for (const E part : enumerators<E>) {
    if (part_s[part] < least_named * whole_s)
      rest_s += part_s[part];
    else if (part_s[part] > 0)
      add(part_text(part), part_s[part]);
  }
  if (rest_s > 0) add("other", rest_s);
  if (grid.row_count() > 0) add(std::string(whole), whole_s);
  return grid;
}

// Measured inputs.

/// Measured times that this GPU cannot reach, with possible causes; empty without any.
std::string impossible_sentence(const Result& result);
/// "2.421 ms expected, x2.07 its roofline"; for a recording its step.
std::string time_headline(const Result& result);
/// Where a measured time went: the same parts of every recording, others where there are any.
Grid step_grid(const Verdict& verdict);
/// How far expected times are from the measured ones, by class of layers.
Grid accuracy_grid(const Result& result);
/// What a reader needs first: the time and the first thing to do.
void add_verdict(Document& document, const Result& result);
void add_actions(Document& document, const Result& result);
/// A recording's, with their kernels and what mends them.
void add_slow_convolutions(Document& document, const Result& result);
/// The recording: GPU busy and idle, launches, shares of layers.
void add_recording(Document& document, const Result& result);
/// The lost time, the model's errors, and work that is no layer.
void add_measured(Document& document, const Result& result);
/// Notes on times below a bound, counts too high, and times without a model to compare with.
void add_measured_notes(Document& document, const Result& result);
/// Members of JSON with tables' columns: gaps, chains, transfers, unmodelled; and accuracy.
void write_recording_lists(JsonWriter& writer, const Result& result);
void write_accuracy(JsonWriter& writer, const Result& result);

/// The GPU's fields, ceilings and sources.
Document gpu_document(const Gpu& gpu);

// Derivations.

/// The derivation of a layer's numbers by the steps that one does by hand, or, if `is_whole`, by
/// all to the expected time.
void add_explanation(Document& document, const Explanation& explanation, const Result& result,
                     bool is_whole);
/// One screen on a network's time, below its title.
void add_explanation(Document& document, const NetworkExplanation& explanation,
                     const Result& result);

}  // namespace roofline
