#include "results/uncertainty.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "kernel/constants.hpp"

namespace roofline {
namespace {

/// The factor of 68 or of 95 in 100.
using Factor = double Uncertainty::*;

double sum_of_squares(const std::vector<const LayerResult*>& rows, double whole_s,
                      double common_share, Factor factor) {
  // What the model sees no difference between.
  using Work = std::tuple<LayerKind, Pass, Engine, std::uint64_t, std::uint64_t, double>;
  std::map<Work, double> works;
  double all = 0;
  for (const LayerResult* row : rows) {
    if (!row->expected_uncertainty) continue;
    const double part =
        *row->expected_time_s / whole_s * std::log((*row->expected_uncertainty).*factor);
    all += part;
    works[{row->layer.kind, row->layer.pass, row->engine, row->counts.macs, row->counts.bytes.total,
           *row->expected_time_s}] += part;
  }
  double apart = 0;
  for (const auto& [work, part] : works) apart += part * part;
  return common_share * all * all + (1 - common_share) * apart;
}

std::optional<UncertaintyBasis> main_basis(const std::vector<const LayerResult*>& rows) {
  EnumArray<UncertaintyBasis, double> time_s{};
  for (const LayerResult* row : rows)
    if (row->expected_uncertainty)
      time_s[row->expected_uncertainty->basis] += *row->expected_time_s;
  const auto bases = enumerators<UncertaintyBasis>;
  const auto most = *std::max_element(
      bases.begin(), bases.end(),
      [&](UncertaintyBasis a, UncertaintyBasis b) { return time_s[a] < time_s[b]; });
  return time_s[most] > 0 ? std::optional(most) : std::nullopt;
}

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

DataType error_type_of(Engine engine) { return facts_of(engine).error_type; }

std::optional<Uncertainty> layer_uncertainty(const LayerResult& row, const MeasuredErrors& errors) {
  const LayerClass layer_class = class_of(row.layer);
  const DataType type = error_type_of(row.engine);
  const Pass pass = row.layer.pass;
  const auto is_any_or = [](const auto& stated, auto own) { return !stated || *stated == own; };
  const auto has_cost = [&, cost = info(row.layer.kind).cost](const LayerErrors& each) {
    return each.costs.empty() ||
           std::find(each.costs.begin(), each.costs.end(), cost) != each.costs.end();
  };
  for (const LayerErrors& each : errors.layers)
    if (is_any_or(each.layer_class, layer_class) && has_cost(each) && is_any_or(each.dtype, type) &&
        is_any_or(each.pass, pass) &&
        (!row.layer.mapping->tile || each.basis == UncertaintyBasis::datasheet))
      return Uncertainty{each.factor, each.factor_95, each.basis};
  return std::nullopt;
}

std::optional<Uncertainty> total_uncertainty(const std::vector<const LayerResult*>& rows,
                                             bool is_network, const MeasuredErrors& errors) {
  const auto basis = main_basis(rows);
  if (!basis) return std::nullopt;
  double whole_s = 0;
  for (const LayerResult* row : rows) whole_s += row->expected_time_s.value_or(0);
  // A basis without measured runs is no surer of them than the next one that has some.
  const auto found = std::find_if(errors.totals.begin(), errors.totals.end(),
                                  [&](const TotalErrors& each) { return each.basis >= *basis; });
  const TotalErrors none{*basis, 1, 1, 1, 0, {}};
  const TotalErrors& total = found == errors.totals.end() ? none : *found;
  const auto total_factor = [&](Factor factor, double run_factor) {
    const double run = is_network ? std::log(run_factor) : 0;
    return std::exp(
        std::sqrt(sum_of_squares(rows, whole_s, total.common_share, factor) + run * run));
  };
  return Uncertainty{total_factor(&Uncertainty::factor, total.run_factor),
                     total_factor(&Uncertainty::factor_95, total.run_factor_95), *basis};
}

void set_total_uncertainty(Result& result, const MeasuredErrors& errors) {
  std::vector<const LayerResult*> all;
  std::map<LayerKind, std::vector<const LayerResult*>> by_kind;
  for (const LayerResult& row : result.layers) {
    all.push_back(&row);
    by_kind[row.layer.kind].push_back(&row);
  }
  const auto set = [&](Total& total, const std::vector<const LayerResult*>& rows, bool is_network) {
    if (total.expected_time_s)
      total.expected_uncertainty = total_uncertainty(rows, is_network, errors);
  };
  set(result.total, all, result.bounds.network.has_value());
  for (TypeRow& type : result.types) set(type.total, by_kind[type.kind], false);
}

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
