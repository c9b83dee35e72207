#include "roofline/layer_kind.hpp"

#include <array>

namespace roofline {
namespace {

using enum LayerKind;
using Family = KindFamily;

// FLOP an element: each operation the textbook formula has, transcendentals as one.
constexpr std::array<KindInfo, layer_kind_count> kinds{{
    {conv, "conv", Family::contraction},
    {conv_transpose, "conv_transpose", Family::contraction},
    {linear, "linear", Family::contraction},
    {matmul, "matmul", Family::contraction},
    {batch_norm, "batch_norm", Family::norm, 2,
     true},  // x * scale + shift: statistics and affine folded into two numbers a channel
    {layer_norm, "layer_norm", Family::norm, 7,
     true},  // mean 1, deviation 1, variance 2, normalise 1, affine 2
    {relu, "relu", Family::activation, 1, true},                // compare
    {relu6, "relu6", Family::activation, 2, true},              // two compares
    {leaky_relu, "leaky_relu", Family::activation, 2, true},    // compare, multiply
    {sigmoid, "sigmoid", Family::activation, 4, true},          // negate, exp, add, divide
    {hardsigmoid, "hardsigmoid", Family::activation, 4, true},  // add, multiply, two compares
    {LayerKind::tanh, "tanh", Family::activation, 6,
     true},                                       // scale, exp, subtract, add, divide, and the sign
    {silu, "silu", Family::activation, 5, true},  // sigmoid, multiply
    {hardswish, "hardswish", Family::activation, 5, true},  // hardsigmoid, multiply
    {gelu, "gelu", Family::activation, 8, true},            // scale, erf as about 5, add, multiply
    {softmax, "softmax", Family::activation, 5, true},      // maximum, subtract, exp, sum, divide
    {add, "add", Family::combine, 1},                       // the gradient passes through unchanged
    {mul, "mul", Family::combine, 1, true},
    {concat, "concat", Family::combine, 0},
    {max_pool, "max_pool", Family::pool, 1,
     true},  // a compare an input element; backward finds the maximum again
    {avg_pool, "avg_pool", Family::pool, 1},  // an add an input element
    {global_avg_pool, "global_avg_pool", Family::pool, 1},
    {upsample, "upsample", Family::resize, 0},  // nearest neighbour: a copy
    {flatten, "flatten", Family::free},
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
    if (row.name == name) return row.kind;
  return std::nullopt;
}

}  // namespace roofline
