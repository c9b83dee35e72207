#pragma once

// What recordings call work and waiting that advice depends on.

#include <algorithm>
#include <string_view>

#include "roofline/recording.hpp"

namespace roofline {

/// UnmodelledWork::reason of kernels in captured graphs.
inline constexpr std::string_view in_graph = "launched by a CUDA graph, which keeps no operators";

/// Ends IdleGaps::during where the next piece of work was a whole graph.
inline constexpr std::string_view before_graph = "(before a graph)";

/// Whether code of the host that is called so runs once, before a kernel's first launch:
/// torch.compile, Triton, the loading of a module.
inline bool is_warm_up(std::string_view during) {
  constexpr std::string_view parts[] = {
      "ModuleLoad",         "LibraryLoad",           "triton/compiler",
      "torch/_inductor/co", "torch/_inductor/graph", "torch/_dynamo/convert_frame"};
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return during.find(part) != during.npos; });
}

}  // namespace roofline
