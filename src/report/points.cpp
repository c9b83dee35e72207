// The same work in several ways, a row each: GPUs, data types, batches.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "report/summary.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

std::string spaced(Limiter limiter) {
  std::string text(name_of(limiter));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string batch_text(const OperatingPoint& point) {
  return point.batch ? fmt::format("{}", *point.batch) : "mixed";
}

std::string type_text(const OperatingPoint& point) {
  return point.dtype ? std::string(name_of(*point.dtype)) : "mixed";
}

std::string marks_of(const PointTable& table, std::size_t i) {
  if (!table.points[i].fits.value_or(true)) return "DOES NOT FIT";
  std::string text;
  const auto mark = [&](const std::optional<std::size_t>& best, std::string_view what) {
    if (best == i) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  mark(table.best, "time");
  mark(table.fewest_joules, "energy");
  mark(table.cheapest, "cost");
  return text;
}

/// Whether a column has more than one text.
bool varies(const Grid& grid, std::size_t column) {
  return std::any_of(grid.rows.begin(), grid.rows.end(),
                     [&](const auto& row) { return row[column] != grid.rows.front()[column]; });
}

std::vector<std::string> cells_of(const PointTable& table, std::size_t i) {
  const OperatingPoint& point = table.points[i];
  const auto seconds = [](const std::optional<double>& s) { return s ? duration(*s) : ""; };
  // The name stands once, as the heading of its rows.
  return {i == 0 ? table.network : "",
          point.gpu,
          type_text(point),
          batch_text(point),
          duration(point.roofline_time_s),
          duration(point.time_s),
          seconds(point.measured_time_s),
          seconds(point.time_per_image_s),
          point.images_per_s ? plain(*point.images_per_s) : "",
          factor(point.speedup),
          point.energy_per_image_j ? si(*point.energy_per_image_j, "J") : "",
          bound_share_text(point.compute_bound_share),
          point.limiter ? spaced(*point.limiter) : "",
          point.needed_memory_byte ? si(static_cast<double>(*point.needed_memory_byte), "B") : "",
          point.cost_per_million_images ? plain(*point.cost_per_million_images) : "",
          marks_of(table, i)};
}

constexpr std::size_t gpu_column = 1;
constexpr std::size_t batch_column = 3;
constexpr std::size_t image_column = 7;

/// Narrow terminals go without what can be worked out of the rest.
constexpr std::array<std::string_view, 8> droppable_headers{
    "memory", "roofline", "energy", "limiter", "speed-up", "bound by", "images/s", "expected"};

/// Phrases on lines of at most 100 columns, none of them broken.
std::string lines_of_phrases(const std::vector<std::string>& phrases) {
  constexpr std::size_t widest = 100;
  std::string text;
  std::size_t column = 0;
  for (const std::string& phrase : phrases) {
    if (column > 0 && column + 1 + phrase.size() > widest) {
      text += '\n';
      column = 0;
    }
    if (column > 0) text += ' ';
    text += phrase;
    column += phrase.size() + 1;
  }
  return text + '\n';
}

}  // namespace

Grid points_grid(std::span<const PointTable> tables, std::optional<std::size_t> width) {
  Grid grid;
  grid.columns = {{"network", true}, {"GPU", true}, {"dtype", true}, {"batch"},
                  {"roofline"},      {"expected"},  {"measured"},    {"an image"},
                  {"images/s"},      {"speed-up"},  {"energy"},      {"bound by", true},
                  {"limiter", true}, {"memory"},    {"a million"},   {"best in", true}};
  bool one_image = true;
  for (const PointTable& table : tables)
    for (std::size_t i = 0; i < table.points.size(); ++i) {
      grid.rows.push_back(cells_of(table, i));
      one_image = one_image && table.points[i].batch == 1;
    }
  if (one_image) erase_column(grid, image_column);
  for (std::size_t column = batch_column; column >= gpu_column; --column)
    if (!varies(grid, column)) erase_column(grid, column);
  if (tables.size() == 1) erase_column(grid, 0);
  drop_columns(grid, width, droppable_headers);
  return grid;
}

std::string points_title(std::span<const PointTable> tables, std::optional<Framework> framework) {
  const PointTable& table = tables.front();
  const OperatingPoint& first = table.points.front();
  const auto same = [&](const auto& text_of) {
    return std::all_of(tables.begin(), tables.end(), [&](const PointTable& each) {
      return std::all_of(each.points.begin(), each.points.end(), [&](const OperatingPoint& point) {
        return text_of(point) == text_of(first);
      });
    });
  };
  std::string text = tables.size() == 1 ? shortened(printable(table.network), 40)
                                        : fmt::format("{} networks", tables.size());
  if (same([](const OperatingPoint& p) { return p.gpu; }))
    text += " on " + shortened(printable(first.gpu), 30);
  if (same(type_text)) text += ", " + type_text(first);
  if (same(batch_text)) text += ", batch " + batch_text(first);
  return text + (table.training ? ", training" : "") +
         (framework ? fmt::format(", by {}", name_of(*framework)) : "") + "\n";
}

std::string points_sentences(const PointTable& table) {
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
  return lines_of_phrases(phrases);
}

}  // namespace roofline
