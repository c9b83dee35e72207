#include "onnx/operators.hpp"

#include <unordered_map>
#include <vector>

#include "onnx/families.hpp"

namespace roofline::onnx_graph {
namespace {

using Rows = std::unordered_multimap<std::string_view, const Operator*>;

const Rows& all_rows() {
  static const Rows rows = [] {
    Rows all;
    for (const auto family :
         {attention_operators, control_operators, convolution_operators, elementwise_operators,
          movement_operators, norm_operators, product_operators, quantisation_operators,
          reduction_operators, selection_operators, source_operators})
      for (const Operator& row : family()) all.emplace(row.name, &row);
    return all;
  }();
  return rows;
}

/// Whether a row says more than another of the name does of that set: it is the newer of those that
/// start before the set, or the older of those that do not.
bool is_nearer(const Operator& row, const Operator& other, int set) {
  const bool starts = row.first_set <= set;
  if (starts != (other.first_set <= set)) return starts;
  return starts ? row.first_set > other.first_set : row.first_set < other.first_set;
}

}  // namespace

const Operator* find_operator(std::string_view domain, std::string_view name, int set) {
  const Operator* found = nullptr;
  const auto [begin, end] = all_rows().equal_range(name);
  for (auto row = begin; row != end; ++row)
    if (row->second->domain == domain && (found == nullptr || is_nearer(*row->second, *found, set)))
      found = row->second;
  if (found == nullptr && domain == microsoft) return find_operator("", name, set);
  // Where QONNX's operators stood before they had a domain of their own.
  if (found == nullptr && (domain == "onnx.brevitas" || domain == "finn.custom_op.general"))
    return find_operator(qonnx, name, set);
  return found;
}

}  // namespace roofline::onnx_graph
