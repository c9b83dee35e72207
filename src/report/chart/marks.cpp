#include "report/chart/marks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace roofline {
namespace {

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

}  // namespace

void add_mark_legend(std::vector<LegendItem>& legend, const std::vector<Mark>& marks) {
  using Sign = LegendItem::Sign;
  const auto any = [&](auto has) { return std::any_of(marks.begin(), marks.end(), has); };
  if (any([](const Mark& mark) { return mark.bound_y && !mark.bound_is_l2; }))
    legend.push_back({"roofline bound", Sign::bound, Colour::ink, {}, {}});
  if (any([](const Mark& mark) { return mark.bound_y && mark.bound_is_l2; }))
    legend.push_back({"operands in L2: its roof", Sign::l2_bound, Colour::ink, {}, {}});
  if (any([](const Mark& mark) { return mark.l2_x.has_value(); }))
    legend.push_back({"by its bytes at L2", Sign::l2_mark, Colour::ink, Symbol::circle, {}});
}

std::vector<std::size_t> marks_by_share(const std::vector<Mark>& marks) {
  std::vector<std::size_t> order(marks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return marks[a].share > marks[b].share; });
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
    const auto spot = std::find_if(spots.begin(), spots.end(), [&](std::size_t each) {
      return joins && is_one_spot(marks[each], marks[order[i]]);
    });
    if (spot == spots.end())
      spots.push_back(order[i]);
    else
      merge(marks[*spot], marks[order[i]]);
  }
  std::sort(spots.begin(), spots.end());
  std::vector<Mark> thinned;
  thinned.reserve(spots.size());
  for (const std::size_t spot : spots) thinned.push_back(std::move(marks[spot]));
  marks = std::move(thinned);
  return left_out;
}

void stress(std::vector<Mark>& marks, std::size_t most) {
  std::vector<std::string> labels;
  double stressed = 0;
  for (const std::size_t i : marks_by_share(marks)) {
    const Mark& mark = marks[i];
    if (labels.size() == most || stressed > most_of_time) break;
    if (mark.share < little_time && marks.size() > 1) break;
    if (std::find(labels.begin(), labels.end(), mark.label) != labels.end()) continue;
    stressed += mark.share;
    labels.push_back(mark.label);
  }
  for (Mark& mark : marks) {
    if (std::find(labels.begin(), labels.end(), mark.label) != labels.end()) continue;
    mark.label.clear();
    mark.expected_y = mark.bound_y = mark.l2_x = std::nullopt;
  }
}

}  // namespace roofline
