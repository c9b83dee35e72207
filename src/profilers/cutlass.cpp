#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "load/network_reader.hpp"
#include "load/recording.hpp"
#include "model/layer_fields.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "operators/table.hpp"
#include "profilers/formats.hpp"
#include "profilers/profiler_csv.hpp"

namespace roofline {
namespace {

constexpr std::string_view columns[] = {"OperationKind", "Operation", "Status", "Runtime"};

/// Names of CUTLASS that nobody else has. Signs change neither bytes nor rates.
constexpr std::pair<std::string_view, std::string_view> own_types[] = {
    {"u8", "int8"}, {"u4", "int4"}, {"u32", "int32"}, {"fe4m3", "fp8"}, {"fe5m2", "fp8"}};

/// The type of "f16:nhwc", and what stands behind it.
DataType type_in(const ProfilerCsv& table, std::string_view column, std::string_view& layout) {
  layout = table.cell(column);
  std::string_view name = take(layout, ':');
  for (const auto& [theirs, ours] : own_types)
    if (name == theirs) name = ours;
  const auto type = data_type_named(name);
  if (!type || !is_tensor_type(*type))
    throw table.error(column, "a type and a layout, as f16:nhwc");
  return *type;
}

Tensor tensor_in(const ProfilerCsv& table, std::string_view column, Sizes sizes) {
  std::string_view layout;
  const DataType type = type_in(table, column, layout);
  return {.sizes = std::move(sizes), .type = type};
}

Tensor image_in(const ProfilerCsv& table, std::string_view column, Sizes sizes) {
  std::string_view layout;
  Tensor image{.sizes = std::move(sizes), .type = type_in(table, column, layout)};
  if (layout == "nhwc" || layout == "nchw")
    image.stated_layout = layout == "nhwc" ? Layout::nhwc : Layout::nchw;
  else if (layout.starts_with("nc"))  // "nc32hw32"
    image.stated_layout = Layout::blocked;
  else
    throw table.error(column, "the layout nhwc, nchw or nc32hw32");
  return image;
}

Pass pass_in(const ProfilerCsv& table) {
  constexpr std::pair<std::string_view, Pass> kinds[] = {
      {"fprop", Pass::fwd}, {"dgrad", Pass::dgrad}, {"wgrad", Pass::wgrad}};
  for (const auto& [name, pass] : kinds)
    if (table.cell("conv_kind") == name) return pass;
  throw table.error("conv_kind", "fprop, dgrad or wgrad");
}

Operation convolution_in(const ProfilerCsv& table) {
  const auto counts = [&](std::initializer_list<std::string_view> names) {
    return each_of(names, [&](std::string_view name) { return table.count(name); });
  };
  const auto padding = [&](std::string_view column) {
    return table.whole(column, "an integer >= 0");
  };
  Operation operation{.row = find_row("convolution"), .pass = pass_in(table)};
  Attributes& attributes = operation.attributes;
  attributes.kernel = axes_list(counts({"r", "s"}));
  attributes.stride = axes_list(counts({"stride_h", "stride_w"}));
  attributes.dilation = axes_list(counts({"dilation_h", "dilation_w"}));
  attributes.padding = axes_list({padding("pad_h"), padding("pad_w")});
  attributes.channels = table.count("k");
  if (!table.cell("g").empty()) attributes.groups = table.count("g");
  operation.operands = {image_in(table, "Activation", counts({"n", "c", "h", "w"})),
                        tensor_in(table, "Filter", {})};
  operation.results = {tensor_in(table, "Output", counts({"n", "k", "p", "q"}))};
  return operation;
}

Operation product_in(const ProfilerCsv& table) {
  const std::uint64_t m = table.count("m");
  const std::uint64_t n = table.count("n");
  const std::uint64_t k = table.count("k");
  const std::uint64_t products = table.cell("batch_count").empty() ? 1 : table.count("batch_count");
  const std::string_view result = table.cell("D").empty() ? "C" : "D";
  return {.row = find_row("matmul"),
          .operands = {tensor_in(table, "A", {products, m, k}),
                       tensor_in(table, "B", {products, k, n})},
          .results = {tensor_in(table, result, {products, m, n})}};
}

Operation operation_in(const ProfilerCsv& table) {
  const std::string_view kind = table.cell("OperationKind");
  if (kind != "conv2d" && kind != "gemm") throw table.error("OperationKind", "gemm or conv2d");
  Operation operation = kind == "gemm" ? product_in(table) : convolution_in(table);
  const bool is_tf32 = table.cell("Operation").find("tf32") != std::string_view::npos;
  if (is_tf32 && operation.operands.front().type == DataType::fp32)
    for (Tensor& operand : operation.operands) operand.type = DataType::tf32;
  return operation;
}

LayerSpec layer_in(const ProfilerCsv& table) {
  if (table.cell("Status") != "success") throw table.error("Status", "success");
  const Operation operation = operation_in(table);
  LayerSpec layer = operation.row->build(operation).at(0);  // counts are positive, types known
  if (layer.kind == LayerKind::conv) layer.output = operation.results.front().sizes;
  layer.fp16_accumulate = layer.dtypes.input == DataType::fp16 && table.cell("accum") == "f16";
  const double time_ms = profiler_number(table.cell("Runtime")).value_or(0);
  if (!(time_ms > 0)) throw table.error("Runtime", "a time in ms above 0");
  layer.measured.change([&](Measured& measured) {
    measured.warm_s = time_ms * 1e-3;
    measured.kernel = table.cell("Operation");
    measured.pass = operation.pass;
  });
  return layer;
}

/// The faster kernel stays; the slower is named beside it.
void keep_faster(LayerSpec& known, const LayerSpec& other) {
  Measured fast = *known.measured;
  Measured slow = *other.measured;
  if (*slow.warm_s < *fast.warm_s) {
    std::swap(fast, slow);
    fast.other_kernels = std::exchange(slow.other_kernels, {});
  }
  add_item(fast.other_kernels, slow.kernel + ' ' + number_text(*slow.warm_s * 1e3) + " ms");
  known.measured = std::move(fast);
}

}  // namespace

bool looks_like_cutlass(std::string_view head) { return has_header(head, columns); }

NetworkSpecs read_cutlass(ByteStream& stream, BadRows& bad) {
  NetworkSpec network;
  network.repeats_are_runs = true;
  network.name = network_name(stream.name());
  network.source = stream.name();
  ProfilerCsv table(stream, columns);
  std::map<LayerSpec, std::size_t> place_of;  // in the network's layers, by identity
  table.for_each_row(bad, [&] {
    LayerSpec layer = layer_in(table);
    const auto [known, is_new] = place_of.try_emplace(identity(layer), network.layers.size());
    if (!is_new) return keep_faster(network.layers[known->second], layer);
    layer.name = std::string(table.cell("OperationKind")) + std::to_string(place_of.size());
    layer.place = {stream.name(), std::to_string(table.line()), false, {}};
    network.layers.push_back(std::move(layer));
  });
  if (network.layers.empty())
    throw InputError(stream.name(), "", "expected kernels that ran, got none");
  table.note_others(network.assumptions);
  return {std::make_shared<const NetworkSpec>(std::move(network))};
}

}  // namespace roofline
