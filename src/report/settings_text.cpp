// Work in several settings as tables and sentences: points and rankings.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "model/text.hpp"
#include "report/rows.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// "compute", "memory 80%": by what most of the bound's time is bound.
std::string bound_share_text(double compute_share) {
  if (compute_share >= 0.995) return "compute";
  if (compute_share <= 0.005) return "memory";
  return compute_share >= 0.5 ? fmt::format("compute {:.0f}%", 100 * compute_share)
                              : fmt::format("memory {:.0f}%", 100 * (1 - compute_share));
}

using TextOf = std::string (*)(const SettingRow& row);

std::string gpu_text(const SettingRow& row) { return row.gpu; }

std::string type_text(const SettingRow& row) {
  return row.dtype ? std::string(name_of(*row.dtype)) : "mixed";
}

std::string batch_text(const SettingRow& row) {
  return row.batch ? fmt::format("{}", *row.batch) : "mixed";
}

std::string expected_text(const SettingRow& row) {
  return carried_over_mark(row.expected_uncertainty) + duration(row.time_s);
}

std::string within_text(const SettingRow& row) {
  return row.expected_uncertainty ? factor(row.expected_uncertainty->factor) : "";
}

std::string image_text(const SettingRow& row) {
  if (!row.time_per_image_s) return "";
  return carried_over_mark(row.expected_uncertainty) + duration(*row.time_per_image_s);
}

struct SettingColumn {
  std::string_view header;
  TextOf text;
  bool left = false;
};

using Of = const SettingRow&;

constexpr std::string_view million_header = "a million";

/// Wider than the name of any GPU of the list.
constexpr std::size_t widest_gpu = 60;

/// The columns of points between the GPU and what they are best in.
constexpr SettingColumn point_columns[] = {
    {"dtype", type_text, true},
    {"batch", batch_text},
    {"roofline", [](Of row) { return duration(row.roofline_time_s); }},
    {"expected", expected_text},
    {"within", within_text},
    {"measured", [](Of row) { return duration(row.measured_time_s); }},
    {"an image", image_text},
    {"images/s", [](Of row) { return plain(row.images_per_s); }},
    {"eager", [](Of row) { return plain(row.eager_images_per_s); }},
    {"speed-up", [](Of row) { return factor(row.speedup); }},
    {"TDP", [](Of row) { return row.tdp_w ? fmt::format("{:.0f} W", *row.tdp_w) : ""; }},
    {"energy", [](Of row) { return si(row.energy_per_image_j, "J"); }},
    {"bound by", [](Of row) { return bound_share_text(row.compute_bound_share); }, true},
    {"limiter", [](Of row) { return words(row.limiter); }, true},
    {"memory", [](Of row) { return si(row.needed_memory_byte, "B"); }},
    {million_header, [](Of row) { return plain(row.cost_per_million_images); }}};

/// Whether the batches of only some rows were asked for as this.
bool tells_apart(const SettingsTable& table, BatchGoal goal) {
  const auto count =
      std::ranges::count_if(table.rows, [&](const SettingRow& row) { return row.is_goal[goal]; });
  return count > 0 && static_cast<std::size_t>(count) < table.rows.size();
}

