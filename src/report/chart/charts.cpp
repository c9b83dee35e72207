// What charts show of layers, and which chart a report asks for.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "report/chart/makers.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::array looks = std::to_array<Look>({
    {"conv", Colour::blue, Symbol::circle},
    {"grouped conv", Colour::sky, Symbol::hexagon},
    {"linear, matmul", Colour::vermillion, Symbol::square},
    {"attention", Colour::ink, Symbol::hexagon},
    {"norm", Colour::green, Symbol::diamond},
    {"activation", Colour::orange, Symbol::triangle},
    {"pool", Colour::purple, Symbol::triangle_down},
    {"add, mul, concat", Colour::yellow, Symbol::plus},
    {"other", Colour::grey, Symbol::cross},
});

const Look& contraction_look(const Layer& layer) {
  if (layer.kind == LayerKind::linear || layer.kind == LayerKind::matmul) return looks[2];
  return layer.groups > 1 ? looks[1] : looks[0];
}

/// Up to so many marks are told apart by eye.
constexpr std::size_t few_marks = 12;
/// Marks that take less than this together are left out.
constexpr double no_time = 0.05;
/// So far below the fastest a mark would make the axis too long; it stays if it takes that much.
constexpr double far_below = 1e-4;
constexpr double much_time = 0.03;
/// Marks matter until those from the longest on take the one, or the next one less than the other.
constexpr double most_of_time = 0.9;
constexpr double little_time = 0.01;
/// Powers of ten within which marks are one spot: some 5 pixels of the usual axes.
constexpr double spot_x = 0.03;
constexpr double spot_y = 0.06;

bool is_one_spot(const Mark& a, const Mark& b) {
  return a.colour == b.colour && a.symbol == b.symbol &&
         std::fabs(std::log10(a.at.x / b.at.x)) < spot_x &&
         std::fabs(std::log10(a.at.y / b.at.y)) < spot_y;
}

void leave_out(Thinned& left_out, const Mark& mark) {
  left_out.share += mark.share;
  ++left_out.count;
}

void merge(Mark& mark, const Mark& other) {
  mark.share += other.share;
  mark.time_s += other.time_s;
  ++mark.others;
  mark.hover += "\n\n" + other.hover;
}

bool share_a_chart(const Result& a, const Result& b) {
  if (a.layers.size() == 1 && b.layers.size() == 1) return true;
  const auto work = [](const Result& result) {
    return std::tie(result.setting.source, result.setting.network, result.setting.item,
                    result.setting.batch, result.setting.dtype, result.setting.training,
                    result.setting.pass);
  };
  return work(a) == work(b) && a.setting.gpu != b.setting.gpu;
}

}  // namespace

const Look& look_of(const Layer& layer) {
  switch (info(layer.kind).family) {
    case KindFamily::contraction: return contraction_look(layer);
    case KindFamily::attention: return looks[3];
    case KindFamily::norm: return looks[4];
    case KindFamily::activation: return looks[5];
    case KindFamily::pool: return looks[6];
    case KindFamily::combine: return looks[7];
    case KindFamily::resize:
    case KindFamily::lookup:
    case KindFamily::movement:
    case KindFamily::transfer:
    case KindFamily::free: break;
  }
  return looks.back();
}

std::vector<LegendItem> look_legend(std::span<const Look> all, const std::vector<const Look*>& used,
                                    LegendItem::Sign sign) {
  std::vector<LegendItem> legend;
  for (const Look& look : all)
    if (std::ranges::find(used, &look) != used.end())
      legend.push_back({std::string(look.name), sign, look.colour, look.symbol});
  return legend;
}

std::vector<LegendItem> look_legend(const std::vector<TableRow>& rows) {
  std::vector<const Look*> used;
  used.reserve(rows.size());
  for (const TableRow& row : rows) used.push_back(&look_of(row.first().layer));
  return look_legend(looks, used, LegendItem::Sign::mark);
}

std::string row_name(const TableRow& row) { return label_of(row) + suffix_of(row); }

std::string row_hover(const TableRow& row) {
  std::string text = fmt::format("{} ({})", row_name(row), info(row.first().layer.kind).name);
  for (const OutputField& field : output_fields()) {
    if (field.column.header.empty() || field.path == "name") continue;
    const std::string value = field_text(field, row);
    if (!value.empty()) text += fmt::format("\n{}: {}", field.column.header, value);
  }
  return text;
}

std::string row_link(const Report& report, const TableRow& row) {
  return fmt::format("r{}-{}", &row.result - report.results.data(), row.layers.front());
}

double length_of(const Bar& bar) {
  double length = 0;
  for (const Segment& segment : bar.segments) length += segment.value;
  return std::max({length, bar.bound.value_or(0), bar.measured.value_or(0),
                   bar.whisker ? bar.whisker->high : 0});
}

std::optional<Whisker> whisker_of(double expected, const std::optional<Uncertainty>& uncertainty) {
  if (!uncertainty) return std::nullopt;
  return Whisker{expected / uncertainty->factor, expected * uncertainty->factor};
}

LegendItem whisker_legend() {
  return {"68 of 100 measured times", LegendItem::Sign::whisker, Colour::ink, Symbol::square};
}

double row_time_s(const TableRow& row) {
  double time = 0;
  for (const std::size_t layer : row.layers) time += time_s(row.result.layers[layer]);
  return time;
}

