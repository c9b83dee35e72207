#include "cli/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/contexts.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/read_and_written.hpp"
#include "cli/required.hpp"
#include "load/kernel_model.hpp"
#include "model/calibrate.hpp"
#include "model/kernel/constant_fields.hpp"
#include "model/layer_errors.hpp"
#include "model/score.hpp"
#include "model/uncertainty.hpp"
#include "report/grid.hpp"
#include "report/text.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/render.hpp"

namespace roofline {
namespace {

/// "resnet50" of "resnet50/conv1": layers of one network are much alike.
std::string network_of(const Layer& layer, const Network& network) {
  const std::size_t slash = layer.name.find('/');
  if (slash != layer.name.npos) return layer.name.substr(0, slash);
  return network.layers.size() > 1 ? network.name : layer.name;
}

/// The rows that were measured as they are evaluated.
void add_measured(const Network& network, const Context& context,
                  std::vector<MeasuredLayer>& layers) {
  const Expected<RecordResult> result = evaluate_record(network, context);
  for (const LayerResult& row : result.value().rows)
    if (row.measured_time_s && row.kernel && *row.measured_time_s > 0)
      layers.push_back({row.layer, row.counts, row.engine, context.options.cache,
                        launch_of(network.recording, context), *row.measured_time_s,
                        network_of(row.layer, network)});
}

std::vector<MeasuredLayer> read_layers(const Options& options, const Context& context,
                                       bool& failed) {
  std::vector<MeasuredLayer> layers;
  const auto fail = [&failed](const InputError& error) {
    note(hinted(error).what());
    failed = true;
  };
  for (const std::string& word : options.inputs)
    for (const std::string& name : required(resolve_input(word))) {
      const std::unique_ptr<Reader> reader =
          required(open_input(name, options.inputs, {}, options.limits));
      while (const std::optional<Expected<Item>> item = reader->next()) try {
          const LayerDefaults& defaults = options.settings.front().defaults;
          const Network network = infer(*item->value().spec(defaults).value(), defaults).value();
          if (!network.layers.empty()) add_measured(network, context, layers);
        } catch (const InputError& error) {
          fail(error);
        }
    }
  return layers;
}

std::string dotted(const ConstantName& name) {
  std::string text = path_of(name);
  std::replace(text.begin(), text.end(), '/', '.');
  return text;
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string cells_text(const Calibration& calibration) {
  Grid grid;
  grid.columns = {{"accuracy", true}, {"dtype", true}, {"pass", true}, {"layers"},  {"bias"},
                  {"gerr"},           {"fitted bias"}, {"gerr"},       {"held out"}};
  for (const CalibrationCell& cell : calibration.cells)
    grid.rows.push_back({std::string(name_of(cell.layer_class)), std::string(name_of(cell.dtype)),
                         std::string(name_of(cell.pass)), std::to_string(cell.layers),
                         factor(cell.before.bias), factor(cell.before.gerr),
                         factor(cell.after.bias), factor(cell.after.gerr),
                         cell.held_out ? factor(cell.held_out->gerr) : ""});
  return aligned(grid, {});
}

std::string constants_text(const Calibration& calibration) {
  const auto all = constants_of(calibration.constants.values);
  Grid grid;
  grid.columns = {{"constant", true}, {"before"}, {"after"}, {"unit", true}};
  for (const FittedConstant& fitted : calibration.fitted)
    grid.rows.push_back({dotted(all[fitted.index].name), number(fitted.before),
                         number(fitted.after), std::string(all[fitted.index].unit->name)});
  std::string text = calibration.fitted.empty() ? "no constant moved\n" : aligned(grid, {});
  text += fmt::format("{} more are best where they were\n", calibration.kept);
  std::string names;
  for (const std::size_t i : calibration.undetermined)
    names += (names.empty() ? "" : ", ") + dotted(all[i].name);
  if (!names.empty()) text += "not determined by these layers, and kept: " + names + '\n';
  return text;
}

/// What a fit to so few layers is worth.
std::string warnings(const Calibration& calibration, std::size_t layers) {
  constexpr std::size_t layers_a_constant = 5;
  std::string text;
  if (layers < layers_a_constant * calibration.fitted.size())
    text += fmt::format(
        "{} layers are few for {} constants: expect errors nearer to the held-out "
        "ones\n",
        layers, calibration.fitted.size());
  if (calibration.networks < 2)
    text += "one network: nothing to cross-validate with, so the fitted errors flatter\n";
  return text;
}

/// The command that does it again.
std::string command_of(const Options& options) {
  std::string command = "roofline calibrate";
  for (const std::string& input : options.inputs) command += ' ' + input;
  command += " --gpu " + options.gpus.front();
  if (options.analysis.launch)
    command += " --launch " + std::string(name_of(*options.analysis.launch));
  const EngineChoices& engine = options.analysis.engine;
  if (options.analysis.framework)
    command += " --framework " + std::string(name_of(*options.analysis.framework));
  else if (engine != EngineChoices())
    command += " --engine " + std::string(name_of(engine.products));
  if (options.analysis.cache == CacheState::cold) command += " --cache cold";
  if (options.constants != "*") command += " --constants '" + options.constants + '\'';
  return command;
}

/// What the calibrated model's own accuracy is, by fits that had not seen the layer's network.
std::vector<LayerErrors> own_errors(const Calibration& calibration, const std::string& gpu,
                                    const std::vector<MeasuredLayer>& layers) {
  constexpr std::size_t least_layers = 10;
  std::vector<LayerError> errors;
  for (std::size_t i = 0; i < calibration.held_out_log_ratios.size(); ++i)
    errors.push_back({class_of(layers[i].layer), error_type_of(layers[i].engine),
                      layers[i].layer.pass, calibration.held_out_log_ratios[i]});
  return layer_errors(errors, {UncertaintyBasis::measured,
                               {gpu},
                               fmt::format("cross-validated on {} measured layers", layers.size()),
                               least_layers});
}

ModelConstants described(const Calibration& calibration, const Options& options,
                         const std::string& gpu, const std::vector<MeasuredLayer>& layers) {
  ModelConstants constants = calibration.constants;
  // They take the place of older ones of the same kinds of layers.
  const std::vector<LayerErrors> own = own_errors(calibration, gpu, layers);
  std::vector<LayerErrors>& errors = constants.errors.layers;
  std::erase_if(errors, [&](const LayerErrors& each) {
    return each.basis == UncertaintyBasis::measured && each.applies_to == std::vector{gpu} &&
           std::any_of(own.begin(), own.end(), [&](const LayerErrors& newer) {
             return newer.layer_class == each.layer_class;
           });
  });
  errors.insert(errors.begin(), own.begin(), own.end());
  if (!constants.name.ends_with("-calibrated")) constants.name += "-calibrated";
  constants.covers.clear();
  constants.made_by.push_back(command_of(options));
  for (const FittedConstant& fitted : calibration.fitted)
    constants.notes[fitted.index].origin =
        fmt::format("fitted to {} measured layers", layers.size());
  return constants;
}

}  // namespace

int calibrate_inputs(const Options& options) {
  if (options.gpus.size() != 1)
    throw UsageError("calibrate: expected one GPU, that of the measured times, with --gpu, got " +
                     std::to_string(options.gpus.size()));
  if (options.exports.size() != 1 || options.exports.front().format->name != "json")
    throw UsageError("calibrate: expected one file to write, -o FILE.json");
  check_outputs(options);
  const Gpu gpu = named_gpus(options.gpus, options.kernel_model).front();
  const Context context = required(make_context(gpu, options.analysis));
  bool failed = false;
  const std::vector<MeasuredLayer> layers = read_layers(options, context, failed);
  if (layers.empty())
    throw InputError(
        options.inputs.front(), "",
        "expected layers with measured times (measured_us) of " + gpu.name + ", got none");
  Calibration calibration;
  {
    Progress progress;
    calibration = calibrate(gpu, layers, {options.constants, 5},
                            [&progress](double done) { progress.share(done); });
  }
  const ModelConstants constants = described(calibration, options, gpu.name, layers);
  const std::string& path = options.exports.front().path;
  write_file(path,
             gpu_with_constants(required(Catalogue().text(options.gpus.front())), path, constants));
  write_standard_output(fmt::format("{} on {} layers of {} networks\n\n", gpu.name, layers.size(),
                                    calibration.networks) +
                        cells_text(calibration) +
                        "expected / measured: bias is the geometric mean; gerr exp of the mean "
                        "|ln|; held out: of fits "
                        "that had not seen the layer's network.\n\n" +
                        constants_text(calibration) + warnings(calibration, layers.size()));
  flush_standard_output();
  return failed ? 1 : 0;
}

}  // namespace roofline
