// The order in which a graph's nodes can run.

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "load/onnx/builder.hpp"

namespace roofline::onnx_graph {
namespace {

/// Calls visit(name) for everything that a node reads, graphs inside it included.
template <class Visit>
void for_each_read(const ::onnx::NodeProto& node, const Visit& visit) {
  for (const std::string& name : node.input()) visit(name);
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g())
      for (const auto& inner : attribute.g().node()) for_each_read(inner, visit);
    for (const auto& graph : attribute.graphs())
      for (const auto& inner : graph.node()) for_each_read(inner, visit);
  }
}

}  // namespace

std::vector<const ::onnx::NodeProto*> in_order(const NodeList& nodes) {
  const auto count = static_cast<std::size_t>(nodes.size());
  std::unordered_map<std::string, std::size_t> maker;
  for (std::size_t i = 0; i < count; ++i)
    for (const std::string& name : nodes[static_cast<int>(i)].output())
      if (!name.empty()) maker[name] = i;
  std::vector<std::vector<std::size_t>> readers(count);
  std::vector<std::size_t> waits_for(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    for_each_read(nodes[static_cast<int>(i)], [&](const std::string& name) {
      const auto found = maker.find(name);
      if (found == maker.end()) return;
      readers[found->second].push_back(i);
      ++waits_for[i];
    });
  std::vector<const ::onnx::NodeProto*> order;
  std::vector<std::size_t> ready;
  for (std::size_t i = count; i-- > 0;)
    if (waits_for[i] == 0) ready.push_back(i);
  while (!ready.empty()) {
    const std::size_t next = ready.back();
    ready.pop_back();
    order.push_back(&nodes[static_cast<int>(next)]);
    for (std::size_t i = readers[next].size(); i-- > 0;)
      if (--waits_for[readers[next][i]] == 0) ready.push_back(readers[next][i]);
  }
  if (order.size() == count) return order;
  for (std::size_t i = 0; i < count; ++i)
    if (waits_for[i] != 0)
      throw NodeError{"expected nodes without a cycle, got one through " +
                      node_place(nodes[static_cast<int>(i)])};
  return order;
}

}  // namespace roofline::onnx_graph