std::string marks_of(const SettingsTable& table, std::size_t index) {
  const SettingRow& row = table.rows[index];
  if (!row.fits.value_or(true)) return "DOES NOT FIT";
  if (table.ranked_by) return "";
  std::string text;
  const auto mark = [&](bool is_marked, std::string_view what) {
    if (is_marked) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  mark(table.best == index, "time");
  mark(table.fewest_joules == index, "energy");
  mark(table.cheapest == index, "cost");
  for (const BatchGoal goal : enumerators<BatchGoal>)
    mark(row.is_goal[goal] && tells_apart(table, goal), std::string(name_of(goal)) + " batch");
  return text;
}

/// Whether all rows say the same, those also that are not shown.
template <class ValueOf>
bool is_one(std::span<const SettingsTable> tables, const ValueOf& value_of) {
  const auto first = value_of(tables.front().rows.front());
  return std::ranges::all_of(tables, [&](const SettingsTable& table) {
    return std::ranges::all_of(table.rows,
                               [&](const SettingRow& row) { return value_of(row) == first; });
  });
}

/// Narrow terminals go without what can be worked out of the rest. A ranking says of each GPU what
/// it takes to choose one.
std::vector<std::string_view> droppable_of(const SettingsTable& table) {
  if (!table.ranked_by)
    return {"memory",   "eager",    "roofline", "TDP",      "energy", "limiter",
            "speed-up", "bound by", "images/s", "expected", "within"};
  std::vector<std::string_view> headers{"memory",   "roofline", "limiter", "speed-up", "bound by",
                                        "an image", "expected", "TDP",     "energy"};
  if (table.ranked_by == SortBy::energy) std::erase(headers, "energy");
  return headers;
}

/// What a narrow terminal calls a GPU, as --gpu takes it: a long name would take the room of what
/// is said of it.
std::string short_gpu(const Report& report, const std::string& name) {
  constexpr std::size_t widest = 24;
  const auto gpu = std::ranges::find(report.gpus, name, &Gpu::name);
  const bool has_alias = gpu != report.gpus.end() && !gpu->aliases.empty();
  return display_width(name) > widest && has_alias ? gpu->aliases.front() : name;
}

}  // namespace

std::string point_name(const SettingsTable& table, const SettingRow& row) {
  const bool says_batch = row.batch && !is_one({&table, 1}, batch_text) &&
                          std::ranges::count(table.rows, row.gpu, &SettingRow::gpu) > 1;
  return printable(row.gpu) + (is_one({&table, 1}, type_text) ? "" : " " + type_text(row)) +
         (says_batch ? fmt::format(" batch {}", *row.batch) : "");
}

namespace {

/// What is best by what the ranking is not by, wherever it stands.
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
  add(SortBy::energy, table.fewest_joules);
  add(SortBy::cost, table.cheapest);
  return text.empty() ? text : "best " + text + '\n';
}

/// What does not fit, in one sentence.
std::string unfit_sentence(const SettingsTable& table, const PointSelection& selection) {
  constexpr std::size_t most_named = 8;
  if (selection.unfit.empty()) return "";
  const SettingRow& first = table.rows[selection.unfit.front()];
  const bool one_type = is_one({&table, 1}, type_text);
  const bool one_batch = is_one({&table, 1}, batch_text);
  std::vector<std::string> names;
  for (const std::size_t i : selection.unfit) {
    const SettingRow& row = table.rows[i];
    names.push_back(printable(row.gpu) + (one_type ? "" : " " + type_text(row)) +
                    (one_batch ? "" : " batch " + batch_text(row)));
  }
  const std::string needed = one_type && one_batch && first.needed_memory_byte
                                 ? fmt::format(" ({} needed)", si(*first.needed_memory_byte, "B"))
                                 : "";
  return fmt::format("too little memory{}: {}: {}", needed, names.size(),
                     some_of(names, most_named));
}

}  // namespace

