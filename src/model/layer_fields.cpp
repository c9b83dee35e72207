#include "model/layer_fields.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/joined.hpp"
#include "model/layer_kind.hpp"
#include "model/ranges.hpp"
#include "model/recurrence.hpp"
#include "model/text.hpp"

namespace roofline {

namespace {

using L = LayerSpec;

// Which kinds take a field.

bool any(LayerKind) { return true; }
bool one_operand(LayerKind kind) { return !has_several_operands(kind); }
bool contraction(LayerKind kind) { return info(kind).family == KindFamily::contraction; }
bool windowed_pool(LayerKind kind) {
  return info(kind).family == KindFamily::pool && has_window(kind);
}
bool not_identity(LayerKind kind) { return kind != LayerKind::identity; }
bool pool(LayerKind kind) { return info(kind).family == KindFamily::pool; }
bool recurrent(LayerKind kind) { return info(kind).family == KindFamily::recurrent; }
bool of_features(LayerKind kind) { return kind == LayerKind::linear || recurrent(kind); }
bool in_space(LayerKind kind) { return one_operand(kind) && !recurrent(kind); }
bool norm(LayerKind kind) { return info(kind).family == KindFamily::norm; }
bool filters(LayerKind kind) { return is_convolution(kind) || kind == LayerKind::deform_conv; }
bool in_groups(LayerKind kind) { return filters(kind) || kind == LayerKind::group_norm; }
bool biased(LayerKind kind) { return filters(kind) || of_features(kind); }
bool normalised_over_features(LayerKind kind) {
  return kind == LayerKind::layer_norm || kind == LayerKind::rms_norm;
}
bool along_an_axis(LayerKind kind) { return kind == LayerKind::softmax || kind == LayerKind::glu; }
bool of_images(LayerKind kind) { return info(kind).features == Features::first; }
bool by_element(LayerKind kind) {
  return is_any(info(kind).family, KindFamily::activation, KindFamily::combine) ||
         is_any(kind, LayerKind::copy, LayerKind::other, LayerKind::attention);
}
template <LayerKind Kind>
bool only(LayerKind kind) {
  return kind == Kind;
}

// From a Layer's members to a LayerSpec.

bool is_plain_shape(const Shape& shape, Features features) {
  return features == Features::last || shape.spatial_rank % 2 == 0;
}

/// Parameters have no batch to state.
bool states_batch(const Operand& operand, Features features) {
  const Shape& shape = operand.shape;
  return !operand.is_parameter || shape.batch != 1 ||
         !(features == Features::first ? is_plain_shape(shape, features) : shape.spatial_rank == 0);
}

/// `knows_rank`: the layer fixes the number of spatial axes. Otherwise a list of three would mean
/// [C, H, W], so it is marked whole.
OperandSpec state_operand(const Operand& operand, Features features, bool knows_rank) {
  const Shape& shape = operand.shape;
  const bool has_batch = states_batch(operand, features);
  const bool is_whole =
      operand.is_parameter ? has_batch : !is_plain_shape(shape, features) && !knows_rank;
  const SizeList list(shape, features, has_batch);
  const auto sizes = list.span();
  return {{sizes.begin(), sizes.end()}, is_whole,           {},
          operand.is_parameter,         operand.parameters, operand.type};
}

/// Adds the window's axes to those that the spec states.
void add_axes(const Layer& layer, const Axes& axes, AxesSpec& spec) {
  spec.is_list = true;
  spec.numbers.insert(spec.numbers.end(), axes.end() - layer.window->rank, axes.end());
}

/// States numbers of the window which differ from the default.
template <AxesSpec L::*To, Axes Window::*From, std::uint64_t Usual>
void state_unusual_axes(const Layer& layer, L& spec) {
  const Axes& axes = (*layer.window).*From;
  if (axes != Axes{Usual, Usual, Usual}) add_axes(layer, axes, spec.*To);
}

template <AxesSpec L::*To, Axes Window::*From>
void state_axes(const Layer& layer, L& spec) {
  add_axes(layer, (*layer.window).*From, spec.*To);
}

/// Begins, and ends if different.
void state_padding(const Layer& layer, L& spec) {
  state_axes<&L::padding, &Window::pad_begin>(layer, spec);
  if (layer.window->pad_begin != layer.window->pad_end)
    add_axes(layer, layer.window->pad_end, spec.padding);
}

void state_kind(const Layer& layer, L& spec) {
  spec.kind = layer.kind;
  if (has_window(layer.kind) && layer.window->rank != 2) spec.rank = layer.window->rank;
}

void state_inputs(const Layer& layer, L& spec) {
  const std::size_t joined = contraction(layer.kind) ? 0 : layer.fused_input_count;
  for (std::size_t i = 0; i + joined < stated_operand_count(layer); ++i)
    spec.inputs.push_back(stated_operand(layer, i));
}

void state_fused(const Layer& layer, L& spec) {
  const std::size_t end = layer.inputs.size() - layer.fused_input_count;
  for (std::size_t i = stated_operand_count(layer); i < end; ++i)
    spec.fused.push_back(state_operand(layer.inputs[i], info(layer.kind).features, false));
}

template <std::optional<std::uint64_t> L::*To>
void state_result_channels(const Layer& layer, L& spec) {
  spec.*To = layer.output.channels;
}

void state_groups(const Layer& layer, L& spec) {
  if (layer.groups > 1) spec.groups = layer.groups;
  if (layer.kind != LayerKind::group_norm) return;
  const Axes& spatial = layer.output.spatial;
  spec.groups = layer.output.channels * spatial[0] * spatial[1] * spatial[2] / layer.norm_elements;
}

/// Only for kinds whose operands do not determine the result.
void state_output(const Layer& layer, L& spec) {
  const KindFamily family = info(layer.kind).family;
  if (family != KindFamily::movement && family != KindFamily::resize) return;
  spec.output = stated_sizes(layer.output, info(layer.kind).features);
}

bool is_of_one_type(const DataTypes& types) {
  return types.weight == types.input && types.output == types.input;
}

void state_dtype(const Layer& layer, L& spec) {
  if (is_of_one_type(layer.dtypes)) spec.dtypes.input = layer.dtypes.input;
}

void state_dtypes(const Layer& layer, L& spec) {
  if (!is_of_one_type(layer.dtypes))
    spec.dtypes = {layer.dtypes.input, layer.dtypes.weight, layer.dtypes.output};
}

void state_name(const Layer& layer, L& spec) { spec.name = layer.name; }

void state_in_features(const Layer& layer, L& spec) {
  spec.in_features = layer.inputs.front().shape.channels;
}

void state_ceil_mode(const Layer& layer, L& spec) { spec.ceil_mode = layer.window->ceil_mode; }

void state_rows_of_table(const Layer& layer, L& spec) {
  spec.num_embeddings = layer.inputs[1].shape.spatial[2];
}

void state_normalised(const Layer& layer, L& spec) {
  spec.normalized_shape = {layer.norm_elements};
}

void state_pass(const Layer& layer, L& spec) { spec.pass = layer.pass; }

void state_mapping(const Layer& layer, L& spec) {
  if (layer.mapping != KernelMapping{}) spec.mapping = layer.mapping;
}

/// LayerTraits are copied together.
void as_it_is(const Layer&, L&) {}

constexpr TextField name_text{[](const L& spec) -> std::optional<std::string_view> {
                                return spec.name ? std::optional<std::string_view>(*spec.name)
                                                 : std::nullopt;
                              },
                              [](L& spec, std::string text) { spec.name = std::move(text); }};
template <std::string Measured::*Member>
constexpr TextField measured_text{
    [](const L& spec) -> std::optional<std::string_view> {
      const std::string& text = (*spec.measured).*Member;
      return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
    },
    [](L& spec, std::string text) {
      spec.measured.change([&](Measured& measured) { measured.*Member = std::move(text); });
    }};

/// An enumerator, stored as its index among the names.
template <Enumeration E, auto Member>
constexpr ChoiceField choice{
    names_of<E>,
    [](const L& spec) {
      return spec.*Member ? std::optional(index_of(*(spec.*Member))) : std::nullopt;
    },
    [](L& spec, std::size_t chosen) { spec.*Member = enumerators<E>[chosen]; }};

/// PyTorch's padding_mode: kernels with other padding values copy the image first.
constexpr std::array<std::string_view, 1> zeros{"zeros"};
constexpr ChoiceField zeros_alone{
    zeros, [](const L&) -> std::optional<std::size_t> { return std::nullopt; },
    [](L&, std::size_t) {}};

constexpr auto another_spelling = nullptr;

constexpr auto work_fields = std::to_array<LayerField>({
    {"name", name_text, any, state_name},
    {"id", ScalarField{&L::id}, any, as_it_is},
    {"type", KindField{}, any, state_kind, {{{"kind"}, {"op"}, {"layer_type"}}}},
    {"batch", CountField{&L::batch}, any, another_spelling, {{{"n"}, {"batch_size"}}}},
    {"input",
     OperandField{&L::input},
     one_operand,
     [](const Layer& layer, L& spec) { spec.input = stated_operand(layer, 0); },
     {{{"input_shape"}}}},
    {"in_channels",
     CountField{&L::in_channels},
     in_space,
     another_spelling,
     {{{"c"},
       {"num_features"},
       {"channels"},
       {"input_channels"},
       {"in_c"},
       {"c_in"},
       {"cin"},
       {"channels_in"}}}},
    {"input_size", AxesField{&L::input_size}, in_space, another_spelling, {{{"image_size"}}}},
    {"h",
     AxisField{&L::input_size, &AxesSpec::height},
     in_space,
     another_spelling,
     {{{"height"},
       {"input_height"},
       {"in_h"},
       {"h_in"},
       {"input_h"},
       {"ifmap_h"},
       {"ifmap_height"}}}},
    {"w",
     AxisField{&L::input_size, &AxesSpec::width},
     in_space,
     another_spelling,
     {{{"width"}, {"input_width"}, {"in_w"}, {"w_in"}, {"input_w"}, {"ifmap_w"}, {"ifmap_width"}}}},
    {"inputs", OperandsField{&L::inputs}, has_several_operands, state_inputs},
    {"m", CountField{&L::m}, only<LayerKind::matmul>},
    {"n", CountField{&L::n}, only<LayerKind::matmul>},
    {"k", CountField{&L::k}, only<LayerKind::matmul>},
    {"fused", OperandsField{&L::fused}, contraction, state_fused},
    {"in_features",
     CountField{&L::in_features},
     of_features,
     state_in_features,
     {{{"input_size"}}}},
    {"hidden_size",
     CountField{&L::hidden_size},
     recurrent,
     [](const Layer& layer, L& spec) { spec.hidden_size = recurrence_of(layer).state; },
     {{{"units"}, {"num_units"}, {"hidden"}, {"hidden_dim"}}}},
    {"num_layers", CountField{&L::num_layers}, recurrent, as_it_is},
    {"bidirectional", FlagField{&L::bidirectional}, recurrent, as_it_is},
    {"batch_first", ChoiceOfTwoField{&L::batch_first}, recurrent, another_spelling},
    {"out_features",
     CountField{&L::out_features},
     only<LayerKind::linear>,
     state_result_channels<&L::out_features>,
     {{{"units"}}}},
    {"out_channels",
     CountField{&L::out_channels},
     filters,
     state_result_channels<&L::out_channels>,
     {{{"k"},
       {"filters"},
       {"num_filters"},
       {"output_channels"},
       {"out_c"},
       {"c_out"},
       {"cout"},
       {"channels_out"}}}},
});

constexpr auto window_fields = std::to_array<LayerField>({
    {"kernel_size",
     AxesField{&L::kernel_size},
     has_window,
     state_axes<&L::kernel_size, &Window::kernel>,
     {{{"kernel_shape"}, {"filter_size"}, {"pool_size"}, {"kernel"}}}},
    {"r",
     AxisField{&L::kernel_size, &AxesSpec::height},
     has_window,
     another_spelling,
     {{{"kernel_h"},
       {"fil_h"},
       {"filter_h"},
       {"k_h"},
       {"kh"},
       {"kernel_height"},
       {"filter_height"}}}},
    {"s",
     AxisField{&L::kernel_size, &AxesSpec::width},
     has_window,
     another_spelling,
     {{{"kernel_w"},
       {"fil_w"},
       {"filter_w"},
       {"k_w"},
       {"kw"},
       {"kernel_width"},
       {"filter_width"}}}},
    {"stride",
     AxesField{&L::stride},
     has_window,
     state_axes<&L::stride, &Window::stride>,
     {{{"strides"}}}},
    {"stride_h",
     AxisField{&L::stride, &AxesSpec::height},
     has_window,
     another_spelling,
     {{{"h_stride"}, {"u"}, {"conv_stride_h"}}}},
    {"stride_w",
     AxisField{&L::stride, &AxesSpec::width},
     has_window,
     another_spelling,
     {{{"w_stride"}, {"v"}, {"conv_stride_w"}}}},
    {"padding", AxesField{&L::padding, 0, true}, has_window, state_padding, {{{"pad"}, {"pads"}}}},
    {"padding_mode", zeros_alone, filters, another_spelling},
    {"pad_h",
     AxisField{&L::padding, &AxesSpec::height, 0},
     has_window,
     another_spelling,
     {{{"padding_h"}, {"h_pad"}}}},
    {"pad_w",
     AxisField{&L::padding, &AxesSpec::width, 0},
     has_window,
     another_spelling,
     {{{"padding_w"}, {"w_pad"}}}},
    {"dilation",
     AxesField{&L::dilation},
     has_window,
     state_unusual_axes<&L::dilation, &Window::dilation, 1>,
     {{{"dilations"}, {"dilation_rate"}}}},
    {"dil_h",
     AxisField{&L::dilation, &AxesSpec::height},
     has_window,
     another_spelling,
     {{{"dilation_h"}}}},
    {"dil_w",
     AxisField{&L::dilation, &AxesSpec::width},
     has_window,
     another_spelling,
     {{{"dilation_w"}}}},
    {"output_padding", AxesField{&L::output_padding, 0}, only<LayerKind::conv_transpose>,
     state_unusual_axes<&L::output_padding, &Window::output_padding, 0>},
    {"output_size", AxesField{&L::output_size}, pool},
    {"ceil_mode", FlagField{&L::ceil_mode}, windowed_pool, state_ceil_mode},
    {"scale_factor", AxesField{&L::scale_factor}, only<LayerKind::upsample>},
});

constexpr auto kind_fields = std::to_array<LayerField>({
    {"groups",
     CountField{&L::groups},
     in_groups,
     state_groups,
     {{{"group"}, {"num_groups"}, {"group_count"}}}},
    {"depthwise", FlagField{&L::depthwise}, is_convolution},
    {"bias", FlagField{&L::bias}, biased, as_it_is, {{{"use_bias"}}}},
    {"flops", WorkField{&StatedWork::flops}, only<LayerKind::other>, as_it_is, {{{"flop"}}}},
    {"bytes", WorkField{&StatedWork::bytes}, only<LayerKind::other>, as_it_is},
    {"causal", FlagField{&L::causal}, only<LayerKind::attention>, as_it_is},
    {"causal_from_first", FlagField{&L::causal_from_first}, only<LayerKind::attention>, as_it_is},
    {"masked", FlagField{&L::masked}, only<LayerKind::attention>, as_it_is},
    {"backend", choice<AttentionBackend, &L::backend>, only<LayerKind::attention>, as_it_is},
    {"num_embeddings", CountField{&L::num_embeddings}, only<LayerKind::embedding>,
     state_rows_of_table},
    {"embedding_dim", CountField{&L::embedding_dim}, only<LayerKind::embedding>,
     state_result_channels<&L::embedding_dim>},
    {"axis", DimensionField{&L::axis}, along_an_axis, another_spelling, {{{"dim"}}}},
    {"normalized_shape", SizesField{&L::normalized_shape, true}, normalised_over_features,
     state_normalised},
    {"output", SizesField{&L::output}, any, state_output, {{{"output_shape"}}}},
    {"p", UnusedField{}, only<LayerKind::identity>, another_spelling, {{{"rate"}, {"drop_prob"}}}},
    {"p",
     CountField{&L::output_height},
     not_identity,
     another_spelling,
     {{{"out_h"}, {"h_out"}, {"output_h"}, {"output_height"}, {"ofmap_h"}, {"ofmap_height"}}}},
    {"q",
     CountField{&L::output_width},
     any,
     another_spelling,
     {{{"out_w"}, {"w_out"}, {"output_w"}, {"output_width"}, {"ofmap_w"}, {"ofmap_width"}}}},
});

constexpr auto run_fields = std::to_array<LayerField>({
    {"dtype", DataTypeField{}, any, state_dtype, {{{"data_type"}, {"precision"}}}},
    {"dtypes", DataTypesField{}, any, state_dtypes},
    {"layout", choice<Layout, &L::layout>, of_images, as_it_is},
    {"access", choice<Access, &L::access>, by_element, as_it_is},
    {"interpolation",
     choice<Interpolation, &L::interpolation>,
     only<LayerKind::upsample>,
     as_it_is,
     {{{"mode"}}}},
    {"pad_mode",
     choice<PadMode, &L::pad_mode>,
     only<LayerKind::copy>,
     as_it_is,
     {{{"mode"}, {"padding_mode"}}}},
    {"pass", choice<Pass, &L::pass>, any, state_pass, {{{"direction"}}}},
    {"kernel", MappingField{}, contraction, state_mapping},
    {"fp16_accumulate", FlagField{&L::fp16_accumulate}, contraction, as_it_is},
    {"training", FlagField{&L::batch_statistics}, only<LayerKind::batch_norm>, as_it_is},
    {"training_only", FlagField{&L::training_only}, any, as_it_is},
    {"in_place", FlagField{&L::in_place}, any, as_it_is, {{{"inplace"}}}},
    {"note", NoteField{}, any, another_spelling},
    {"comment", NoteField{}, any, another_spelling},
    {"meta", NoteField{}, any, another_spelling},
    {"eps", UnusedField{}, norm, another_spelling, {{{"epsilon"}}}},
    {"momentum", UnusedField{}, norm, another_spelling},
    {"negative_slope", UnusedField{}, only<LayerKind::leaky_relu>, another_spelling, {{{"alpha"}}}},
    {"fp32_under_autocast", FlagField{&L::fp32_under_autocast}, any, as_it_is},
    {"shared_weights", FlagField{&L::shared_weights}, any, as_it_is},
    {"repeat", CountField{&L::repeat}, any, another_spelling},
});

constexpr auto measured_fields = std::to_array<LayerField>({
    {"measured_time_s",
     SecondsField{&Measured::warm_s},
     any,
     as_it_is,
     {{{"measured_us", 1e-6},
       {"measured_ms", 1e-3},
       {"us", 1e-6},
       {"ms", 1e-3},
       {"mean_us", 1e-6},
       {"mean_ms", 1e-3},
       {"measured_ns", 1e-9}}}},
    {"measured_cold_time_s",
     SecondsField{&Measured::cold_s},
     any,
     as_it_is,
     {{{"measured_cold_us", 1e-6}, {"measured_cold_ms", 1e-3}, {"measured_cold_ns", 1e-9}}}},
    {"measured_gpu", measured_text<&Measured::gpu>, any, as_it_is, {{{"gpu"}}}},
    {"measured_kernel",
     measured_text<&Measured::kernel>,
     any,
     as_it_is,
     {{{"kernel_name"}, {"solver"}}}},
    {"measured_other_kernels", measured_text<&Measured::other_kernels>, any, as_it_is},
});

constexpr std::array table =
    joined(work_fields, window_fields, kind_fields, run_fields, measured_fields);

/// The capital of a one-letter key, as cuDNN spells it.
std::string_view capital(std::string_view key) {
  constexpr std::string_view capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const bool is_letter = key.size() == 1 && key.front() >= 'a' && key.front() <= 'z';
  return is_letter ? capitals.substr(static_cast<std::size_t>(key.front() - 'a'), 1) : "";
}

/// All keys in alphabetical order, a field's own key before an alias of the same name.
std::vector<FieldKey> sorted_keys() {
  std::vector<FieldKey> keys;
  keys.reserve(3 * table.size());
  const auto add = [&](const LayerField& field, std::string_view key, double unit) {
    if (!key.empty()) keys.push_back({&field, key, unit});
  };
  for (const LayerField& field : table) {
    add(field, field.key, 1);
    add(field, capital(field.key), 1);
  }
  for (const LayerField& field : table)
    for (const FieldAlias& alias : field.aliases) {
      add(field, alias.key, alias.unit);
      add(field, capital(alias.key), alias.unit);
    }
  std::ranges::stable_sort(keys, {}, &FieldKey::key);
  return keys;
}

/// A key's length, first and last letters tell it from nearly all others, in few steps.
struct KeyHash {
  std::size_t operator()(std::string_view key) const {
    std::uint64_t word = key.size();
    constexpr std::size_t letters = 4;
    for (std::size_t i = 0; i < std::min(letters, key.size()); ++i) {
      word = word << 8 | static_cast<unsigned char>(key[i]);
      word ^= static_cast<std::uint64_t>(static_cast<unsigned char>(key[key.size() - 1 - i])) << 40;
    }
    return word * 0x9E3779B97F4A7C15 >> 20;
  }
};

/// Other programs' words for our fields, matched as whole words of a name: "_pad_" in "padLeft".
constexpr auto words_of_others = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"stride_x", "stride_w"},
    {"stride_y", "stride_h"},
    {"stride", "stride"},
    {"strides", "stride"},
    {"sh", "stride_h"},
    {"sw", "stride_w"},
    {"dilation", "dilation"},
    {"dilations", "dilation"},
    {"dil", "dilation"},
    {"dh", "dil_h"},
    {"dw", "dil_w"},
    {"group", "groups"},
    {"groups", "groups"},
    {"g", "groups"},
    {"pad", "padding"},
    {"pads", "padding"},
    {"padding", "padding"},
    {"ph", "pad_h"},
    {"pw", "pad_w"},
    {"d_h", "dil_h"},
    {"d_w", "dil_w"},
    {"b", "batch"},
    {"bs", "batch"},
    {"batchsize", "batch"},
    {"d", "input_size"},
    {"kernel_d", "kernel_size"},
    {"transposed", "type"},
    {"pass", "pass"},
    {"direction", "pass"},
    {"layout", "layout"},
    {"format", "layout"},
    {"data_type", "dtype"},
    {"dtype", "dtype"},
    {"datatype", "dtype"},
    {"precision", "dtype"},
    {"type", "type"},
    {"output_size", "output"},
    {"kernel_n", "out_channels"},
    {"kernel_num", "out_channels"},
    {"n_kernel", "out_channels"},
    {"n_kernels", "out_channels"},
    {"num_kernels", "out_channels"},
    {"filter_n", "out_channels"},
    {"filter_num", "out_channels"},
    {"n_filters", "out_channels"},
    {"out_ch", "out_channels"},
    {"out_channel", "out_channels"},
    {"output_channel", "out_channels"},
    {"in_ch", "in_channels"},
    {"in_channel", "in_channels"},
    {"input_channel", "in_channels"},
    {"num_channels", "in_channels"},
    {"kernel_y", "kernel_h"},
    {"kernel_x", "kernel_w"},
    {"filter_y", "kernel_h"},
    {"filter_x", "kernel_w"},
    {"fil_d", "kernel_size"},
    {"filter_d", "kernel_size"},
    {"s_h", "stride_h"},
    {"s_w", "stride_w"},
    {"p_h", "pad_h"},
    {"p_w", "pad_w"},
    {"in_n", "batch"},
    {"input_n", "batch"},
    {"measured_s", "measured_time_s"},
    {"bsz", "batch"},
    {"minibatch", "batch"},
    {"ic", "in_channels"},
    {"ich", "in_channels"},
    {"ifm", "in_channels"},
    {"inplanes", "in_channels"},
    {"n_input_plane", "in_channels"},
    {"oc", "out_channels"},
    {"och", "out_channels"},
    {"ofm", "out_channels"},
    {"planes", "out_channels"},
    {"outplanes", "out_channels"},
    {"n_output_plane", "out_channels"},
    {"fil", "kernel_size"},
    {"fh", "kernel_h"},
    {"fw", "kernel_w"},
    {"ks", "kernel_size"},
    {"ksz", "kernel_size"},
    {"k_size", "kernel_size"},
    {"window", "kernel_size"},
    {"win", "kernel_size"},
    {"win_h", "kernel_h"},
    {"win_w", "kernel_w"},
    {"sx", "stride_w"},
    {"sy", "stride_h"},
    {"px", "pad_w"},
    {"py", "pad_h"},
    {"dilate", "dilation"},
    {"inch", "in_channels"},
    {"outch", "out_channels"},
    {"chan_in", "in_channels"},
    {"chan_out", "out_channels"},
    {"filters_in", "in_channels"},
    {"filters_out", "out_channels"},
    {"img_size", "input_size"},
    {"imgsize", "input_size"},
    {"ih", "in_h"},
    {"iw", "in_w"},
});

