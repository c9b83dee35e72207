#pragma once

// A model as its file has it, without the data of its weights: of those, only the shapes matter.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "load/byte_stream.hpp"
#include "roofline/data_type.hpp"
#include "roofline/load.hpp"

namespace roofline::onnx_graph {

/// A tensor's sizes, outermost first; empty for a scalar.
using Sizes = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

/// Elements of a constant are kept up to this many: shapes, indices, bounds.
inline constexpr std::int64_t most_numbers = 4096;

/// The first operator set that is understood.
inline constexpr std::int64_t first_version = 7;

/// Types of elements, TensorProto.DataType of onnx.proto; a file may state any other number.
namespace element {
enum Type : int {
  unknown = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  bfloat16 = 16,
  float8_e4m3fn = 17,
  float8_e4m3fnuz = 18,
  float8_e5m2 = 19,
  float8_e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4_e2m1 = 23,
  float8_e8m0 = 24,
};
}  // namespace element

/// What is known of a type.
struct ElementType {
  int type = element::unknown;
  /// Integers take the bytes and the units of floats of their width; int64, the type of indices, is
  /// 32 bits wide in the runtimes of GPUs.
  DataType dtype = DataType::fp32;
  bool is_float = false;
  bool is_quantised = false;  ///< 8 bits or fewer, of which weights may be
  // How a file stores an element, where elements are read, and the number that its bits are.
  std::size_t byte = 0;
  double (*number)(std::uint64_t bits) = nullptr;
};
const ElementType& element_type(int type);

// Messages of onnx.proto, as far as they matter here.

struct TensorProto {
  std::string name;
  int type = element::unknown;
  Sizes sizes;
  std::optional<Numbers> numbers;  ///< its elements, where the file holds them and they are few
};

struct GraphProto;

struct AttributeProto {
  std::string name;
  std::string_view kind;  ///< what it holds, "an integer", "texts"; empty: nothing
  std::string reference;  ///< in a function: the attribute of its call that this one stands for
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
  std::string domain;  ///< empty for ONNX's own
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<AttributeProto> attributes;
  // What PyTorch's second exporter notes.
  std::string scopes;         ///< the modules around it
  std::string operator_text;  ///< the operator of PyTorch's that it is of, with its arguments
  std::string stack_trace;    ///< the lines of the model's code
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
  std::vector<ValueProto> values;  ///< tensors inside it of which the file states sizes
};

struct FunctionProto {
  std::string name;
  std::string domain;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<AttributeProto> defaults;  ///< attributes that a call may leave out
  std::vector<NodeProto> nodes;
};

struct Model {
  std::string source;  ///< the input's name, as in errors
  GraphProto graph;
  std::int64_t version = first_version;                      ///< of ONNX's own operator set
  std::unordered_map<std::string, FunctionProto> functions;  ///< by function_key
};

std::string function_key(const std::string& domain, const std::string& name);

/// The attribute of that name; null where there is none.
const AttributeProto* find_in(const std::vector<AttributeProto>& attributes, std::string_view name);

/// Throws InputError where the input is no ONNX model, or a damaged one.
std::shared_ptr<const Model> read_model(ByteStream& stream);

/// Whether the first bytes of an input look like a model.
bool looks_like_model(std::string_view head);
/// One model as an input.
Item read_onnx(ByteStream& stream);

}  // namespace roofline::onnx_graph
