#include "roofline/spec.hpp"

#include <array>

namespace roofline {
namespace {

/// Which layers take a field, beside those that all take.
enum class Taken : std::uint8_t {
  always,
  one_operand,  ///< all but those of several operands
  operands,     ///< add, mul, concat, matmul, ...
  window,
  convolution,
  contraction,
  other_rule,  ///< a kind of its own: see takes()
};

struct FieldInfo {
  Field field;
  std::string_view name;
  Taken taken = Taken::always;
};

constexpr auto fields = [] {
  using enum Field;
  return std::array<FieldInfo, field_count>{{
      {name, "name"},
      {type, "type"},
      {batch, "batch"},
      {input, "input", Taken::one_operand},
      {in_channels, "in_channels", Taken::one_operand},
      {input_size, "input_size", Taken::one_operand},
      {input_height, "h", Taken::one_operand},
      {input_width, "w", Taken::one_operand},
      {inputs, "inputs", Taken::operands},
      {out_channels, "out_channels", Taken::convolution},
      {kernel_size, "kernel_size", Taken::window},
      {kernel_height, "r", Taken::window},
      {kernel_width, "s", Taken::window},
      {stride, "stride", Taken::window},
      {stride_height, "stride_h", Taken::window},
      {stride_width, "stride_w", Taken::window},
      {padding, "padding", Taken::window},
      {padding_height, "pad_h", Taken::window},
      {padding_width, "pad_w", Taken::window},
      {dilation, "dilation", Taken::window},
      {dilation_height, "dil_h", Taken::window},
      {dilation_width, "dil_w", Taken::window},
      {output_padding, "output_padding", Taken::other_rule},
      {ceil_mode, "ceil_mode", Taken::other_rule},
      {groups, "groups", Taken::other_rule},
      {depthwise, "depthwise", Taken::convolution},
      {bias, "bias", Taken::other_rule},
      {causal, "causal", Taken::other_rule},
      {in_features, "in_features", Taken::other_rule},
      {out_features, "out_features", Taken::other_rule},
      {m, "m", Taken::other_rule},
      {n, "n", Taken::other_rule},
      {k, "k", Taken::other_rule},
      {normalized_shape, "normalized_shape", Taken::other_rule},
      {scale_factor, "scale_factor", Taken::other_rule},
      {dtype, "dtype"},
      {dtypes, "dtypes"},
      {pass, "pass"},
      {mapping, "kernel", Taken::contraction},
      {measured_warm, "measured_us"},
      {measured_cold, "measured_cold_us"},
      {measured_gpu, "measured_gpu"},
      {repeat, "repeat"},
      {batch_statistics, "training", Taken::other_rule},
      {training_only, "training_only"},
      {shared_weights, "shared_weights"},
      {output, "output"},
      {output_height, "p"},
      {output_width, "q"},
  }};
}();

constexpr bool fields_in_order() {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (static_cast<std::size_t>(fields[i].field) != i) return false;
  return true;
}
static_assert(fields_in_order(), "field_name() indexes the table by the enumerator");

bool has_several_operands(LayerKind kind) {
  return info(kind).family == KindFamily::combine || kind == LayerKind::matmul ||
         kind == LayerKind::attention || kind == LayerKind::other;
}

bool is_convolution(LayerKind kind) {
  return kind == LayerKind::conv || kind == LayerKind::conv_transpose;
}

bool takes_by_kind(LayerKind kind, Field field) {
  using enum Field;
  switch (field) {
    case output_padding: return kind == LayerKind::conv_transpose;
    case ceil_mode: return info(kind).family == KindFamily::pool && has_window(kind);
    case groups: return is_convolution(kind) || kind == LayerKind::group_norm;
    case bias: return is_convolution(kind) || kind == LayerKind::linear;
    case causal: return kind == LayerKind::attention;
    case in_features:
    case out_features: return kind == LayerKind::linear;
    case m:
    case n:
    case k: return kind == LayerKind::matmul;
    case normalized_shape: return kind == LayerKind::layer_norm;
    case batch_statistics: return kind == LayerKind::batch_norm;
    case scale_factor: return kind == LayerKind::upsample;
    default: return false;
  }
}

}  // namespace

std::string_view field_name(Field field) { return fields[static_cast<std::size_t>(field)].name; }

bool takes(LayerKind kind, Field field) {
  switch (fields[static_cast<std::size_t>(field)].taken) {
    case Taken::always: return true;
    case Taken::one_operand: return !has_several_operands(kind);
    case Taken::operands: return has_several_operands(kind);
    case Taken::window: return has_window(kind);
    case Taken::convolution: return is_convolution(kind);
    case Taken::contraction: return info(kind).family == KindFamily::contraction;
    case Taken::other_rule: return takes_by_kind(kind, field);
  }
  return false;
}

}  // namespace roofline
