#include "calibrate/fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "kernel/constants.hpp"
#include "model/gpu_selection.hpp"
#include "model/ranges.hpp"
#include "roofline/kernel.hpp"

namespace roofline {
namespace {

constexpr double first_step = 1.3;
constexpr double last_step = 1.02;
/// |ln| of a layer's time under a change of the constant by a quarter.
constexpr double least_effect = 0.01;
constexpr std::size_t least_layers = 5;  ///< required number of affected layers

constexpr std::size_t most_folds = 5;  ///< at most one per network

using Indices = std::vector<std::size_t>;

/// An error's contribution: in full up to a factor of two.
double loss(double log_ratio) {
  const double distance = std::fabs(log_ratio);
  const double full = std::log(2.0);
  return distance <= full ? distance : full + (distance - full) / 3;
}

/// Cost of a constant's drift from its first value, as a share of the sum over all layers.
double drift_penalty(double value, double first, double range) {
  const double drift = first > 0 && value > 0 ? std::log(value / first) : (value - first) / range;
  return 2e-4 * drift * drift;
}

class Fit {
 public:
  Fit(const Gpu& gpu, const std::vector<MeasuredLayer>& layers, Indices used,
      const std::vector<bool>& may_move)
      : gpu_(gpu),
        layers_(layers),
        used_(std::move(used)),
        constants_(std::make_shared<ModelConstants>(*gpu.constants)),
        log_ratio_(layers.size()) {
    gpu_.constants = constants_;
    first_ = constants_->values;
    set_log_ratios(used_, log_ratios(used_));
    for (std::size_t i = 0; i < may_move.size(); ++i)
      if (may_move[i]) find_layers_of(i);
  }

  void run(const std::function<void()>& on_round) {
    constexpr std::size_t most_rounds = 40;
    double step = first_step;
    for (std::size_t round = 0; step > last_step && round < most_rounds; ++round) {
      const double before = total();
      for (const std::size_t constant : free_) move(constant, step);
      set_log_ratios(used_, log_ratios(used_));
      if (before - total() < 1e-3 * static_cast<double>(used_.size())) step = 1 + (step - 1) / 2;
      on_round();
    }
  }

  /// ln(expected / measured) of these layers under the present constants.
  std::vector<double> log_ratios(const Indices& indices) const {
    const KernelModel model = kernel_model_of(gpu_).value();
    return each_of(indices, [&](std::size_t i) {
      const MeasuredLayer& each = layers_[i];
      const auto plan =
          plan_kernel(each.layer, each.counts, each.engine, model, each.cache).value();
      return std::log(launched(*plan, model, each.launch).expected_time_s() / each.measured_s);
    });
  }

  const Indices& free() const { return free_; }
  const Indices& undetermined() const { return undetermined_; }
  std::size_t untouched() const { return untouched_; }
  const Indices& layers_of(std::size_t constant) const { return layers_of_.at(constant); }
  const ConstantValues& first() const { return first_; }
  const ModelConstants& constants() const { return *constants_; }

 private:
  double value(std::size_t constant) const { return numbers_of(constants_->values)[constant]; }
  void set(std::size_t constant, double number) {
    ConstantNumbers numbers = numbers_of(constants_->values);
    numbers[constant] = number;
    constants_->values = values_of(numbers);
  }

  void set_log_ratios(const Indices& indices, const std::vector<double>& ratios) {
    for (std::size_t i = 0; i < indices.size(); ++i) log_ratio_[indices[i]] = ratios[i];
  }

  double total() const {
    return sum_over(used_, [&](std::size_t i) { return loss(log_ratio_[i]); });
  }

  /// Within the constant's range. A constant of 0 starts at a part of it.
  double stepped(std::size_t constant, double from, double factor) const {
    const ConstantNote& note = constants_->notes[constant];
    const double small = note.most / 100;
    const double to = factor > 1     ? std::max(from, small) * factor
                      : from < small ? 0
                                     : from * factor;
    return std::clamp(to, note.least, note.most);
  }

  /// Finds the used layers which depend on a constant, and whether they determine it.
  void find_layers_of(std::size_t constant) {
    const double held = value(constant);
    double moved = stepped(constant, held, 1.25);
    if (moved == held) moved = stepped(constant, held, 0.8);
    set(constant, moved);
    const std::vector<double> ratios = log_ratios(used_);
    set(constant, held);
    Indices indices;
    std::size_t clearly = 0;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      const double effect = std::fabs(ratios[i] - log_ratio_[used_[i]]);
      if (effect > 1e-9) indices.push_back(used_[i]);
      if (effect > least_effect) ++clearly;
    }
    if (indices.empty()) {
      ++untouched_;
    } else if (clearly < least_layers) {
      undetermined_.push_back(constant);
    } else {
      free_.push_back(constant);
      layers_of_[constant] = std::move(indices);
    }
  }

