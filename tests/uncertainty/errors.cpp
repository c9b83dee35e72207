#include "uncertainty/errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "kernel/engine_facts.hpp"
#include "model/layer_kind.hpp"
#include "roofline/catalogue.hpp"

namespace roofline::uncertainty {
namespace {

/// Layers that make a sum.
constexpr std::size_t least_sum = 5;

/// What a factor and what a factor_95 hold.
constexpr double share_of_factor = 0.6827;
constexpr double share_of_factor_95 = 0.95;

FoundErrors found_errors(std::vector<LayerErrors> layers) {
  return {std::make_shared<const MeasuredErrors>(MeasuredErrors{std::move(layers), {}, {}}),
          [](const LayerErrors&) { return true; }};
}

/// How far the expected time of one measured layer was from the truth.
struct LayerError {
  LayerClass layer_class = LayerClass::dense;
  ElementCost cost = ElementCost::own;
  ConvolutionForm form = ConvolutionForm::usual;
  DataType dtype = DataType::fp32;  ///< as EngineFacts::error_type
  Pass pass = Pass::fwd;
  double log_ratio = 0;  ///< ln(expected / measured)
  std::size_t gpu = 0;   ///< a number for each: where there are several, each counts as much
};

/// A distance from the truth, and how much it counts.
struct ErrorDistance {
  double log = 0;
  double weight = 1;
};

/// The least distance that this share of them does not exceed. At least one.
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

struct CellKey {
  std::optional<LayerClass> layer_class;
  std::optional<ConvolutionForm> form;
  std::optional<DataType> dtype;
  std::optional<Pass> pass;

