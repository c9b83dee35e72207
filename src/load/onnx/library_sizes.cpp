// ONNX's own inference for one node.

#include <algorithm>
#include <exception>

#include "load/onnx/sizes.hpp"
#include "onnx/defs/schema.h"

namespace roofline::onnx_graph {
namespace {

using ::onnx::AttributeProto;
using ::onnx::TensorProto;
using ::onnx::TypeProto;

TypeProto type_proto(const Value& value) {
  TypeProto type;
  auto& tensor = *type.mutable_tensor_type();
  tensor.set_elem_type(value.type);
  if (value.sizes) {
    auto& shape = *tensor.mutable_shape();
    for (const std::int64_t size : *value.sizes) shape.add_dim()->set_dim_value(size);
  }
  return type;
}

TensorProto tensor_proto(const Value& value) {
  TensorProto tensor;
  tensor.set_data_type(value.type);
  for (const std::int64_t size : *value.sizes) tensor.add_dims(size);
  for (const double number : *value.numbers) {
    switch (value.type) {
      case TensorProto::FLOAT: tensor.add_float_data(static_cast<float>(number)); break;
      case TensorProto::DOUBLE: tensor.add_double_data(number); break;
      case TensorProto::INT64: tensor.add_int64_data(whole_number(number)); break;
      default: tensor.add_int32_data(static_cast<std::int32_t>(whole_number(number)));
    }
  }
  return tensor;
}

/// One node and the types of its operands, as ONNX's rules ask for them.
class Context : public ::onnx::InferenceContext {
 public:
  explicit Context(const Node& node) : node_(node), outputs_(node.outputs.size()) {
    for (const Value* input : node.inputs) {
      inputs_.emplace_back();
      data_.emplace_back();
      if (input == nullptr) continue;
      inputs_.back() = type_proto(*input);
      if (input->numbers && input->sizes) data_.back() = tensor_proto(*input);
    }
  }

  const AttributeProto* getAttribute(const std::string& name) const override {
    return find_attribute(node_, name);
  }
  std::size_t getNumInputs() const override { return inputs_.size(); }
  const TypeProto* getInputType(std::size_t index) const override {
    return node_.input(index) != nullptr ? &inputs_[index] : nullptr;
  }
  const TensorProto* getInputData(std::size_t index) const override {
    return index < data_.size() && data_[index] ? &*data_[index] : nullptr;
  }
  std::size_t getNumOutputs() const override { return outputs_.size(); }
  TypeProto* getOutputType(std::size_t index) override { return &outputs_.at(index); }
  ::onnx::GraphInferencer* getGraphAttributeInferencer(const std::string&) override {
    return nullptr;
  }
  const ::onnx::SparseTensorProto* getInputSparseData(std::size_t) const override {
    return nullptr;
  }
  const ::onnx::TensorShapeProto* getSymbolicInput(std::size_t) const override { return nullptr; }

 private:
  const Node& node_;
  std::vector<TypeProto> inputs_;
  std::vector<std::optional<TensorProto>> data_;
  std::vector<TypeProto> outputs_;
};

std::optional<Sizes> known_sizes(const TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return std::nullopt;
  Sizes sizes;
  for (const auto& dim : type.tensor_type().shape().dim()) {
    if (!dim.has_dim_value() || dim.dim_value() < 0) return std::nullopt;
    sizes.push_back(dim.dim_value());
  }
  return sizes;
}

}  // namespace

void infer_library_sizes(Node& node) {
  const auto* schema =
      ::onnx::OpSchemaRegistry::Schema(node.op, std::max(1, node.version), node.domain);
  if (schema == nullptr || !schema->has_type_and_shape_inference_function()) return;
  // The rules rely on what ONNX's checker makes sure of first.
  if (node.proto == nullptr || static_cast<int>(node.inputs.size()) < schema->min_input() ||
      static_cast<int>(node.outputs.size()) > schema->max_output())
    return;
  Context context(node);
  try {
    schema->GetTypeAndShapeInferenceFunction()(context);
  } catch (const std::exception&) {
    return;  // what the file stores of the results, if anything, has to do
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == nullptr) continue;
    const TypeProto& type = *context.getOutputType(i);
    if (const auto sizes = known_sizes(type); sizes && product(*sizes))
      node.outputs[i]->sizes = sizes;
    if (type.has_tensor_type()) node.outputs[i]->type = type.tensor_type().elem_type();
  }
}

}  // namespace roofline::onnx_graph
