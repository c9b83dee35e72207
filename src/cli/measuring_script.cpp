#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/run.hpp"
#include "model/layer_fields.hpp"
#include "model/text.hpp"
#include "report/fields.hpp"
#include "report/writer.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

/// One network of each architecture.
constexpr std::array<std::string_view, 16> networks{
    "alexnet",      "convnext_tiny", "densenet121",     "efficientnet_b0",    "googlenet",
    "inception_v3", "mnasnet1_0",    "mobilenet_v2",    "mobilenet_v3_large", "regnet_y_400mf",
    "resnet18",     "resnet50",      "resnext50_32x4d", "shufflenet_v2_x1_0", "unet",
    "vgg16"};
constexpr std::array<std::uint64_t, 4> batches{1, 8, 32, 128};

/// Limits time on slow GPUs, and memory on small ones.
constexpr std::uint64_t most_flop = std::uint64_t{1} << 37;
constexpr std::uint64_t most_byte = std::uint64_t{1} << 30;

/// Layers whose kernels share constants; all pointwise functions count as one kind.
using LayerGroup = std::pair<LayerKind, bool>;
LayerGroup group_of(const Layer& layer) {
  const KindInfo& kind = info(layer.kind);
  const bool is_function = kind.family == KindFamily::activation && kind.reach == Reach::place;
  return {is_function ? LayerKind::relu : layer.kind, layer.groups > 1};
}

/// Layers to time of a group: more for kernels with more constants; 0: not timed.
std::size_t most_layers(const LayerGroup& group) {
  const auto& [kind, grouped] = group;
  using enum LayerKind;
  // clang-format off
  switch (kind) {
    case conv: return grouped ? 140 : 320;
    case linear: return 100;
    case relu: return 64;
    case matmul: case attention: case batch_norm: case layer_norm: case max_pool: case copy:
      return 32;
    case conv_transpose: case rms_norm: case group_norm: case softmax: case add: case mul:
    case concat: case avg_pool: case global_avg_pool: case upsample: case reduce:
      return 16;
    case relu6: case leaky_relu: case prelu: case elu: case sigmoid: case hardsigmoid:
    case LayerKind::tanh: case silu: case hardswish: case gelu: case elementwise:  // as relu
    case instance_norm: case local_response_norm: case rowwise: case sub: case LayerKind::div:
    case embedding: case gather: case scatter: case other: case flatten: case identity: case host_copy:
      return 0;
  }
  // clang-format on
  return 0;
}

/// The script builds images and rows of features, and no learned operands of combinations.
bool can_be_timed(const Layer& layer) {
  return most_layers(group_of(layer)) > 0 && (!has_window(layer.kind) || layer.window->rank == 2) &&
         layer.window->pad_begin == layer.window->pad_end &&
         std::ranges::none_of(layer.inputs, [&](const Operand& operand) {
           return operand.is_parameter && info(layer.kind).family == KindFamily::combine;
         });
}

bool is_quick(const Layer& layer) {
  const Counts counts = count(layer);
  return counts.flops <= most_flop && counts.bytes.total <= most_byte;
}

/// The layer alone: the script sets type and pass, and a bias is a kernel of its own.
LayerSpec timed_spec(const Layer& layer) {
  LayerSpec spec = stated(layer);
  spec.pass.reset();
  spec.bias = spec.training_only = spec.shared_weights = false;
  if (!spec.dtypes.output) spec.dtypes = {};
  return spec;
}

class TimedLayers {
 public:
  void add(const Network& network, const std::string& prefix, const std::string& suffix) {
    for (Layer layer : network.layers) {
      const LayerGroup group = group_of(layer);
      if (!can_be_timed(layer) || !is_quick(layer)) continue;
      if (!known_.insert(identity(timed_spec(layer))).second) continue;
      layer.name.insert(0, prefix).append(suffix);
      groups_[group].push_back(std::move(layer));
    }
  }

  /// By group, shuffled so that the first layers of a group are a fair sample of it.
  std::string objects() {
    std::string out;
    for (auto& [group, layers] : groups_) {
      std::mt19937 same_each_time(1);
      std::shuffle(layers.begin(), layers.end(), same_each_time);
      for (std::size_t i = 0; i < std::min(layers.size(), most_layers(group)); ++i) {
        if (!out.empty()) out += '\n';
        JsonWriter writer(out, false);
        write_layer(writer, timed_spec(layers[i]));
      }
    }
    return out;
  }

 private:
  std::set<std::string> known_;
  std::map<LayerGroup, std::vector<Layer>> groups_;
};

std::string_view calibration_file(std::string_view name) {
  const auto files = embedded_calibration();
  return std::ranges::find(files, name, &EmbeddedFile::name)->text;
}

TimedLayers timed_layers() {
  TimedLayers layers;
  layers.add(load_network(calibration_file("shapes"), "built-in shapes", {}).value(), "", "");
  for (const std::uint64_t batch : batches)
    for (const std::string_view name : networks) {
      LayerDefaults defaults;
      defaults.batch_override = batch;
      const std::string network(name);
      layers.add(load_network(*find_network(name), network, defaults).value(), network + '/',
                 '@' + std::to_string(batch));
    }
  return layers;
}

void replace(std::string& text, std::string_view what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
}

/// The layers of all inputs in their own types and passes, without duplicates.
std::string objects_of_inputs(const Request& request, bool& failed) {
  std::string out;
  std::set<std::string> known;
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

int write_measuring_script(const Request& request) {
  bool failed = false;
  std::string script(calibration_file("measure"));
  replace(script, "@MINUTES@", fmt::format("{}", request.minutes));
  replace(script, "@LAYERS@",
          request.inputs.empty() ? timed_layers().objects() : objects_of_inputs(request, failed));
  write_standard_output(script);
  return failed ? 1 : 0;
}

}  // namespace roofline
