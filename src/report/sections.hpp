#pragma once

// What tables and pages say beside the rows of layers, in sentences and grids.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "report/grid.hpp"
#include "report/text.hpp"
#include "report/writer.hpp"
#include "roofline/report.hpp"

namespace roofline {

/// "17.20 ms bound + 7.691 ms slower than the model - 10.00 us rates and caches"
struct SumText {
  std::string text;
  std::size_t parts = 0;

  void add(double seconds, std::string_view what);
};

/// What the network takes of the GPU's memory; empty where it is not known.
std::string memory_sentence(const Result& result);
/// What no run of the network is faster than; empty where that is not known.
std::string network_bounds_sentence(const Result& result, std::optional<std::size_t> width);

// Work in several settings.

/// A setting a row; columns that say the same of all are left out, and on a terminal what there is
/// no room for.
std::string points_text(const Report& report, const TableStyle& style);
/// The types of layers of one network on one GPU, batch by batch.
std::string sweep_text(const Report& report, const SettingsTable& sweep, const TableStyle& style);
Grid points_grid(const Report& report, std::optional<std::size_t> width);
/// What a ranking comes to: the first, and what ties with it.
std::string ranking_answer(const SettingsTable& table, const std::string& currency);
/// What a million images cost has a column of this name, behind the currency.
inline constexpr std::string_view million_header = "a million";
/// "fp16", "64"; "mixed" where layers differ.
std::string type_text(const SettingRow& row);
std::string batch_text(const SettingRow& row);
/// A row of the table, by what tells it from the others.
std::string point_name(const SettingsTable& table, const SettingRow& row);
/// What a row is ranked by: "86623 images/s", "12.69 mJ an image", "0.031 USD a million images".
std::string quantity_text(const SettingRow& row, SortBy by, const std::string& currency);
/// What of a GPU the work runs on, where that is a share of one.
std::string share_line(const Setting& setting);
/// Changes that look alike, each as often as it is there: "layer1.0.conv1 x3".
struct AlikeChanges {
  Change first;
  std::size_t times = 1;

  double change_s() const { return static_cast<double>(times) * first.change_s(); }
};
/// The largest first. Measured times are those of one layer alone: none of these are alike.
std::vector<AlikeChanges> folded_changes(const Changes& changes, const ChangeGroup& group);
std::string name_text(const AlikeChanges& alike);
/// "+1.234 ms"
std::string change_text(double change_s);
/// Names of kernels as their tables have them.
Changes shortened_names(Changes changes);
/// What a raised bandwidth leaves as it is, and what would move it; empty where that is little.
std::string flight_cap_line(const Result& result);
/// Two results: what changed in the whole, then what went, came and changed, `top` rows of each and
/// the rest as one.
std::string changes_text(const Changes& changes, std::optional<std::uint64_t> top,
                         const TableStyle& style);

// Measured inputs.

/// Measured times that this GPU cannot reach, and what may be wrong with them; empty without any.
std::string impossible_sentence(const Result& result);
/// What a person needs first: what the time is made of and what to do first.
std::string verdict_sentences(const Result& result, std::size_t width = sentence_width);
/// The last of that: what to do first, and what else.
std::string action_sentences(const Result& result);
/// What a profiler recorded: GPU busy and idle, launches, what the layers stand for.
std::string recording_sentences(const Result& result);
/// Where the time went, what the model makes of it, and what is no layer.
std::string measured_text(const Result& result, const TableStyle& style);
/// Members of JSON, by the columns of tables: gaps, chains, transfers, unmodelled; and accuracy.
void write_recording_lists(JsonWriter& writer, const Result& result);
void write_accuracy(JsonWriter& writer, const Result& result);

// Derivations.

enum class ExplanationLength : std::uint8_t {
  lecture,  ///< the steps that one does by hand, and where to find the others
  whole,    ///< all that the expected time is derived from as well
};
/// How one layer's numbers come about, with the numbers put in.
std::string explanation_text(const Explanation& explanation, const Result& result,
                             ExplanationLength length);
/// What a network's time is made of, its bounds and largest layers, what would help and what of the
/// GPU it depends on. `ceilings`: the line that names what the GPU has.
std::string network_explanation_text(const NetworkExplanation& explanation, const Result& result,
                                     const std::string& ceilings, const TableStyle& style);

}  // namespace roofline
