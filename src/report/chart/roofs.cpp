#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/chart/makers.hpp"
#include "report/fields.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Within this of each other two roofs are one line to the eye.
constexpr double hardly_apart = 0.01;

bool differ(double a, double b) { return std::fabs(a / b - 1) > hardly_apart; }

/// From where the slope of `byte_per_s` enters the axes to where it reaches `top`.
Line slope(double byte_per_s, double top, LineStyle style, const Axis& x, const Axis& y) {
  const double begin = std::max(x.low, y.low / byte_per_s);
  return {.path = {{begin, byte_per_s * begin}, {top / byte_per_s, top}},
          .style = style,
          .label_at_begin = true};
}

Line flat(double flop_per_s, double from, LineStyle style, const Axis& x) {
  return {.path = {{std::max(from, x.low), flop_per_s}, {x.high, flop_per_s}}, .style = style};
}

/// The roof below the datasheet's: the ceilings that a person states or that were measured, else
/// what kernels reach in the kernel model.
struct LowerRoof {
  double flop_per_s;
  double byte_per_s;
  std::string_view name;
};

LowerRoof lower_of(const Bounds& bounds, Engine engine) {
  const auto i = static_cast<std::size_t>(engine);
  if (bounds.ceilings.kind != CeilingKind::datasheet)
    return {*bounds.ceilings.peak_flop_per_s[i], bounds.ceilings.bandwidth_byte_per_s,
            name_of(bounds.ceilings.kind)};
  return {bounds.roofs.practical_flop_per_s[i].value_or(*bounds.roofs.datasheet_flop_per_s[i]),
          bounds.roofs.practical_byte_per_s, "kernels reach"};
}

void add_engine(std::vector<Line>& lines, const Bounds& bounds, Engine engine, const Axis& x) {
  const double peak = *rate_of(bounds.roofs.datasheet_flop_per_s, engine);
  const LowerRoof lower = lower_of(bounds, engine);
  const double memory = std::max(bounds.roofs.datasheet_byte_per_s, lower.byte_per_s);
  Line top = flat(peak, peak / memory, LineStyle::solid, x);
  top.label = fmt::format("{} {}", name_of(engine), si(peak, "FLOP/s"));
  lines.push_back(std::move(top));
  if (!differ(lower.flop_per_s, peak)) return;
  Line reached = flat(lower.flop_per_s, lower.flop_per_s / lower.byte_per_s, LineStyle::dashed, x);
  reached.label = fmt::format("{} {}", lower.name, si(lower.flop_per_s, "FLOP/s"));
  reached.label_below = true;
  lines.push_back(std::move(reached));
}

}  // namespace

std::vector<Engine> fastest_first(const std::vector<Engine>& engines, const EngineRates& peaks) {
  std::vector<Engine> sorted;
  for (const Engine engine : engines)
    if (std::ranges::find(sorted, engine) == sorted.end()) sorted.push_back(engine);
  std::ranges::stable_sort(sorted, [&](Engine a, Engine b) {
    return rate_of(peaks, a).value_or(0) > rate_of(peaks, b).value_or(0);
  });
  return sorted;
}

std::vector<Line> roofs_of_one(const Bounds& bounds, const std::vector<Engine>& engines,
                               const Plot& plot) {
  const Axis& x = plot.x;
  const Axis& y = plot.y;
  const Roofs& roofs = bounds.roofs;
  const Engine fastest = engines.front();
  const double peak = *rate_of(roofs.datasheet_flop_per_s, fastest);
  const LowerRoof lower = lower_of(bounds, fastest);
  std::vector<Line> lines;
  Line l2 = slope(roofs.l2_byte_per_s, lower.flop_per_s, LineStyle::dash_dot, x, y);
  l2.label = "L2 " + si(roofs.l2_byte_per_s, "B/s");
  l2.path.push_back({lower.flop_per_s / lower.byte_per_s, lower.flop_per_s});
  Line memory = slope(roofs.datasheet_byte_per_s, peak, LineStyle::solid, x, y);
  memory.label = "DRAM " + si(roofs.datasheet_byte_per_s, "B/s");
  if (differ(lower.byte_per_s, roofs.datasheet_byte_per_s)) {
    // Too close to each other for a label between them: the lower one has both.
    Line reached = slope(lower.byte_per_s, lower.flop_per_s, LineStyle::dashed, x, y);
    reached.label =
        fmt::format("{} ({} {})", memory.label, lower.name, si(lower.byte_per_s, "B/s"));
    reached.label_below = true;
    memory.label.clear();
    lines.push_back(std::move(reached));
  }
  lines.push_back(std::move(memory));
  lines.push_back(std::move(l2));
  for (const Engine engine : engines) {
    add_engine(lines, bounds, engine, x);
    const double ceiling = *rate_of(bounds.ceilings.peak_flop_per_s, engine);
    const double ridge = ceiling / bounds.ceilings.bandwidth_byte_per_s;
    lines.push_back(foot_line({ridge, ceiling}, y, "ridge " + plain(ridge)));
  }
  return lines;
}