  bool operator<(const CellKey& other) const {
    return std::tie(layer_class, form, dtype, pass) <
           std::tie(other.layer_class, other.form, other.dtype, other.pass);
  }
  int count() const {
    return int{layer_class.has_value()} + 3 * int{form.has_value()} + int{dtype.has_value()} +
           int{pass.has_value()};
  }
};

/// The layer's, with ever fewer keys: a form's own ones before those of all forms.
std::vector<CellKey> keys_of(const CellKey& key) {
  const auto& [layer_class, form, dtype, pass] = key;
  std::vector<CellKey> keys{key, {layer_class, form, dtype, {}}, {layer_class, form, {}, {}}};
  if (form) keys.insert(keys.begin() + 3, {{layer_class, {}, {}, {}}});
  keys.push_back({});
  return keys;
}

using ErrorCells = std::map<CellKey, std::vector<const LayerError*>>;

ErrorCells cells_of(const std::vector<LayerError>& errors, const ErrorScope& scope) {
  ErrorCells cells;
  for (const LayerError& error : errors)
    for (const CellKey& key : keys_of({error.layer_class, error.form, error.dtype, error.pass}))
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
          key.form,
          key.dtype,
          key.pass,
          0,
          cell.size(),
          std::exp(quantile(distances, share_of_factor)),
          std::exp(quantile(distances, share_of_factor_95)),
          scope.origin};
}

/// Whether it says next to nothing that the wider cell does not.
bool is_like(const LayerErrors& errors, const LayerErrors& wider) {
  const double like = errors.form ? 0.05 : 0.25;
  const auto are_like = [like](double a, double b) {
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

/// By class, type and pass, of which fewer are given where there are too few layers, and where more
/// tell nothing.
std::vector<LayerErrors> quantiles_of(const std::vector<LayerError>& errors,
                                      const ErrorScope& scope) {
  const ErrorCells cells = cells_of(errors, scope);
  std::vector<LayerErrors> list;
  for (int keys = 6; keys >= 0; --keys)
    for (const auto& [key, cell] : cells) {
      if (key.count() != keys) continue;
      const LayerErrors of_cell = errors_of(key, cell, scope);
      if (tells_something(key, of_cell, cells, scope)) list.push_back(of_cell);
    }
  return list;
}

std::vector<const LayerResult*> pointers_to(const std::vector<LayerResult>& rows) {
  std::vector<const LayerResult*> pointers;
  for (const LayerResult& row : rows) pointers.push_back(&row);
  return pointers;
}

/// The number from `least` to `most` at which a falling function meets 1.
template <class Function>
double where_one(double least, double most, const Function& function) {
  for (int i = 0; i < 60; ++i) {
    const double middle = (least + most) / 2;
    (function(middle) > 1 ? least : most) = middle;
  }
  return (least + most) / 2;
}

/// How far a run is from its expected time, in widths of what is stated under these errors.
std::vector<ErrorDistance> widths(const std::vector<const Run*>& runs, const TotalErrors& errors,
                                  double Uncertainty::*factor) {
  std::vector<ErrorDistance> distances;
  for (const Run* run : runs) {
    const auto stated =
        total_uncertainty(pointers_to(run->result.layers), RunWay::layers, {{}, {errors}, {}});
    distances.push_back({std::fabs(run->log_ratio()) / std::log((*stated).*factor), 1});
  }
  return distances;
}

/// The number of the errors at which this share of the runs lies where it should.
double solved(const std::vector<const Run*>& runs, TotalErrors errors, double TotalErrors::*number,
              double least, double most, double Uncertainty::*factor, double share) {
  return where_one(least, most, [&](double candidate) {
    errors.*number = candidate;
    return quantile(widths(runs, errors, factor), share);
  });
}

}  // namespace

std::vector<LayerErrors> layer_errors(const std::vector<const Sample*>& samples,
                                      const ErrorScope& scope) {
  std::map<std::string, std::size_t> gpus;
  std::vector<LayerError> errors;
  for (const Sample* sample : samples) {
    const LayerResult& row = sample->row;
    errors.push_back({class_of(row.layer), info(row.layer.kind).cost, form_of(row.layer),
                      facts_of(row.planned_engine).error_type, row.layer.pass, sample->log_ratio,
                      gpus.emplace(sample->set.gpu, gpus.size()).first->second});
  }
  return quantiles_of(errors, scope);
}

double common_share(const std::vector<const Sample*>& samples, const FoundErrors& errors) {
  using Part = std::tuple<std::string, std::string, DataType, Pass, std::string>;
  std::map<Part, std::vector<LayerResult>> parts;
  for (const Sample* sample : samples) {
    const std::string& name = sample->row.layer.name;
    LayerResult row = sample->row;
    row.expected_uncertainty = layer_uncertainty(row, errors);
    parts[{sample->set.file, sample->network, row.layer.dtypes.input, row.layer.pass,
           name.substr(std::min(name.rfind('@'), name.size()))}]
        .push_back(std::move(row));
  }
  std::erase_if(parts, [](const auto& part) { return part.second.size() < least_sum; });
  return where_one(0, 1, [&](double share) {
    std::vector<ErrorDistance> distances;
    for (const auto& [part, rows] : parts) {
      double expected_s = 0;
      double measured_s = 0;
      for (const LayerResult& row : rows) {
        expected_s += *row.expected_time_s();
        measured_s += *row.measured_time_s;
      }
      const MeasuredErrors all{{}, {{UncertaintyBasis::measured, share, 1, 1, 1, ""}}, {}};
      const auto total = total_uncertainty(pointers_to(rows), std::nullopt, all);
      distances.push_back(
          {std::fabs(std::log(expected_s / measured_s)) / std::log(total->factor), 1});
    }
    return quantile(distances, share_of_factor);
  });
}

std::vector<TotalErrors> total_errors(const std::vector<Run>& runs, double share,
                                      const std::string& origin) {
  constexpr double most_run_factor = 3;
  EnumArray<UncertaintyBasis, std::vector<const Run*>> of_basis;
  for (const Run& run : runs)
    of_basis[total_uncertainty(pointers_to(run.result.layers), RunWay::layers, {})->basis]
        .push_back(&run);
  std::vector<TotalErrors> list;
  for (const UncertaintyBasis basis : enumerators<UncertaintyBasis>) {
    const auto& those = of_basis[basis];
    TotalErrors errors{basis, share, 1, 1, those.size(), origin};
    if (list.empty()) {
      errors.run_factor = solved(those, errors, &TotalErrors::run_factor, 1, most_run_factor,
                                 &Uncertainty::factor, share_of_factor);
    } else {
      errors.run_factor = list.front().run_factor;
      errors.common_share = solved(those, errors, &TotalErrors::common_share, share, 1,
                                   &Uncertainty::factor, share_of_factor);
    }
    errors.run_factor_95 = solved(those, errors, &TotalErrors::run_factor_95, errors.run_factor,
                                  most_run_factor, &Uncertainty::factor_95, share_of_factor_95);
    list.push_back(errors);
  }
  return list;
}

void Coverage::add(double log_ratio, const Uncertainty& uncertainty) {
  const double distance = std::fabs(log_ratio);
  ++all;
  if (distance <= std::log(uncertainty.factor)) ++within_68;
  if (distance <= std::log(uncertainty.factor_95)) ++within_95;
  log_factor_sum += std::log(uncertainty.factor);
}

void Coverage::add(const Coverage& more) {
  all += more.all;
  within_68 += more.within_68;
  within_95 += more.within_95;
  log_factor_sum += more.log_factor_sum;
}

double Coverage::mean_factor() const {
  return std::exp(log_factor_sum / static_cast<double>(std::max<std::size_t>(all, 1)));
}

std::map<std::string, Coverage> coverage(const std::vector<const Sample*>& samples,
                                         const ErrorScope& scope, const GroupOf& group,
                                         const GroupOf& label) {
  std::map<std::string, std::vector<const Sample*>> groups;
  for (const Sample* sample : samples) groups[group(*sample)].push_back(sample);
  std::map<std::string, Coverage> by_label;
  for (const auto& [left_out, members] : groups) {
    std::vector<const Sample*> others;
    for (const auto& [name, each] : groups)
      if (name != left_out) others.insert(others.end(), each.begin(), each.end());
    const FoundErrors errors = found_errors(layer_errors(others, scope));
    for (const Sample* sample : members)
      if (const auto uncertainty = layer_uncertainty(sample->row, errors))
        by_label[label(*sample)].add(sample->log_ratio, *uncertainty);
  }
  return by_label;
}

}  // namespace roofline::uncertainty
