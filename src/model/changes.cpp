#include <algorithm>
#include <cmath>
#include <map>

#include "roofline/summary.hpp"

namespace roofline {
namespace {

std::string name_of_input(const Result& result) {
  return result.setting.label + " on " + result.setting.gpu;
}

}  // namespace

MeasuredChanges changes_between(const Result& before, const Result& after) {
  MeasuredChanges changes{name_of_input(before), name_of_input(after), {}, 0, 0, 0, 0};
  std::map<std::pair<std::string_view, Pass>, double> later_s;
  for (const LayerResult& row : after.layers)
    if (row.measured_time_s) later_s[{row.layer.name, row.layer.pass}] = *row.measured_time_s;
  for (const LayerResult& row : before.layers) {
    if (!row.measured_time_s) continue;
    const auto found = later_s.find({row.layer.name, row.layer.pass});
    if (found == later_s.end()) {
      ++changes.only_before;
      continue;
    }
    changes.layers.push_back({row.layer.name, row.layer.pass, *row.measured_time_s, found->second});
    changes.before_s += *row.measured_time_s;
    changes.after_s += found->second;
    later_s.erase(found);
  }
  changes.only_after = later_s.size();
  std::stable_sort(changes.layers.begin(), changes.layers.end(), [](const auto& a, const auto& b) {
    return std::fabs(a.after_s - a.before_s) > std::fabs(b.after_s - b.before_s);
  });
  return changes;
}

}  // namespace roofline
