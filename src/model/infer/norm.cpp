#include "model/infer/norm.hpp"

#include "model/checked.hpp"
#include "model/infer/axes.hpp"
#include "model/infer/field_failure.hpp"
#include "model/layer_fields.hpp"
#include "roofline/counts.hpp"

namespace roofline {
namespace {

std::uint64_t positions(const Shape& shape) {
  return checked_mul(shape.spatial[0], shape.spatial[1], shape.spatial[2]);
}

/// Whether so many elements are the last sizes of the shape, in PyTorch's sense: its features
/// stand last where its source has them so, else first.
bool are_last_sizes(std::uint64_t count, const Shape& shape) {
  std::uint64_t last_positions = 1;
  for (std::size_t i = 3; i-- > 3U - shape.spatial_rank;) {
    last_positions = checked_mul(last_positions, shape.spatial[i]);
    if (count == last_positions || count == checked_mul(last_positions, shape.channels))
      return true;
  }
  return count == shape.channels;
}

/// Layer and RMS norms: over the features of each position (transformers, and ConvNeXt's norms of
/// images), or over the last sizes, up to all but the batch.
void set_layer_norm(const LayerSpec& spec, Layer& layer) {
  const Shape& shape = layer.output;
  const std::uint64_t features = shape.channels;
  const std::uint64_t all = checked_mul(features, positions(shape));
  if (spec.normalized_shape.empty()) {
    layer.norm_elements = features;
    return;
  }
  std::uint64_t stated = 1;
  for (const std::uint64_t size : spec.normalized_shape) stated = checked_mul(stated, size);
  if (!are_last_sizes(stated, shape))
    fail("normalized_shape",
         "expected [" + std::to_string(features) + "], the features of the input " +
             to_text(shape) + ", or all its " + std::to_string(all) +
             " elements but the batch, got " + list_text(spec.normalized_shape));
  layer.norm_elements = stated;
}

void set_group_norm(const LayerSpec& spec, Layer& layer) {
  if (!spec.groups) fail_missing("groups", "an integer >= 1");
  const std::uint64_t channels = layer.output.channels;
  if (*spec.groups == 0 || channels % *spec.groups != 0)
    fail("groups", "expected a divisor of the " + std::to_string(channels) + " channels, got " +
                       std::to_string(*spec.groups));
  layer.norm_elements = checked_mul(channels / *spec.groups, positions(layer.output));
}

}  // namespace

void infer_norm(const LayerSpec& spec, Layer& layer) {
  switch (layer.kind) {
    case LayerKind::layer_norm:
    case LayerKind::rms_norm: return set_layer_norm(spec, layer);
    case LayerKind::group_norm: return set_group_norm(spec, layer);
    case LayerKind::instance_norm: layer.norm_elements = positions(layer.output); return;
    default: return;
  }
}

std::string_view norm_assumption(const LayerSpec& spec, const Layer& layer) {
  if (layer.norm_elements == 0 || layer.output.spatial_rank == 0 ||
      !spec.normalized_shape.empty() || !takes(layer.kind, "normalized_shape"))
    return "";
  const bool features_last = spec.input && spec.input->layer.empty();
  return features_last ? "the last size of the input" : "the channels of each position";
}

}  // namespace roofline