  /// The sum over the constant's layers, plus the cost of its drift.
  double cost(std::size_t constant, const std::vector<double>& ratios) {
    const ConstantNote& note = constants_->notes[constant];
    const double penalty =
        drift_penalty(value(constant), numbers_of(first_)[constant], note.most - note.least);
    double sum = penalty * static_cast<double>(used_.size());
    for (const double ratio : ratios) sum += loss(ratio);
    return sum;
  }

  void move(std::size_t constant, double step) {
    const Indices& indices = layers_of(constant);
    std::vector<double> best = each_of(indices, [&](std::size_t i) { return log_ratio_[i]; });
    double best_cost = cost(constant, best);
    for (const double factor : {step, 1 / step}) {
      const double first = value(constant);
      for (int turn = 0; turn < 4; ++turn) {
        const double held = value(constant);
        const double candidate = stepped(constant, held, factor);
        if (candidate == held) break;
        set(constant, candidate);
        std::vector<double> ratios = log_ratios(indices);
        const double candidate_cost = cost(constant, ratios);
        if (candidate_cost >= best_cost) {
          set(constant, held);
          break;
        }
        best_cost = candidate_cost;
        best = std::move(ratios);
      }
      if (value(constant) != first) break;
    }
    set_log_ratios(indices, best);
  }

  Gpu gpu_;
  const std::vector<MeasuredLayer>& layers_;
  Indices used_;
  std::shared_ptr<ModelConstants> constants_;
  ConstantValues first_{};
  std::vector<double> log_ratio_;  ///< of each layer; known for used ones
  Indices free_;
  Indices undetermined_;
  std::size_t untouched_ = 0;
  std::map<std::size_t, Indices> layers_of_;
};

/// Numbers of groups for cross-validation: networks, or layers if there is only one network.
std::vector<std::size_t> group_numbers(const std::vector<MeasuredLayer>& layers) {
  const bool one_network = std::ranges::all_of(
      layers, [&](const MeasuredLayer& layer) { return layer.network == layers.front().network; });
  std::map<std::string, std::size_t> numbers;
  return each_of(layers, [&](const MeasuredLayer& layer) {
    const std::string& group = one_network ? layer.layer.name : layer.network;
    return numbers.emplace(group, numbers.size()).first->second;
  });
}

/// ln(expected / measured) of each layer with three sets of constants.
struct LogRatios {
  std::vector<double> before;
  std::vector<double> after;
  std::vector<double> held_out;  ///< empty without cross-validation
};

ModelError error_of(const std::vector<double>& log_ratios, const Indices& indices) {
  return model_error(each_of(indices, [&](std::size_t i) {
    return TimedPair{1, std::exp(log_ratios[i])};
  }));
}

CalibrationScore score_of(const LogRatios& ratios, const Indices& indices) {
  CalibrationScore score;
  score.layers = indices.size();
  score.before = error_of(ratios.before, indices);
  score.after = error_of(ratios.after, indices);
  if (!ratios.held_out.empty()) score.held_out = error_of(ratios.held_out, indices);
  return score;
}

std::vector<CalibrationCell> cells_of(const std::vector<MeasuredLayer>& layers,
                                      const LogRatios& ratios) {
  std::map<std::tuple<LayerClass, DataType, Pass>, Indices> members;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i].layer;
    members[{class_of(layer), layer.dtypes.input, layer.pass}].push_back(i);
  }
  std::vector<CalibrationCell> cells;
  for (const auto& [key, indices] : members) {
    const auto& [layer_class, dtype, pass] = key;
    cells.push_back({layer_class, dtype, pass, score_of(ratios, indices)});
  }
  return cells;
}

