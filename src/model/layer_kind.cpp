#include "roofline/layer_kind.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/layer_kind.hpp"
#include "model/text.hpp"
#include "roofline/enumeration.hpp"

namespace roofline {
namespace {

// The rows of the kinds: a row begins as its family's usual one and says what is unusual.
namespace kind_rows {

struct Row : KindInfo {
  constexpr Row(LayerKind of, KindFamily in) {
    kind = of;
    name = name_of(of);
    family = in;
  }
  /// FLOP per element: each operation of the textbook formula, transcendentals count as one.
  constexpr Row& flop(std::uint64_t per_element) {
    flop_per_element = per_element;
    return *this;
  }
  constexpr Row& costs(ElementCost arithmetic) {
    cost = arithmetic;
    return *this;
  }
  constexpr Row& over(Reach elements) {
    reach = elements;
    return *this;
  }
  constexpr Row& reads_only(OperandReads elements) {
    reads = elements;
    return *this;
  }
  constexpr Row& over_windows() { return over(Reach::window).reads_only(OperandReads::window); }
  constexpr Row& joined() {
    fused = Fused::joined;
    return *this;
  }
  constexpr Row& alone() {
    fused = Fused::alone;
    return *this;
  }
  constexpr Row& runs_in(AutocastPolicy type) {
    autocast = type;
    return *this;
  }
  constexpr Row& saves_input() {
    saved = Saved::input;
    return *this;
  }
  constexpr Row& saves_output() {
    saved = Saved::output;
    return *this;
  }
  constexpr Row& saves_nothing() {
    saved = Saved::nothing;
    return *this;
  }
  constexpr Row& named_by_operator() {
    named = Named::by_operator;
    return *this;
  }
  constexpr Row& takes_host(double share) {
    host_share = share;
    return *this;
  }
  constexpr Row& features_last() {
    features = Features::last;
    return *this;
  }
  constexpr Row& also(std::string_view other_names) {
    aliases = other_names;
    return *this;
  }
};

// The usual row of a family. Kinds have a formula of their own, widen their types, save nothing and
// run alone, where the family says nothing else.

constexpr Row product(LayerKind kind, KindFamily family = KindFamily::contraction) {
  return Row(kind, family).runs_in(AutocastPolicy::half).saves_input().takes_host(1);
}

constexpr Row norm(LayerKind kind) {
  return Row(kind, KindFamily::norm).runs_in(AutocastPolicy::fp32).saves_input().takes_host(1);
}

constexpr Row activation(LayerKind kind) {
  return Row(kind, KindFamily::activation).costs(ElementCost::simple).joined().saves_input();
}

constexpr Row combine(LayerKind kind) {
  return Row(kind, KindFamily::combine).costs(ElementCost::simple);
}

constexpr Row pool(LayerKind kind) { return Row(kind, KindFamily::pool).takes_host(0.85); }

constexpr Row movement(LayerKind kind, KindFamily family = KindFamily::movement) {
  return Row(kind, family).over(Reach::moved).takes_host(0.8);
}

constexpr auto in_order = [] {
  using enum LayerKind;
  using Cost = ElementCost;
  using Cast = AutocastPolicy;
  using Reads = OperandReads;
  return std::to_array<KindInfo>({
      product(conv).over_windows().also("convolution"),
      product(conv_transpose).over_windows().takes_host(1.5).also("deconv deconvolution"),
      product(deform_conv, KindFamily::deformable)
          .over(Reach::window)
          .also("deformableconv deformableconvolution dcn"),
      product(linear)
          .over(Reach::row)
          .takes_host(1.25)
          .features_last()
          .also("fc dense fullyconnected"),
      product(matmul).over(Reach::row).takes_host(1.25).features_last().also("gemm bmm mm"),
      product(attention, KindFamily::attention)
          .over(Reach::plane)
          .takes_host(1.25)
          .features_last()
          .also("scaleddotproductattention sdpa"),
      product(lstm, KindFamily::recurrent).over(Reach::plane).features_last(),
      product(gru, KindFamily::recurrent).over(Reach::plane).features_last(),
      product(rnn, KindFamily::recurrent).over(Reach::plane).features_last().also("simplernn"),

      // x * scale + shift: statistics and affine folded into two numbers a channel
      norm(batch_norm)
          .flop(2)
          .joined()
          .runs_in(Cast::widest)
          .takes_host(1.1)
          .also("syncbatchnorm batchnormalization bn"),
      // mean 1, deviation 1, variance 2, normalise 1, affine 2
      norm(layer_norm).flop(7).over(Reach::row).features_last().also("layernormalization"),
      // square and sum 2, normalise 1, scale 1
      norm(rms_norm).flop(4).over(Reach::row).features_last(),
      norm(group_norm).flop(7).over(Reach::group).takes_host(1.5),
      norm(instance_norm).flop(7).over(Reach::plane).runs_in(Cast::widest).takes_host(1.4),

      // square 1, running sum over the channels 2, scale and shift 2, power 1, divide 1
      activation(local_response_norm)
          .flop(7)
          .costs(Cost::several)
          .over(Reach::window)
          .alone()
          .runs_in(Cast::fp32)
          .also("lrn"),
      // compare
      activation(relu).flop(1).saves_output(),
      // two compares
      activation(relu6).flop(2).saves_output(),
      // compare, multiply
      activation(leaky_relu).flop(2).saves_output(),
      // compare, multiply
      activation(prelu).flop(2).costs(Cost::scaled).runs_in(Cast::half).takes_host(0.8),
      // compare, exp, subtract, multiply
      activation(elu).flop(4).costs(Cost::exponential).saves_output().also("selu celu"),
      // negate, exp, add, divide
      activation(sigmoid).flop(4).costs(Cost::exponential).saves_output(),
      // add, multiply, two compares
      activation(hardsigmoid).flop(4).saves_output(),
      // scale, exp, subtract, add, divide, sign
      activation(LayerKind::tanh).flop(6).costs(Cost::exponential).saves_output(),
      // sigmoid, multiply
      activation(silu).flop(5).costs(Cost::exponential).also("swish"),
      // hardsigmoid, multiply
      activation(hardswish).flop(5),
      // scale, erf as about 5, add, multiply
      activation(gelu).flop(8).costs(Cost::erf),
      // maximum, subtract, exp, sum, divide (or its logarithm)
      activation(softmax)
          .flop(5)
          .costs(Cost::own)
          .over(Reach::row)
          .alone()
          .runs_in(Cast::fp32)
          .saves_output()
          .also("logsoftmax"),
      // negate, exp, add, divide and multiply for every second element
      activation(glu)
          .flop(2)
          .costs(Cost::exponential)
          .over(Reach::moved)
          .alone()
          .runs_in(Cast::half),
      // any other function of one operand
      activation(elementwise).flop(1).costs(Cost::any).named_by_operator(),
      // any other function of one operand that asks for its row, or for an element's place in it:
      // cumulative sums, triangles, Hardmax
      activation(rowwise)
          .flop(1)
          .costs(Cost::any)
          .over(Reach::row)
          .alone()
          .saves_nothing()
          .named_by_operator(),

      // the gradient passes through unchanged
      combine(add).flop(1).joined(),
      combine(sub).flop(1),
      combine(mul).flop(1).saves_input(),
      combine(LayerKind::div).flop(1).saves_input(),
      combine(concat).costs(Cost::own).over(Reach::moved).takes_host(0.8).also("cat concatenate"),

      // a compare a tap of each result; backward finds the maximum again
      pool(max_pool).flop(1).over_windows().saves_input().also("maxpooling adaptivemaxpool"),
      // an add a tap of each result
      pool(avg_pool).flop(1).over_windows().also("averagepooling averagepool"),
      // an add an input element: the taps of all results
      pool(global_avg_pool)
          .flop(1)
          .over(Reach::plane)
          .also("adaptiveavgpool globalaveragepooling globalaveragepool"),
      // an add an input element
      movement(reduce).flop(1).over(Reach::plane).named_by_operator(),
      // nearest neighbour: a copy
      Row(upsample, KindFamily::resize)
          .over_windows()
          .takes_host(0.85)
          .also("interpolate upsampling upsamplingnearest"),

      // transposes, slices, casts
      movement(copy)
          .costs(Cost::simple)
          .reads_only(Reads::of_result)
          .named_by_operator()
          .also("pad transpose permute"),
      movement(embedding, KindFamily::lookup)
          .reads_only(Reads::picked)
          .takes_host(1.6)
          .features_last(),
      movement(gather)
          .reads_only(Reads::picked)
          .takes_host(1.6)
          .features_last()
          .also("indexselect"),
      // an add an input element
      movement(scatter)
          .flop(1)
          .reads_only(Reads::some)
          .takes_host(1.6)
          .features_last()
          .also("scatteradd indexadd"),
      // the windows of an image as columns of a matrix; and an image of such, added up
      movement(im2col),
      movement(col2im),
      // known by its bytes, or by stated FLOP and bytes
      movement(other).costs(Cost::simple).reads_only(Reads::some).named_by_operator(),
      movement(flatten, KindFamily::free),
      Row(identity, KindFamily::free).also("dropout alphadropout spatialdropout droppath"),
      movement(host_copy, KindFamily::transfer),
  });
}();

}  // namespace kind_rows

constexpr const auto& kinds = kind_rows::in_order;
static_assert(std::ranges::equal(kinds, enumerators<LayerKind>, {}, &KindInfo::kind));
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
  return is_any(info(kind).family, KindFamily::contraction, KindFamily::attention,
                KindFamily::recurrent, KindFamily::deformable);
}

bool has_window(LayerKind kind) {
  return is_convolution(kind) ||
         is_any(kind, LayerKind::deform_conv, LayerKind::max_pool, LayerKind::avg_pool);
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
