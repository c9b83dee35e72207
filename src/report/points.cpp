// The same work in several ways, a row each: GPUs, data types, batches.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "model/spelling.hpp"
#include "report/names.hpp"
#include "report/summary.hpp"
#include "report/table_row.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

std::string spaced(Limiter limiter) {
  std::string text(name_of(limiter));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string point_batch_text(const OperatingPoint& point) {
  return point.batch ? fmt::format("{}", *point.batch) : "mixed";
}

std::string type_text(const OperatingPoint& point) {
  return point.dtype ? std::string(name_of(*point.dtype)) : "mixed";
}

/// A row of the table: points that are alike.
using Group = std::vector<std::size_t>;

/// "Tesla V100 SXM2 16GB, 32GB": what all begin with stands once.
std::string gpus_text(const PointTable& table, const Group& group) {
  std::string text = table.points[group.front()].gpu;
  for (std::size_t i = 1; i < group.size(); ++i) {
    const std::string& before = table.points[group.front()].gpu;
    const std::string& name = table.points[group[i]].gpu;
    const auto differs = std::mismatch(before.begin(), before.end(), name.begin(), name.end());
    const auto shared = static_cast<std::size_t>(differs.second - name.begin());
    const std::size_t blank = shared == 0 ? name.npos : name.rfind(' ', shared - 1);
    text += ", " + (blank == name.npos ? name : name.substr(blank + 1));
  }
  return text;
}

/// Whether the batches of only some points were asked for as this.
bool tells_apart(const PointTable& table, BatchGoal goal) {
  const auto count = std::count_if(table.points.begin(), table.points.end(),
                                   [&](const OperatingPoint& p) { return p.is_goal[goal]; });
  return count > 0 && static_cast<std::size_t>(count) < table.points.size();
}

std::string marks_of(const PointTable& table, const Group& group) {
  const OperatingPoint& first = table.points[group.front()];
  if (!first.fits.value_or(true)) return "DOES NOT FIT";
  std::string text;
  const auto mark = [&](bool is_marked, std::string_view what) {
    if (is_marked) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  const auto mark_best = [&](const std::optional<std::size_t>& best, std::string_view what) {
    mark(best && std::find(group.begin(), group.end(), *best) != group.end(), what);
  };
  mark_best(table.best, "time");
  mark_best(table.fewest_joules, "energy");
  mark_best(table.cheapest, "cost");
  for (const BatchGoal goal : enumerators<BatchGoal>)
    mark(first.is_goal[goal] && tells_apart(table, goal), std::string(name_of(goal)) + " batch");
  return text;
}

std::string gpu_text(const OperatingPoint& point) { return point.gpu; }

/// Whether all points say the same, those also of which no row is shown.
template <class TextOf>
bool is_one(std::span<const PointTable> tables, const TextOf& text_of) {
  const OperatingPoint& first = tables.front().points.front();
  return std::all_of(tables.begin(), tables.end(), [&](const PointTable& table) {
    return std::all_of(table.points.begin(), table.points.end(), [&](const OperatingPoint& point) {
      return text_of(point) == text_of(first);
    });
  });
}

std::vector<std::string> cells_of(const PointTable& table, const Group& group) {
  const OperatingPoint& point = table.points[group.front()];
  const auto seconds = [](const std::optional<double>& s) { return s ? duration(*s) : ""; };
  const auto& uncertainty = point.expected_uncertainty;
  return {"",
          gpus_text(table, group),
          type_text(point),
          point_batch_text(point),
          duration(point.roofline_time_s),
          carried_over_mark(uncertainty) + duration(point.time_s),
          uncertainty ? factor(uncertainty->factor) : "",
          seconds(point.measured_time_s),
          point.time_per_image_s
              ? carried_over_mark(uncertainty) + duration(*point.time_per_image_s)
              : "",
          point.images_per_s ? plain(*point.images_per_s) : "",
          factor(point.speedup),
          point.tdp_w ? fmt::format("{:.0f} W", *point.tdp_w) : "",
          point.energy_per_image_j ? si(*point.energy_per_image_j, "J") : "",
          bound_share_text(point.compute_bound_share),
          point.limiter ? spaced(*point.limiter) : "",
          point.needed_memory_byte ? si(static_cast<double>(*point.needed_memory_byte), "B") : "",
          point.cost_per_million_images ? plain(*point.cost_per_million_images) : "",
          marks_of(table, group)};
}

constexpr std::size_t gpu_column = 1;
constexpr std::size_t type_column = 2;
constexpr std::size_t batch_column = 3;
constexpr std::size_t image_column = 8;

constexpr std::size_t tdp_column = 11;

/// Narrow terminals go without what can be worked out of the rest.
constexpr std::array<std::string_view, 10> droppable_headers{
    "memory",   "roofline", "TDP",      "energy",   "limiter",
    "speed-up", "bound by", "images/s", "expected", "within"};
/// A ranking says of each GPU what it takes to choose one.
constexpr std::array<std::string_view, 9> droppable_of_ranking{"memory",   "roofline", "limiter",
                                                               "speed-up", "bound by", "an image",
                                                               "energy",   "expected", "TDP"};
constexpr std::array<std::string_view, 8> droppable_of_energy{
    "memory", "roofline", "limiter", "speed-up", "bound by", "an image", "expected", "TDP"};

std::span<const std::string_view> droppable_of(const PointTable& table) {
  if (!table.ranked_by) return droppable_headers;
  if (*table.ranked_by == SortBy::energy) return droppable_of_energy;
  return droppable_of_ranking;
}

/// Whole names of GPUs would take the room of what is said of them.
void shorten_names(Grid& grid) {
  constexpr std::size_t widest = 27;
  Cells& cells = grid.columns[gpu_column].cells;
  std::vector<std::string> names;
  for (const std::string_view name : cells) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::vector<std::string> short_ones = short_names(names, widest);
  Cells short_cells;
  for (const std::string_view each : cells) {
    const auto name = std::lower_bound(names.begin(), names.end(), each);
    short_cells.add(short_ones[static_cast<std::size_t>(name - names.begin())]);
  }
  cells = std::move(short_cells);
}

/// Phrases on lines of at most `width` columns, none of them broken.
std::string lines_of_phrases(const std::vector<std::string>& phrases, std::size_t width) {
  std::string text;
  std::size_t column = 0;
  for (const std::string& phrase : phrases) {
    if (column > 0 && column + 1 + phrase.size() > width) {
      text += '\n';
      column = 0;
    }
    if (column > 0) text += ' ';
    text += phrase;
    column += phrase.size() + 1;
  }
  return text + '\n';
}

std::string_view ranking_text(SortBy by) {
  switch (by) {
    case SortBy::energy: return "fewest joules first";
    case SortBy::cost: return "cheapest first";
    default: return "fastest first";
  }
}

/// What does not fit, in one sentence.
std::string unfit_sentence(const PointTable& table, const PointSelection& selection) {
  constexpr std::size_t most_named = 8;
  if (selection.unfit.empty()) return "";
  const OperatingPoint& first = table.points[selection.unfit.front()];
  const bool one_type = is_one({&table, 1}, type_text);
  const bool one_batch = is_one({&table, 1}, point_batch_text);
  std::vector<std::string> names;
  for (const std::size_t i : selection.unfit) {
    const OperatingPoint& point = table.points[i];
    names.push_back(printable(point.gpu) + (one_type ? "" : " " + type_text(point)) +
                    (one_batch ? "" : " batch " + point_batch_text(point)));
  }
  const std::string needed =
      one_type && one_batch && first.needed_memory_byte
          ? fmt::format(" ({} needed)", si(static_cast<double>(*first.needed_memory_byte), "B"))
          : "";
  return fmt::format("too little memory{}: {}: {}", needed, names.size(),
                     some_of(names, most_named));
}

}  // namespace

Grid points_grid(const Report& report, std::optional<std::size_t> width) {
  Grid grid;
  grid.columns = {{"network", true}, {"GPU", true},      {"dtype", true},   {"batch"},
                  {"roofline"},      {"expected"},       {"within"},        {"measured"},
                  {"an image"},      {"images/s"},       {"speed-up"},      {"TDP"},
                  {"energy"},        {"bound by", true}, {"limiter", true}, {"memory"},
                  {"a million"},     {"best in", true}};
  bool one_image = true;
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const PointTable& table = report.points[i];
    const PointSelection& selection = report.point_selections[i];
    std::string name = table.network;  // stands once, as the heading of its rows
    for (const Group& group : width ? selection.main_groups : selection.groups) {
      std::vector<std::string> cells = cells_of(table, group);
      cells.front() = std::exchange(name, "");
      grid.add_row(cells);
      one_image = one_image && table.points[group.front()].batch == 1;
    }
  }
  if (grid.is_empty()) return grid;
  if (width) shorten_names(grid);
  const bool one_gpu = is_one(report.points, gpu_text);
  if (one_gpu) erase_column(grid, tdp_column);
  if (one_image) erase_column(grid, image_column);
  if (is_one(report.points, point_batch_text)) erase_column(grid, batch_column);
  if (is_one(report.points, type_text)) erase_column(grid, type_column);
  if (one_gpu) erase_column(grid, gpu_column);
  if (report.points.size() == 1) erase_column(grid, 0);
  drop_columns(grid, width, droppable_of(report.points.front()));
  return grid;
}

