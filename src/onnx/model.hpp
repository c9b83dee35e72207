#pragma once

// A model as in its file, without weights' data: only their shapes matter.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "load/byte_stream.hpp"
#include "operators/element_types.hpp"
#include "roofline/load.hpp"

namespace roofline::onnx_graph {

/// Outermost first; empty for a scalar.
using Sizes = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

/// Larger constants keep no elements: shapes, indices and bounds are small.
inline constexpr std::int64_t most_numbers = 4096;

/// The oldest supported operator set.
inline constexpr std::int64_t first_version = 7;

/// Values of TensorProto.DataType; a file may state any other number (operators/element_types.cpp).
namespace element {
enum Type : int {
  unknown = 0,
  float32 = 1,
  uint8 = 2,
  int32 = 6,
  int64 = 7,
  boolean = 9,
};
}  // namespace element

/// fp32 for an unknown type.
const ElementType& element_type(int type);
bool is_float(int type);

struct TensorProto {
  std::string name;
  int type = element::unknown;
  Sizes sizes;
  std::optional<Numbers> numbers;  ///< few elements that the file holds
};

struct GraphProto;

struct AttributeProto {
  std::string name;
  std::string_view kind;  ///< "an integer", "texts"; empty: nothing
  std::string reference;  ///< in a function: the attribute of its call to take
  std::optional<std::int64_t> i;
  std::optional<double> f;
  std::optional<std::string> s;
  Sizes ints;
  Numbers floats;
  std::shared_ptr<const TensorProto> tensor;
  std::shared_ptr<const GraphProto> graph;
};

struct NodeProto {
  std::string name;
  std::string op;
  std::string domain;    ///< empty for ONNX's own
  std::string overload;  ///< of several functions with one name
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<AttributeProto> attributes;
  std::string scopes;  ///< the modules around the node, noted by PyTorch's second exporter
};

struct Dimension {
  std::optional<std::int64_t> size;
  std::string name;
};

struct ValueProto {
  std::string name;
  int type = element::unknown;
  std::optional<std::vector<Dimension>> shape;
};

struct GraphProto {
  std::vector<NodeProto> nodes;
  std::vector<TensorProto> tensors;
  std::vector<ValueProto> inputs;
  std::vector<ValueProto> outputs;
  std::vector<ValueProto> values;  ///< inner tensors with stated sizes
};

struct FunctionProto {
  std::string name;
  std::string domain;
  std::string overload;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<AttributeProto> defaults;  ///< optional attributes of a call
  std::vector<NodeProto> nodes;
};

struct Model {
  std::string source;  ///< as in errors
  GraphProto graph;
  std::int64_t version = first_version;                      ///< of ONNX's own operator set
  std::unordered_map<std::string, FunctionProto> functions;  ///< by function_key
};

std::string function_key(const std::string& domain, const std::string& name,
                         const std::string& overload = "");

/// Null if missing.
const AttributeProto* find_in(const std::vector<AttributeProto>& attributes, std::string_view name);

/// Throws InputError for an input that is no ONNX model, or a damaged one.
std::shared_ptr<const Model> read_model(ByteStream& stream);

bool looks_like_model(std::string_view head);
Item read_onnx(ByteStream& stream);

}  // namespace roofline::onnx_graph
