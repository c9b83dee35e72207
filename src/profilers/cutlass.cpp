#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "load/network_reader.hpp"
#include "load/recording.hpp"
#include "model/layer_fields.hpp"
#include "model/text.hpp"
#include "profilers/formats.hpp"
#include "profilers/profiler_csv.hpp"

namespace roofline {
namespace {

constexpr std::string_view columns[] = {"OperationKind", "Operation", "Status", "Runtime"};

/// Names of CUTLASS that nobody else has. Signs change neither bytes nor rates.
constexpr std::pair<std::string_view, std::string_view> own_types[] = {
    {"u8", "int8"}, {"u4", "int4"}, {"u32", "int32"}, {"fe4m3", "fp8"}, {"fe5m2", "fp8"}};

struct TableTensor {
  DataType type;
  std::string_view layout;
};

/// "f16:nhwc"
TableTensor tensor_in(const ProfilerCsv& table, std::string_view column) {
  std::string_view layout = table.cell(column);
  std::string_view name = take(layout, ':');
  for (const auto& [theirs, ours] : own_types)
    if (name == theirs) name = ours;
  const auto type = data_type_named(name);
  if (!type || !is_tensor_type(*type))
    throw table.error(column, "a type and a layout, as f16:nhwc");
  return {*type, layout};
}

void set_types(const ProfilerCsv& table, const TableTensor& a, const TableTensor& b,
               const TableTensor& result, LayerSpec& layer) {
  layer.dtypes = {a.type, b.type, result.type};
  const bool is_tf32 = table.cell("Operation").find("tf32") != std::string_view::npos;
  if (is_tf32 && a.type == DataType::fp32)
    layer.dtypes.input = layer.dtypes.weight = DataType::tf32;
  layer.fp16_accumulate = a.type == DataType::fp16 && table.cell("accum") == "f16";
}

Pass pass_in(const ProfilerCsv& table) {
  constexpr std::pair<std::string_view, Pass> kinds[] = {
      {"fprop", Pass::fwd}, {"dgrad", Pass::dgrad}, {"wgrad", Pass::wgrad}};
  for (const auto& [name, pass] : kinds)
    if (table.cell("conv_kind") == name) return pass;
  throw table.error("conv_kind", "fprop, dgrad or wgrad");
}

void set_convolution(const ProfilerCsv& table, LayerSpec& layer) {
  const auto count = [&](std::string_view column) { return table.count(column); };
  const auto padding = [&](std::string_view column) {
    return table.whole(column, "an integer >= 0");
  };
  layer.kind = LayerKind::conv;
  layer.rank = 2;
  layer.pass = pass_in(table);
  layer.input = {{count("n"), count("c"), count("h"), count("w")}, true, {}, false, {}};
  layer.out_channels = count("k");
  layer.kernel_size = axes_list({count("r"), count("s")});
  layer.stride = axes_list({count("stride_h"), count("stride_w")});
  layer.dilation = axes_list({count("dilation_h"), count("dilation_w")});
  layer.padding = axes_list({padding("pad_h"), padding("pad_w")});
  if (!table.cell("g").empty()) layer.groups = count("g");
  layer.output = {count("n"), count("k"), count("p"), count("q")};
  const TableTensor activation = tensor_in(table, "Activation");
  set_types(table, activation, tensor_in(table, "Filter"), tensor_in(table, "Output"), layer);
  if (activation.layout == "nhwc" || activation.layout == "nchw")
    layer.layout = activation.layout == "nhwc" ? Layout::nhwc : Layout::nchw;
  else if (activation.layout.starts_with("nc"))  // "nc32hw32"
    layer.layout = Layout::blocked;
  else
    throw table.error("Activation", "the layout nhwc, nchw or nc32hw32");
}

void set_product(const ProfilerCsv& table, LayerSpec& layer) {
  layer.kind = LayerKind::matmul;
  layer.m = table.count("m");
  layer.n = table.count("n");
  layer.k = table.count("k");
  if (!table.cell("batch_count").empty()) layer.batch = table.count("batch_count");
  set_types(table, tensor_in(table, "A"), tensor_in(table, "B"),
            tensor_in(table, table.cell("D").empty() ? "C" : "D"), layer);
}

LayerSpec layer_in(const ProfilerCsv& table) {
  if (table.cell("Status") != "success") throw table.error("Status", "success");
  LayerSpec layer;
  const std::string_view kind = table.cell("OperationKind");
  if (kind == "conv2d")
    set_convolution(table, layer);
  else if (kind == "gemm")
    set_product(table, layer);
  else
    throw table.error("OperationKind", "gemm or conv2d");
  const double time_ms = profiler_number(table.cell("Runtime")).value_or(0);
  if (!(time_ms > 0)) throw table.error("Runtime", "a time in ms above 0");
  layer.measured.change([&](Measured& measured) {
    measured.warm_s = time_ms * 1e-3;
    measured.kernel = table.cell("Operation");
    measured.pass = layer.pass.value_or(Pass::fwd);
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
  network.measured_on_asked_gpu = true;
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