Bars bars_along_time(std::vector<Bar> bars) {
  Axis axis{"time", "s", false, 0, 0};
  for (const Bar& bar : bars) axis.high = std::max(axis.high, length_of(bar));
  return {std::move(axis), std::move(bars)};
}

std::vector<TableRow> folded_rows(const Report& report, std::size_t result) {
  std::vector<std::vector<std::size_t>> groups = report.selections[result].groups;
  if (!report.filter.sort)
    std::ranges::stable_sort(groups,
                             [](const auto& a, const auto& b) { return a.front() < b.front(); });
  std::vector<TableRow> rows;
  rows.reserve(groups.size());
  for (auto& group : groups) rows.push_back({report.results[result], std::move(group)});
  return rows;
}

std::string layers_text(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "layer" : "layers");
}

void add_mark_legend(std::vector<LegendItem>& legend, const std::vector<Mark>& marks) {
  using Sign = LegendItem::Sign;
  const auto any = [&](auto has) { return std::ranges::any_of(marks, has); };
  if (any([](const Mark& mark) { return mark.bound_y && !mark.bound_is_l2; }))
    legend.push_back({"roofline bound", Sign::bound});
  if (any([](const Mark& mark) { return mark.bound_y && mark.bound_is_l2; }))
    legend.push_back({"operands in L2: its roof", Sign::l2_bound});
  if (any([](const Mark& mark) { return mark.l2_x.has_value(); }))
    legend.push_back({"by its bytes at L2", Sign::l2_mark});
}

std::vector<std::size_t> marks_by_share(const std::vector<Mark>& marks) {
  std::vector<std::size_t> order(marks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return marks[a].share > marks[b].share; });
  return order;
}

Thinned thin(std::vector<Mark>& marks, bool joins) {
  Thinned left_out;
  if (marks.size() <= few_marks) return left_out;
  double fastest = 0;
  for (const Mark& mark : marks) fastest = std::max(fastest, mark.at.y);
  std::erase_if(marks, [&](const Mark& mark) {
    const bool is_far = mark.at.y < far_below * fastest && mark.share < much_time;
    if (is_far) leave_out(left_out, mark);
    return is_far;
  });
  const std::vector<std::size_t> order = marks_by_share(marks);
  std::size_t kept = order.size();
  while (kept > few_marks && left_out.share + marks[order[kept - 1]].share < no_time)
    leave_out(left_out, marks[order[--kept]]);
  std::vector<std::size_t> spots;
  for (std::size_t i = 0; i < kept; ++i) {
    const auto spot = std::ranges::find_if(spots, [&](std::size_t each) {
      return joins && is_one_spot(marks[each], marks[order[i]]);
    });
    if (spot == spots.end())
      spots.push_back(order[i]);
    else
      merge(marks[*spot], marks[order[i]]);
  }
  std::ranges::sort(spots);
  std::vector<Mark> thinned;
  thinned.reserve(spots.size());
  for (const std::size_t spot : spots) thinned.push_back(std::move(marks[spot]));
  marks = std::move(thinned);
  return left_out;
}

void name_longest(std::vector<Mark>& marks, std::size_t most) {
  std::vector<std::string> labels;
  double named = 0;
  for (const std::size_t i : marks_by_share(marks)) {
    const Mark& mark = marks[i];
    if (labels.size() == most || named > most_of_time) break;
    if (mark.share < little_time && marks.size() > 1) break;
    if (std::ranges::find(labels, mark.label) != labels.end()) continue;
    named += mark.share;
    labels.push_back(mark.label);
  }
  for (Mark& mark : marks) {
    if (std::ranges::find(labels, mark.label) != labels.end()) continue;
    mark.label.clear();
    mark.expected_y = mark.bound_y = mark.l2_x = std::nullopt;
  }
}

std::vector<Work> works_of(const Report& report) { return grouped_results(report, share_a_chart); }

std::vector<Chart> layer_charts(const Report& report, std::optional<ChartKind> kind) {
  const ChartKind own = report.filter.ranks_gpus() && !report.comparisons.empty()
                            ? ChartKind::compare
                        : report.sweeps.empty() ? ChartKind::roofline
                                                : ChartKind::sweep;
  switch (kind.value_or(own)) {
    case ChartKind::roofline: return roofline_charts(report);
    case ChartKind::time: return time_charts(report);
    case ChartKind::sweep: return sweep_charts(report);
    case ChartKind::compare: return compare_charts(report);
  }
  return {};
}

std::vector<Chart> charts_of(const Report& report, std::optional<ChartKind> kind) {
  if (!report.explanations.empty()) return explained_charts(report);
  std::vector<Chart> charts = kernel_charts(report, kind);
  if (!report.results.empty() || report.kernels.empty()) {
    std::vector<Chart> layers = layer_charts(report, kind);
    charts.insert(charts.begin(), std::make_move_iterator(layers.begin()),
                  std::make_move_iterator(layers.end()));
  }
  if (charts.empty() && !report.kernels.empty())
    throw InputError(std::string(name_of(*kind)) +
                     " chart: expected layers, or kernels with counters and their GPU, got kernels "
                     "alone; --chart time draws these");
  return charts;
}

}  // namespace roofline
