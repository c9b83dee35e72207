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
#include "model/layer_kind.hpp"
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

/// tf32 for fp32 that the kernel multiplies as such.
std::optional<DataType> multiplied_type(const EngineLayer& layer) {
  const std::optional<DataType> type = layer.input().type;
  return type == DataType::fp32 && is_tf32_kernel(tactic_of(layer)) ? DataType::tf32 : type;
}

Operation operation_of(const EngineLayer& layer, const OperatorRow& row) {
  return {.row = &row, .operands = layer.inputs, .results = layer.outputs, .called = layer.type};
}

/// A convolution, maybe with activation and pool in one kernel, without the pool's few operations.
Operation convolution(const EngineLayer& stated, const OperatorRow& row) {
  EngineLayer layer = stated;
  if (layer.type == "ConvActPool") layer.prefix = "Conv";
  if (!layer.has("Kernel") || !layer.has("OutMaps"))
    layer.value.fail("expected Kernel and OutMaps, got neither");
  Tensor image = layer.input();
  image.type = multiplied_type(layer);
  Tensor weights;
  if (layer.has("Weights") && layer.at("Weights").contains("Type"))
    weights.type = type_of_format(layer.at("Weights").at("Type").text());
  if (image.type == DataType::tf32 && weights.type == DataType::fp32) weights.type = image.type;
  Operation operation = operation_of(stated, row);
  operation.operands = {std::move(image), std::move(weights)};
  operation.attributes = attributes_of(layer);
  return operation;
}

/// Its type of layer is that of all pools.
Operation pool(const EngineLayer& layer) {
  const Sizes& sizes = layer.input().sizes;
  const Sizes window = numbers_at(layer, "WindowSize");
  const bool is_max = layer.has("PoolingType") && layer.at("PoolingType").text() == "MAX";
  const bool is_global = sizes.size() == window.size() + 2 &&
                         std::equal(window.begin(), window.end(), sizes.begin() + 2);
  const std::string_view row = is_max ? "max_pool" : is_global ? "global_avg_pool" : "avg_pool";
  Operation operation = operation_of(layer, *find_row(row));
  operation.attributes = attributes_of(layer);
  return operation;
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
/// second, and maybe a residual. No operands without a fitting size.
Operation product(const EngineLayer& layer, const OperatorRow& row) {
  const Sizes& a = layer.input().sizes;
  const Sizes& result = layer.output().sizes;
  const std::uint64_t n = result.back();
  const std::uint64_t rows = element_count(result) / n;
  const std::uint64_t m = result.size() > 1 ? result[result.size() - 2] : 1;
  const bool has_second = layer.inputs.size() > 1 && parameter_count(layer, "Weights") == 0;
  const Sizes b = has_second ? layer.inputs[1].sizes : Sizes();
  const std::optional<DataType> type = multiplied_type(layer);
  Operation operation = operation_of(layer, row);
  operation.operands.clear();
  if (const std::uint64_t k = summed_size(a, b, m, n); k != 0) {
    operation.operands = {{.sizes = {element_count(a) / (m * k), m, k}, .type = type},
                          {.sizes = {element_count(b) / (k * n), k, n}}};
  } else if (element_count(a) % rows == 0) {
    operation.row = find_row("linear");
    operation.operands = {{.sizes = {rows, element_count(a) / rows}, .type = type}};
    operation.attributes.channels = n;
  }
  return operation;
}

/// Sizes are known.
Operation operation_by(const EngineLayer& layer, const OperatorRow& row) {
  switch (row.kind) {
    case LayerKind::conv:
    case LayerKind::conv_transpose: return convolution(layer, row);
    case LayerKind::max_pool: return pool(layer);
    case LayerKind::matmul: return product(layer, row);
    default: return operation_of(layer, row);
  }
}

/// Facts of a layer that the engine states beside its operation.
void finish(const EngineLayer& layer, LayerSpec& spec) {
  spec.name = layer.name;
  spec.place = layer.value.place();
  if (takes(spec.kind, "layout")) spec.layout = layer.input().stated_layout;
  const bool multiplies = info(spec.kind).family == KindFamily::contraction;
  spec.fp16_accumulate =
      multiplies && spec.dtypes.input == DataType::fp16 && sums_in_fp16(tactic_of(layer));
  if (!spec.out_channels) return;
  // A residual, added in a convolution's kernel, is read too.
  const OperandSpec result = whole_operand(layer.output().sizes);
  for (std::size_t i = 1; i < layer.inputs.size(); ++i)
    if (element_count(layer.inputs[i].sizes) == element_count(result.sizes))
      spec.fused.push_back(result);
}

/// TensorRT 10 fuses operators ("__myl_CastAddMul_myl0_3"): tensors are the work, unless matrices
/// are multiplied ("_gemm_mha_v2_myl0_4").
bool hides_products(const EngineLayer& layer) {
  return layer.type == "kgen" && mentions(layer.name, {"gemm", "mha", "conv"});
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

/// The layer by its row, or why there is none.
std::optional<LayerSpec> built_by(const OperatorRow* row, const EngineLayer& layer,
                                  std::string& reason) {
  if (row == nullptr) {
    reason = "a layer of type " + layer.type + ", which has no rule";
  } else if (!is_counted(layer.inputs) || !is_counted(layer.outputs)) {
    reason = "its tensors have no sizes or types that the model knows";
  } else {
    const Operation operation = operation_by(layer, *row);
    Layers layers = operation.row->build(operation);
    reason = "its shapes fit no " + std::string(operation.row->name);
    if (layers.empty()) return std::nullopt;
    finish(layer, layers.front());
    const auto failure = failure_of(layers.front());
    if (!failure) return layers.front();
    reason = failure->message;
  }
  return std::nullopt;
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
  NotModelled none;
  if (hides_products(layer))
    none.reason = "a generated kernel of matrix products without their sizes";
  else if (auto spec = built_by(find_row_of_tensorrt(layer.type), layer, none.reason))
    return *spec;
  none.shapes = tensors_text(layer.inputs) + " to " + tensors_text(layer.outputs);
  if (is_counted(layer.inputs) && is_counted(layer.outputs)) {
    std::string reason;
    none.by_bytes = built_by(find_row("traffic"), layer, reason);
  }
  return none;
}

}  // namespace roofline
