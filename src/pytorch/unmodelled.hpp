#pragma once

// GPU work that becomes no layer, equal work as one.

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "roofline/trace.hpp"

namespace roofline {

class UnmodelledList {
 public:
  void add(const std::string& name, const std::string& shapes, const std::string& reason,
           double time_s, std::size_t launches = 1);
  /// In descending order of time, as of one of so many steps.
  std::vector<UnmodelledWork> items(std::size_t steps) &&;

 private:
  std::map<std::tuple<std::string, std::string, std::string>, UnmodelledWork> items_;
};

}  // namespace roofline
