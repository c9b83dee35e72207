#include "report/chart/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "report/names.hpp"
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

std::vector<LegendItem> look_legend(const std::vector<TableRow>& rows, LegendItem::Sign sign) {
  std::vector<LegendItem> legend;
  for (const Look& look : looks)
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const TableRow& row) { return &look_of(row.first().layer) == &look; }))
      legend.push_back({std::string(look.name), sign, look.colour, look.symbol, {}});
  return legend;
}

std::string row_name(const TableRow& row) { return label_of(row) + suffix_of(row); }

std::vector<std::string> short_labels(const std::vector<std::string>& labels, std::size_t width) {
  std::vector<std::string> clean;
  clean.reserve(labels.size());
  for (const std::string& label : labels) clean.push_back(printable(label));
  return short_names(clean, std::max<std::size_t>(width, 12));
}

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
  return {"68 of 100 measured times", LegendItem::Sign::whisker, Colour::ink, Symbol::square, {}};
}

double row_time_s(const TableRow& row) {
  double time = 0;
  for (const std::size_t layer : row.layers) time += time_s(row.result.layers[layer]);
  return time;
}

std::vector<TableRow> folded_rows(const Report& report, std::size_t result) {
  std::vector<std::vector<std::size_t>> groups = report.selections[result].groups;
  if (!report.view.sort)
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.front() < b.front(); });
  std::vector<TableRow> rows;
  rows.reserve(groups.size());
  for (auto& group : groups) rows.push_back({report.results[result], std::move(group)});
  return rows;
}

std::string work_title(const Result& result, bool with_gpu) {
  std::string text = result.setting.label;
  if (with_gpu) text += " on " + result.setting.gpu;
  if (result.setting.dtype) text += fmt::format(", {}", name_of(*result.setting.dtype));
  if (result.setting.batch) text += fmt::format(", batch {}", *result.setting.batch);
  if (result.setting.training)
    text += ", training";
  else if (result.setting.pass)
    text += fmt::format(", {}", name_of(*result.setting.pass));
  return text;
}

std::string layers_text(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "layer" : "layers");
}

}  // namespace roofline
