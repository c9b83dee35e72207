#include "report/layer_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "report/people.hpp"
#include "report/short_names.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t good_name = 40;
constexpr std::size_t enough_name = 20;
constexpr std::size_t enough_recorded_name = 30;  ///< which holds the layer's sizes
constexpr std::size_t least_name = 12;
constexpr std::size_t bar_width = 8;
constexpr std::string_view bar_path = "bar";

/// What a narrow terminal goes without, first to last.
constexpr std::array<std::string_view, 8> droppable_paths{bar_path,
                                                          "macs",
                                                          "expected_uncertainty.factor",
                                                          "bytes.total",
                                                          "flops",
                                                          "bound",
                                                          "measured.lost_s",
                                                          "intensity_flop_per_byte"};

/// The same beside measured times, which are why the table is read.
constexpr std::array<std::string_view, 5> droppable_beside_measured{
    bar_path, "bound", "measured.lost_s", "limiter", "roofline_time_s"};

struct Column {
  std::string_view path;
  GridColumn shown;
};

/// Eighths of a cell each, or "#" a cell.
std::string bar(double share_of_largest, bool unicode) {
  const auto eighths = static_cast<std::size_t>(
      std::lround(8 * static_cast<double>(bar_width) * std::clamp(share_of_largest, 0.0, 1.0)));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += unicode ? "\xE2\x96\x88" : "#";
  if (unicode && eighths % 8 > 0)
    text += std::string("\xE2\x96") + static_cast<char>(0x90 - static_cast<int>(eighths % 8));
  return text;
}

/// What stands for a row in the table, before its name is shortened.
struct RowName {
  std::string name;
  std::string suffix;  ///< passes and copies, which are never cut
};

class LayerGrid {
 public:
  LayerGrid(const Report& report, const std::vector<std::size_t>& results, const RenderStyle& style)
      : report_(report), results_(results), style_(style) {
    is_measured_ = std::any_of(results.begin(), results.end(), [&](std::size_t i) {
      return report.results[i].measured.summary.has_value();
    });
    const Shown other = is_measured_ ? Shown::unmeasured : Shown::measured;
    for (const OutputField& field : output_fields())
      if (!field.header.empty() && field.shown != other) fields_.push_back(&field);
    for (const OutputField* field : fields_)
      columns_.push_back({field->path, {std::string(field->header), field->unit == Unit::none}});
    for (const std::size_t i : results) add_rows(report.results[i], report.selections[i]);
    add_total();
  }

  Grid grid() && {
    drop_empty();
    if (style_.width) {
      add_bars();
      fit(*style_.width);
    } else {
      for (std::size_t i = 0; i < names_.size(); ++i)
        rows_[i].front() = names_[i].name + names_[i].suffix;
    }
    Grid grid;
    for (Column& column : columns_) grid.columns.push_back(std::move(column.shown));
    grid.rows = std::move(rows_);
    grid.has_total = has_total_;
    return grid;
  }

 private:
  bool is_many() const { return results_.size() > 1; }

  void add_rows(const Result& result, const Selection& selection) {
    if (style_.width)
      for (const auto& group : selection.main_groups) add_row({result, group});
    else if (folds_everywhere(result))
      for (const auto& group : selection.groups) add_row({result, group});
    else
      for (const std::size_t row : selection.rows) add_row({result, {row}});
    if (style_.width && !selection.rest.empty()) add_rest({result, selection.rest});
  }

  void add_row(const TableRow& row) {
    RowName name = {label_of(row), suffix_of(row)};
    if (is_many()) name.name = row.result.setting.label + "/" + name.name;
    names_.push_back({printable(name.name), name.suffix});
    shares_.push_back(share_of(row));
    add_cells(names_.back().name + name.suffix, [&](const OutputField& field) {
      return is_share_of_one(field) ? std::string() : marked(field, row);
    });
  }

  /// Those after the first are of the fields.
  template <class CellOf>
  void add_cells(std::string first, const CellOf& cell_of) {
    std::vector<std::string>& cells = rows_.emplace_back();
    cells.reserve(columns_.size() + 1);  // and the bar
    cells.push_back(std::move(first));
    for (std::size_t i = 1; i < fields_.size(); ++i) cells.push_back(cell_of(*fields_[i]));
  }

  static std::string marked(const OutputField& field, const TableRow& row) {
    const bool in_cache = field.path == "bound" && is_in_cache(row.first());
    return mark_of(field, row.first().expected_uncertainty) + people_text(field, row) +
           (in_cache ? "*" : "");
  }

  static std::string mark_of(const OutputField& field,
                             const std::optional<Uncertainty>& uncertainty) {
    return field.path == "expected_time_s" ? carried_over_mark(uncertainty) : "";
  }

