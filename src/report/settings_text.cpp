// Tables and sentences of work in several settings: points and rankings.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/layer_kind.hpp"
#include "model/text.hpp"
#include "report/rows.hpp"
#include "report/sections.hpp"
#include "results/report.hpp"
#include "results/selection.hpp"

namespace roofline {
namespace {

std::string gpu_text(const SettingRow& row) { return row.gpu; }

constexpr std::size_t widest_gpu = 60;

/// Whether all rows have one value, hidden rows included.
template <class Tables, class ValueOf>
bool is_one(const Tables& tables, const ValueOf& value_of) {
  const auto first = value_of(tables.front().rows.front());
  return std::ranges::all_of(tables, [&](const SettingsTable& table) {
    return std::ranges::all_of(table.rows,
                               [&](const SettingRow& row) { return value_of(row) == first; });
  });
}

/// The alias of a GPU with a long name, which would take the columns' room on a terminal.
std::string_view short_gpu(const Report& report, const std::string& name) {
  constexpr std::size_t widest = 24;
  const auto gpu = std::ranges::find(report.gpus, name, &Gpu::name);
  const bool has_alias = gpu != report.gpus.end() && !gpu->aliases.empty();
  return display_width(name) > widest && has_alias ? gpu->aliases.front() : name;
}

const Selection::Groups& groups_of(const Selection& selection, ShownRows rows) {
  return rows != ShownRows::each ? selection.main_groups : selection.groups;
}

std::string other_bests(const SettingsTable& table, const std::string& currency) {
  std::string text;
  const auto add = [&](SortBy by, const std::optional<std::size_t>& best) {
    if (by == table.ranked_by || !best) return;
    const SettingRow& row = table.rows[*best];
    add_item(text,
             fmt::format("by {}: {}, {}{}", name_of(by), point_name(table, row),
                         quantity_text(row, by, currency),
                         row.rank ? fmt::format(" (rank {})", *row.rank) : ""),
             "; ");
  };
  add(SortBy::time, table.best);
  add(SortBy::cost, table.cheapest);
  return text.empty() ? text : "best " + text;
}

/// "too little memory: 2: Jetson Nano 4GB, T4 16GB batch 512"
std::string left_out_sentence(const SettingsTable& table, const std::string& why,
                              const std::function<bool(const SettingRow&)>& is_left_out) {
  constexpr std::size_t most_named = 8;
  std::vector<std::string> names;
  for (const SettingRow& row : table.rows)
    if (is_left_out(row)) names.push_back(point_name(table, row));
  return names.empty() ? ""
                       : fmt::format("{}: {}: {}", why, names.size(), some_of(names, most_named));
}

std::string unfit_sentence(const SettingsTable& table) {
  const auto is_unfit = [](const SettingRow& row) { return !row.fits.value_or(true); };
  std::string why = "too little memory";
  const auto unfit = std::ranges::find_if(table.rows, is_unfit);
  if (unfit != table.rows.end() && unfit->needed_memory_byte &&
      is_one(std::span(&table, 1), type_text) && is_one(std::span(&table, 1), batch_text))
    why += fmt::format(" ({} needed)", si(*unfit->needed_memory_byte, "B"));
  return left_out_sentence(table, why, is_unfit);
}

std::string slow_sentence(const SettingsTable& table) {
  return left_out_sentence(
      table, "slower than " + duration(table.max_time_s.value_or(0)),
      [](const SettingRow& row) { return row.fits.value_or(true) && !row.in_time; });
}

Table points_table(const Report& report, ShownRows rows) {
  std::vector<SettingLine> lines;
  for (const Shown<SettingsTable>& table : report.points) {
    std::string_view work = table.work;  // only in the first row
    for (const auto& group : groups_of(table.selection, rows)) {
      const SettingRow& row = table.rows[group.front()];
      lines.push_back(
          {table, row, std::exchange(work, ""),
           rows != ShownRows::each ? short_gpu(report, row.gpu) : std::string_view(row.gpu)});
    }
  }
  const bool one_image = std::ranges::all_of(
      lines, [](const SettingLine& line) { return line.row.batch == std::uint64_t{1}; });
  using namespace setting_facts;
  const Facts facts =
      (report.points.front().ranked_by ? ranked : 0) | (report.points.size() == 1 ? one_work : 0) |
      (is_one(report.points, gpu_text) ? one_gpu : 0) |
      (is_one(report.points, framework_text) ? one_framework : 0) |
      (is_one(report.points, type_text) ? one_type : 0) |
      (is_one(report.points, batch_text) ? one_batch : 0) | (one_image ? batch_of_one : 0);
  const auto has_tokens = [](const SettingLine& line) { return line.row.tokens_per_s.has_value(); };
  const Facts tokens = (std::ranges::all_of(lines, has_tokens) ? all_tokens : 0) |
                       (std::ranges::none_of(lines, has_tokens) ? no_tokens : 0);
  Grid grid =
      grid_of<SettingLine>(shown_columns(setting_columns(), facts | tokens), lines, facts | tokens);
  for (GridColumn& column : grid.columns)
    if ((column.header == million_header || column.header == million_tokens_header) &&
        !report.currency.empty())
      column.header = printable(report.currency) + ' ' + column.header;
  Table table{std::move(grid)};
  if (rows == ShownRows::main_before_each) table.whole = points_table(report, ShownRows::each).grid;
  return table;
}

/// The time of each layer type by batch; the types are those shown at the last batch.
Grid sweep_grid(const Report& report, const SettingsTable& sweep) {
  Grid grid{{right("batch")}};
  const std::size_t last = sweep.rows.back().result;
  const std::vector<std::size_t>& types = report.results[last].shown_types.rows;
  std::vector<LayerKind> kinds;
  for (const std::size_t type : types) {
    kinds.push_back(report.results[last].types[type].kind);
    grid.columns.push_back(
        right(std::string(info(kinds.back()).name), types.size() + 1 - kinds.size()));
  }
  grid.columns.push_back(right("total"));
  for (const SettingRow& row : sweep.rows) {
    const std::vector<TypeRow>& own = report.results[row.result].types;
    std::vector<std::string> cells{batch_text(row)};
    for (const LayerKind kind : kinds) {
      const auto found = std::ranges::find(own, kind, &TypeRow::kind);
      const double time_s = found == own.end() ? 0 : found->total.time_s;
      cells.push_back(time_s > 0 ? duration(time_s) : "");
    }
    cells.push_back(duration(row.time_s));
    grid.add_row(cells);
  }
  return grid;
}

/// ", nchw", or ", nchw in fp32, nhwc in tf32 fp16": kernels depend on it.
std::string layouts_text(std::span<const Shown<SettingsTable>> tables) {
  EnumArray<Layout, std::string> types_of;
  std::set<std::string> types;
  bool one_layout_a_type = true;
  for (const SettingsTable& table : tables)
    for (const SettingRow& row : table.rows) {
      if (!row.layout || has_word(types_of[*row.layout], type_text(row))) continue;
      add_item(types_of[*row.layout], type_text(row), " ");
      one_layout_a_type = types.insert(type_text(row)).second && one_layout_a_type;
    }
  const bool says_types = one_layout_a_type && types.size() > 1;
  const bool one_layout = std::ranges::count(types_of, "") + 1 == std::ssize(types_of);
  if (!one_layout && !says_types) return "";  // of frameworks, whose rows name them
  std::string text;
  for (const Layout layout : enumerators<Layout>)
    if (!types_of[layout].empty())
      text += fmt::format(", {}{}", name_of(layout), one_layout ? "" : " in " + types_of[layout]);
  return text;
}

void add_below_ranking(Document& document, const Shown<SettingsTable>& table, const Report& report,
                       ShownRows rows) {
  constexpr std::size_t widest = 100;
  const std::string work = report.points.size() == 1 ? "" : printable(table.work) + ": ";
  const std::size_t shown = groups_of(table.selection, rows).size();
  std::string begin = work;  // of the first sentence
  const auto add = [&](const std::string& sentence, std::size_t most) {
    if (!sentence.empty()) document.add_line(std::exchange(begin, "") + sentence, most);
  };
  add(other_bests(table, report.currency), widest);
  if (shown < table.selection.all_groups)
    add(fmt::format("{} of {} rows{}", shown, table.selection.all_groups,
                    shown < table.selection.groups.size() ? " (--top all shows every one)" : ""),
        widest);
  if (report.filter.all) return;
  add(unfit_sentence(table), sentence_width);
  add(slow_sentence(table), sentence_width);
}

}  // namespace

std::string type_text(const SettingRow& row) {
  return row.dtype ? std::string(name_of(*row.dtype)) : "mixed";
}

std::string batch_text(const SettingRow& row) {
  return row.batch ? fmt::format("{}", *row.batch) : "mixed";
}

std::string framework_text(const SettingRow& row) {
  return row.framework ? std::string(name_of(*row.framework)) : "";
}

std::string point_name(const SettingsTable& table, const SettingRow& row) {
  const bool is_repeated = std::ranges::count(table.rows, row.gpu, &SettingRow::gpu) > 1;
  std::string name = printable(row.gpu);
  if (is_repeated && !is_one(std::span(&table, 1), framework_text))
    name += " by " + framework_text(row);
  if (!is_one(std::span(&table, 1), type_text)) name += " " + type_text(row);
  if (is_repeated && row.batch && !is_one(std::span(&table, 1), batch_text))
    name += fmt::format(" batch {}", *row.batch);
  return name;
}

std::string_view pieces_of(const SettingRow& row) { return row.tokens_per_s ? "tokens" : "images"; }

std::optional<double> rate_of(const SettingRow& row) {
  return row.tokens_per_s ? row.tokens_per_s : row.images_per_s;
}

std::string quantity_text(const SettingRow& row, SortBy by, const std::string& currency) {
  const std::string money = currency.empty() ? "" : " " + printable(currency);
  if (by == SortBy::cost)
    return fmt::format("{}{} a million {}", plain(ranked_quantity(row, by)), money, pieces_of(row));
  const auto rate = rate_of(row);
  return rate ? fmt::format("{} {}/s", plain(rate), pieces_of(row)) : duration(row.time_s);
}

/// "GB300 278GB first: 86623 images/s; GB200 186GB and B300 SXM 269GB tie within x1.07"
std::string ranking_answer(const SettingsTable& table, const std::string& currency) {
  constexpr std::size_t most_named = 3;
  const SettingRow& first = table.rows.front();
  if (!first.rank)
    return first.qualifies() ? "no cost of an image is known"
           : std::ranges::any_of(table.rows, [](const SettingRow& row) { return !row.in_time; })
               ? "none of these takes at most " + duration(table.max_time_s.value_or(0))
               : "fits none of these GPUs";
  const SortBy by = *table.ranked_by;
  std::string text = point_name(table, first) + " first: " + quantity_text(first, by, currency);
  std::vector<std::string> tied;
  double farthest = 1;
  for (const SettingRow& row : table.rows)
    if (row.tied && &row != &first) {
      // point_name searches the whole table; only the first few names are shown.
      tied.push_back(tied.size() < most_named ? point_name(table, row) : row.gpu);
      farthest = std::max(farthest, *ranked_quantity(row, by) / *ranked_quantity(first, by));
    }
  if (!tied.empty())
    text += fmt::format("; {} {} with it within {}", some_of(tied, most_named),
                        tied.size() == 1 ? "ties" : "tie", factor(farthest));
  return text;
}

std::string settings_title(std::span<const Shown<SettingsTable>> tables) {
  const SettingsTable& table = tables.front();
  const SettingRow& first = table.rows.front();
  std::string text = tables.size() == 1 ? shortened(printable(table.work), 40)
                                        : fmt::format("{} networks", tables.size());
  if (is_one(tables, gpu_text)) text += " on " + shortened(printable(first.gpu), widest_gpu);
  if (is_one(tables, type_text)) text += ", " + type_text(first);
  if (is_one(tables, batch_text)) text += ", batch " + batch_text(first);
  for (const BatchGoal goal : enumerators<BatchGoal>)
    if (is_one(tables, [&](const SettingRow& row) { return row.is_goal[goal]; }) &&
        first.is_goal[goal])
      text += fmt::format(", {} batch", name_of(goal));
  if (table.training) text += ", training";
  if (table.max_time_s) text += fmt::format(", in at most {}", duration(*table.max_time_s));
  text += layouts_text(tables);
  if (!is_one(tables, framework_text)) return text;
  if (first.framework) text += ", by " + framework_text(first);
  if (first.kernels_alone) text += ", kernels alone";
  return text;
}

void add_sweep(Document& document, const Report& report, const SettingsTable& sweep) {
  const SettingRow& first = sweep.rows.front();
  document.add_gap();
  document.add_heading(fmt::format("{} on {}{} by batch, time of each type of layers",
                                   shortened(printable(sweep.work), 40),
                                   shortened(printable(first.gpu), widest_gpu),
                                   first.framework ? ", by " + framework_text(first) + "," : ""));
  document.add_gap();
  document.add_table({sweep_grid(report, sweep)});
}

void add_points(Document& document, const Report& report, ShownRows rows) {
  if (report.points.empty()) return;
  for (const SettingsTable& table : report.points)
    for (const SettingRow& row : table.rows)
      for (const BatchGoal goal : enumerators<BatchGoal>)
        if (row.is_goal[goal]) document.mention(std::string(name_of(goal)) + " batch");
  document.add_gap();
  for (const SettingsTable& table : report.points)
    if (table.ranked_by)
      document.add_line((report.points.size() > 1 ? printable(table.work) + ": " : "") +
                        ranking_answer(table, report.currency));
  document.add_heading(settings_title(report.points));
  document.add_gap();
  document.add_table(points_table(report, rows));
  for (const Shown<SettingsTable>& table : report.points)
    if (table.ranked_by) add_below_ranking(document, table, report, rows);
}

}  // namespace roofline
