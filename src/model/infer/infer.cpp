#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/as_run.hpp"
#include "model/infer/shapes.hpp"
#include "model/layer_kind.hpp"
#include "model/requests.hpp"
#include "model/text.hpp"
#include "roofline/network.hpp"

namespace roofline {
namespace {

std::string_view spelling(const Place& place, std::string_view field) {
  for (const auto& [each, name] : *place.spellings)
    if (each == field) return name;
  return field;
}

/// The error with the source's own names for place and field; a layer that a caller made has no
/// place but its network's.
InputError placed(const FieldError& error, const LayerSpec& layer, const NetworkSpec& network) {
  const Place& place = layer.place;
  std::string where = place.where;
  if (!error.field.empty()) {
    const bool joins = place.pointers && where.starts_with('/');
    if (!where.empty() && !joins) where += ": ";
    where += (place.pointers ? "/" : "") + std::string(spelling(place, error.field));
    for (const std::size_t index : error.index) where += concat("/", index);
  }
  InputError input(place.source.empty() ? network.source : place.source, where, error.message);
  input.remedy = error.remedy;
  input.layer_kind = layer.kind;
  return input;
}

/// Whether a network's layers state no size but that of the image with which it begins, and no
/// time.
bool follows_from_image(const NetworkSpec& spec) {
  if (spec.layers.empty() || spec.record) return false;
  const auto states_sizes = [](const OperandSpec& operand) {
    return !operand.sizes.empty() && !operand.is_parameter;
  };
  const auto is_free = [&](const LayerSpec& layer) {
    return !layer.measured->is_known() && !(layer.input && states_sizes(*layer.input)) &&
           layer.input_size.empty() && std::ranges::none_of(layer.inputs, states_sizes);
  };
  const LayerSpec& first = spec.layers.front();
  const bool is_image = first.kind == LayerKind::conv && first.rank.value_or(2) == 2 &&
                        !(first.kernel_size.is_list && first.kernel_size.numbers.size() != 2) &&
                        first.input && first.input->sizes.size() >= 3 &&
                        !first.measured->is_known();
  return is_image && std::all_of(spec.layers.begin() + 1, spec.layers.end(), is_free);
}

class Inference {
 public:
  Inference(const NetworkSpec& spec, const LayerDefaults& defaults)
      : spec_(spec), defaults_(defaults) {
    static_cast<NetworkTraits&>(network_) = spec;
    network_.recording = spec.summary;
    if (spec.batch && defaults.batch_override) network_.batch = defaults.batch_override;
    network_.states_type =
        spec.dtype || defaults.dtype_given || spec.unread.count > 0 ||
        std::ranges::any_of(spec.layers, [](const LayerSpec& layer) {
          return layer.dtypes.input || layer.dtypes.weight || layer.dtypes.output;
        });
    if (!spec.has_dimensions && !defaults.dimensions.empty()) take_dimensions();
    network_.layers.reserve(spec.layer_count());
  }

  Network network() {
    for (std::size_t i = 0; i < spec_.layers.size(); ++i)
      add_placed(i == 0 && resized_ ? *resized_ : spec_.layers[i], i);
    add_unread();
    return std::move(network_);
  }

 private:
  /// H and W are the height and width of the image with which a network begins.
  void take_dimensions() {
    if (follows_from_image(spec_)) resized_ = spec_.layers.front();
    for (const auto& [name, value] : defaults_.dimensions)
      if (resized_ && (name == "H" || name == "W"))
        *(resized_->input->sizes.end() - (name == "H" ? 2 : 1)) = value;
      else
        throw InputError(spec_.source, "", no_open_size(name, resized_ ? "H, W" : ""));
  }

  /// Reports unreadable layers before inconsistent ones, whatever their order.
  void add_unread() {
    std::optional<InputError> failure;
    for (std::size_t i = 0; i < spec_.unread.count; ++i) {
      const LayerSpec layer = spec_.unread.read(i);
      if (!failure) try {
          add_placed(layer, i);
        } catch (const InputError& error) {
          failure = error;
        }
    }
    if (failure) throw InputError(*failure);
  }

  void add_placed(const LayerSpec& layer, std::size_t index) try {
    add(layer, index);
  } catch (const FieldError& error) {
    throw placed(error, layer, spec_);
  }

  void add(const LayerSpec& spec, std::size_t index) {
    check_stated(spec);
    const std::size_t first = network_.layers.size();
    const std::uint64_t copies = copies_of(spec);
    // A layer's own batch precedes the file's, which then is no longer the network's.
    if (spec.batch && spec.kind != LayerKind::matmul && !spec_.batch_is_fixed)
      network_.batch.reset();
    const std::string stated_name =
        spec.name ? *spec.name : concat(info(spec.kind).name, spec_.record.value_or(index));
    LayerScope scope{spec_, defaults_, network_.layers, names_, previous_copies_, 0, copies};
    if (spec_.layers.size() == 1 && copies == 1) {  // no other name to differ from
      network_.layers.push_back(infer_layer(spec, stated_name, scope));
    } else {
      for (; scope.copy < copies; ++scope.copy)
        network_.layers.push_back(infer_layer(spec, own_name_(stated_name), scope));
      names_.add(stated_name, first, copies);
    }
    previous_copies_ = copies;
    const bool states_image = spec.input && spec.input->layer.empty() && !spec.in_channels;
    if (states_image) ask_about_order(network_.layers[first]);
  }