/// "_stride_h_" for "strideH" and "Stride H", without digits.
std::string in_words(std::string_view name) {
  std::string words = "_";
  bool was_small = false;
  for (const char c : name) {
    const bool is_capital = c >= 'A' && c <= 'Z';
    const bool is_small = c >= 'a' && c <= 'z';
    if (c >= '0' && c <= '9') continue;
    if (is_capital && was_small) words += '_';
    words += is_capital || is_small ? lower_case({&c, 1}) : "_";
    was_small = is_small;
  }
  return words + '_';
}

/// Keys without a field, in words as in_words() writes them, and what to write in their place.
constexpr auto advice = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"_time_ _time_us_ _time_ms_ _mean_ _median_ _latency_ _duration_ _runtime_ _elapsed_ "
     "_measured_sec_ _measured_msec_ _measured_usec_",
     "write a time with its unit, as measured_us or measured_ms"},
    {"_block_ _block_dim_ _threads_ _tile_ _tile_size_ _tile_width_",
     "write \"kernel\": {\"tile\": [16, 16, 16], \"threads\": 256}, the rows, columns and step of "
     "a block's results"},
    {"_d_h_ _d_w_",
     "write stride_h and stride_w for steps, as Torch's dH and dW, and dil_h and dil_w for "
     "dilations"},
    {"_weight_ _weights_ _weight_shape_ _filter_shape_",
     "write out_channels and kernel_size, 64 and 7 of weights [64, 3, 7, 7]; out_features of a "
     "linear layer"},
    {"_grid_ _grid_dim_", "leave it out: it follows from the tile and the sizes"},
    {"_activation_", "write it as the next layer, such as {\"type\": \"relu\"}"},
    {"_depth_multiplier_", "write out_channels, the input's times this number"},
    {"_data_format_", "write \"layout\": \"nchw\" or \"nhwc\", and sizes as [N, C, H, W]"},
});

