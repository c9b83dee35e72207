// Networks as layer files: every layer explicit, so that reading the file gives the same network.

#include <algorithm>

#include "report/json_writer.hpp"
#include "report/stated.hpp"
#include "roofline/render.hpp"
#include "roofline/spec.hpp"

namespace roofline {
namespace {

/// "conv1d", "max_pool3d": the rank belongs to the type where it is not two.
std::string type_of(const Layer& layer) {
  std::string type(info(layer.kind).name);
  if (has_window(layer.kind) && layer.window.rank != 2)
    type += std::to_string(layer.window.rank) + "d";
  return type;
}

/// Whether a plain list of these sizes is read as the shape that it is.
bool is_plain_list(const Shape& shape, LayerKind kind) {
  return has_window(kind) || info(kind).features == Features::last || shape.spatial_rank != 1;
}

void write_operand(JsonWriter& w, const Operand& operand, const Network& network, LayerKind kind) {
  const std::string shape = stated_shape(operand.shape, kind);
  if (operand.is_parameter) {
    w.value(stated_parameter(operand));
  } else if (!operand.producer) {
    if (is_plain_list(operand.shape, kind))
      w.value(JsonText{shape});
    else
      w.begin_object().member("shape", JsonText{shape}).end_object();
  } else {
    const Layer& producer = network.layers[*operand.producer];
    if (producer.output == operand.shape)
      w.value(producer.name);
    else
      w.begin_object().member("layer", producer.name).member("shape", JsonText{shape}).end_object();
  }
}

/// The two matrices; only the first one's origin is known.
void write_matrices(JsonWriter& w, const Layer& layer, const Network& network) {
  const Operand& a = layer.inputs.front();
  w.key("inputs").begin_array();
  if (a.producer)
    w.begin_object()
        .member("layer", network.layers[*a.producer].name)
        .member("shape", JsonText{stated_shape(a.shape, layer.kind)})
        .end_object();
  else
    w.value(JsonText{stated_shape(a.shape, layer.kind)});
  w.value(stated_second_matrix(layer)).end_array();
}

void write_operands(JsonWriter& w, const Layer& layer, const Network& network) {
  if (layer.kind == LayerKind::matmul) return write_matrices(w, layer, network);
  if (!takes(layer.kind, Field::inputs)) {
    w.key("input");
    return write_operand(w, layer.inputs.front(), network, layer.kind);
  }
  w.key("inputs").begin_array();
  for (const Operand& operand : layer.inputs) write_operand(w, operand, network, layer.kind);
  w.end_array();
}

void write_known(JsonWriter& w, std::string_view key, const Cell& value) {
  if (!std::holds_alternative<std::monostate>(value)) w.member(key, value);
}

void write_window(JsonWriter& w, const Layer& layer) {
  const Window& window = layer.window;
  const bool transposed = layer.kind == LayerKind::conv_transpose;
  if (info(layer.kind).family == KindFamily::contraction)
    w.member("out_channels", layer.output.channels);
  w.member("kernel_size", stated_axes(layer, window.kernel))
      .member("stride", stated_axes(layer, window.stride))
      .member("padding", stated_padding(layer));
  if (window.dilation != Axes{1, 1, 1}) w.member("dilation", stated_axes(layer, window.dilation));
  if (transposed && window.output_padding != Axes{0, 0, 0})
    w.member("output_padding", stated_axes(layer, window.output_padding));
  if (window.ceil_mode) w.member("ceil_mode", true);
}

/// `usual`: the file's.
void write_types(JsonWriter& w, const DataTypes& types, DataType usual) {
  if (types.weight == types.input && types.output == types.input) {
    if (types.input != usual) w.member("dtype", cell(name_of(types.input)));
    return;
  }
  w.key("dtypes")
      .begin_object()
      .member("input", cell(name_of(types.input)))
      .member("weight", cell(name_of(types.weight)))
      .member("output", cell(name_of(types.output)))
      .end_object();
}

void write_layer(JsonWriter& w, const Layer& layer, const Network& network) {
  const KindFamily family = info(layer.kind).family;
  w.begin_object().member("name", layer.name).member("type", type_of(layer));
  write_operands(w, layer, network);
  if (has_window(layer.kind)) write_window(w, layer);
  if (layer.kind == LayerKind::linear)
    w.member("in_features", layer.inputs.front().shape.channels)
        .member("out_features", layer.output.channels);
  if (layer.groups > 1 || layer.kind == LayerKind::group_norm)
    w.member("groups", stated_groups(layer));
  if (layer.bias) w.member("bias", true);
  if (layer.causal) w.member("causal", true);
  write_known(w, "normalized_shape", stated_normalized_shape(layer));
  if (family == KindFamily::movement || family == KindFamily::resize)
    w.member("output", stated_output(layer));
  write_types(w, layer.dtypes, network.layers.front().dtypes.input);
  if (layer.pass != Pass::fwd) w.member("pass", cell(name_of(layer.pass)));
  write_known(w, "kernel", stated_mapping(layer));
  write_known(w, "measured_time_s", cell(layer.measured.warm_s));
  write_known(w, "measured_cold_time_s", cell(layer.measured.cold_s));
  if (layer.batch_statistics) w.member("training", true);
  if (layer.training_only) w.member("training_only", true);
  if (layer.shared_weights) w.member("shared_weights", true);
  w.end_object();
}

}  // namespace

std::string render_layer_file(const Network& network) {
  std::string out = "{\"name\": ";
  append_json_string(out, network.name);
  out += ",\n \"dtype\": \"" + std::string(name_of(network.layers.front().dtypes.input)) + '"';
  const std::uint64_t batch = network.layers.front().output.batch;
  if (std::all_of(network.layers.begin(), network.layers.end(),
                  [&](const Layer& layer) { return layer.output.batch % batch == 0; }))
    out += ",\n \"batch\": " + std::to_string(batch);
  out += ",\n \"layers\": [";
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    out += i == 0 ? "\n  " : ",\n  ";
    JsonWriter w(out, false);
    write_layer(w, network.layers[i], network);
  }
  return out + "\n]}\n";
}

}  // namespace roofline
