// Rows of layers as people read them.

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "report/rows.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Small counts are shown whole.
std::string count_text(double count, std::string_view unit) {
  if (count >= 1000) return si(count, unit);
  return fmt::format("{}{}{}", count, unit.empty() ? "" : " ", unit);
}

std::string number_text(Unit unit, double value) {
  switch (unit) {
    case Unit::count:
    case Unit::operation: return count_text(value, "");
    case Unit::byte: return count_text(value, "B");
    case Unit::second: return duration(value);
    case Unit::flop_per_second: return si(value, "FLOP/s");
    case Unit::byte_per_second: return si(value, "B/s");
    case Unit::share: return percent(value);
    case Unit::ratio: return ratio_text(value);
    case Unit::flop_per_byte:
    case Unit::none: return plain(value);
  }
  return "";
}

/// Whether equal rows add up in this unit.
bool adds_up(Unit unit) {
  return unit == Unit::count || unit == Unit::operation || unit == Unit::byte ||
         unit == Unit::second || unit == Unit::share;
}

std::optional<double> number_of(const Cell& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
  return std::nullopt;
}

/// A value by its unit; nothing for what is unknown.
std::string value_text(Unit unit, const Cell& value) {
  if (const auto number = number_of(value)) return number_text(unit, *number);
  const auto* text = std::get_if<std::string_view>(&value);
  return text != nullptr ? std::string(*text) : "";
}

/// The sum over layers of any kind; empty where the field does not add up.
std::string summed_text(const OutputField& field, const TableRow& row) {
  if (!adds_up(field.unit)) return "";
  double sum = 0;
  for (const std::size_t i : row.layers) {
    const Row layer = row_of(row.result, row.result.layers[i]);
    const std::optional<double> number = number_of(field.value(layer));
    if (!number) return "";
    sum += *number;
  }
  return number_text(field.unit, sum);
}

}  // namespace

std::vector<ResultGroup> grouped_results(const Report& report,
                                         bool (*are_together)(const Result&, const Result&)) {
  std::vector<ResultGroup> groups;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const auto fitting = std::ranges::find_if(groups, [&](const ResultGroup& group) {
      return are_together(report.results[group.front()], report.results[i]);
    });
    if (fitting == groups.end())
      groups.push_back({i});
    else
      fitting->push_back(i);
  }
  return groups;
}

bool share_a_table(const Result& a, const Result& b) {
  return a.layers.size() == 1 && b.layers.size() == 1 && a.setting.gpu == b.setting.gpu &&
         a.bounds.main_engine == b.bounds.main_engine && a.setting.batch == b.setting.batch;
}

std::size_t count_shown(const Report& report, const ResultGroup& results) {
  return static_cast<std::size_t>(std::ranges::count_if(
      results, [&](std::size_t i) { return !report.selections[i].groups.empty(); }));
}

std::string work_title(const Result& result, bool with_gpu) {
  std::string text = result.setting.label;
  if (with_gpu) text += " on " + result.setting.gpu;
  if (result.setting.dtype) text += fmt::format(", {}", name_of(*result.setting.dtype));
  if (result.setting.batch) text += fmt::format(", batch {}", *result.setting.batch);
  // A recording of several passes is of a step of training.
  if (result.setting.training || (result.measured.recording && !result.setting.pass))
    text += ", training";
  else if (result.setting.pass)
    text += fmt::format(", {}", name_of(*result.setting.pass));
  return text;
}

bool is_below_roofline(const LayerResult& row) {
  return row.kernel && row.kernel->expected_time_s < row.point.roofline_time_s;
}

bool is_in_cache(const LayerResult& row) {
  return is_below_roofline(row) && row.point.bound == Bound::memory &&
         row.kernel->dram_read_byte + row.kernel->dram_write_byte <
             static_cast<double>(row.counts.bytes.total);
}

std::string carried_over_mark(const std::optional<Uncertainty>& uncertainty) {
  return uncertainty && uncertainty->basis != UncertaintyBasis::measured ? "~" : "";
}

