#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/as_run.hpp"
#include "model/layer_kind.hpp"
#include "model/sizes.hpp"
#include "roofline/network.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

/// The layer which owns each layer's output buffer: views and fused layers share their host's.
std::vector<std::size_t> owners_of(const Network& network) {
  std::vector<std::size_t> owners(network.layers.size());
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const Layer& layer = network.layers[i];
    owners[i] = layer.fused_into.value_or(i);
    if (info(layer.kind).family == KindFamily::free && layer.inputs.front().producer)
      owners[i] = owners[*layer.inputs.front().producer];
  }
  return owners;
}

std::uint64_t output_byte(const Layer& layer) {
  return stored_byte(elements(layer.output), layer.dtypes.output);
}

std::uint64_t external_input_byte(const Layer& layer) {
  std::uint64_t bytes = 0;
  if (layer.shared_weights) return bytes;  // counted with the weights' own layer
  for (const Operand& operand : layer.inputs)
    if (!operand.producer && !operand.is_parameter)
      bytes = checked_add(bytes, stored_byte(elements(operand.shape), type_of(operand, layer)));
  return bytes;
}

/// Walks the layers in order, freeing each tensor after its last reader.
void find_peak(const Network& network, const std::vector<std::size_t>& owners, Memory& memory) {
  const std::size_t count = network.layers.size();
  std::vector<std::size_t> last_reader(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Layer& layer = network.layers[i];
    // Autocast casts weights once per pass.
    const bool stays = layer.is_kept || casts_weights(network, layer);
    const std::size_t least = stays ? count - 1 : i;
    last_reader[owners[i]] = std::max(last_reader[owners[i]], least);
    for (const Operand& operand : layer.inputs)
      if (operand.producer && !layer.training_only) {
        std::size_t& last = last_reader[owners[*operand.producer]];
        last = std::max(last, i);
      }
  }
  std::vector<std::uint64_t> freed_after(count, 0);
  std::uint64_t live = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Layer& layer = network.layers[i];
    if (layer.training_only) continue;
    if (owners[i] == i) {
      const std::uint64_t bytes = output_byte(layer);
      live = checked_add(live, bytes);
      freed_after[last_reader[i]] += bytes;
    }
    const std::uint64_t read_byte = network.input_byte ? 0 : external_input_byte(layer);
    const std::uint64_t now = checked_add(live, read_byte);
    if (now > memory.peak_activation_byte) {
      memory.peak_activation_byte = now;
      memory.peak_layer = layer.name;
    }
    live -= freed_after[i];
  }
}

/// Tensors read again by the backward pass, each once.
std::uint64_t saved_byte(const Network& network, const std::vector<std::size_t>& owners) {
  std::vector<std::uint64_t> saved(network.layers.size(), 0);
  std::uint64_t total = 0;
  const auto save = [&](std::size_t i) {
    saved[owners[i]] = output_byte(network.layers[owners[i]]);
  };
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (info(layer.kind).saved == Saved::output || casts_weights(network, layer)) save(i);
    if (info(layer.kind).saved != Saved::input) continue;
    total = checked_add(total, external_input_byte(layer));
    for (const Operand& operand : layer.inputs)
      if (operand.producer) save(*operand.producer);
  }
  for (const std::uint64_t bytes : saved) total = checked_add(total, bytes);
  return total;
}

}  // namespace

Memory memory_of(const Network& network, Optimizer optimizer) {
  Memory memory;
  memory.input_byte = network.input_byte.value_or(0);
  for (const Layer& layer : network.layers) {
    const DataType kept = network.autocast ? DataType::fp32 : layer.dtypes.weight;
    const std::uint64_t bytes = stored_byte(count(layer).params, kept);
    memory.training_weight_byte = checked_add(memory.training_weight_byte, bytes);
    if (!layer.training_only) memory.weight_byte = checked_add(memory.weight_byte, bytes);
  }
  const auto numbers_a_weight = static_cast<std::uint64_t>(optimizer);  // 0, 1, 2
  memory.optimizer_state_byte = checked_mul(numbers_a_weight, memory.training_weight_byte);
  const std::vector<std::size_t> owners = owners_of(network);
  find_peak(network, owners, memory);
  memory.saved_activation_byte = saved_byte(network, owners);
  return memory;
}

}  // namespace roofline