  /// The share of a network of one layer says nothing.
  bool is_share_of_one(const OutputField& field) const {
    return is_many() && field.path == "time_share";
  }

  void add_rest(const TableRow& row) {
    names_.push_back({fmt::format("{} more (--all)", row.layers.size()), ""});
    shares_.push_back(0);
    add_cells(names_.back().name, [&](const OutputField& field) {
      return mark_of(field, row.result.total.expected_uncertainty) + summed_text(field, row);
    });
  }

  void add_total() {
    const Result& first = report_.results[results_.front()];
    has_total_ = !is_many() && first.layers.size() > 1;
    if (!has_total_) return;
    const auto cell_of = [&](const OutputField& field) {
      return mark_of(field, first.total.expected_uncertainty) + total_text(field, first.total);
    };
    add_cells(cell_of(*fields_.front()), cell_of);
  }

  static double share_of(const TableRow& row) {
    double share = 0;
    for (const std::size_t i : row.layers) share += row.result.layers[i].time_share.value_or(0);
    return share;
  }

  /// Columns that say nothing of any row.
  void drop_empty() {
    const auto say_nothing = [&](std::size_t column) {
      return std::all_of(
          rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(names_.size()),
          [&](const auto& row) { return row[column].empty() || row[column] == "0"; });
    };
    for (std::size_t column = columns_.size(); column-- > 1;)
      if (say_nothing(column)) erase(column);
  }

  void erase(std::size_t column) {
    const auto at = static_cast<std::ptrdiff_t>(column);
    columns_.erase(columns_.begin() + at);
    for (auto& row : rows_) row.erase(row.begin() + at);
  }

  std::size_t width_of(std::size_t column) const {
    std::size_t width = display_width(columns_[column].shown.header);
    for (const auto& row : rows_) width = std::max(width, display_width(row[column]));
    return width;
  }

  void add_bars() {
    const double largest = shares_.empty() ? 0 : *std::max_element(shares_.begin(), shares_.end());
    if (is_many() || largest <= 0) return;
    columns_.push_back({bar_path, {"", true}});
    for (std::size_t i = 0; i < shares_.size(); ++i)
      rows_[i].push_back(bar(shares_[i] / largest, style_.unicode));
    if (has_total_) rows_.back().emplace_back();
  }

  std::size_t width_besides_names() const {
    std::size_t width = 0;
    for (std::size_t i = 1; i < columns_.size(); ++i) width += column_gap.size() + width_of(i);
    return width;
  }

  std::span<const std::string_view> droppable() const {
    if (is_measured_) return droppable_beside_measured;
    return droppable_paths;
  }

  void fit(std::size_t width) {
    const std::size_t whole = width_of(0);
    const std::size_t enough = is_measured_ ? enough_recorded_name : enough_name;
    for (const std::string_view path : droppable()) {
      const std::size_t wanted = std::min(whole, path == bar_path ? good_name : enough);
      if (width_besides_names() + wanted <= width) break;
      for (std::size_t column = columns_.size(); column-- > 0;)
        if (columns_[column].path == path) erase(column);
    }
    const std::size_t others = width_besides_names();
    shorten_names(width > others + least_name ? width - others : least_name);
  }

  void shorten_names(std::size_t width) {
    std::vector<std::string> names;
    std::vector<std::size_t> widths;
    std::size_t longest_suffix = 0;
    for (const RowName& name : names_)
      longest_suffix = std::max(longest_suffix, name.suffix.size());
    for (const RowName& name : names_) {
      names.push_back(name.name);
      // Parts of a network's names are abbreviated alike; a recording's say what layers are.
      const std::size_t suffix = is_measured_ ? name.suffix.size() : longest_suffix;
      widths.push_back(width > suffix + least_name ? width - suffix : least_name);
    }
    const std::vector<std::string> texts = short_names(names, widths);
    for (std::size_t i = 0; i < texts.size(); ++i) rows_[i].front() = texts[i] + names_[i].suffix;
  }

  const Report& report_;
  const std::vector<std::size_t>& results_;
  const RenderStyle& style_;
  std::vector<const OutputField*> fields_;  ///< the columns', the name first
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  ///< the last may be a total
  std::vector<RowName> names_;
  std::vector<double> shares_;
  bool is_measured_ = false;
  bool has_total_ = false;
};

}  // namespace

bool folds_everywhere(const Result& result) { return result.measured.recording != nullptr; }

Grid layer_grid(const Report& report, const std::vector<std::size_t>& results,
                const RenderStyle& style) {
  return LayerGrid(report, results, style).grid();
}

}  // namespace roofline
