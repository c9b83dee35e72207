#include "roofline/layer_kind.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace roofline {
namespace {

// FLOP an element: each operation that the textbook formula has, transcendentals as one.
// clang-format off
constexpr auto kinds = [] {
  using enum LayerKind;
  using Family = KindFamily;
  return std::array<KindInfo, layer_kind_count>{{
    {conv, "conv", Family::contraction, 0, Saved::input, Features::first, "convolution"},
    {conv_transpose, "conv_transpose", Family::contraction, 0, Saved::input, Features::first, "deconv deconvolution"},
    {linear, "linear", Family::contraction, 0, Saved::input, Features::last, "fc dense"},
    {matmul, "matmul", Family::contraction, 0, Saved::input, Features::last, "gemm bmm"},
    {attention, "attention", Family::attention, 0, Saved::input, Features::last, "scaleddotproductattention"},
    // x * scale + shift: statistics and affine folded into two numbers a channel
    {batch_norm, "batch_norm", Family::norm, 2, Saved::input, Features::first, "syncbatchnorm"},
    // mean 1, deviation 1, variance 2, normalise 1, affine 2
    {layer_norm, "layer_norm", Family::norm, 7, Saved::input, Features::last},
    {group_norm, "group_norm", Family::norm, 7, Saved::input},
    {instance_norm, "instance_norm", Family::norm, 7, Saved::input},
    // square 1, running sum over the channels 2, scale and shift 2, power 1, divide 1
    {local_response_norm, "local_response_norm", Family::activation, 7, Saved::input, Features::first, "lrn"},
    {relu, "relu", Family::activation, 1, Saved::output},               // compare
    {relu6, "relu6", Family::activation, 2, Saved::output},             // two compares
    {leaky_relu, "leaky_relu", Family::activation, 2, Saved::output},   // compare, multiply
    {prelu, "prelu", Family::activation, 2, Saved::input},              // compare, multiply
    {elu, "elu", Family::activation, 4, Saved::output},                 // compare, exp, subtract, multiply
    {sigmoid, "sigmoid", Family::activation, 4, Saved::output},         // negate, exp, add, divide
    {hardsigmoid, "hardsigmoid", Family::activation, 4, Saved::output}, // add, multiply, two compares
    {LayerKind::tanh, "tanh", Family::activation, 6, Saved::output},    // scale, exp, subtract, add, divide, sign
    {silu, "silu", Family::activation, 5, Saved::input, Features::first, "swish"},          // sigmoid, multiply
    {hardswish, "hardswish", Family::activation, 5, Saved::input},      // hardsigmoid, multiply
    {gelu, "gelu", Family::activation, 8, Saved::input},                // scale, erf as about 5, add, multiply
    {softmax, "softmax", Family::activation, 5, Saved::output},         // maximum, subtract, exp, sum, divide
    {elementwise, "elementwise", Family::activation, 1, Saved::input},  // any other function of one operand
    {add, "add", Family::combine, 1, Saved::nothing},                   // the gradient passes through unchanged
    {sub, "sub", Family::combine, 1, Saved::nothing},
    {mul, "mul", Family::combine, 1, Saved::input},
    {LayerKind::div, "div", Family::combine, 1, Saved::input},
    {concat, "concat", Family::combine, 0, Saved::nothing, Features::first, "cat"},
    {max_pool, "max_pool", Family::pool, 1, Saved::input},              // a compare an input element; backward finds the maximum again
    {avg_pool, "avg_pool", Family::pool, 1, Saved::nothing},            // an add an input element
    {global_avg_pool, "global_avg_pool", Family::pool, 1, Saved::nothing, Features::first, "adaptiveavgpool"},
    {reduce, "reduce", Family::movement, 1, Saved::nothing},            // an add an input element
    {upsample, "upsample", Family::resize, 0, Saved::nothing, Features::first, "interpolate upsamplingnearest"},  // nearest neighbour: a copy
    {copy, "copy", Family::movement, 0, Saved::nothing},                // transposes, slices, gathers, casts
    {other, "other", Family::movement, 0, Saved::nothing},              // known by its bytes only
    {flatten, "flatten", Family::free, 0, Saved::nothing},
    {host_copy, "host_copy", Family::transfer, 0, Saved::nothing},
  }};
}();
// clang-format on

constexpr bool kinds_in_order() {
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (static_cast<std::size_t>(kinds[i].kind) != i) return false;
  return true;
}
static_assert(kinds_in_order(), "info() indexes the table by the enumerator");

/// Lower case, without "_": "BatchNorm" and "batch_norm" are both "batchnorm".
std::string normal_form(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '_') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

/// Whether `word` is one of the words that stand in `list`, separated by blanks.
bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

std::optional<LayerKind> kind_named(std::string_view name) {
  for (const KindInfo& row : kinds)
    if (row.name == name && is_input_kind(row.kind)) return row.kind;
  return std::nullopt;
}

std::optional<LayerKind> kind_of(std::string_view normal_name) {
  for (const KindInfo& row : kinds)
    if (is_input_kind(row.kind) &&
        (normal_form(row.name) == normal_name || has_word(row.aliases, normal_name)))
      return row.kind;
  return std::nullopt;
}

}  // namespace

const KindInfo& info(LayerKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

std::span<const KindInfo> all_kinds() { return kinds; }

bool is_input_kind(LayerKind kind) { return info(kind).family != KindFamily::transfer; }

bool has_window(LayerKind kind) {
  using enum LayerKind;
  return kind == conv || kind == conv_transpose || kind == max_pool || kind == avg_pool;
}

std::optional<LayerType> parse_layer_type(std::string_view name) {
  if (const auto kind = kind_named(name)) return LayerType{*kind, std::nullopt};
  const std::string normal = normal_form(name);
  if (const auto kind = kind_of(normal)) return LayerType{*kind, std::nullopt};
  const std::size_t size = normal.size();
  if (size < 3 || normal[size - 1] != 'd' || normal[size - 2] < '1' || normal[size - 2] > '3')
    return std::nullopt;
  const auto rank = static_cast<std::uint8_t>(normal[size - 2] - '0');
  const auto kind = kind_of(std::string_view(normal).substr(0, size - 2));
  if (!kind) return std::nullopt;
  return LayerType{*kind, rank};
}

}  // namespace roofline
