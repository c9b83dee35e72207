// Layers and tensors of a TensorRT engine, as its inspector describes them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/layer_fields.hpp"
#include "model/text.hpp"
#include "operators/element_types.hpp"
#include "operators/operands.hpp"
#include "operators/table.hpp"
#include "profilers/tensorrt.hpp"

namespace roofline {
namespace {

std::optional<DataType> type_of_format(std::string_view format) {
  const ElementType* type = element_type_in_tensorrt(format);
  return type != nullptr ? std::optional(type->type) : std::nullopt;
}

/// That sentence means NHWC; "Row major linear" is NCHW, "vectorized row major" blocked.
std::optional<Layout> layout_of_format(std::string_view format) {
  if (mentions(format, {"vectorized"})) return Layout::blocked;
  if (mentions(format, {"Channel major"})) return Layout::nhwc;
  if (mentions(format, {"Row major"})) return Layout::nchw;
  return std::nullopt;
}

/// "fp16 32x64x56x56".
std::string text_of(const Tensor& tensor) {
  const std::string type(tensor.type ? name_of(*tensor.type) : "");
  return type + (type.empty() || tensor.sizes.empty() ? "" : " ") + sizes_text(tensor.sizes);
}

using LayerOrReason = std::variant<LayerSpec, NotModelled>;

struct EngineLayer {
  const Value& value;
  std::string name;
  std::string type;    ///< "Convolution", "Reformat", ...: ParameterType, or else LayerType
  std::string prefix;  ///< of keys for one part of a fused layer: "Conv" in "ConvKernel"
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;

