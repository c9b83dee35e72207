#include "roofline/layer_kind.hpp"

#include <array>

namespace roofline {
namespace {

using enum LayerKind;
using Family = KindFamily;

// FLOP an element: each operation that the textbook formula has, transcendentals as one.
constexpr std::array<KindInfo, layer_kind_count> kinds{{
    {conv, "conv", Family::contraction, 0, Saved::input},
    {conv_transpose, "conv_transpose", Family::contraction, 0, Saved::input},
    {linear, "linear", Family::contraction, 0, Saved::input},
    {matmul, "matmul", Family::contraction, 0, Saved::input},
    {batch_norm, "batch_norm", Family::norm, 2,
     Saved::input},  // x * scale + shift: statistics and affine folded into two numbers a channel
    {layer_norm, "layer_norm", Family::norm, 7,
     Saved::input},  // mean 1, deviation 1, variance 2, normalise 1, affine 2
    {relu, "relu", Family::activation, 1, Saved::output},              // compare
    {relu6, "relu6", Family::activation, 2, Saved::output},            // two compares
    {leaky_relu, "leaky_relu", Family::activation, 2, Saved::output},  // compare, multiply
    {sigmoid, "sigmoid", Family::activation, 4, Saved::output},        // negate, exp, add, divide
    {hardsigmoid, "hardsigmoid", Family::activation, 4,
     Saved::output},  // add, multiply, two compares
    {LayerKind::tanh, "tanh", Family::activation, 6,
     Saved::output},                                      // scale, exp, subtract, add, divide, sign
    {silu, "silu", Family::activation, 5, Saved::input},  // sigmoid, multiply
    {hardswish, "hardswish", Family::activation, 5, Saved::input},  // hardsigmoid, multiply
    {gelu, "gelu", Family::activation, 8, Saved::input},  // scale, erf as about 5, add, multiply
    {softmax, "softmax", Family::activation, 5,
     Saved::output},                                   // maximum, subtract, exp, sum, divide
    {add, "add", Family::combine, 1, Saved::nothing},  // the gradient passes through unchanged
    {mul, "mul", Family::combine, 1, Saved::input},
    {concat, "concat", Family::combine, 0, Saved::nothing},
    {max_pool, "max_pool", Family::pool, 1,
     Saved::input},  // a compare an input element; backward finds the maximum again
    {avg_pool, "avg_pool", Family::pool, 1, Saved::nothing},  // an add an input element
    {global_avg_pool, "global_avg_pool", Family::pool, 1, Saved::nothing},
    {upsample, "upsample", Family::resize, 0, Saved::nothing},  // nearest neighbour: a copy
    {flatten, "flatten", Family::free, 0, Saved::nothing},
    {host_copy, "host_copy", Family::transfer, 0, Saved::nothing},
}};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (static_cast<std::size_t>(kinds[i].kind) != i) return false;
  return true;
}
static_assert(in_enum_order(), "info() indexes the table by the enumerator");

}  // namespace

const KindInfo& info(LayerKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

std::optional<LayerKind> parse_layer_kind(std::string_view name) {
  for (const KindInfo& row : kinds)
    if (row.name == name && row.family != Family::transfer) return row.kind;
  return std::nullopt;
}

}  // namespace roofline