/// Whether names are similar after their common first words: "measured_with" is not "measured_us".
bool is_near(std::string_view name, std::string_view key) {
  std::size_t same = 0;
  for (std::size_t i = 0; i < std::min(name.size(), key.size()) && name[i] == key[i]; ++i)
    if (key[i] == '_') same = i + 1;
  return !nearest(name.substr(same), {key.substr(same)}).empty();
}

}  // namespace

std::string_view meant_key(std::string_view name) {
  const std::string words = in_words(name);
  for (const auto& [theirs, ours] : words_of_others)
    if (words.find('_' + std::string(theirs) + '_') != words.npos) return ours;
  constexpr std::size_t least_letters = 4;
  if (name.size() < least_letters || !advice_on(name).empty()) return {};
  const std::string small = lower_case(name);
  const std::span<const std::string_view> keys = layer_keys();
  for (const std::string& each : nearest(small, {keys.begin(), keys.end()}, keys.size()))
    if (const FieldKey near = *find_field(LayerKind::conv, each);
        is_near(small, each) && !std::holds_alternative<UnusedField>(near.field->member) &&
        !std::holds_alternative<NoteField>(near.field->member))
      return near.key;
  return {};
}

std::string_view advice_on(std::string_view name) {
  for (const auto& [words, text] : advice)
    if (has_word(words, in_words(name))) return text;
  return {};
}