Grid points_grid(const Report& report, std::optional<std::size_t> width) {
  Grid grid{{left("network"), right("rank"), left("GPU")}};
  for (const SettingColumn& column : point_columns) {
    const bool has_money = column.header == million_header && !report.currency.empty();
    grid.columns.push_back(
        {(has_money ? printable(report.currency) + ' ' : "") + std::string(column.header),
         column.left});
  }
  grid.columns.push_back({"best in", true});
  bool one_image = true;
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const SettingsTable& table = report.points[i];
    const PointSelection& selection = report.point_selections[i];
    std::string name = table.work;  // stands once, as the heading of its rows
    for (const std::size_t index : width ? selection.main_rows : selection.rows) {
      const SettingRow& row = table.rows[index];
      std::vector<std::string> cells{std::exchange(name, ""),
                                     row.rank ? fmt::format("{}", *row.rank) : "",
                                     width ? short_gpu(report, row.gpu) : row.gpu};
      for (const SettingColumn& column : point_columns) cells.push_back(column.text(row));
      cells.push_back(marks_of(table, index));
      grid.add_row(cells);
      one_image = one_image && row.batch == 1;
    }
  }
  if (grid.row_count() == 0) return grid;
  const auto erase = [&](bool is_told_elsewhere, std::string_view header) {
    if (is_told_elsewhere)
      std::erase_if(grid.columns, [&](const GridColumn& each) { return each.header == header; });
  };
  const bool one_gpu = is_one(report.points, gpu_text);
  erase(one_gpu, "TDP");
  erase(one_image, "an image");
  erase(is_one(report.points, batch_text), "batch");
  erase(is_one(report.points, type_text), "dtype");
  erase(one_gpu, "GPU");
  erase(!report.points.front().ranked_by, "rank");
  erase(report.points.size() == 1, "network");
  drop_columns(grid, width, droppable_of(report.points.front()));
  return grid;
}

