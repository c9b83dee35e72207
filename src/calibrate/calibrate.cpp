#include "calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "calibrate/files.hpp"
#include "calibrate/fit.hpp"
#include "cli/errors.hpp"
#include "cli/evaluator.hpp"
#include "cli/output.hpp"
#include "model/gpu_names.hpp"
#include "model/gpu_selection.hpp"
#include "model/layer_kind.hpp"
#include "model/text.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// The GPU with the constants of the request. Throws as Catalogue::find does.
Gpu named_gpu(const Request& request, const std::string& name) {
  for (const InputError& problem : request.catalogue->problems_besides({name}))
    note(std::string(problem.what()) + " (ignored: no GPU of this run)");
  Gpu gpu = unwrap(request.catalogue->find(name));
  if (request.constants != nullptr) gpu.constants = request.constants;
  return gpu;
}

/// The networks of all inputs; prints errors of wrong inputs.
std::vector<Network> read_networks(const Request& request,
                                   const std::vector<Expected<std::string>>& inputs, bool& failed) {
  std::vector<Network> networks;
  const LayerDefaults& defaults = request.settings.front().defaults;
  const InputSet set(request.inputs);
  for (const Expected<std::string>& input : inputs) {
    const std::unique_ptr<Reader> reader =
        unwrap(open_input(unwrap(input), set, {}, request.limits));
    while (const std::optional<Expected<Item>> item = reader->next()) try {
        networks.push_back(infer(*item->value().spec(defaults).value(), defaults).value());
      } catch (const std::exception&) {
        note(hinted(caught_error(*input, item->has_value() ? (*item)->line : std::nullopt)).what());
        failed = true;
      }
  }
  return networks;
}

/// Layers of one network resemble each other: "resnet50" of "resnet50/conv1".
std::string network_of(const Layer& layer, const Network& network) {
  const std::size_t slash = layer.name.find('/');
  if (slash != layer.name.npos) return layer.name.substr(0, slash);
  return network.layers.size() > 1 ? network.name : layer.name;
}

std::set<std::string> gpus_of(const std::vector<Network>& networks) {
  std::set<std::string> names;
  for (const Network& network : networks)
    for (const Layer& layer : network.layers) names.insert(layer.measured->gpu);
  names.erase("");
  return names;
}

std::string name_of_gpu(const Request& request, const std::set<std::string>& measured_on) {
  if (request.gpus.size() == 1) return request.gpus.front().word;
  if (request.gpus.empty() && measured_on.size() == 1) return *measured_on.begin();
  const bool named = !request.gpus.empty();
  throw UsageError("expected one GPU, that of the measured times, with --gpu, got " +
                   std::to_string(named ? request.gpus.size() : measured_on.size()) +
                   (named || measured_on.empty() ? "" : " in the inputs"));
}

/// Clears and returns names that mean `gpu`: no other GPU's, or the only one of the user's own
/// file.
std::vector<std::string> take_names(std::vector<Network>& networks, const Gpu& gpu, bool own_file,
                                    const Catalogue& catalogue) {
  std::set<std::string> names = gpus_of(networks);
  const bool one = names.size() == 1;
  std::erase_if(names, [&](const std::string& name) {
    return answers_to(gpu, name) || !((own_file && one) || !catalogue.find(name));
  });
  for (Network& network : networks)
    for (Layer& layer : network.layers)
      if (names.contains(layer.measured->gpu))
        layer.measured.change([](Measured& measured) { measured.gpu.clear(); });
  for (Network& network : networks) set_measured_gpu(network, gpu.name);
  return {names.begin(), names.end()};
}

/// Removes layers of other GPUs, whose types this GPU may lack.
void keep_those_of(const Gpu& gpu, std::vector<Network>& networks) {
  const auto is_of_gpu = [&](const Layer& layer) {
    const std::string& name = layer.measured->gpu;
    return layer.measured->is_known() && (name.empty() || answers_to(gpu, name));
  };
  std::erase_if(networks, [&](const Network& network) {
    return std::ranges::none_of(network.layers, is_of_gpu);
  });
}

