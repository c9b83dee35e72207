#include "pytorch/unmodelled.hpp"

#include <algorithm>

namespace roofline {

void UnmodelledList::add(const std::string& name, const std::string& shapes,
                         const std::string& reason, double time_s, std::size_t launches) {
  UnmodelledWork& work = items_[{name, shapes, reason}];
  work.launches += static_cast<double>(launches);
  work.time_s += time_s;
}

std::vector<UnmodelledWork> UnmodelledList::items(std::size_t steps) && {
  std::vector<UnmodelledWork> items;
  const auto step_count = static_cast<double>(steps);
  for (const auto& [key, work] : items_)
    items.push_back({std::get<0>(key), std::get<2>(key), std::get<1>(key),
                     work.launches / step_count, work.time_s / step_count});
  std::stable_sort(
      items.begin(), items.end(),
      [](const UnmodelledWork& a, const UnmodelledWork& b) { return a.time_s > b.time_s; });
  return items;
}

}  // namespace roofline