  const Tensor& input() const { return inputs.front(); }
  const Tensor& output() const { return outputs.front(); }
  bool has(const std::string& key) const { return value.contains(prefix + key); }
  Value at(const std::string& key) const { return value.at(prefix + key); }
};

std::string tensors_text(const std::vector<Tensor>& tensors) {
  std::string text;
  for (const Tensor& tensor : tensors) add_item(text, text_of(tensor));
  return text;
}

NotModelled not_modelled(const EngineLayer& layer, std::string reason) {
  return {std::move(reason), tensors_text(layer.inputs) + " to " + tensors_text(layer.outputs), {}};
}

Sizes numbers_at(const EngineLayer& layer, const std::string& key, std::uint64_t least = 1) {
  Sizes sizes;
  if (!layer.has(key)) return sizes;
  const Value list = layer.at(key);
  if (!list.is_array()) list.fail_expected("an array of integers");
  for (const Value size : list) sizes.push_back(size.integer(least));
  return sizes;
}

std::optional<std::uint64_t> number_at(const EngineLayer& layer, const std::string& key) {
  return layer.has(key) ? std::optional(layer.at(key).integer(0)) : std::nullopt;
}

AxesSpec padding(const EngineLayer& layer) {
  Sizes all = numbers_at(layer, "PrePadding", 0);
  const Sizes ends = numbers_at(layer, "PostPadding", 0);
  all.insert(all.end(), ends.begin(), ends.end());
  return axes_list(std::move(all));
}

/// Kernels' names ("sm80_xmma_fprop_implicit_gemm_tf32f32_...") tell their units.
std::string tactic_of(const EngineLayer& layer) {
  return std::string(layer.value.find("TacticName").try_text());
}

LayerSpec base_layer(const EngineLayer& layer, LayerKind kind) {
  LayerSpec spec;
  spec.kind = kind;
  spec.name = layer.name;
  spec.place = layer.value.place();
  spec.dtypes.input = layer.input().type;
  spec.dtypes.output = layer.output().type;
  const bool multiplies = info(kind).family == KindFamily::contraction;
  const std::string tactic = tactic_of(layer);
  if (multiplies && spec.dtypes.input == DataType::fp32 && is_tf32_kernel(tactic))
    spec.dtypes.input = DataType::tf32;
  spec.fp16_accumulate = multiplies && spec.dtypes.input == DataType::fp16 && sums_in_fp16(tactic);
  spec.pass = Pass::fwd;
  if (takes(kind, "layout")) spec.layout = layer.input().stated_layout;
  return spec;
}

/// "Weights" and "Bias": {"Type": "Half", "Count": 9408}.
std::uint64_t parameter_count(const EngineLayer& layer, const std::string& key) {
  if (!layer.has(key)) return 0;
  const Value parameters = layer.at(key);
  return parameters.contains("Count") ? parameters.at("Count").integer(0) : 0;
}

/// The attributes of windows.
Attributes attributes_of(const EngineLayer& layer) {
  Attributes attributes;
  attributes.kernel =
      axes_list(numbers_at(layer, layer.type == "Pooling" ? "WindowSize" : "Kernel"));
  attributes.stride = axes_of(numbers_at(layer, "Stride"));
  attributes.dilation = axes_of(numbers_at(layer, "Dilation"));
  attributes.padding = padding(layer);
  attributes.channels = number_at(layer, "OutMaps").value_or(0);
  attributes.groups = std::max<std::uint64_t>(1, number_at(layer, "Groups").value_or(1));
  attributes.bias = parameter_count(layer, "Bias") > 0;
  if (layer.has("PaddingMode"))
    attributes.ceil_mode = layer.at("PaddingMode").text().find("ROUND_UP") != std::string::npos;
  return attributes;
}

LayerOrReason built(const EngineLayer& layer, const Operation& operation) {
  const OperatorRow& row = *operation.row;
  Layers layers = row.build(operation);
  if (layers.empty()) return not_modelled(layer, "its shapes fit no " + std::string(row.name));
  LayerSpec& spec = layers.front();
  spec.name = layer.name;
  spec.place = layer.value.place();
  if (takes(spec.kind, "layout")) spec.layout = layer.input().stated_layout;
  return spec;
}

/// By a row of the table of operators.
LayerOrReason built(const EngineLayer& layer, const OperatorRow& row) {
  return built(layer, Operation{.row = &row,
                                .operands = layer.inputs,
                                .results = layer.outputs,
                                .attributes = attributes_of(layer),
                                .called = layer.type});
}

/// A convolution, maybe with activation and pool in one kernel, without the pool's few operations.
LayerOrReason convolution(const EngineLayer& stated, const OperatorRow& row) {
  EngineLayer layer = stated;
  if (layer.type == "ConvActPool") layer.prefix = "Conv";
  if (!layer.has("Kernel") || !layer.has("OutMaps"))
    layer.value.fail("expected Kernel and OutMaps, got neither");
  const LayerSpec own = base_layer(layer, row.kind);
  layer.inputs.front().type = own.dtypes.input;
  LayerOrReason read = built(layer, row);
  auto* spec = std::get_if<LayerSpec>(&read);
  if (spec == nullptr) return read;
  spec->fp16_accumulate = own.fp16_accumulate;
  spec->dtypes.weight.reset();
  if (layer.has("Weights") && layer.at("Weights").contains("Type"))
    spec->dtypes.weight = type_of_format(layer.at("Weights").at("Type").text());
  if (spec->dtypes.input == DataType::tf32 && spec->dtypes.weight == DataType::fp32)
    spec->dtypes.weight = DataType::tf32;
  // A residual, added in the same kernel, is read too.
  const OperandSpec result = whole_operand(layer.output().sizes);
  for (std::size_t i = 1; i < layer.inputs.size(); ++i)
    if (element_count(layer.inputs[i].sizes) == element_count(result.sizes))
      spec->fused.push_back(result);
  return read;
}

/// Its type of layer is that of all pools.
LayerOrReason pool(const EngineLayer& layer) {
  const Sizes& sizes = layer.input().sizes;
  const Sizes window = numbers_at(layer, "WindowSize");
  const bool is_max = layer.has("PoolingType") && layer.at("PoolingType").text() == "MAX";
  const bool is_global = sizes.size() == window.size() + 2 &&
                         std::equal(window.begin(), window.end(), sizes.begin() + 2);
  return built(layer, *find_row(is_max ? "max_pool" : is_global ? "global_avg_pool" : "avg_pool"));
}

/// k of matrices [..., m, k] and [..., k, n], either stored by rows or by columns; 0 if they do not
/// fit the result.
std::uint64_t summed_size(const Sizes& a, const Sizes& b, std::uint64_t m, std::uint64_t n) {
  if (a.size() < 2 || b.size() < 2) return 0;
  const auto beside = [](const Sizes& matrix, std::size_t from_end, std::uint64_t size) {
    const std::size_t last = matrix.size() - 1;
    return matrix[last - (1 - from_end)] == size ? matrix[last - from_end] : 0;
  };
  for (const std::size_t of_a : {0U, 1U})
    for (const std::size_t of_b : {1U, 0U})
      if (const std::uint64_t k = beside(a, of_a, m); k != 0 && k == beside(b, of_b, n)) return k;
  return 0;
}

/// Two matrices, each maybe shared by several products; a linear layer with constants for the
/// second, and maybe a residual.
LayerOrReason product(const EngineLayer& layer) {
  const Sizes& a = layer.input().sizes;
  const Sizes& result = layer.output().sizes;
  if (a.empty() || result.empty() || element_count(a) == 0 || element_count(result) == 0)
    return not_modelled(layer, "its shapes fit no matrix product");
  const std::uint64_t n = result.back();
  const std::uint64_t rows = element_count(result) / n;
  const std::uint64_t m = result.size() > 1 ? result[result.size() - 2] : 1;
  const bool has_second = layer.inputs.size() > 1 && parameter_count(layer, "Weights") == 0;
  const Sizes b = has_second ? layer.inputs[1].sizes : Sizes();
  Operation operation{.row = find_row("matmul"), .results = layer.outputs};
  if (const std::uint64_t k = summed_size(a, b, m, n); k != 0) {
    operation.operands = {{.sizes = {element_count(a) / (m * k), m, k}},
                          {.sizes = {element_count(b) / (k * n), k, n}}};
  } else {
    if (element_count(a) % rows != 0)
      return not_modelled(layer, "its shapes fit no matrix product");
    operation.row = find_row("linear");
    operation.operands = {{.sizes = {rows, element_count(a) / rows}}};
    operation.attributes.channels = n;
  }
  const LayerSpec own = base_layer(layer, operation.row->kind);
  operation.operands.front().type = own.dtypes.input;
  LayerOrReason read = built(layer, operation);
  if (auto* spec = std::get_if<LayerSpec>(&read)) spec->fp16_accumulate = own.fp16_accumulate;
  return read;
}

/// A result of another shape.
LayerOrReason copied(const EngineLayer& layer) {
  LayerSpec spec = base_layer(layer, LayerKind::copy);
  spec.input = whole_operand(layer.input().sizes);
  spec.output = whole_operand(layer.output().sizes).sizes;
  return spec;
}

/// By bytes.
LayerOrReason traffic(const EngineLayer& layer) {
  LayerSpec spec = base_layer(layer, LayerKind::other);
  const DataType type = *layer.input().type;
  std::vector<OperandSpec> operands;
  for (const Tensor& tensor : layer.inputs) {
    operands.push_back(whole_operand(tensor.sizes));
    operands.back().type = tensor.type.value_or(type);
  }
  std::vector<WrittenTensor> results;
  for (const Tensor& tensor : layer.outputs)
    results.push_back({tensor.sizes, tensor.type.value_or(type)});
  set_traffic(spec, std::move(operands), results);
  return spec;
}

/// TensorRT 10 fuses operators ("__myl_CastAddMul_myl0_3"): tensors are the work, unless matrices
/// are multiplied ("_gemm_mha_v2_myl0_4").
LayerOrReason generated(const EngineLayer& layer) {
  if (mentions(layer.name, {"gemm", "mha", "conv"}))
    return not_modelled(layer, "a generated kernel of matrix products without their sizes");
  return traffic(layer);
}

/// Functions of several tensors are counted by bytes.
LayerOrReason function(const EngineLayer& layer, const OperatorRow& row) {
  return layer.inputs.size() == 1 ? built(layer, row) : traffic(layer);
}

LayerOrReason by_row(const EngineLayer& layer, const OperatorRow& row) {
  switch (row.kind) {
    case LayerKind::conv:
    case LayerKind::conv_transpose: return convolution(layer, row);
    case LayerKind::max_pool: return pool(layer);
    case LayerKind::matmul: return product(layer);
    case LayerKind::elementwise: return function(layer, row);
    default: return built(layer, row);
  }
}

struct EngineRule {
  std::string_view types;  ///< between blanks
  LayerOrReason (*rule)(const EngineLayer&);
};

// ParameterTypes of TensorRT 8 and 10, then LayerTypes without one.
constexpr EngineRule engine_rules[] = {
    {"Reformat Shuffle Slice Gather Padding Cast Identity Quantize Dequantize Resize", copied},
    {"kgen", generated},
    {"Select TopK Scatter Normalization Concatenation", traffic},
};

const EngineRule* find_rule(std::string_view type) {
  const std::string word = ' ' + std::string(type) + ' ';
  for (const EngineRule& rule : engine_rules)
    if (mentions(' ' + std::string(rule.types) + ' ', {word})) return &rule;
  return nullptr;
}

std::string type_of_layer(const Value& layer) {
  for (const std::string_view key : {"ParameterType", "LayerType"})
    if (layer.contains(key)) return layer.at(key).text();
  layer.fail("expected LayerType, got none");
}

bool is_counted(const std::vector<Tensor>& tensors) {
  return !tensors.empty() && tensors.front().type && !tensors.front().sizes.empty() &&
         element_count(tensors.front().sizes) > 0;
}

LayerOrReason read_by_rule(const EngineLayer& layer) {
  const OperatorRow* row = find_row_of_tensorrt(layer.type);
  const EngineRule* found = row == nullptr ? find_rule(layer.type) : nullptr;
  if (row == nullptr && found == nullptr)
    return not_modelled(layer, "a layer of type " + layer.type + ", which has no rule");
  if (!is_counted(layer.inputs) || !is_counted(layer.outputs))
    return not_modelled(layer, "its tensors have no sizes or types that the model knows");
  LayerOrReason read = row != nullptr ? by_row(layer, *row) : found->rule(layer);
  if (const auto* spec = std::get_if<LayerSpec>(&read))
    if (const auto failure = failure_of(*spec)) return not_modelled(layer, failure->message);
  return read;
}

}  // namespace

std::string engine_layer_name(const Value& layer) {
  if (layer.is_string())
    layer.fail(
        "expected a layer's description, got its name alone: build the engine with "
        "trtexec --profilingVerbosity=detailed");
  if (!layer.is_object()) layer.fail_expected("a layer's description");
  if (!layer.contains("Name")) layer.fail("expected Name, got none");
  return layer.at("Name").text();
}

std::vector<Tensor> read_engine_tensors(const Value& layer, std::string_view member) {
  std::vector<Tensor> tensors;
  if (!layer.contains(member)) return tensors;
  const Value list = layer.at(member);
  if (!list.is_array()) list.fail_expected("an array of tensors");
  for (const Value entry : list) {
    if (!entry.is_object()) entry.fail_expected("a tensor");
    Tensor tensor;
    for (const std::string_view key : {"Format/Datatype", "Datatype"})
      if (entry.contains(key) && !tensor.type) {
        tensor.type = type_of_format(entry.at(key).text());
        tensor.stated_layout = layout_of_format(entry.at(key).text());
      }
    if (entry.contains("Dimensions")) {
      const Value sizes = entry.at("Dimensions");
      if (!sizes.is_array()) sizes.fail_expected("an array of sizes");
      for (const Value size : sizes) tensor.sizes.push_back(size.integer(0));
      if (element_count(tensor.sizes) == std::numeric_limits<std::uint64_t>::max())
        sizes.fail("expected sizes whose product is below 2^64, got " + text_of(tensor));
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::variant<LayerSpec, NotModelled> read_engine_layer(const Value& value) {
  const EngineLayer layer{value,
                          engine_layer_name(value),
                          type_of_layer(value),
                          "",
                          read_engine_tensors(value, "Inputs"),
                          read_engine_tensors(value, "Outputs")};
  if (layer.type == "NoOp" || layer.type == "Constant")
    return NotModelled{"a layer of type " + layer.type + ", which runs nothing", "", {}};
  LayerOrReason read = read_by_rule(layer);
  auto* none = std::get_if<NotModelled>(&read);
  if (none != nullptr && is_counted(layer.inputs) && is_counted(layer.outputs))
    if (LayerSpec spec = std::get<LayerSpec>(traffic(layer)); !failure_of(spec))
      none->by_bytes = std::move(spec);
  return read;
}

}  // namespace roofline
