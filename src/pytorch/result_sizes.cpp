#include "pytorch/result_sizes.hpp"

#include <algorithm>

#include "pytorch/links.hpp"

namespace roofline {

ResultSizes::ResultSizes(const Recording& recording, ArgumentCache& arguments)
    : recording_(recording), arguments_(arguments) {
  for (std::uint32_t op = 0; op < recording.operators.size(); ++op)
    if (const std::uint64_t sequence = recording.operators[op].sequence; sequence != 0)
      by_sequence_.emplace_back(sequence, op);
  std::sort(by_sequence_.begin(), by_sequence_.end());
}

std::uint32_t ResultSizes::only(std::uint64_t sequence, std::string_view part) const {
  std::uint32_t found = no_index;
  for (auto at =
           std::lower_bound(by_sequence_.begin(), by_sequence_.end(), std::pair{sequence, 0U});
       at != by_sequence_.end() && at->first == sequence; ++at) {
    const std::string& name = recording_.texts.at(recording_.operators[at->second].name);
    // "autograd::engine::evaluate_function: CatBackward0" is around "CatBackward0".
    if (name.starts_with("autograd::engine") || name.find(part) == std::string::npos) continue;
    if (found != no_index) return no_index;
    found = at->second;
  }
  return found;
}

std::size_t ResultSizes::count(std::uint64_t sequence, TextId name) const {
  std::size_t count = 0;
  for (auto at =
           std::lower_bound(by_sequence_.begin(), by_sequence_.end(), std::pair{sequence, 0U});
       at != by_sequence_.end() && at->first == sequence; ++at)
    count += recording_.operators[at->second].name == name ? 1U : 0U;
  return count;
}

std::vector<Sizes> ResultSizes::of(std::uint32_t op, std::string_view backward, std::size_t rank) {
  std::vector<Sizes> found;
  const HostRange& own = recording_.operators[op];
  // Operators without gradients have the number that the next one with a gradient will have, too.
  if (own.sequence != 0 && count(own.sequence, own.name) == 1)
    if (const std::uint32_t function = only(own.sequence, backward); function != no_index)
      if (const TensorArgument* gradient =
              arguments_.at(recording_.operators[function].arguments).tensor(0))
        found.push_back(gradient->sizes);
  if (rank == 0) return found;
  constexpr std::size_t most_ranges = 16;
  const std::size_t end =
      std::min(recording_.operators.size(), static_cast<std::size_t>(op) + 1 + most_ranges);
  for (auto next = static_cast<std::size_t>(op) + 1; next < end; ++next) {
    const HostRange& range = recording_.operators[next];
    if (range.thread != own.thread) break;
    if (range.start_us < own.end_us) continue;
    const OperatorArguments& arguments = arguments_.at(range.arguments);
    for (std::size_t i = 0; i < arguments.count(); ++i)
      if (const TensorArgument* tensor = arguments.tensor(i);
          tensor != nullptr && tensor->sizes.size() == rank) {
        found.push_back(tensor->sizes);
        return found;
      }
  }
  return found;
}

}  // namespace roofline