std::span<const LayerField> layer_fields() { return table; }

std::span<const LayerField* const> written_fields(LayerKind kind) {
  static const auto by_kind = [] {
    EnumArray<LayerKind, std::vector<const LayerField*>> all;
    for (const LayerKind each : enumerators<LayerKind>)
      for (const LayerField& field : table)
        if (field.is_written() && field.applies_to(each)) all[each].push_back(&field);
    return all;
  }();
  return by_kind[kind];
}

std::optional<FieldKey> find_field(LayerKind kind, std::string_view key, bool is_number) {
  static const auto by_key = [] {
    std::unordered_map<std::string_view, std::vector<FieldKey>, KeyHash> all;
    for (const FieldKey& each : sorted_keys()) all[each.key].push_back(each);
    return all;
  }();
  auto found = by_key.find(key);
  if (found == by_key.end()) {
    if (key.find_first_of("0123456789") != key.npos) return std::nullopt;
    const std::string words = in_words(key);
    found = by_key.find(std::string_view(words).substr(1, words.size() - 2));
  }
  if (found == by_key.end()) return std::nullopt;
  const auto fits = [&](const FieldKey& each) {
    return each.field->applies_to(kind) &&
           !(is_number && std::holds_alternative<MappingField>(each.field->member));
  };
  const auto fitting = std::ranges::find_if(found->second, fits);
  return fitting == found->second.end() ? found->second.front() : *fitting;
}