std::string label_of(const TableRow& row) {
  std::vector<std::string> names;
  for (const std::size_t i : row.layers) names.push_back(row.result.layers[i].layer.name);
  std::string name = folded_name(names);
  if (row.result.measured.recording == nullptr) return name;
  const std::string pass = " " + std::string(name_of(row.first().layer.pass));
  const std::size_t at = name.rfind(pass);
  const std::size_t end = at + pass.size();
  if (at != name.npos && (end == name.size() || name[end] == ' ' || name[end] == '#'))
    name.erase(at, pass.size());
  return name;
}

std::string suffix_of(const TableRow& row) {
  const bool many_passes = row.result.setting.training || !row.result.setting.pass;
  // The layers of a recording are of one pass each, most of them forward.
  const bool goes_without_saying =
      row.result.measured.recording != nullptr && row.first().layer.pass == Pass::fwd;
  std::string text;
  if (many_passes && !goes_without_saying)
    text += fmt::format(" {}", name_of(row.first().layer.pass));
  if (row.layers.size() > 1) text += fmt::format(" x{}", row.layers.size());
  return text;
}

std::string field_text(const OutputField& field, const TableRow& row) {
  if (field.column.text != nullptr) return field.column.text(row.first());
  if (adds_up(field.unit)) return summed_text(field, row);
  const Row first = row_of(row.result, row.first());
  return value_text(field.unit, field.value(first));
}

namespace {

constexpr std::size_t enough_name = 20;
constexpr std::size_t enough_recorded_name = 30;  ///< which holds the layer's sizes
constexpr std::size_t least_name = 12;

/// What a narrow terminal goes without, first to last.
constexpr std::string_view droppable[] = {"MACs",  "within", "bytes", "FLOP",
                                          "bound", "lost",   "FLOP/B"};
/// What it goes without beside measured times, which are why the table is read.
constexpr std::string_view droppable_beside_measured[] = {
    "bound", "lost", "limiter", "roofline", "/bound", "planned", "ran"};

/// The field that tables show under that header.
const OutputField& field_under(std::string_view header) {
  return *std::ranges::find(output_fields(), header,
                            [](const OutputField& field) { return field.column.header; });
}

/// What stands for a row in the table, before its name is shortened.
struct RowName {
  std::string name;
  std::string suffix;  ///< passes and copies, which are never cut
};

class LayerGrid {
 public:
  LayerGrid(const Report& report, const std::vector<std::size_t>& results,
            std::optional<std::size_t> width)
      : report_(report), results_(results), width_(width) {
    is_measured_ = std::ranges::any_of(
        results, [&](std::size_t i) { return report.results[i].measured.summary.has_value(); });
    for (const OutputField& field : output_fields())
      if (!field.column.header.empty() && shows(field.column.shown))
        grid_.columns.push_back({std::string(field.column.header), field.unit == Unit::none});
    for (const std::size_t i : results) add_rows(report.results[i], report.selections[i]);
    drop_empty();
    add_total();
  }

  Grid grid() && {
    if (width_) fit(*width_);
    return std::move(grid_);
  }

 private:
  bool is_many() const { return results_.size() > 1; }

  bool shows(Shown shown) const {
    if (shown == Shown::alone)
      return is_measured_ && !folds_everywhere(report_.results[results_.front()]);
    return shown != (is_measured_ ? Shown::unmeasured : Shown::measured);
  }

  void add_rows(const Result& result, const Selection& selection) {
    if (width_)
      for (const auto& group : selection.main_groups) add_row({result, group});
    else if (folds_everywhere(result))
      for (const auto& group : selection.groups) add_row({result, group});
    else
      for (const std::size_t row : selection.rows) add_row({result, {row}});
    if (width_ && !selection.rest.empty()) add_rest({result, selection.rest});
  }

