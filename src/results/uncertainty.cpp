#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "results/steps.hpp"

namespace roofline {
namespace {

/// The factor of 68 or of 95 in 100.
using Factor = double Uncertainty::*;

/// Hosts of two H200s took 23 us per operator (KindInfo::host_share), another 36, of H100s 30 and
/// 51.
constexpr Uncertainty assumed_host{1.4, 2, UncertaintyBasis::datasheet};

/// ln of the factor from the row's host alone.
double host_log(const LayerResult& row, Factor factor) {
  return row.assumed_host_s / row.expected_time_s().value_or(1) * std::log(assumed_host.*factor);
}

double sum_of_squares(const std::vector<const LayerResult*>& rows, double whole_s,
                      double common_share, Factor factor) {
  // Equal for the model.
  using Work = std::tuple<LayerKind, Pass, Engine, std::uint64_t, std::uint64_t, double>;
  std::map<Work, double> works;
  double all = 0;
  double hosts = 0;  // one host errs equally for all layers
  for (const LayerResult* row : rows) {
    if (!row->expected_uncertainty) continue;
    const double share = *row->expected_time_s() / whole_s;
    const double host = host_log(*row, factor);
    const double log = std::log((*row->expected_uncertainty).*factor);
    const double part = share * std::sqrt(std::max(0.0, log * log - host * host));
    all += part;
    hosts += share * host;
    works[{row->layer.kind, row->layer.pass, row->planned_engine, row->counts.macs,
           row->counts.bytes.total, *row->expected_time_s()}] += part;
  }
  double apart = 0;
  for (const auto& [work, part] : works) apart += part * part;
  return common_share * all * all + (1 - common_share) * apart + hosts * hosts;
}

/// Weights the kernel's errors by its share of the time.
Uncertainty with_host(const LayerResult& row, Uncertainty kernel) {
  const double kernel_share = 1 - row.assumed_host_s / row.expected_time_s().value_or(1);
  for (const Factor factor : {&Uncertainty::factor, &Uncertainty::factor_95})
    kernel.*factor =
        std::exp(std::hypot(kernel_share * std::log(kernel.*factor), host_log(row, factor)));
  return kernel;
}

RunWay way_of(const Setting& setting) {
  if (setting.framework == Framework::torch_compile) return RunWay::compiled;
  return setting.runs_as == RunsAs::pytorch_program ? RunWay::program : RunWay::layers;
}

std::optional<UncertaintyBasis> main_basis(const std::vector<const LayerResult*>& rows) {
  EnumArray<UncertaintyBasis, double> time_s{};
  for (const LayerResult* row : rows)
    if (row->expected_uncertainty)
      time_s[row->expected_uncertainty->basis] += *row->expected_time_s();
  const auto bases = enumerators<UncertaintyBasis>;
  const auto most =
      *std::ranges::max_element(bases, {}, [&](UncertaintyBasis basis) { return time_s[basis]; });
  return time_s[most] > 0 ? std::optional(most) : std::nullopt;
}

/// A basis without measured runs is no surer of them than the next one that has some.
TotalErrors total_errors_of(UncertaintyBasis basis, const MeasuredErrors& errors) {
  const TotalErrors* nearest = nullptr;
  for (const TotalErrors& each : errors.totals)
    if (each.basis >= basis && (nearest == nullptr || each.basis < nearest->basis)) nearest = &each;
  return nearest == nullptr ? TotalErrors{basis, 1, 1, 1, 0, {}} : *nearest;
}

}  // namespace

std::optional<Uncertainty> layer_uncertainty(const LayerResult& row, const FoundErrors& errors,
                                             bool is_newer) {
  const LayerErrors* const found =
      errors.find(row.layer, row.layer.kernels, row.planned_engine, is_newer);
  if (found == nullptr) return std::nullopt;
  return with_host(row, {found->factor, found->factor_95, found->basis});
}

std::optional<Uncertainty> total_uncertainty(const std::vector<const LayerResult*>& rows,
                                             std::optional<RunWay> way,
                                             const MeasuredErrors& errors) {
  const auto basis = main_basis(rows);
  if (!basis) return std::nullopt;
  double whole_s = 0;
  for (const LayerResult* row : rows) whole_s += row->expected_time_s().value_or(0);
  const TotalErrors total = total_errors_of(*basis, errors);
  const auto own = std::ranges::find(errors.ways, way, &WayErrors::way);
  const WayErrors of_way = own == errors.ways.end() ? WayErrors{} : *own;
  const auto total_factor = [&](Factor factor, double run_factor, double way_factor) {
    const double run = way ? std::log(std::max(run_factor, way_factor)) : 0;
    return std::exp(
        std::sqrt(sum_of_squares(rows, whole_s, total.common_share, factor) + run * run));
  };
  return Uncertainty{
      total_factor(&Uncertainty::factor, total.run_factor, of_way.run_factor),
      total_factor(&Uncertainty::factor_95, total.run_factor_95, of_way.run_factor_95), *basis};
}

void set_total_uncertainty(Result& result, const MeasuredErrors& errors) {
  std::vector<const LayerResult*> all;
  std::map<LayerKind, std::vector<const LayerResult*>> by_kind;
  for (const LayerResult& row : result.layers) {
    all.push_back(&row);
    by_kind[row.layer.kind].push_back(&row);
  }
  const auto set = [&](Total& total, const std::vector<const LayerResult*>& rows,
                       std::optional<RunWay> way) {
    if (total.expected_time_s) total.expected_uncertainty = total_uncertainty(rows, way, errors);
  };
  set(result.total, all,
      result.bounds.network ? std::optional(way_of(result.setting)) : std::nullopt);
  for (TypeRow& type : result.types) set(type.total, by_kind[type.kind], std::nullopt);
}

}  // namespace roofline