std::span<const std::string_view> layer_keys() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all = each_of(sorted_keys(), &FieldKey::key);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }();
  return names;
}

bool is_layer_key(std::string_view key) { return find_field(LayerKind::conv, key).has_value(); }

bool takes(LayerKind kind, std::string_view key) {
  const auto found = find_field(kind, key);
  return found && found->field->applies_to(kind);
}

bool has_several_operands(LayerKind kind) {
  return info(kind).family == KindFamily::combine || kind == LayerKind::matmul ||
         is_any(kind, LayerKind::attention, LayerKind::deform_conv, LayerKind::other);
}

SizeList::SizeList(const Shape& shape, Features features, bool with_batch) {
  if (with_batch) sizes_[count_++] = shape.batch;
  if (features == Features::first) sizes_[count_++] = shape.channels;
  for (std::size_t axis = 3U - shape.spatial_rank; axis < 3; ++axis)
    sizes_[count_++] = shape.spatial[axis];
  if (features == Features::last) sizes_[count_++] = shape.channels;
}

std::vector<std::uint64_t> stated_sizes(const Shape& shape, Features features) {
  const SizeList list(shape, features);
  const auto sizes = list.span();
  return {sizes.begin(), sizes.end()};
}

std::size_t stated_operand_count(const Layer& layer) {
  if (layer.kind == LayerKind::matmul) return 2;
  // A contraction's other operands are fused into its kernel.
  return contraction(layer.kind) ? 1 : layer.inputs.size();
}

