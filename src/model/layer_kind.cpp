#include "roofline/layer_kind.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "model/text.hpp"
#include "roofline/enumeration.hpp"

namespace roofline {
namespace {

// FLOP per element: each operation of the textbook formula, transcendentals count as one.
// NOLINTBEGIN(bugprone-branch-clone): one row a kind
// clang-format off
constexpr KindInfo row_of(LayerKind kind) {
  using enum LayerKind;
  using Family = KindFamily;
  using Cost = ElementCost;
  using Cast = AutocastPolicy;
  using Reads = OperandReads;
  switch (kind) {
    case conv:                return {Family::contraction, 0, Cost::own,         Reach::window, Reads::window,    Fused::alone,  Cast::half,   Saved::input,   Named::by_kind, Features::first, "convolution"};
    case conv_transpose:      return {Family::contraction, 0, Cost::own,         Reach::window, Reads::window,    Fused::alone,  Cast::half,   Saved::input,   Named::by_kind, Features::first, "deconv deconvolution"};
    case linear:              return {Family::contraction, 0, Cost::own,         Reach::row,    Reads::all,       Fused::alone,  Cast::half,   Saved::input,   Named::by_kind, Features::last, "fc dense fullyconnected"};
    case matmul:              return {Family::contraction, 0, Cost::own,         Reach::row,    Reads::all,       Fused::alone,  Cast::half,   Saved::input,   Named::by_kind, Features::last, "gemm bmm mm"};
    case attention:           return {Family::attention,   0, Cost::own,         Reach::plane,  Reads::all,       Fused::alone,  Cast::half,   Saved::input,   Named::by_kind, Features::last, "scaleddotproductattention sdpa"};
    // x * scale + shift: statistics and affine folded into two numbers a channel
    case batch_norm:          return {Family::norm,        2, Cost::own,         Reach::place,  Reads::all,       Fused::joined, Cast::widest, Saved::input,   Named::by_kind, Features::first, "syncbatchnorm batchnormalization bn"};
    // mean 1, deviation 1, variance 2, normalise 1, affine 2
    case layer_norm:          return {Family::norm,        7, Cost::own,         Reach::row,    Reads::all,       Fused::alone,  Cast::fp32,   Saved::input,   Named::by_kind, Features::last, "layernormalization"};
    // square and sum 2, normalise 1, scale 1
    case rms_norm:            return {Family::norm,        4, Cost::own,         Reach::row,    Reads::all,       Fused::alone,  Cast::fp32,   Saved::input,   Named::by_kind, Features::last};
    case group_norm:          return {Family::norm,        7, Cost::own,         Reach::group,  Reads::all,       Fused::alone,  Cast::fp32,   Saved::input,   Named::by_kind};
    case instance_norm:       return {Family::norm,        7, Cost::own,         Reach::plane,  Reads::all,       Fused::alone,  Cast::widest, Saved::input,   Named::by_kind};
    // square 1, running sum over the channels 2, scale and shift 2, power 1, divide 1
    case local_response_norm: return {Family::activation,  7, Cost::several,     Reach::window, Reads::all,       Fused::alone,  Cast::fp32,   Saved::input,   Named::by_kind, Features::first, "lrn"};
    case relu:                return {Family::activation,  1, Cost::simple,      Reach::place,  Reads::all,       Fused::joined, Cast::widest, Saved::output,  Named::by_kind};  // compare
    case relu6:               return {Family::activation,  2, Cost::simple,      Reach::place,  Reads::all,       Fused::joined, Cast::widest, Saved::output,  Named::by_kind};  // two compares
    case leaky_relu:          return {Family::activation,  2, Cost::simple,      Reach::place,  Reads::all,       Fused::joined, Cast::widest, Saved::output,  Named::by_kind};  // compare, multiply
    case prelu:               return {Family::activation,  2, Cost::scaled,      Reach::place,  Reads::all,       Fused::joined, Cast::half,   Saved::input,   Named::by_kind};  // compare, multiply
    case elu:                 return {Family::activation,  4, Cost::exponential, Reach::place,  Reads::all,       Fused::joined, Cast::widest, Saved::output,  Named::by_kind};  // compare, exp, subtract, multiply
    case sigmoid:             return {Family::activation,  4, Cost::exponential, Reach::place,  Reads::all,       Fused::joined, Cast::widest, Saved::output,  Named::by_kind};  // negate, exp, add, divide
    case hardsigmoid:         return {Family::activation,  4, Cost::simple,      Reach::place,  Reads::all,       Fused::joined, Cast::widest, Saved::output,  Named::by_kind};  // add, multiply, two compares
    case LayerKind::tanh:     return {Family::activation,  6, Cost::exponential, Reach::place,  Reads::all,       Fused::joined, Cast::widest, Saved::output,  Named::by_kind};  // scale, exp, subtract, add, divide, sign
    case silu:                return {Family::activation,  5, Cost::exponential, Reach::place,  Reads::all,       Fused::joined, Cast::widest, Saved::input,   Named::by_kind, Features::first, "swish"};  // sigmoid, multiply
    case hardswish:           return {Family::activation,  5, Cost::simple,      Reach::place,  Reads::all,       Fused::joined, Cast::widest, Saved::input,   Named::by_kind};  // hardsigmoid, multiply
    case gelu:                return {Family::activation,  8, Cost::erf,         Reach::place,  Reads::all,       Fused::joined, Cast::widest, Saved::input,   Named::by_kind};  // scale, erf as about 5, add, multiply
    case softmax:             return {Family::activation,  5, Cost::own,         Reach::row,    Reads::all,       Fused::alone,  Cast::fp32,   Saved::output,  Named::by_kind, Features::first, "logsoftmax"};  // maximum, subtract, exp, sum, divide (or its logarithm)
    case elementwise:         return {Family::activation,  1, Cost::any,         Reach::place,  Reads::all,       Fused::joined, Cast::widest, Saved::input,   Named::by_operator};  // any other function of one operand
    // Any other function of one operand that asks for its row, or for an element's place in it: cumulative
    // sums, triangles, Hardmax.
    case rowwise:             return {Family::activation,  1, Cost::any,         Reach::row,    Reads::all,       Fused::alone,  Cast::widest, Saved::nothing, Named::by_operator};
    case add:                 return {Family::combine,     1, Cost::simple,      Reach::place,  Reads::all,       Fused::joined, Cast::widest, Saved::nothing, Named::by_kind};  // the gradient passes through unchanged
    case sub:                 return {Family::combine,     1, Cost::simple,      Reach::place,  Reads::all,       Fused::alone,  Cast::widest, Saved::nothing, Named::by_kind};
    case mul:                 return {Family::combine,     1, Cost::simple,      Reach::place,  Reads::all,       Fused::alone,  Cast::widest, Saved::input,   Named::by_kind};
    case LayerKind::div:      return {Family::combine,     1, Cost::simple,      Reach::place,  Reads::all,       Fused::alone,  Cast::widest, Saved::input,   Named::by_kind};
    case concat:              return {Family::combine,     0, Cost::own,         Reach::moved,  Reads::all,       Fused::alone,  Cast::widest, Saved::nothing, Named::by_kind, Features::first, "cat concatenate"};
    case max_pool:            return {Family::pool,        1, Cost::own,         Reach::window, Reads::window,    Fused::alone,  Cast::widest, Saved::input,   Named::by_kind, Features::first, "maxpooling adaptivemaxpool"};  // a compare an input element; backward finds the maximum again
    case avg_pool:            return {Family::pool,        1, Cost::own,         Reach::window, Reads::window,    Fused::alone,  Cast::widest, Saved::nothing, Named::by_kind, Features::first, "averagepooling averagepool"};  // an add an input element
    case global_avg_pool:     return {Family::pool,        1, Cost::own,         Reach::plane,  Reads::all,       Fused::alone,  Cast::widest, Saved::nothing, Named::by_kind, Features::first, "adaptiveavgpool globalaveragepooling globalaveragepool"};
    case reduce:              return {Family::movement,    1, Cost::own,         Reach::plane,  Reads::all,       Fused::alone,  Cast::widest, Saved::nothing, Named::by_operator};  // an add an input element
    case upsample:            return {Family::resize,      0, Cost::own,         Reach::window, Reads::window,    Fused::alone,  Cast::widest, Saved::nothing, Named::by_kind, Features::first, "interpolate upsampling upsamplingnearest"};  // nearest neighbour: a copy
    case copy:                return {Family::movement,    0, Cost::simple,      Reach::moved,  Reads::of_result, Fused::alone,  Cast::widest, Saved::nothing, Named::by_operator};  // transposes, slices, casts
    case embedding:           return {Family::lookup,      0, Cost::own,         Reach::moved,  Reads::picked,    Fused::alone,  Cast::widest, Saved::nothing, Named::by_kind, Features::last};
    case gather:              return {Family::movement,    0, Cost::own,         Reach::moved,  Reads::picked,    Fused::alone,  Cast::widest, Saved::nothing, Named::by_kind, Features::last, "indexselect"};
    case scatter:             return {Family::movement,    1, Cost::own,         Reach::moved,  Reads::some,      Fused::alone,  Cast::widest, Saved::nothing, Named::by_kind, Features::last, "scatteradd indexadd"};  // an add an input element
    case other:               return {Family::movement,    0, Cost::simple,      Reach::moved,  Reads::some,      Fused::alone,  Cast::widest, Saved::nothing, Named::by_operator};  // known by its bytes only
    case flatten:             return {Family::free,        0, Cost::own,         Reach::moved,  Reads::all,       Fused::alone,  Cast::widest, Saved::nothing, Named::by_kind};
    case identity:            return {Family::free,        0, Cost::own,         Reach::place,  Reads::all,       Fused::alone,  Cast::widest, Saved::nothing, Named::by_kind, Features::first, "dropout alphadropout spatialdropout droppath"};
    case host_copy:           return {Family::transfer,    0, Cost::own,         Reach::moved,  Reads::all,       Fused::alone,  Cast::widest, Saved::nothing, Named::by_kind};
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
  return kind.fused == Fused::alone || kind.reach == Reach::place;
}));

/// Lower case, without a module and separators: "nn.BatchNorm" and "batch_norm" are both
/// "batchnorm".
std::string normal_form(std::string_view name) {
  std::string out;
  for (const char c : name.substr(name.rfind('.') + 1))
    if (c != '_' && c != '-' && c != ' ') out += lower_case(c);
  return out;
}

/// Takes the number of axes out of "conv2dtranspose".
std::optional<std::uint8_t> take_rank(std::string& normal_name) {
  for (std::size_t i = 1; i + 1 < normal_name.size(); ++i)
    if (normal_name[i] >= '1' && normal_name[i] <= '3' && normal_name[i + 1] == 'd') {
      const auto rank = static_cast<std::uint8_t>(normal_name[i] - '0');
      normal_name.erase(i, 2);
      return rank;
    }
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

bool is_convolution(LayerKind kind) {
  return kind == LayerKind::conv || kind == LayerKind::conv_transpose;
}

bool multiplies(LayerKind kind) {
  return is_any(info(kind).family, KindFamily::contraction, KindFamily::attention);
}

bool has_window(LayerKind kind) {
  return is_convolution(kind) || kind == LayerKind::max_pool || kind == LayerKind::avg_pool;
}

std::optional<LayerType> parse_layer_type(std::string_view name) {
  if (const auto kind = parse<LayerKind>(name); kind && is_input_kind(*kind))
    return LayerType{*kind, std::nullopt, false};
  std::string normal = normal_form(name);
  if (const auto kind = kind_of(normal)) return LayerType{*kind, std::nullopt, false};
  LayerType type;
  type.rank = take_rank(normal);
  constexpr std::string_view by_channel = "depthwise";
  type.depthwise = normal.starts_with(by_channel);
  if (type.depthwise) normal.erase(0, by_channel.size());
  const auto kind = kind_of(normal);
  if (!kind || (type.depthwise && *kind != LayerKind::conv)) return std::nullopt;
  type.kind = *kind;
  return type;
}

}  // namespace roofline