namespace {

/// What each type of layers takes, those that are shown at the last batch.
Grid sweep_grid(const Report& report, const SettingsTable& sweep,
                std::optional<std::size_t> width) {
  Grid grid{{right("batch")}};
  const std::size_t last = sweep.rows.back().result;
  std::vector<LayerKind> kinds;
  std::vector<std::string_view> droppable;
  for (const std::size_t type : report.selections[last].types) {
    kinds.push_back(report.results[last].types[type].kind);
    droppable.insert(droppable.begin(), info(kinds.back()).name);
    grid.columns.push_back(right(std::string(info(kinds.back()).name)));
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
  drop_columns(grid, width, droppable);
  return grid;
}

/// ", by tensorrt on NVIDIA, torch-compile elsewhere"
std::string frameworks_text(std::span<const SettingsTable> tables) {
  std::set<Framework> all;
  for (const SettingsTable& table : tables)
    for (const SettingRow& row : table.rows)
      if (row.framework) all.insert(*row.framework);
  std::string text;
  for (auto each = all.rbegin(); each != all.rend(); ++each)
    text += fmt::format("{}{}{}", text.empty() ? ", by " : ", ", name_of(*each),
                        all.size() == 1           ? ""
                        : info(*each).only_nvidia ? " on NVIDIA"
                                                  : " elsewhere");
  return text;
}

std::string points_title(std::span<const SettingsTable> tables) {
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
  text += frameworks_text(tables);
  if (first.eager_images_per_s) text += ", as people deploy it";
  return text + "\n";
}

std::string ranking_sentences(const SettingsTable& table, const PointSelection& selection,
                              const std::string& currency, std::optional<std::size_t> width) {
  const std::size_t shown = (width ? selection.main_rows : selection.rows).size();
  std::string text = other_bests(table, currency);
  if (shown < selection.all_rows)
    text += fmt::format("{} of {} rows{}\n", shown, selection.all_rows,
                        shown < selection.rows.size() ? " (--all shows every one)" : "");
  if (const std::string unfit = unfit_sentence(table, selection); !unfit.empty())
    text += broken(unfit, std::min(width.value_or(sentence_width), sentence_width)) + '\n';
  return text;
}

/// Each share once.
std::string share_lines(const Report& report) {
  std::set<std::string> known;
  std::string text;
  for (const Result& result : report.results)
    if (const auto [line, is_new] = known.insert(share_line(result.setting)); is_new) text += *line;
  return text;
}

}  // namespace

std::string quantity_text(const SettingRow& row, SortBy by, const std::string& currency) {
  const std::string money = currency.empty() ? "" : " " + printable(currency);
  switch (by) {
    case SortBy::energy: return si(row.energy_per_image_j, "J") + " an image";
    case SortBy::cost: return plain(row.cost_per_million_images) + money + " a million images";
    default: return row.images_per_s ? plain(row.images_per_s) + " images/s" : duration(row.time_s);
  }
}

/// "GB300 278GB first: 86623 images/s; GB200 186GB and B300 SXM 269GB tie within x1.07"
std::string ranking_answer(const SettingsTable& table, const std::string& currency) {
  constexpr std::size_t most_named = 3;
  const SettingRow& first = table.rows.front();
  if (!first.rank) return "fits none of these GPUs";
  const SortBy by = *table.ranked_by;
  const auto quantity = [by](const SettingRow& row) {
    return by == SortBy::energy ? *row.energy_per_image_j
           : by == SortBy::cost ? *row.cost_per_million_images
                                : *row.time_per_image_s;
  };
  std::string text = point_name(table, first) + " first: " + quantity_text(first, by, currency);
  std::vector<std::string> tied;
  double farthest = 1;
  for (const SettingRow& row : table.rows)
    if (row.tied && &row != &first) {
      // A name looks through the whole table, and only so many are shown.
      tied.push_back(tied.size() < most_named ? point_name(table, row) : row.gpu);
      farthest = std::max(farthest, quantity(row) / quantity(first));
    }
  if (!tied.empty())
    text += fmt::format("; {} {} with it within {}", some_of(tied, most_named),
                        tied.size() == 1 ? "ties" : "tie", factor(farthest));
  return text;
}

std::string share_line(const Setting& setting) {
  return setting.gpu_share.empty() ? "" : printable(setting.gpu_share) + '\n';
}

std::string flight_cap_line(const Result& result) {
  const bool is_raised =
      std::ranges::any_of(result.setting.gpu_changes, [](const GpuChange& change) {
        return change.field == "bandwidth" && change.from && change.to > *change.from;
      });
  const double share = share_of(result.total.part_s[Limiter::in_flight], result.total.time_s);
  if (!is_raised || share < 0.03) return "";
  const LayerResult& most =
      *std::ranges::max_element(result.layers, {}, [](const LayerResult& row) {
        return row.kernel ? row.kernel->part_s[Limiter::in_flight] : 0;
      });
  const std::string text = fmt::format(
      "bytes in flight cap {} at {} whatever the bandwidth, and take {} of the time: more SMs "
      "would move it, or fusing the layer away\n",
      printable(most.layer.name), si(most.kernel->in_flight_byte_per_s.value_or(0), "B/s"),
      percent(share));
  return broken(text, sentence_width);
}

std::string sweep_text(const Report& report, const SettingsTable& sweep, const TableStyle& style) {
  return fmt::format("{} on {} by batch, time of each type of layers\n\n",
                     shortened(printable(sweep.work), 40),
                     shortened(printable(sweep.rows.front().gpu), widest_gpu)) +
         style.render(sweep_grid(report, sweep, style.width)) + '\n';
}

std::string points_text(const Report& report, const TableStyle& style) {
  constexpr std::size_t widest = 100;
  if (report.points.empty()) return "";
  if (style.legend != nullptr)
    for (const SettingsTable& table : report.points)
      for (const SettingRow& row : table.rows)
        for (const BatchGoal goal : enumerators<BatchGoal>)
          if (row.is_goal[goal]) style.legend->mention(std::string(name_of(goal)) + " batch");
  std::string text;
  for (const SettingsTable& table : report.points)
    if (table.ranked_by) {
      if (report.points.size() > 1) text += printable(table.work) + ": ";
      text += ranking_answer(table, report.currency) + '\n';
    }
  text += points_title(report.points) + share_lines(report) + '\n';
  if (const Grid grid = points_grid(report, style.width); grid.row_count() > 0)
    text += style.render(grid);
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const SettingsTable& table = report.points[i];
    if (!table.ranked_by) continue;
    const std::string sentences =
        ranking_sentences(table, report.point_selections[i], report.currency, style.width);
    if (!sentences.empty())
      text += broken((report.points.size() == 1 ? "" : printable(table.work) + ": ") + sentences,
                     std::min(style.width.value_or(widest), widest));
  }
  return text + '\n';
}

}  // namespace roofline