  /// Refuses an image of three colours that stand last, and asks about the like.
  void ask_about_order(const Layer& layer) {
    constexpr std::uint64_t most_channels = 4;
    const Shape& in = layer.inputs.front().shape;
    const auto& [depth, height, width] = in.spatial;
    if (!has_window(layer.kind) || in.spatial_rank != 2) return;
    if (width > most_channels || height <= most_channels || in.channels != height) return;
    const std::string size = std::to_string(height);
    constexpr std::uint64_t colours = 3;
    constexpr std::uint64_t least_image = 32;
    if (width == colours && height >= least_image)
      fail("input", concat("expected [N, C, H, W], got [", in.batch, ", ", size, ", ", size,
                           ", 3]: write [", in.batch, ", 3, ", size, ", ", size,
                           "] for 3 channels, and c, h and w for ", size, " channels"));
    network_.assumptions.push_back(concat(layer.name, ": ", size, " channels of ", size, " x ",
                                          width,
                                          " are read; is the input channels last? Then write [",
                                          in.batch, ", ", width, ", ", size, ", ", size, "]"));
  }

  std::uint64_t copies_of(const LayerSpec& spec) {
    const std::uint64_t copies = spec.repeat.value_or(1);
    if (copies == 0) fail("repeat", "expected an integer >= 1, got 0");
    // Result rows hold the network's name beside the layer's.
    const std::size_t own_byte = (spec.name ? spec.name->size() : 0) + spec_.name.size() +
                                 (spec.inputs.size() + spec.fused.size()) * sizeof(Operand);
    const std::uint64_t weight = 1 + own_byte / copy_byte;
    const bool are_runs = spec_.repeats_are_runs;
    const std::uint64_t most = are_runs ? defaults_.limits.runs : defaults_.limits.copies;
    if (copies - 1 > (most - network_.copies) / weight)
      fail_limit(are_runs ? "" : "repeat", expected_copies(defaults_.limits, are_runs));
    network_.copies += (copies - 1) * weight;
    return copies;
  }

  const NetworkSpec& spec_;
  const LayerDefaults& defaults_;
  std::optional<LayerSpec> resized_;  ///< the first layer, of an image of the requested size
  Network network_;
  LayerNames names_;
  UniqueNames own_name_;
  std::size_t previous_copies_ = 0;
};

bool has_measured(const Network& network) {
  return std::ranges::any_of(network.layers,
                             [](const Layer& layer) { return layer.measured->is_known(); });
}

/// Times were measured at the source's batch, whatever the command line requests.
void mark_other_batch(const NetworkSpec& spec, LayerDefaults defaults, Network& network) {
  defaults.batch_override.reset();
  const Network stated = Inference(spec, defaults).network();
  for (std::size_t i = 0; i < network.layers.size(); ++i)
    network.layers[i].measured.change([&](Measured& measured) {
      measured.other_batch = network.layers[i].output.batch != stated.layers[i].output.batch;
    });
}

/// A fixed batch may be requested but not changed.
LayerDefaults with_fixed_batch(const NetworkSpec& spec, LayerDefaults defaults) {
  const std::optional<std::uint64_t> wanted = std::exchange(defaults.batch_override, std::nullopt);
  if (!wanted || wanted == spec.batch) return defaults;
  throw fixed_batch_error(spec, std::to_string(*wanted));
}

void check_network(const NetworkSpec& spec) {
  check_enumerator("NetworkSpec::runs_as", spec.runs_as);
  check_enumerator("NetworkSpec::dtype", spec.dtype);
  if (spec.dtype && !is_tensor_type(*spec.dtype))
    throw InputError(spec.source, "",
                     concat("NetworkSpec::dtype: expected a type of tensors, got ", *spec.dtype));
  if (spec.autocast) check_autocast("NetworkSpec::autocast", *spec.autocast);
  if (spec.batch == std::uint64_t{0})
    throw InputError(spec.source, "", "NetworkSpec::batch: expected an integer >= 1, got 0");
  if (spec.unread.count > 0 && !spec.unread.read)
    throw InputError(
        spec.source, "",
        concat("expected a function that reads ", spec.unread.count, " layers, got none"));
}

Network inferred(const NetworkSpec& spec, const LayerDefaults& defaults) {
  if (spec.batch_is_fixed) return Inference(spec, with_fixed_batch(spec, defaults)).network();
  Network network = Inference(spec, defaults).network();
  if (defaults.batch_override && has_measured(network)) mark_other_batch(spec, defaults, network);
  return network;
}

}  // namespace

InputError fixed_batch_error(const NetworkSpec& spec, const std::string& wanted) {
  const std::string own = spec.batch ? concat("batch ", *spec.batch, ", its own")
                                     : "the batch that it was recorded with";
  return {
      spec.source, "",
      "expected " + own + ", which cannot be changed in what was recorded or built, got " + wanted};
}

Expected<Network> infer(const NetworkSpec& spec, const LayerDefaults& defaults) {
  return expected([&] {
    check_defaults(defaults);
    check_network(spec);
    Network network = inferred(spec, defaults);
    if (spec.autocast)
      network = with_unscaling(std::move(network));
    else if (defaults.autocast && !spec.batch_is_fixed && !spec.repeats_are_runs)
      network = autocast(std::move(network), *defaults.autocast);
    return network;
  });
}

}  // namespace roofline
