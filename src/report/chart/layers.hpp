#pragma once

// Layers as charts show them: how they look, what they are called, and which of many are marked.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/chart/chart.hpp"
#include "report/table_row.hpp"

namespace roofline {

/// A colour and a symbol, and the layers that have them.
struct Look {
  std::string_view name;
  Colour colour;
  Symbol symbol;
};

const Look& look_of(const Layer& layer);
/// Legend entries for the looks that the rows have, in a fixed order.
std::vector<LegendItem> look_legend(const std::vector<TableRow>& rows, LegendItem::Sign sign);

/// The layer's name as tables show it, with its pass and how many are alike.
std::string row_name(const TableRow& row);
/// Each in at most `width` columns, 12 at least, and none like another.
std::vector<std::string> short_labels(const std::vector<std::string>& labels, std::size_t width);
/// Every field that tables show, a line each.
std::string row_hover(const TableRow& row);
/// "r0-12": names a layer of a report.
std::string row_link(const Report& report, const TableRow& row);
/// Of an expected time or rate.
std::optional<Whisker> whisker_of(double expected, const std::optional<Uncertainty>& uncertainty);
/// The legend's entry for whiskers.
LegendItem whisker_legend();
/// What all of the row's layers take.
double row_time_s(const TableRow& row);

/// The result's rows as tables fold and choose them; in the network's order unless the view sorts.
std::vector<TableRow> folded_rows(const Report& report, std::size_t result);

/// "resnet50 on V100, fp32, batch 1, fwd"; without the GPU where `with_gpu` is false.
std::string work_title(const Result& result, bool with_gpu);

/// "3 layers"
std::string layers_text(std::size_t count);

/// What was left out.
struct Thinned {
  std::size_t count = 0;
  double share = 0;  ///< of the time
};

/// Of a plot with logarithmic axes. Few marks stay as they are; marks on one spot are one where
/// `joins` says so.
Thinned thin(std::vector<Mark>& marks, bool joins);

/// Up to `most` labels stay, those of marks that take longest, and with them what is drawn beside
/// their marks.
void stress(std::vector<Mark>& marks, std::size_t most);
inline constexpr std::size_t most_stressed = 10;
inline constexpr std::size_t most_stressed_of_many = 6;  ///< of several GPUs

/// What the dots and small marks beside them are.
void add_mark_legend(std::vector<LegendItem>& legend, const std::vector<Mark>& marks);

/// The marks' indices, those that take longest first.
std::vector<std::size_t> marks_by_share(const std::vector<Mark>& marks);

}  // namespace roofline
