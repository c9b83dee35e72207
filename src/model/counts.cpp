#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "model/layer_kind.hpp"
#include "model/recurrence.hpp"
#include "model/sizes.hpp"
#include "model/window_reads.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

std::uint64_t tensor_byte(const Shape& shape, DataType type) {
  return stored_byte(elements(shape), type);
}

/// In all three passes each output element pairs once with every weight which reaches it.
std::uint64_t contraction_macs(const Layer& layer) {
  const Shape& in = layer.inputs.front().shape;
  const Shape& out = layer.output;
  const std::uint64_t taps = checked_product(layer.window->kernel);
  if (layer.kind == LayerKind::conv_transpose)
    return checked_mul(elements(in), out.channels / layer.groups, taps);
  return checked_mul(elements(out), in.channels / layer.groups, taps);
}

std::uint64_t contraction_weights(const Layer& layer) {
  const std::uint64_t matrices = layer.kind == LayerKind::matmul ? layer.inputs[1].shape.batch : 1;
  return checked_mul(layer.inputs.front().shape.channels, layer.output.channels / layer.groups,
                     checked_product(layer.window->kernel), matrices);
}

/// Elements of the images, with `along(axis)` positions along each axis.
template <class Along>
std::uint64_t image_elements(const Shape& images, const Along& along) {
  std::uint64_t count = checked_mul(images.batch, images.channels);
  for (std::size_t axis = 3U - images.spatial_rank; axis < 3; ++axis)
    count = checked_mul(count, along(axis));
  return count;
}

std::uint64_t image_elements_read(const Shape& images, const Layer& layer) {
  return image_elements(images, [&](std::size_t axis) { return positions_read(layer, axis); });
}

/// Elements belonging to windows which read anything, of a tensor with one place per window.
std::uint64_t reading_elements(const Shape& windows, const Layer& layer) {
  return image_elements(
      windows, [&](std::size_t axis) { return windows_reading(windows_along(layer, axis)); });
}

/// Forward all elements are written; backward the pass reads the needed gradients, for a bias all.
std::uint64_t moved_of_result(const Layer& layer) {
  const bool sums_all = layer.pass == Pass::wgrad && layer.bias;
  if (layer.pass == Pass::fwd || !has_window(layer.kind) || sums_all) return elements(layer.output);
  return layer.kind == LayerKind::conv_transpose ? image_elements_read(layer.output, layer)
                                                 : reading_elements(layer.output, layer);
}

void add_parameters(const Operand& operand, Counts& counts) {
  if (operand.is_parameter)
    counts.params =
        checked_add(counts.params, operand.parameters.value_or(elements(operand.shape)));
}

/// Adds the read of an operand, `read` elements, and its parameters.
void read_operand(std::size_t index, std::uint64_t read, const Layer& layer, Counts& counts) {
  const Operand& operand = layer.inputs[index];
  std::uint64_t& bytes = operand.is_parameter ? counts.bytes.weight : counts.bytes.input;
  bytes = checked_add(bytes, stored_byte(read, type_of(operand, layer)));
  // A layer fused into this one counts its own parameters.
  if (index < layer.inputs.size() - layer.fused_input_count) add_parameters(operand, counts);
}

void count_contraction(const Layer& layer, Counts& counts) {
  counts.macs = contraction_macs(layer);
  counts.flops = checked_mul(counts.macs, 2);
  const std::uint64_t weights = contraction_weights(layer);
  const std::uint64_t bias = layer.bias || layer.folded_norm ? layer.output.channels : 0;
  const bool has_second = layer.kind == LayerKind::matmul;
  if (has_second)
    add_parameters(layer.inputs[1], counts);
  else
    counts.params = checked_add(weights, layer.bias ? bias : 0);

  // The data gradient needs no bias; the weight gradient also writes the bias's gradient. All
  // weights count, since taps on padding count as MACs.
  const std::uint64_t moved = layer.pass == Pass::dgrad ? weights : checked_add(weights, bias);
  counts.bytes.weight = stored_byte(moved, layer.dtypes.weight);
  const bool writes_input = layer.pass == Pass::dgrad;
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {  // beyond the matrices: in the epilogue
    if (has_second && i == 1) continue;
    read_operand(i, writes_input ? elements(layer.inputs[i].shape) : elements_read(layer, i), layer,
                 counts);
  }
  counts.bytes.output = stored_byte(moved_of_result(layer), layer.dtypes.output);
}

