#pragma once

// The sizes of operators' results. A trace has them only where something else takes the result.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "pytorch/operator_arguments.hpp"
#include "pytorch/recording.hpp"

namespace roofline {

class ResultSizes {
 public:
  /// The recording's operators are sorted by thread and start.
  ResultSizes(const Recording& recording, ArgumentCache& arguments);

  /// What the operator's result may be, the surer first: the gradient that its backward function
  /// (the one with its sequence number, whose name has `backward`) takes is as large; the next
  /// operator on the thread that takes a tensor of so many axes may take it.
  std::vector<Sizes> of(std::uint32_t op, std::string_view backward, std::size_t rank);

 private:
  /// The operator of that sequence number whose name has `part`; no_index where there are several.
  std::uint32_t only(std::uint64_t sequence, std::string_view part) const;
  std::size_t count(std::uint64_t sequence, TextId name) const;

  const Recording& recording_;
  ArgumentCache& arguments_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_sequence_;
};

}  // namespace roofline