std::string points_title(std::span<const PointTable> tables, std::optional<Framework> framework) {
  const PointTable& table = tables.front();
  const OperatingPoint& first = table.points.front();
  std::string text = tables.size() == 1 ? shortened(printable(table.network), 40)
                                        : fmt::format("{} networks", tables.size());
  if (is_one(tables, gpu_text)) text += " on " + shortened(printable(first.gpu), 30);
  if (is_one(tables, type_text)) text += ", " + type_text(first);
  if (is_one(tables, point_batch_text)) text += ", batch " + point_batch_text(first);
  for (const BatchGoal goal : enumerators<BatchGoal>)
    if (is_one(tables, [&](const OperatingPoint& p) { return p.is_goal[goal]; }) &&
        first.is_goal[goal])
      text += fmt::format(", {} batch", name_of(goal));
  if (table.training) text += ", training";
  if (framework) text += fmt::format(", by {}", name_of(*framework));
  if (table.ranked_by) text += fmt::format(": {}", ranking_text(*table.ranked_by));
  return text + "\n";
}

std::string ranking_sentences(const PointTable& table, const PointSelection& selection,
                              std::optional<std::size_t> width) {
  const std::size_t shown = (width ? selection.main_groups : selection.groups).size();
  std::string text;
  if (shown < selection.all_groups)
    text += fmt::format("{} of {} rows{}\n", shown, selection.all_groups,
                        shown < selection.groups.size() ? " (--all shows every one)" : "");
  if (const std::string unfit = unfit_sentence(table, selection); !unfit.empty())
    text += broken(unfit, std::min(width.value_or(sentence_width), sentence_width)) + '\n';
  return text;
}

