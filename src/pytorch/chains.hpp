#pragma once

// Elementwise operators that ran one after the other, each reading what the one before it wrote:
// what a compiler makes one kernel of.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "pytorch/operator_call.hpp"
#include "roofline/spec.hpp"
#include "roofline/trace.hpp"

namespace roofline {

class ChainList {
 public:
  /// The next operator, whose one layer is that row. Without addresses in a trace, an operator is
  /// taken to read what was written last where it reads a tensor of those sizes.
  void add(std::size_t row, const LayerSpec& layer, const OperatorCall& call);
  /// Other work comes next.
  void end();
  /// Chains of two layers and more, as of one of so many steps, in a fixed order. `names`: of rows.
  std::vector<ElementwiseChain> items(const std::vector<std::string>& names, std::size_t steps);

 private:
  std::vector<std::size_t> open_;  ///< rows of the chain that may go on
  Sizes written_;                  ///< by the last of them
  std::map<std::vector<std::size_t>, std::size_t> runs_;
};

}  // namespace roofline