double roof_y(const Bounds& bounds, Engine engine, double intensity_flop_per_byte, bool at_l2) {
  const double byte_per_s =
      at_l2 ? bounds.roofs.l2_byte_per_s : bounds.ceilings.bandwidth_byte_per_s;
  return std::min(*rate_of(bounds.ceilings.peak_flop_per_s, engine),
                  intensity_flop_per_byte * byte_per_s);
}

void include(Axis& axis, double value) {
  axis.low = std::min(axis.low, value);
  axis.high = std::max(axis.high, value);
}

Line foot_line(const Position& from, const Axis& y, std::string label, Colour colour) {
  return {.path = {from, {from.x, y.low}},
          .style = LineStyle::dotted,
          .colour = colour,
          .label = std::move(label),
          .label_below = true};
}

Axis empty_axis(std::string title, std::string unit) {
  return {std::move(title), std::move(unit), true, 1e300, 0};
}

void fit_axes(Plot& plot, const std::vector<UsedRoofs>& roofs, bool with_l2) {
  plot.x = empty_axis("arithmetic intensity, FLOP/B");
  plot.y = empty_axis("arithmetic performance", "FLOP/s");
  for (const Mark& mark : plot.marks) {
    include(plot.x, mark.at.x);
    include(plot.x, mark.l2_x.value_or(mark.at.x));
    include(plot.y, mark.at.y);
    include(plot.y, mark.expected_y.value_or(mark.at.y));
    include(plot.y, mark.bound_y.value_or(mark.at.y));
  }
  for (const UsedRoofs& each : roofs)
    for (const Engine engine : each.engines) {
      const double peak = *rate_of(each.bounds.ceilings.peak_flop_per_s, engine);
      include(plot.x, peak / each.bounds.ceilings.bandwidth_byte_per_s);
      include(plot.y, peak);
      include(plot.y, rate_of(each.bounds.roofs.datasheet_flop_per_s, engine).value_or(peak));
      if (with_l2) include(plot.x, peak / each.bounds.roofs.l2_byte_per_s);
    }
  plot.x.low /= 2;
  plot.x.high *= 4;
  plot.y.low /= 2.5;
  plot.y.high *= 2.5;
}

std::vector<Line> roofs_of_many(const std::vector<const Result*>& results, const Plot& plot) {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Ceilings& ceilings = results[i]->bounds.ceilings;
    const double peak = *rate_of(ceilings.peak_flop_per_s, results[i]->bounds.main_engine);
    const double memory = ceilings.bandwidth_byte_per_s;
    const LineStyle style =
        ceilings.kind == CeilingKind::datasheet ? LineStyle::solid : LineStyle::dashed;
    Line roof = slope(memory, peak, style, plot.x, plot.y);
    roof.label_at_begin = false;
    roof.path.push_back({plot.x.high, peak});
    roof.label = results[i]->setting.gpu;
    roof.colour = gpu_colour(i);
    lines.push_back(std::move(roof));
    lines.push_back(foot_line({peak / memory, peak}, plot.y, "", gpu_colour(i)));
  }
  return lines;
}

Colour gpu_colour(std::size_t index) {
  constexpr std::array<Colour, 7> colours{Colour::blue,   Colour::vermillion, Colour::green,
                                          Colour::purple, Colour::orange,     Colour::sky,
                                          Colour::grey};
  return colours[index % colours.size()];
}

}  // namespace roofline
