#include "model/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>

#include "model/glob.hpp"
#include "model/kernel/constant_fields.hpp"
#include "model/score.hpp"
#include "roofline/kernel_model.hpp"

namespace roofline {
namespace {

constexpr double first_step = 1.3;
constexpr double last_step = 1.02;
constexpr double least_effect = 0.01;  ///< |ln| by which a constant's quarter moves a layer's time
constexpr std::size_t least_layers = 5;  ///< that a constant must move so

using Indices = std::vector<std::size_t>;

/// What an error counts: in full up to a factor of two.
double loss(double log_ratio) {
  const double distance = std::fabs(log_ratio);
  const double full = std::log(2.0);
  return distance <= full ? distance : full + (distance - full) / 3;
}

/// What a constant's way from its first value costs, of the sum over all layers.
double way_cost(double value, double first, double range) {
  const double way = first > 0 && value > 0 ? std::log(value / first) : (value - first) / range;
  return 2e-4 * way * way;
}

std::string dotted(const ConstantName& name) {
  std::string text = path_of(name);
  std::replace(text.begin(), text.end(), '/', '.');
  return text;
}

/// One fit to some of the layers.
class Fit {
 public:
  Fit(const Gpu& gpu, const std::vector<MeasuredLayer>& layers, Indices used,
      const std::string& pattern)
      : gpu_(gpu),
        layers_(layers),
        used_(std::move(used)),
        constants_(std::make_shared<ModelConstants>(*gpu.constants)) {
    gpu_.constants = constants_;
    first_ = constants_->values;
    log_ratio_ = log_ratios(used_);
    const auto all = constants_of(constants_->values);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (fits_pattern(dotted(all[i].name), pattern) &&
          constants_->notes[i].least < constants_->notes[i].most)
        find_layers_of(i);
  }

  void run(const std::function<void(double)>& progress) {
    constexpr std::size_t most_rounds = 40;
    double step = first_step;
    for (std::size_t round = 0; step > last_step && round < most_rounds; ++round) {
      const double before = total();
      for (const std::size_t constant : free_) move(constant, step);
      log_ratio_ = log_ratios(used_);
      if (before - total() < 1e-3 * static_cast<double>(used_.size())) step = 1 + (step - 1) / 2;
      progress(std::min(1.0, std::log(first_step / step) / std::log(first_step / last_step)));
    }
  }

  /// ln(expected / measured) of these layers under the present constants.
  std::vector<double> log_ratios(const Indices& indices) const {
    const KernelModel model = kernel_model_of(gpu_).value();
    std::vector<double> ratios;
    ratios.reserve(indices.size());
    for (const std::size_t i : indices) {
      const MeasuredLayer& each = layers_[i];
      const auto plan =
          plan_kernel(each.layer, each.counts, each.engine, model, each.cache).value();
      ratios.push_back(
          std::log(launched(*plan, model, each.launch).expected_time_s / each.measured_s));
    }
    return ratios;
  }

  const Indices& free() const { return free_; }
  const Indices& undetermined() const { return undetermined_; }
  const ConstantValues& first() const { return first_; }
  const ModelConstants& constants() const { return *constants_; }

 private:
  double& value(std::size_t constant) { return *constants_of(constants_->values)[constant].value; }
  double first_value(std::size_t constant) const { return *constants_of(first_)[constant].value; }

  double total() const {
    return std::accumulate(log_ratio_.begin(), log_ratio_.end(), 0.0,
                           [](double sum, double log_ratio) { return sum + loss(log_ratio); });
  }

  double within(std::size_t constant, double candidate) const {
    const ConstantNote& note = constants_->notes[constant];
    return std::clamp(candidate, note.least, note.most);
  }

  /// A constant of 0 starts at a part of its range.
  double stepped(std::size_t constant, double from, double factor) const {
    const double small = constants_->notes[constant].most / 100;
    if (factor > 1) return within(constant, std::max(from, small) * factor);
    return within(constant, from < small ? 0 : from * factor);
  }

  /// Which of the used layers a constant moves; whether they are enough to determine it.
  void find_layers_of(std::size_t constant) {
    const double held = value(constant);
    double moved = stepped(constant, held, 1.25);
    if (moved == held) moved = stepped(constant, held, 0.8);
    value(constant) = moved;
    const std::vector<double> ratios = log_ratios(used_);
    value(constant) = held;
    Indices positions;
    std::size_t clearly = 0;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      const double effect = std::fabs(ratios[i] - log_ratio_[i]);
      if (effect > 1e-9) positions.push_back(i);
      if (effect > least_effect) ++clearly;
    }
    if (positions.empty()) return;
    if (clearly < least_layers) {
      undetermined_.push_back(constant);
      return;
    }
    free_.push_back(constant);
    positions_[constant] = std::move(positions);
  }

  /// The sum over the layers that the constant moves, and what its way costs.
  double cost(std::size_t constant, const std::vector<double>& ratios) {
    const ConstantNote& note = constants_->notes[constant];
    const double way = way_cost(value(constant), first_value(constant), note.most - note.least);
    double sum = way * static_cast<double>(used_.size());
    for (const double ratio : ratios) sum += loss(ratio);
    return sum;
  }

