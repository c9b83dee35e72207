#include <algorithm>

#include "roofline/summary.hpp"

namespace roofline {

std::vector<TypeRow> by_type(const Result& result) {
  std::vector<TypeRow> types;
  for (const LayerResult& row : result.layers) {
    auto type = std::find_if(types.begin(), types.end(),
                             [&](const TypeRow& each) { return each.kind == row.layer.kind; });
    if (type == types.end()) type = types.insert(types.end(), {row.layer.kind, 0, {}, 0});
    type->layers += row.layer.repeat;
    type->time_share += row.time_share;
    add_to_total(type->total, row);
  }
  std::stable_sort(types.begin(), types.end(),
                   [](const TypeRow& a, const TypeRow& b) { return a.time_share > b.time_share; });
  return types;
}

}  // namespace roofline