std::vector<MeasuredLayer> measured_layers(const std::vector<Network>& networks,
                                           const Context& context, bool& failed) {
  std::vector<MeasuredLayer> layers;
  for (const Network& network : networks) {
    const auto rows = evaluate_layers(network, context);
    if (!rows) {
      note(hinted(rows.error()).what());
      failed = true;
      continue;
    }
    for (const LayerResult& row : *rows)
      if (row.measured_time_s && row.kernel && *row.measured_time_s > 0)
        layers.push_back({row.layer, row.counts, row.planned_engine, context.options.cache,
                          launch_of(network.runs_as, context), *row.measured_time_s,
                          network_of(row.layer, network), network.source,
                          network.record ? std::to_string(*network.record) : row.layer.name});
  }
  return layers;
}

/// Errors by kind of layer; after the fit, if possible, of fits without the layer's network.
std::string cells_text(const Calibration& calibration) {
  Grid grid{{left("layers"), left("dtype"), left("pass"), right("number"), right("before: bias"),
             right("gerr"), right("within 30%"), right("after: bias"), right("gerr"),
             right("within 30%")}};
  const auto add = [&grid](std::vector<std::string> row, const CalibrationScore& score) {
    row.push_back(std::to_string(score.layers));
    for (const ModelError& error : {score.before, score.held_out.value_or(score.after)})
      row.insert(row.end(), {factor(error.bias), factor(error.geometric_error),
                             fmt::format("{:.0f}%", 100 * error.within_30)});
    grid.add_row(row);
  };
  for (const CalibrationCell& cell : calibration.cells)
    add({std::string(name_of(cell.layer_class)), std::string(name_of(cell.dtype)),
         std::string(name_of(cell.pass))},
        cell.score);
  add({"all", "", ""}, calibration.all);
  return aligned(grid, {});
}

std::string kept_text(const Calibration& calibration) {
  std::string text = fmt::format(
      "{} more are best where they were, {} no layer needs\n"
      "{} are not determined by these layers, and kept\n",
      calibration.kept, calibration.untouched, calibration.undetermined.size());
  for (const LayerClass refused : calibration.refused)
    text += fmt::format("{} layers would not gain, held out: what they depend on is kept\n",
                        name_of(refused));
  return text;
}

std::string fitted_text(const Calibration& calibration) {
  if (calibration.fitted.empty()) return "no constant moved\n";
  Grid grid{{left("constant"), right("before"), right("after"), left("unit")}};
  for (const FittedConstant& each : calibration.fitted) {
    const ConstantField& field = constant_fields()[each.index];
    grid.add_row({dotted(field.path), fmt::format("{:.4g}", each.before),
                  fmt::format("{:.4g}", each.after), std::string(field.unit)});
  }
  return aligned(grid, {});
}

std::string warnings(const Calibration& calibration, std::size_t layers) {
  constexpr std::size_t layers_a_constant = 5;
  std::string text;
  if (layers < layers_a_constant * calibration.fitted.size())
    text += fmt::format(
        "{} layers are few for {} constants: expect errors nearer to the held-out "
        "ones\n",
        layers, calibration.fitted.size());
  if (!calibration.all.held_out)
    text += "one layer: nothing to cross-validate with, so the fitted errors flatter\n";
  else if (calibration.networks < 2)
    text += "one network: held out by layer, so expect larger errors of other networks\n";
  return text;
}

/// The smallest distance that at least this share of them does not exceed.
double quantile(std::vector<double> distances, double share) {
  std::ranges::sort(distances);
  const double number = std::ceil(share * static_cast<double>(distances.size()));
  return distances[static_cast<std::size_t>(std::max(1.0, number)) - 1];
}

/// Rejects layers far from any fit: their times may be in another unit.
[[noreturn]] void refuse_outliers(const Calibration& calibration,
                                  const std::vector<MeasuredLayer>& layers, LayerClass layer_class,
                                  double factor_95) {
  const std::string most = fmt::format("x{:.0f}", most_error_factor);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double measured_ratio = std::exp(-calibration.held_out_log_ratios[i]);
    if (class_of(layers[i].layer) == layer_class &&
        std::max(measured_ratio, 1 / measured_ratio) > most_error_factor)
      note(InputError(layers[i].source, layers[i].where,
                      fmt::format("expected a measured time within {} of the expected one, got {}",
                                  most, factor(measured_ratio)))
               .what());
  }
  throw InputError(layers.front().source, "",
                   fmt::format("expected times of which 95% fit within {}, got {} of {} layers",
                               most, factor(factor_95), name_of(layer_class)));
}