  void add_row(const TableRow& row) {
    RowName name = {label_of(row), suffix_of(row)};
    if (is_many()) name.name = row.result.setting.label + "/" + name.name;
    add_cells(std::move(name), [&](const OutputField& field) {
      // The share of a network of one layer says nothing.
      if (is_many() && field.path == "time_share") return std::string();
      const bool is_below = field.path == "bound" && is_below_roofline(row.first());
      return mark_of(field, row.first().expected_uncertainty) + field_text(field, row) +
             (is_below ? "*" : "");
    });
  }

  /// The name, and `cell_of` each other column's field.
  template <class CellOf>
  void add_cells(RowName name, const CellOf& cell_of) {
    name.name = printable(name.name);
    grid_.columns.front().add(name.name + name.suffix);
    for (GridColumn& column : std::span(grid_.columns).subspan(1))
      column.add(cell_of(field_under(column.header)));
    names_.push_back(std::move(name));
  }

  static std::string mark_of(const OutputField& field,
                             const std::optional<Uncertainty>& uncertainty) {
    return field.path == "expected_time_s" ? carried_over_mark(uncertainty) : "";
  }

  void add_rest(const TableRow& row) {
    add_cells(
        {fmt::format("{} more (--all)", row.layers.size()), ""}, [&](const OutputField& field) {
          return mark_of(field, row.result.total.expected_uncertainty) + summed_text(field, row);
        });
  }

  void add_total() {
    const Result& first = report_.results[results_.front()];
    if (is_many() || first.layers.size() <= 1) return;
    for (GridColumn& column : grid_.columns) {
      const OutputField& field = field_under(column.header);
      const auto value = field.column.total;
      column.add(mark_of(field, first.total.expected_uncertainty) +
                 (value == nullptr ? "" : value_text(field.unit, value(first.total))));
    }
  }

  /// Drops columns that say nothing of any row.
  void drop_empty() {
    const auto says_nothing = [](const GridColumn& column) {
      return std::ranges::all_of(
          column.cells, [](const std::string& cell) { return cell.empty() || cell == "0"; });
    };
    std::vector<GridColumn>& columns = grid_.columns;
    columns.erase(std::remove_if(columns.begin() + 1, columns.end(), says_nothing), columns.end());
  }

  std::size_t width_besides_names() const {
    std::size_t width = 0;
    for (const GridColumn& column : std::span(grid_.columns).subspan(1))
      width += column_gap.size() + column.width();
    return width;
  }

  void fit(std::size_t width) {
    const std::size_t whole = grid_.columns.front().width();
    const std::size_t enough = is_measured_ ? enough_recorded_name : enough_name;
    const auto headers = is_measured_ ? std::span<const std::string_view>(droppable_beside_measured)
                                      : std::span<const std::string_view>(droppable);
    for (const std::string_view header : headers) {
      if (width_besides_names() + std::min(whole, enough) <= width) break;
      std::erase_if(grid_.columns, [&](const auto& column) { return column.header == header; });
    }
    const std::size_t others = width_besides_names();
    shorten_names(width > others + least_name ? width - others : least_name);
  }

  void shorten_names(std::size_t width) {
    std::size_t longest_suffix = 0;
    for (const RowName& name : names_)
      longest_suffix = std::max(longest_suffix, name.suffix.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      // Parts of a network's names are abbreviated alike; a recording's say what layers are.
      const std::size_t suffix = is_measured_ ? names_[i].suffix.size() : longest_suffix;
      const std::size_t left = width > suffix + least_name ? width - suffix : least_name;
      grid_.columns.front().cells[i] = short_name(names_[i].name, left) + names_[i].suffix;
    }
  }

  const Report& report_;
  const std::vector<std::size_t>& results_;
  std::optional<std::size_t> width_;
  Grid grid_;                   ///< the name's column first
  std::vector<RowName> names_;  ///< a row each, but for the total
  bool is_measured_ = false;
};

}  // namespace

bool folds_everywhere(const Result& result) { return result.measured.recording != nullptr; }

Grid layer_grid(const Report& report, const std::vector<std::size_t>& results,
                std::optional<std::size_t> width) {
  return LayerGrid(report, results, width).grid();
}

}  // namespace roofline
