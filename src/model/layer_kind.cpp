#include "roofline/layer_kind.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "model/text.hpp"
#include "roofline/enumeration.hpp"

namespace roofline {
namespace {

// FLOP an element: each operation that the textbook formula has, transcendentals as one.
// NOLINTBEGIN(bugprone-branch-clone): one row a kind
// clang-format off
constexpr KindInfo row_of(LayerKind kind) {
  using enum LayerKind;
  using Family = KindFamily;
  using Cost = ElementCost;
  switch (kind) {
    case conv: return {Family::contraction, 0, Cost::own, Saved::input, Features::first, "convolution"};
    case conv_transpose: return {Family::contraction, 0, Cost::own, Saved::input, Features::first, "deconv deconvolution"};
    case linear: return {Family::contraction, 0, Cost::own, Saved::input, Features::last, "fc dense"};
    case matmul: return {Family::contraction, 0, Cost::own, Saved::input, Features::last, "gemm bmm"};
    case attention: return {Family::attention, 0, Cost::own, Saved::input, Features::last, "scaleddotproductattention"};
    // x * scale + shift: statistics and affine folded into two numbers a channel
    case batch_norm: return {Family::norm, 2, Cost::own, Saved::input, Features::first, "syncbatchnorm"};
    // mean 1, deviation 1, variance 2, normalise 1, affine 2
    case layer_norm: return {Family::norm, 7, Cost::own, Saved::input, Features::last};
    // square and sum 2, normalise 1, scale 1
    case rms_norm: return {Family::norm, 4, Cost::own, Saved::input, Features::last};
    case group_norm: return {Family::norm, 7, Cost::own, Saved::input};
    case instance_norm: return {Family::norm, 7, Cost::own, Saved::input};
    // square 1, running sum over the channels 2, scale and shift 2, power 1, divide 1
    case local_response_norm: return {Family::activation, 7, Cost::several, Saved::input, Features::first, "lrn"};
    case relu: return {Family::activation, 1, Cost::simple, Saved::output};               // compare
    case relu6: return {Family::activation, 2, Cost::simple, Saved::output};             // two compares
    case leaky_relu: return {Family::activation, 2, Cost::simple, Saved::output};   // compare, multiply
    case prelu: return {Family::activation, 2, Cost::scaled, Saved::input};              // compare, multiply
    case elu: return {Family::activation, 4, Cost::exponential, Saved::output};                 // compare, exp, subtract, multiply
    case sigmoid: return {Family::activation, 4, Cost::exponential, Saved::output};         // negate, exp, add, divide
    case hardsigmoid: return {Family::activation, 4, Cost::simple, Saved::output}; // add, multiply, two compares
    case LayerKind::tanh: return {Family::activation, 6, Cost::exponential, Saved::output};    // scale, exp, subtract, add, divide, sign
    case silu: return {Family::activation, 5, Cost::exponential, Saved::input, Features::first, "swish"};          // sigmoid, multiply
    case hardswish: return {Family::activation, 5, Cost::simple, Saved::input};      // hardsigmoid, multiply
    case gelu: return {Family::activation, 8, Cost::erf, Saved::input};                // scale, erf as about 5, add, multiply
    case softmax: return {Family::activation, 5, Cost::own, Saved::output};         // maximum, subtract, exp, sum, divide
    case elementwise: return {Family::activation, 1, Cost::any, Saved::input};  // any other function of one operand
    case add: return {Family::combine, 1, Cost::simple, Saved::nothing};                   // the gradient passes through unchanged
    case sub: return {Family::combine, 1, Cost::simple, Saved::nothing};
    case mul: return {Family::combine, 1, Cost::simple, Saved::input};
    case LayerKind::div: return {Family::combine, 1, Cost::simple, Saved::input};
    case concat: return {Family::combine, 0, Cost::own, Saved::nothing, Features::first, "cat"};
    case max_pool: return {Family::pool, 1, Cost::own, Saved::input};              // a compare an input element; backward finds the maximum again
    case avg_pool: return {Family::pool, 1, Cost::own, Saved::nothing};            // an add an input element
    case global_avg_pool: return {Family::pool, 1, Cost::own, Saved::nothing, Features::first, "adaptiveavgpool"};
    case reduce: return {Family::movement, 1, Cost::own, Saved::nothing};            // an add an input element
    case upsample: return {Family::resize, 0, Cost::own, Saved::nothing, Features::first, "interpolate upsamplingnearest"};  // nearest neighbour: a copy
    case copy: return {Family::movement, 0, Cost::simple, Saved::nothing};                // transposes, slices, casts
    case embedding: return {Family::lookup, 0, Cost::own, Saved::nothing, Features::last};
    case gather: return {Family::movement, 0, Cost::own, Saved::nothing, Features::last, "indexselect"};
    case scatter: return {Family::movement, 1, Cost::own, Saved::nothing, Features::last, "scatteradd indexadd"};  // an add an input element
    case other: return {Family::movement, 0, Cost::simple, Saved::nothing};              // known by its bytes only
    case flatten: return {Family::free, 0, Cost::own, Saved::nothing};
    case host_copy: return {Family::transfer, 0, Cost::own, Saved::nothing};
  }
  return {};
}
// clang-format on
// NOLINTEND(bugprone-branch-clone)

constexpr std::array kinds = [] {
  std::array<KindInfo, count_of<LayerKind>> all{};
  for (const LayerKind kind : enumerators<LayerKind>) {
    KindInfo& row = all[index_of(kind)] = row_of(kind);
    row.kind = kind;
    row.name = name_of(kind);
  }
  return all;
}();
static_assert(std::ranges::all_of(kinds, [](const KindInfo& kind) {
  return !name_of(kind.cost).empty();  // or a row does not state it
}));

/// Lower case, without "_": "BatchNorm" and "batch_norm" are both "batchnorm".
std::string normal_form(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '_') out += lower_case(c);
  return out;
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
  if (const auto kind = parse<LayerKind>(name); kind && is_input_kind(*kind))
    return LayerType{*kind, std::nullopt};
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