/// Errors of the calibrated model, by fits without the layer's network.
std::vector<LayerErrors> own_errors(const Calibration& calibration, const std::string& gpu,
                                    const std::vector<MeasuredLayer>& layers) {
  constexpr std::size_t least_layers = 10;
  std::map<LayerClass, std::vector<double>> distances;
  std::set<ElementCost> costs;  // of measured activations and the like
  for (std::size_t i = 0; i < calibration.held_out_log_ratios.size(); ++i) {
    const LayerClass layer_class = class_of(layers[i].layer);
    distances[layer_class].push_back(std::fabs(calibration.held_out_log_ratios[i]));
    if (layer_class == LayerClass::other) costs.insert(info(layers[i].layer.kind).cost);
  }
  std::vector<LayerErrors> errors;
  for (const auto& [layer_class, each] : distances) {
    if (each.size() < least_layers) continue;
    const double factor_95 = std::exp(quantile(each, 0.95));
    if (factor_95 > most_error_factor) refuse_outliers(calibration, layers, layer_class, factor_95);
    LayerErrors& own = errors.emplace_back();
    own.basis = UncertaintyBasis::measured;
    own.applies_to = {gpu};
    own.layer_class = layer_class;
    if (layer_class == LayerClass::other) own.costs.assign(costs.begin(), costs.end());
    own.layers = each.size();
    own.factor = std::exp(quantile(each, 0.6827));
    own.factor_95 = factor_95;
    own.origin = fmt::format("cross-validated on {} measured layers", layers.size());
  }
  return errors;
}

ModelConstants described(const Calibration& calibration, const Request& request,
                         const std::string& gpu, const std::vector<MeasuredLayer>& layers) {
  ModelConstants constants = calibration.constants;
  // Replaces older errors of the same layer classes.
  const std::vector<LayerErrors> own = own_errors(calibration, gpu, layers);
  std::vector<LayerErrors>& errors = constants.errors.layers;
  std::erase_if(errors, [&](const LayerErrors& each) {
    return each.basis == UncertaintyBasis::measured && each.applies_to == std::vector{gpu} &&
           std::ranges::find(own, each.layer_class, &LayerErrors::layer_class) != own.end();
  });
  errors.insert(errors.begin(), own.begin(), own.end());
  if (!constants.name.ends_with("-calibrated")) constants.name += "-calibrated";
  constants.covers.clear();
  constants.made_by.push_back(request.command);
  for (const FittedConstant& fitted : calibration.fitted)
    constants.notes[fitted.index].origin =
        add_origin(constants, fmt::format("fitted to {} measured layers", layers.size()));
  return constants;
}

/// The script builds images and rows of features, and no learned operands of combinations.
bool can_be_timed(const Layer& layer) {
  using enum LayerKind;
  constexpr LayerKind timed[] = {
      conv,     conv_transpose, linear,         matmul, attention, add,      batch_norm, layer_norm,
      rms_norm, group_norm,     softmax,        mul,    concat,    max_pool, avg_pool,   copy,
      reduce,   upsample,       global_avg_pool};
  const KindInfo& kind = info(layer.kind);
  const bool is_function = kind.family == KindFamily::activation && kind.reach == Reach::place;
  const bool is_timed = is_function || contains(timed, layer.kind);
  return is_timed && (!has_window(layer.kind) || layer.window->rank == 2) &&
         layer.window->pad_begin == layer.window->pad_end &&
         std::ranges::none_of(layer.inputs, [&](const Operand& operand) {
           return operand.is_parameter && kind.family == KindFamily::combine;
         });
}

void replace(std::string& text, std::string_view what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
}