/// Pairs of a query and a key in one head. Causal: the last query sees all keys, the one before it
/// all but the last, and so on; queries before the first key see none. From the first: one key, two
/// keys, and so on.
std::uint64_t attended_pairs(const Layer& layer) {
  const std::uint64_t queries = heads_of(layer.inputs[0].shape).length;
  const std::uint64_t keys = heads_of(layer.inputs[1].shape).length;
  if (!layer.causal) return checked_mul(queries, keys);
  const std::uint64_t seeing = std::min(queries, keys);
  if (layer.causal_from_first)
    return checked_add(checked_mul(seeing, seeing + 1) / 2, checked_mul(queries - seeing, keys));
  const std::uint64_t fewest = keys - seeing + 1;
  return checked_mul(seeing, checked_add(fewest, keys)) / 2;
}

/// Forward two products. Backward five: the three gradients, the scores' gradient, and the scores
/// again, which no pass keeps (Dao 2023, "FlashAttention-2").
void count_attention(const Layer& layer, Counts& counts) {
  const Heads query = heads_of(layer.inputs[0].shape);
  const std::uint64_t of_keys = layer.pass == Pass::fwd ? 1 : 3;
  const std::uint64_t of_values = layer.pass == Pass::fwd ? 1 : 2;
  const std::uint64_t features = checked_add(checked_mul(of_keys, query.features),
                                             checked_mul(of_values, layer.output.channels));
  counts.macs = checked_mul(checked_mul(query.batch, query.heads),
                            checked_mul(attended_pairs(layer), features));
  counts.flops = checked_mul(counts.macs, 2);
  // From the first key, none sees the keys after the last query.
  const std::uint64_t keys = heads_of(layer.inputs[1].shape).length;
  const bool sees_some = layer.causal && layer.causal_from_first && query.length < keys;
  for (const Operand& operand : layer.inputs) {
    const std::uint64_t all = elements(operand.shape);
    const bool is_cut = sees_some && &operand != &layer.inputs.front();
    counts.bytes.input =
        checked_add(counts.bytes.input,
                    stored_byte(is_cut ? all / keys * query.length : all, layer.dtypes.input));
  }
  counts.bytes.output = tensor_byte(layer.output, layer.dtypes.output);
  if (layer.pass == Pass::fwd) return;
  // Each tensor and its gradient.
  counts.bytes.input = checked_mul(counts.bytes.input, 2);
  counts.bytes.output = checked_mul(counts.bytes.output, 2);
}

/// Each direction multiplies the input of all steps and, step by step, its state; a stacked layer
/// reads all directions of the one below it. Bias: PyTorch and cuDNN have one for each product.
void count_recurrent(const Layer& layer, Counts& counts) {
  const Recurrence of = recurrence_of(layer);
  const std::uint64_t columns = checked_mul(of.directions, of.gates, of.state);
  const std::uint64_t first = checked_add(of.features, of.state);
  const std::uint64_t stacked = checked_add(checked_mul(of.directions, of.state), of.state);
  const std::uint64_t weights =
      checked_mul(columns, checked_add(first, checked_mul(of.layers - 1, stacked)));
  const std::uint64_t biases = layer.bias ? checked_mul(2, columns, of.layers) : 0;
  counts.macs = checked_mul(weights, of.samples, of.steps);
  counts.flops = checked_mul(counts.macs, 2);
  counts.params = checked_add(weights, biases);
  const bool moves_biases = layer.pass != Pass::dgrad;
  counts.bytes.weight = stored_byte(moves_biases ? counts.params : weights, layer.dtypes.weight);
  read_operand(0, elements_read(layer, 0), layer, counts);
  counts.bytes.output = tensor_byte(layer.output, layer.dtypes.output);
}