std::string points_sentences(const PointTable& table, std::optional<std::size_t> width) {
  constexpr std::size_t widest = 100;
  std::vector<std::string> phrases;
  bool others = false;
  for (const ComputeBoundFrom& each : table.compute_bound_from) {
    others = others || !each.batch;
    if (!each.batch) continue;
    std::string phrase;
    if (table.compute_bound_from.size() > 1)
      phrase = fmt::format("{}{} ", printable(each.gpu),
                           each.dtype ? fmt::format(" {}", name_of(*each.dtype)) : "");
    phrases.push_back(phrase + fmt::format("from batch {} on;", *each.batch));
  }
  if (table.compute_bound_from.empty()) return "";
  if (phrases.empty()) return "bound by memory at every batch\n";
  phrases.insert(phrases.begin(), "bound by compute:");
  if (others) phrases.emplace_back("others never;");
  phrases.back().pop_back();
  return lines_of_phrases(phrases, std::min(width.value_or(widest), widest));
}

std::string points_legend(const Report& report, const std::set<std::string>& headers) {
  std::string text;
  const auto add = [&](std::string_view header, std::string_view meaning) {
    if (headers.contains(std::string(header))) text += fmt::format("{}: {} ", header, meaning);
  };
  add("speed-up", "over the first row, of an image's time where that is known.");
  add("TDP", "the power that the GPU draws at most.");
  add("energy", "an image's expected time x TDP, an upper estimate.");
  add("bound by", "what has most of the roofline's time, and its share of it.");
  const auto any_point = [&](const auto& holds) {
    return std::any_of(report.points.begin(), report.points.end(), [&](const PointTable& table) {
      return std::any_of(table.points.begin(), table.points.end(), holds);
    });
  };
  add("a million", any_point([](const OperatingPoint& p) { return !p.cost_per_million_images; })
                       ? "what a million images cost, where --price says what the GPU does."
                       : "what a million images cost.");
  const auto has_goal = [&](BatchGoal goal) {
    return any_point([&](const OperatingPoint& p) { return p.is_goal[goal]; });
  };
  if (has_goal(BatchGoal::max))
    text += "max batch: the largest that fits, if all of the GPU's memory is free. ";
  if (has_goal(BatchGoal::best))
    text += fmt::format(
        "best batch: of 1, 2, 4, ... and the largest that fits, the smallest whose time an image "
        "is within {:.0f}% of the least. ",
        100 * near_best_share);
  if (text.empty()) return text;
  text.pop_back();
  return broken(text, sentence_width) + '\n';
}

}  // namespace roofline
