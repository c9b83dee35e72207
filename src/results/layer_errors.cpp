#include "results/layer_errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace roofline {
namespace {

struct CellKey {
  std::optional<LayerClass> layer_class;
  std::optional<DataType> dtype;
  std::optional<Pass> pass;

  bool operator<(const CellKey& other) const {
    return std::tie(layer_class, dtype, pass) <
           std::tie(other.layer_class, other.dtype, other.pass);
  }
  int count() const {
    return int{layer_class.has_value()} + int{dtype.has_value()} + int{pass.has_value()};
  }
};

/// The layer's, with ever fewer keys.
std::array<CellKey, 4> keys_of(const CellKey& key) {
  return {{key, {key.layer_class, key.dtype, {}}, {key.layer_class, {}, {}}, {}}};
}

using ErrorCells = std::map<CellKey, std::vector<const LayerError*>>;

ErrorCells cells_of(const std::vector<LayerError>& errors, const ErrorScope& scope) {
  ErrorCells cells;
  for (const LayerError& error : errors)
    for (const CellKey& key : keys_of({error.layer_class, error.dtype, error.pass}))
      cells[key].push_back(&error);
  // What is known of some kernels of a GPU says nothing of its other ones.
  if (scope.basis != UncertaintyBasis::datasheet) cells.erase(CellKey{});
  std::erase_if(cells, [&](const auto& cell) { return cell.second.size() < scope.least_layers; });
  return cells;
}

/// What was measured of activations and the like, on GPUs that they are then sure of.
std::vector<ElementCost> costs_of(const CellKey& key, const std::vector<const LayerError*>& cell,
                                  const ErrorScope& scope) {
  if (key.layer_class != LayerClass::other || scope.basis == UncertaintyBasis::datasheet) return {};
  std::set<ElementCost> costs;
  for (const LayerError* error : cell) costs.insert(error->cost);
  return {costs.begin(), costs.end()};
}

LayerErrors errors_of(const CellKey& key, const std::vector<const LayerError*>& cell,
                      const ErrorScope& scope) {
  std::map<std::size_t, double> layers_of;
  for (const LayerError* error : cell) ++layers_of[error->gpu];
  std::vector<ErrorDistance> distances;
  distances.reserve(cell.size());
  for (const LayerError* error : cell)
    distances.push_back({std::fabs(error->log_ratio), 1 / layers_of[error->gpu]});
  return {scope.basis,
          scope.applies_to,
          key.layer_class,
          costs_of(key, cell, scope),
          key.dtype,
          key.pass,
          cell.size(),
          std::exp(quantile(distances, share_of_factor)),
          std::exp(quantile(distances, share_of_factor_95)),
          scope.origin};
}

/// Whether it says next to nothing that the wider cell does not.
bool is_like(const LayerErrors& errors, const LayerErrors& wider) {
  constexpr double like = 0.25;
  const auto are_like = [](double a, double b) {
    return std::fabs(std::log(a) - std::log(b)) < like * std::log(b);
  };
  return are_like(errors.factor, wider.factor) && are_like(errors.factor_95, wider.factor_95);
}

bool tells_something(const CellKey& key, const LayerErrors& errors, const ErrorCells& cells,
                     const ErrorScope& scope) {
  for (const CellKey& wider : keys_of(key)) {
    const auto found = cells.find(wider);
    if (wider.count() < key.count() && found != cells.end())
      return !is_like(errors, errors_of(wider, found->second, scope));
  }
  return true;
}

}  // namespace

double quantile(std::vector<ErrorDistance> distances, double share) {
  std::sort(distances.begin(), distances.end(),
            [](const ErrorDistance& a, const ErrorDistance& b) { return a.log < b.log; });
  double all = 0;
  for (const ErrorDistance& each : distances) all += each.weight;
  double sum = 0;
  for (const ErrorDistance& each : distances) {
    sum += each.weight;
    if (sum >= share * all) return each.log;
  }
  return distances.back().log;
}

std::vector<LayerErrors> layer_errors(const std::vector<LayerError>& errors,
                                      const ErrorScope& scope) {
  const ErrorCells cells = cells_of(errors, scope);
  std::vector<LayerErrors> list;
  for (int keys = 3; keys >= 0; --keys)
    for (const auto& [key, cell] : cells) {
      if (key.count() != keys) continue;
      const LayerErrors of_cell = errors_of(key, cell, scope);
      if (tells_something(key, of_cell, cells, scope)) list.push_back(of_cell);
    }
  return list;
}

}  // namespace roofline