class Attempt {
 public:
  Attempt(const Gpu& gpu, const std::vector<MeasuredLayer>& layers)
      : gpu_(gpu), layers_(layers), groups_(group_numbers(layers)), all_(layers.size()) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
    const std::size_t groups = *std::ranges::max_element(groups_) + 1;
    folds_ = groups < 2 ? 0 : std::min(most_folds, groups);
  }

  void run(const std::vector<bool>& may_move, const std::function<void()>& on_round) {
    fit_ = std::make_unique<Fit>(gpu_, layers_, all_, may_move);
    ratios_.before = fit_->log_ratios(all_);
    fit_->run(on_round);
    ratios_.after = fit_->log_ratios(all_);
    ratios_.held_out.assign(folds_ > 0 ? layers_.size() : 0, 0);
    for (std::size_t fold = 0; fold < folds_; ++fold) {
      Indices seen;
      Indices unseen;
      for (const std::size_t i : all_) (groups_[i] % folds_ == fold ? unseen : seen).push_back(i);
      Fit fit(gpu_, layers_, std::move(seen), may_move);
      fit.run(on_round);
      const std::vector<double> out = fit.log_ratios(unseen);
      for (std::size_t i = 0; i < unseen.size(); ++i) ratios_.held_out[unseen[i]] = out[i];
    }
  }

  /// Classes changed by the fit without an improvement on unseen layers.
  std::vector<LayerClass> not_helped() const {
    std::vector<LayerClass> classes;
    if (ratios_.held_out.empty()) return classes;
    std::map<LayerClass, Indices> members;
    for (const std::size_t i : all_) members[class_of(layers_[i].layer)].push_back(i);
    for (const auto& [layer_class, indices] : members) {
      const bool changes = std::ranges::any_of(indices, [&](std::size_t i) {
        return ratios_.after[i] != ratios_.before[i] || ratios_.held_out[i] != ratios_.before[i];
      });
      const CalibrationScore score = score_of(ratios_, indices);
      if (changes && score.held_out->geometric_error >= score.before.geometric_error)
        classes.push_back(layer_class);
    }
    return classes;
  }

  /// Freezes the constants which these classes depend on. Returns whether any was free.
  bool freeze(const std::vector<LayerClass>& classes, std::vector<bool>& may_move) const {
    const auto is_refused = [&](std::size_t i) {
      return contains(classes, class_of(layers_[i].layer));
    };
    bool any = false;
    for (const std::size_t constant : fit_->free()) {
      const Indices& moved = fit_->layers_of(constant);
      if (std::ranges::none_of(moved, is_refused)) continue;
      may_move[constant] = false;
      any = true;
    }
    return any;
  }

  const Fit& fit() const { return *fit_; }
  const LogRatios& ratios() const { return ratios_; }
  const Indices& all() const { return all_; }

 private:
  const Gpu& gpu_;
  const std::vector<MeasuredLayer>& layers_;
  std::vector<std::size_t> groups_;
  Indices all_;
  std::size_t folds_ = 0;
  std::unique_ptr<Fit> fit_;
  LogRatios ratios_;
};

std::vector<bool> movable(const ModelConstants& constants, const std::string& pattern) {
  std::vector<bool> may_move(constant_fields().size());
  for (std::size_t i = 0; i < may_move.size(); ++i)
    may_move[i] = fits_pattern(dotted(constant_fields()[i].path), pattern) &&
                  constants.notes[i].least < constants.notes[i].most;
  return may_move;
}

}  // namespace

Calibration calibrate(const Gpu& gpu, const std::vector<MeasuredLayer>& layers,
                      const std::string& pattern, const std::function<void()>& on_round) {
  Calibration result;
  std::vector<bool> may_move = movable(*gpu.constants, pattern);
  const std::vector<bool> at_first = may_move;
  Attempt attempt(gpu, layers);
  while (true) {
    attempt.run(may_move, on_round);
    const std::vector<LayerClass> refused = attempt.not_helped();
    if (refused.empty()) break;
    if (!attempt.freeze(refused, may_move)) may_move.assign(may_move.size(), false);
    result.refused.insert(result.refused.end(), refused.begin(), refused.end());
  }

  const Fit& fit = attempt.fit();
  result.constants = fit.constants();
  result.undetermined = fit.undetermined();
  result.untouched = fit.untouched();
  const auto first = numbers_of(fit.first());
  const auto last = numbers_of(fit.constants().values);
  for (const std::size_t i : fit.free())
    if (first[i] != last[i]) result.fitted.push_back({i, first[i], last[i]});
  result.kept = fit.free().size() - result.fitted.size();
  for (std::size_t i = 0; i < may_move.size(); ++i)
    if (at_first[i] && !may_move[i]) result.frozen.push_back(i);
  result.cells = cells_of(layers, attempt.ratios());
  result.all = score_of(attempt.ratios(), attempt.all());
  result.held_out_log_ratios = attempt.ratios().held_out;
  const auto networks = each_of(layers, &MeasuredLayer::network);
  result.networks = std::set(networks.begin(), networks.end()).size();
  return result;
}

}  // namespace roofline