/// A convolution, and for each tap of each channel the four multiply-adds of a place between four
/// elements. Offsets, and a mask, are read as the image is, and all of it: taps may lie anywhere.
void count_deformable(const Layer& layer, Counts& counts) {
  const std::uint64_t channels = layer.inputs.front().shape.channels;
  const std::uint64_t taps = checked_product(layer.window->kernel);
  const std::uint64_t positions = elements(layer.output) / layer.output.channels;
  const std::uint64_t weights = checked_mul(channels / layer.groups, layer.output.channels, taps);
  counts.macs = checked_add(checked_mul(positions, weights),
                            checked_mul(4, positions, checked_mul(channels, taps)));
  counts.flops = checked_mul(counts.macs, 2);
  const std::uint64_t bias = layer.bias ? layer.output.channels : 0;
  counts.params = checked_add(weights, bias);
  const bool moves_bias = layer.pass != Pass::dgrad;
  counts.bytes.weight = stored_byte(moves_bias ? counts.params : weights, layer.dtypes.weight);
  for (std::size_t i = 0; i < layer.inputs.size(); ++i)
    read_operand(i, elements(layer.inputs[i].shape), layer, counts);
  counts.bytes.output = tensor_byte(layer.output, layer.dtypes.output);
}

std::uint64_t elementwise_flops(const Layer& layer) {
  const KindInfo& kind = info(layer.kind);
  if (has_window(layer.kind))
    return checked_mul(elements(layer.output), checked_product(layer.window->kernel),
                       kind.flop_per_element);
  if (kind.family == KindFamily::combine)
    return checked_mul(elements(layer.output), layer.inputs.size() - 1, kind.flop_per_element);
  return checked_mul(elements_read(layer, 0), kind.flop_per_element);
}

/// 64-bit integers, the default of frameworks.
std::uint64_t byte_of_indices(std::uint64_t indices) { return checked_mul(indices, 8); }

/// Reads one row of the table (operand 1) per position, at most the whole table. Backward, the
/// gradients of all positions are added into the table's gradient, which is written whole.
void count_lookup(const Layer& layer, Counts& counts) {
  const std::uint64_t positions = elements(layer.inputs[0].shape);
  counts.params = elements(layer.inputs[1].shape);
  const bool forward = layer.pass == Pass::fwd;
  if (!forward) counts.flops = elements(layer.output);
  const std::uint64_t rows = std::min(counts.params, elements(layer.output));
  counts.bytes.input = byte_of_indices(positions);
  counts.bytes.weight = stored_byte(forward ? rows : counts.params, layer.dtypes.weight);
  counts.bytes.output = tensor_byte(layer.output, layer.dtypes.output);
}

/// One index per moved row. A scatter reads and writes the rows of the result it adds to.
void count_picked_rows(const Layer& layer, Counts& counts) {
  const Shape& in = layer.inputs.front().shape;
  if (layer.kind == LayerKind::gather) {
    counts.bytes.input = checked_add(
        counts.bytes.input, byte_of_indices(elements(layer.output) / layer.output.channels));
  } else if (layer.kind == LayerKind::scatter) {
    const std::uint64_t touched =
        stored_byte(std::min(elements(in), elements(layer.output)), layer.dtypes.output);
    counts.bytes.input =
        checked_add(counts.bytes.input, byte_of_indices(elements(in) / in.channels), touched);
    counts.bytes.output = touched;
  }
}

/// Everything but contractions. Backward: reads the gradient of the output, and the forward input
/// if the kind needs it; writes the gradients of input and parameters; FLOP as forward.
void count_elementwise(const Layer& layer, Counts& counts) {
  const KindInfo& kind = info(layer.kind);
  counts.flops = elementwise_flops(layer);
  for (std::size_t i = 0; i < layer.inputs.size(); ++i)
    read_operand(i, elements_read(layer, i), layer, counts);
  if (kind.family == KindFamily::norm) {
    const bool rms = layer.kind == LayerKind::rms_norm;  // a scale, no shift
    const bool every_element = rms || layer.kind == LayerKind::layer_norm;
    counts.params =
        checked_mul(every_element ? layer.norm_elements : layer.output.channels, rms ? 1 : 2);
    if (layer.kind == LayerKind::batch_norm) counts.buffers = counts.params;
    counts.bytes.weight =
        stored_byte(checked_add(counts.params, counts.buffers), layer.dtypes.weight);
  }
  counts.bytes.output = stored_byte(moved_of_result(layer), layer.dtypes.output);
  count_picked_rows(layer, counts);
  if (layer.pass == Pass::fwd) return;
  if (kind.saved != Saved::nothing) counts.saved_byte = counts.bytes.input;
  const std::uint64_t unread_byte =  // gradients of unread elements are written too
      kind.family == KindFamily::pool || kind.family == KindFamily::resize
          ? tensor_byte(layer.inputs.front().shape, layer.dtypes.input) -
                stored_byte(elements_read(layer, 0), layer.dtypes.input)
          : 0;
  counts.bytes.input = checked_add(counts.bytes.input, unread_byte, counts.saved_byte);
  const std::uint64_t gradients = stored_byte(counts.params, layer.dtypes.weight);
  counts.bytes.weight = checked_add(counts.bytes.weight, gradients);
}

