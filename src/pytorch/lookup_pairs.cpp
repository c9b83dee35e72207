#include "pytorch/lookup_pairs.hpp"

#include <algorithm>
#include <vector>

#include "pytorch/embedding_rules.hpp"

namespace roofline {
namespace {

/// A bag of each table for each row of the gradient.
bool is_gradient_of(const OperatorArguments& gradient, const OperatorArguments& lookup) {
  const TensorArgument* rows = gradient.tensor(0);
  const auto bags = bags_of_lookup(lookup);
  return rows != nullptr && bags && rows->sizes.front() > 0 && *bags % rows->sizes.front() == 0;
}

}  // namespace

std::unordered_map<std::uint32_t, std::uint32_t> pair_lookups(const Recording& recording,
                                                              ArgumentCache& arguments) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t op = 0; op < recording.operators.size(); ++op) {
    const std::string& name = recording.texts.at(recording.operators[op].name);
    if (is_lookup(name) || is_lookup_backward(name)) found.push_back(op);
  }
  std::stable_sort(found.begin(), found.end(), [&](std::uint32_t a, std::uint32_t b) {
    return recording.operators[a].start_us < recording.operators[b].start_us;
  });
  std::unordered_map<std::uint32_t, std::uint32_t> pairs;
  std::vector<std::uint32_t> open;  // arguments of look-ups without a gradient yet
  for (const std::uint32_t op : found) {
    const HostRange& range = recording.operators[op];
    if (is_lookup(recording.texts.at(range.name))) {
      open.push_back(range.arguments);
      continue;
    }
    const auto last = std::find_if(open.rbegin(), open.rend(), [&](std::uint32_t lookup) {
      return is_gradient_of(arguments.at(range.arguments), arguments.at(lookup));
    });
    if (last == open.rend()) continue;
    pairs[op] = *last;
    open.erase(std::prev(last.base()));
  }
  return pairs;
}

}  // namespace roofline