/// The layers of all inputs in their own types and passes, without duplicates.
std::string objects_of_inputs(const Request& request, bool& failed) {
  std::string out;
  std::set<LayerSpec> known;
  const auto inputs = resolve_inputs(request.inputs);
  for (const Network& network : read_networks(request, inputs, failed))
    for (const Layer& layer : network.layers) {
      LayerSpec spec = stated(layer);
      spec.measured = {};
      if (!known.insert(identity(spec)).second) continue;
      if (!can_be_timed(layer) || !spec.fused.empty()) {
        note(fmt::format("{}: layer {} is none that the script can time: left out", network.source,
                         in_quotes(layer.name)));
        continue;
      }
      if (!out.empty()) out += '\n';
      JsonWriter writer(out, false);
      write_layer(writer, spec);
    }
  if (out.empty())
    throw InputError(request.inputs.front(), "", "expected layers that the script can time");
  return out;
}

}  // namespace

int calibrate_inputs(const CalibrationRequest& request) {
  if (std::ranges::none_of(constant_fields(), [&](const ConstantField& field) {
        return fits_pattern(dotted(field.path), request.fitted);
      }))
    throw UsageError(
        "--constants: expected a pattern of constants, such as 'dense.tensor.*', got " +
        in_quotes(request.fitted));
  const Catalogue& catalogue = *request.catalogue;
  const auto inputs = resolve_inputs(request.inputs);
  bool failed = false;
  std::vector<Network> networks = read_networks(request, inputs, failed);
  const std::set<std::string> measured_on = gpus_of(networks);
  const std::string name = name_of_gpu(request, measured_on);
  const Gpu gpu = request.gpus.empty() ? named_gpu(request, name) : request.gpus.front().gpu;
  std::map<std::string, OutputFile> files = open_outputs(request, inputs, &gpu);
  const std::vector<std::string> other_names =
      take_names(networks, gpu, catalogue.path_of(name).has_value(), catalogue);
  keep_those_of(gpu, networks);
  const Context context = unwrap(make_context(gpu, request.stated()));
  const std::vector<MeasuredLayer> layers = measured_layers(networks, context, failed);
  if (layers.empty())
    throw InputError(request.inputs.front(), "",
                     "expected layers with measured times (measured_us) of " + gpu.name + ", got " +
                         (measured_on.empty() ? "none" : "those of " + *measured_on.begin()));
  Calibration calibration;
  {
    Progress progress("rounds of fits");
    calibration = calibrate(gpu, layers, request.fitted, [&progress] { progress.step(1); });
  }
  const ModelConstants constants = described(calibration, request, gpu.name, layers);
  const std::string& path = request.outputs.front().path;
  files.at(path).write(
      gpu_with_constants(unwrap(catalogue.text(name)), path, constants, other_names));
  files.at(path).commit();
  write_standard_output(
      fmt::format("{} on {} layers of {} networks\n\n", gpu.name, layers.size(),
                  calibration.networks) +
      cells_text(calibration) +
      "expected / measured: bias is the geometric mean, gerr exp of the mean |ln|.\n" +
      (calibration.all.held_out
           ? "after: by fits that had not seen the layer's " +
                 std::string(calibration.networks < 2 ? "like" : "network") + ".\n\n"
           : "\n") +
      fitted_text(calibration) + kept_text(calibration) + warnings(calibration, layers.size()));
  return failed ? 1 : 0;
}

int write_measuring_script(const CalibrationRequest& request) {
  bool failed = false;
  std::string script(measure_py);
  replace(script, "@MINUTES@", fmt::format("{}", request.minutes));
  replace(script, "@LAYERS@",
          request.inputs.empty() ? std::string(trimmed(layers_ndjson))
                                 : objects_of_inputs(request, failed));
  write_standard_output(script);
  return failed ? 1 : 0;
}

int calibrate(const CalibrationRequest& request) {
  if (request.action == Request::Action::print_text) {
    write_standard_output(request.text);
    return 0;
  }
  if (request.shows_model) {
    write_standard_output(write_constants(*request.gpus.front().gpu.constants));
    return 0;
  }
  return request.writes_script ? write_measuring_script(request) : calibrate_inputs(request);
}

}  // namespace roofline