/// An interpolation that makes an image smaller may pass over elements.
bool may_touch_less(const Layer& layer) {
  if (layer.work->bytes) return false;
  const OperandReads reads = info(layer.kind).reads;
  return reads == OperandReads::picked || reads == OperandReads::some ||
         layer.generated->may_touch_less ||
         (layer.kind == LayerKind::upsample && elements(layer.output) < elements_read(layer, 0));
}

}  // namespace

std::uint64_t elements(const Shape& shape) {
  return checked_mul(shape.batch, shape.channels, checked_product(shape.spatial));
}

std::uint64_t elements_read(const Layer& layer, std::size_t operand) {
  const Shape& shape = layer.inputs[operand].shape;
  switch (info(layer.kind).reads) {
    case OperandReads::of_result:
    case OperandReads::picked: return std::min(elements(shape), elements(layer.output));
    case OperandReads::window:
      if (operand > 0) break;
      return layer.kind == LayerKind::conv_transpose ? reading_elements(shape, layer)
                                                     : image_elements_read(shape, layer);
    case OperandReads::all:
    case OperandReads::some: break;
  }
  return elements(shape);
}

std::uint64_t stored_byte(std::uint64_t elements, DataType type) {
  const DataTypeInfo& stored = info(type);
  // Whole groups of eight elements first: bits x elements may exceed 64 bits when bytes do not.
  const std::uint64_t bytes =
      checked_add(checked_mul(elements / 8, stored.bits), (elements % 8 * stored.bits + 7) / 8);
  if (stored.block_elements == 0) return bytes;
  const bool part_filled = elements % stored.block_elements != 0;
  return checked_add(bytes, elements / stored.block_elements + (part_filled ? 1 : 0));
}

bool runs(const Layer& layer, Pass pass) {
  const KindFamily family = info(layer.kind).family;
  if (is_any(family, KindFamily::contraction, KindFamily::recurrent, KindFamily::deformable) ||
      pass == Pass::fwd)
    return true;
  return pass == Pass::dgrad && family != KindFamily::free && layer.kind != LayerKind::add;
}

Counts count(const Layer& layer) {
  Counts counts;
  switch (info(layer.kind).family) {
    case KindFamily::contraction: count_contraction(layer, counts); break;
    case KindFamily::attention: count_attention(layer, counts); break;
    case KindFamily::recurrent: count_recurrent(layer, counts); break;
    case KindFamily::deformable: count_deformable(layer, counts); break;
    case KindFamily::lookup: count_lookup(layer, counts); break;
    case KindFamily::free: return counts;
    case KindFamily::transfer:
      counts.bytes.input = tensor_byte(layer.inputs.front().shape, layer.dtypes.input);
      break;
    case KindFamily::norm:
    case KindFamily::activation:
    case KindFamily::combine:
    case KindFamily::pool:
    case KindFamily::resize:
    case KindFamily::movement: count_elementwise(layer, counts);
  }
  if (layer.work->flops) counts.flops = *layer.work->flops;
  if (layer.work->bytes) {  // read or written: the file does not tell
    counts.bytes = {};
    counts.bytes.input = *layer.work->bytes;
  }
  if (layer.shared_weights) counts.params = 0;
  if (layer.fused_into) {
    Counts fused;
    fused.params = counts.params;
    fused.buffers = counts.buffers;
    return fused;
  }
  if (layer.generated->places > 0) {
    counts.bytes = {};
    counts.bytes.input = layer.generated->read_byte;
    counts.bytes.output = layer.generated->written_byte;
  }
  counts.bytes.total = checked_add(counts.bytes.input, counts.bytes.weight, counts.bytes.output);
  counts.is_upper_estimate = may_touch_less(layer);
  return counts;
}

}  // namespace roofline