OperandSpec stated_operand(const Layer& layer, std::size_t index) {
  return state_operand(layer.inputs[index], info(layer.kind).features, has_window(layer.kind));
}

SizeList operand_sizes(const Layer& layer, std::size_t index) {
  const Operand& operand = layer.inputs[index];
  const Features features = info(layer.kind).features;
  return {operand.shape, features, states_batch(operand, features)};
}

void state(const Layer& layer, LayerSpec& spec) {
  static_cast<LayerTraits&>(spec) = layer;
  for (const LayerField* field : written_fields(layer.kind)) field->state(layer, spec);
}

LayerSpec stated(const Layer& layer) {
  LayerSpec spec;
  state(layer, spec);
  return spec;
}

std::vector<OperandSpec*> operands_of(LayerSpec& layer) {
  std::vector<OperandSpec*> operands;
  if (layer.input) operands.push_back(&*layer.input);
  for (OperandSpec& each : layer.inputs) operands.push_back(&each);
  for (OperandSpec& each : layer.fused) operands.push_back(&each);
  return operands;
}

LayerSpec identity(LayerSpec layer) {
  layer.place = {};
  layer.name.reset();
  layer.repeat.reset();
  layer.id = {};
  layer.measured = {};
  layer.source_line = {};
  layer.is_kept = false;
  return layer;
}

}  // namespace roofline