  void move(std::size_t constant, double step) {
    const Indices& positions = positions_[constant];
    Indices indices;
    std::vector<double> best;
    for (const std::size_t position : positions) {
      indices.push_back(used_[position]);
      best.push_back(log_ratio_[position]);
    }
    double best_cost = cost(constant, best);
    for (const double factor : {step, 1 / step}) {
      bool improved = false;
      for (int turn = 0; turn < 4; ++turn) {
        const double held = value(constant);
        const double candidate = stepped(constant, held, factor);
        if (candidate == held) break;
        value(constant) = candidate;
        std::vector<double> ratios = log_ratios(indices);
        const double candidate_cost = cost(constant, ratios);
        if (candidate_cost >= best_cost) {
          value(constant) = held;
          break;
        }
        best_cost = candidate_cost;
        best = std::move(ratios);
        improved = true;
      }
      if (improved) break;
    }
    for (std::size_t i = 0; i < positions.size(); ++i) log_ratio_[positions[i]] = best[i];
  }

  Gpu gpu_;
  const std::vector<MeasuredLayer>& layers_;
  Indices used_;
  std::shared_ptr<ModelConstants> constants_;
  ConstantValues first_{};
  std::vector<double> log_ratio_;  ///< of the used layers
  Indices free_;
  Indices undetermined_;
  std::map<std::size_t, Indices> positions_;  ///< of the layers that a constant moves
};

/// Networks in the order in which they first appear.
std::vector<std::size_t> network_numbers(const std::vector<MeasuredLayer>& layers) {
  std::map<std::string, std::size_t> numbers;
  std::vector<std::size_t> of_layer;
  of_layer.reserve(layers.size());
  for (const MeasuredLayer& layer : layers)
    of_layer.push_back(numbers.emplace(layer.network, numbers.size()).first->second);
  return of_layer;
}

ModelError error_of(const std::vector<double>& log_ratios, const Indices& indices) {
  std::vector<TimedPair> pairs;
  for (const std::size_t i : indices) pairs.push_back({1, std::exp(log_ratios[i])});
  return model_error(pairs);
}

std::vector<CalibrationCell> cells_of(const std::vector<MeasuredLayer>& layers,
                                      const std::vector<double>& before,
                                      const std::vector<double>& after,
                                      const std::vector<double>& held_out) {
  std::map<std::tuple<LayerClass, DataType, Pass>, Indices> members;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i].layer;
    members[{class_of(layer), layer.dtypes.input, layer.pass}].push_back(i);
  }
  std::vector<CalibrationCell> cells;
  for (const auto& [key, indices] : members) {
    CalibrationCell cell;
    std::tie(cell.layer_class, cell.dtype, cell.pass) = key;
    cell.layers = indices.size();
    cell.before = error_of(before, indices);
    cell.after = error_of(after, indices);
    if (!held_out.empty()) cell.held_out = error_of(held_out, indices);
    cells.push_back(cell);
  }
  return cells;
}

/// ln(expected / measured) of each layer by a fit that had not seen its network.
std::vector<double> validated(const Gpu& gpu, const std::vector<MeasuredLayer>& layers,
                              const std::vector<std::size_t>& networks, std::size_t folds,
                              const std::string& pattern,
                              const std::function<void(double)>& progress) {
  std::vector<double> ratios(layers.size());
  for (std::size_t fold = 0; fold < folds; ++fold) {
    Indices seen, unseen;
    for (std::size_t i = 0; i < layers.size(); ++i)
      (networks[i] % folds == fold ? unseen : seen).push_back(i);
    const double done = static_cast<double>(fold);
    Fit fit(gpu, layers, std::move(seen), pattern);
    fit.run([&](double share) { progress((done + share) / static_cast<double>(folds)); });
    const std::vector<double> out = fit.log_ratios(unseen);
    for (std::size_t i = 0; i < unseen.size(); ++i) ratios[unseen[i]] = out[i];
  }
  return ratios;
}

}  // namespace

Calibration calibrate(const Gpu& gpu, const std::vector<MeasuredLayer>& layers,
                      const CalibrationOptions& options,
                      const std::function<void(double)>& progress) {
  Indices all(layers.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<std::size_t> networks = network_numbers(layers);
  Calibration result;
  result.networks = *std::max_element(networks.begin(), networks.end()) + 1;
  const std::size_t folds = result.networks < 2 ? 0 : std::min(options.folds, result.networks);
  const double whole = static_cast<double>(folds + 1);

  Fit fit(gpu, layers, all, options.pattern);
  const std::vector<double> before = fit.log_ratios(all);
  fit.run([&](double share) { progress(share / whole); });
  const std::vector<double> after = fit.log_ratios(all);
  std::vector<double> held_out;
  if (folds > 0)
    held_out = validated(gpu, layers, networks, folds, options.pattern, [&](double share) {
      progress((1 + share * static_cast<double>(folds)) / whole);
    });

  result.constants = fit.constants();
  result.undetermined = fit.undetermined();
  const auto first = constants_of(fit.first());
  const auto last = constants_of(fit.constants().values);
  for (const std::size_t i : fit.free())
    if (*first[i].value != *last[i].value)
      result.fitted.push_back({i, *first[i].value, *last[i].value});
  result.kept = fit.free().size() - result.fitted.size();
  result.cells = cells_of(layers, before, after, held_out);
  result.held_out_log_ratios = std::move(held_out);
  return result;
}

}  // namespace roofline
