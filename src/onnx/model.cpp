#include "onnx/model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "onnx/wire.hpp"
#include "roofline/error.hpp"

namespace roofline::onnx_graph {
namespace {

using WireField = WireReader::Field;
using WireKind = WireReader::Kind;
using Bits = std::vector<std::uint64_t>;

constexpr int first_version = 7;
/// Data of tensors beyond this size is left out; sizes and indices that shapes follow from are far
/// smaller.
constexpr std::uint64_t most_tensor_byte = 4096;
constexpr std::size_t most_list = std::size_t{1} << 17;
constexpr std::uint64_t longest_text_byte = std::uint64_t{1} << 20;

double from_half(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 0x1F);
  const int fraction = static_cast<int>(bits & 0x3FF);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double from_float(std::uint64_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

template <class Stored>
double from_integer(std::uint64_t bits) {
  return static_cast<double>(static_cast<Stored>(bits));
}

/// How elements of a type are stored: the byte of each in raw_data, and the number that bits are.
struct Storage {
  std::size_t byte = 0;
  double (*number)(std::uint64_t bits) = nullptr;
};
Storage storage_of(int type) {
  switch (type) {
    case element::float32: return {4, from_float};
    case element::float64:
      return {8, [](std::uint64_t bits) { return std::bit_cast<double>(bits); }};
    case element::float16: return {2, from_half};
    case element::bfloat16: return {2, [](std::uint64_t bits) { return from_float(bits << 16); }};
    case element::int64: return {8, from_integer<std::int64_t>};
    case element::uint64: return {8, from_integer<std::uint64_t>};
    case element::int32: return {4, from_integer<std::int32_t>};
    case element::uint32: return {4, from_integer<std::uint32_t>};
    case element::int16: return {2, from_integer<std::int16_t>};
    case element::uint16: return {2, from_integer<std::uint16_t>};
    case element::int8: return {1, from_integer<std::int8_t>};
    case element::uint8:
    case element::boolean: return {1, from_integer<std::uint8_t>};
    default: return {};
  }
}

/// The bits of elements that stand one after the other, little-endian.
Bits bits_of_raw(const std::string& bytes, std::size_t byte) {
  Bits all(byte > 0 && bytes.size() % byte == 0 ? bytes.size() / byte : 0);
  for (std::size_t i = bytes.size(); !all.empty() && i-- > 0;)
    all[i / byte] = all[i / byte] << 8 | static_cast<unsigned char>(bytes[i]);
  return all;
}

/// Reads messages of onnx.proto; field numbers of ONNX 1.2 to 1.18, unchanged.
class ModelReader {
 public:
  explicit ModelReader(ByteStream& stream) : wire_(stream) {}

  Model model() {
    Model model;
    wire_.message(nullptr, [&](const WireField& field) {
      if (field.number == 7) graph(field, model.graph);
      if (field.number == 8) version(field, model.versions);
      if (field.number == 25) {
        FunctionProto each = function(field);
        model.functions[function_key(each.domain, each.name)] = std::move(each);
      }
    });
    return model;
  }

 private:
  template <class Message>
  Message& append(std::vector<Message>& list) {
    wire_.keep(sizeof(Message));
    return list.emplace_back();
  }

  template <class Message>
  Message& make(std::shared_ptr<const Message>& pointer) {
    wire_.keep(sizeof(Message));
    auto made = std::make_shared<Message>();
    pointer = made;
    return *made;
  }

  std::string domain(const WireField& field) {
    std::string name = wire_.name(field);
    return name == "ai.onnx" ? std::string() : name;
  }

  void version(const WireField& around, Versions& versions) {
    std::string set;
    std::int64_t version = 0;
    wire_.message(&around, [&](const WireField& field) {
      if (field.number == 1) set = domain(field);
      if (field.number == 2) version = static_cast<std::int64_t>(field.value);
    });
    versions[set] = static_cast<int>(std::clamp<std::int64_t>(version, 0, 1 << 20));
  }

  void graph(const WireField& around, GraphProto& graph) {
    wire_.message(&around, [&](const WireField& field) {
      switch (field.number) {
        case 1: node(field, append(graph.nodes)); break;
        case 5: tensor(field, append(graph.tensors)); break;
        case 11: value(field, append(graph.inputs)); break;
        case 12: value(field, append(graph.outputs)); break;
        case 13: value(field, append(graph.values)); break;
        default: break;
      }
    });
    graph.nodes.shrink_to_fit();
    graph.tensors.shrink_to_fit();
    graph.values.shrink_to_fit();
  }

  void node(const WireField& around, NodeProto& node) {
    wire_.message(&around, [&](const WireField& field) {
      switch (field.number) {
        case 1: append(node.inputs) = wire_.name(field); break;
        case 2: append(node.outputs) = wire_.name(field); break;
        case 3: node.name = wire_.name(field); break;
        case 4: node.op = wire_.name(field); break;
        case 5: attribute(field, append(node.attributes)); break;
        case 7: node.domain = domain(field); break;
        case 9: metadata(field, node); break;
        default: break;
      }
    });
    node.attributes.shrink_to_fit();
  }

  void metadata(const WireField& around, NodeProto& node) {
    std::string key;
    std::string text;
    wire_.message(&around, [&](const WireField& field) {
      if (field.number == 1) key = wire_.text(field, longest_text_byte);
      if (field.number == 2 && key == "pkg.torch.onnx.name_scopes")
        node.scopes = wire_.text(field, longest_text_byte);
    });
  }

  FunctionProto function(const WireField& around) {
    FunctionProto function;
    wire_.message(&around, [&](const WireField& field) {
      switch (field.number) {
        case 1: function.name = wire_.name(field); break;
        case 4: append(function.inputs) = wire_.name(field); break;
        case 5: append(function.outputs) = wire_.name(field); break;
        case 7: node(field, append(function.nodes)); break;
        case 9: version(field, function.versions); break;
        case 10: function.domain = domain(field); break;
        case 11: attribute(field, append(function.defaults)); break;
        default: break;
      }
    });
    return function;
  }

  void attribute(const WireField& around, AttributeProto& attribute) {
    Bits ints;
    Bits floats;
    wire_.message(&around, [&](const WireField& field) {
      switch (field.number) {
        case 1: attribute.name = wire_.name(field); break;
        case 2: attribute.f = from_float(field.value); break;
        case 3: attribute.i = static_cast<std::int64_t>(field.value); break;
        case 4: attribute.s = wire_.text(field, longest_text_byte); break;
        case 5: tensor(field, make(attribute.tensor)); break;
        case 6: graph(field, make(attribute.graph)); break;
        case 7: wire_.numbers(field, WireKind::fixed32, most_list, floats); break;
        case 8: wire_.numbers(field, WireKind::varint, most_list, ints); break;
        case 21: attribute.reference = wire_.name(field); break;
        default: break;
      }
    });
    attribute.ints.assign(ints.begin(), ints.end());
    for (const std::uint64_t each : floats) attribute.floats.push_back(from_float(each));
  }

  void tensor(const WireField& around, TensorProto& tensor) {
    Bits sizes;
    Bits data;
    std::optional<std::string> raw;
    bool is_whole = true;
    wire_.message(&around, [&](const WireField& field) {
      const auto typed = [&](WireKind each) {
        is_whole = wire_.numbers(field, each, most_numbers, data) && is_whole;
      };
      switch (field.number) {
        case 1: wire_.numbers(field, WireKind::varint, most_list, sizes); break;
        case 2: tensor.type = static_cast<int>(field.value & 0xFFFF); break;
        case 4: typed(WireKind::fixed32); break;
        case 5:
        case 7:
        case 11: typed(WireKind::varint); break;
        case 8: tensor.name = wire_.name(field); break;
        case 9: raw = wire_.text(field, most_tensor_byte); break;
        case 10: typed(WireKind::fixed64); break;
        case 14: is_whole = is_whole && field.value == 0; break;  // else stored in another file
        default: break;
      }
    });
    tensor.sizes.assign(sizes.begin(), sizes.end());
    if (is_whole) set_numbers(tensor, raw, std::move(data));
  }

  void set_numbers(TensorProto& tensor, const std::optional<std::string>& raw, Bits data) {
    const Storage storage = storage_of(tensor.type);
    if (storage.number == nullptr) return;
    if (raw) data = bits_of_raw(*raw, storage.byte);
    std::uint64_t count = 1;
    for (const std::int64_t size : tensor.sizes)
      if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) return;
    if (data.size() != count) return;
    Numbers& numbers = tensor.numbers.emplace();
    for (const std::uint64_t bits : data) numbers.push_back(storage.number(bits));
  }

  void value(const WireField& around, ValueProto& value) {
    wire_.message(&around, [&](const WireField& field) {
      if (field.number == 1) value.name = wire_.name(field);
      if (field.number != 2) return;
      wire_.message(&field, [&](const WireField& type) {
        if (type.number == 1) tensor_type(type, value);
      });
    });
  }

  void tensor_type(const WireField& around, ValueProto& value) {
    wire_.message(&around, [&](const WireField& field) {
      if (field.number == 1) value.type = static_cast<int>(field.value & 0xFFFF);
      if (field.number != 2) return;
      value.shape.emplace();
      wire_.message(&field, [&](const WireField& each) {
        if (each.number != 1) return;
        Dimension& dimension = append(*value.shape);
        wire_.message(&each, [&](const WireField& part) {
          if (part.number == 1) dimension.size = static_cast<std::int64_t>(part.value);
          if (part.number == 2) dimension.name = wire_.text(part, longest_text_byte);
        });
      });
    });
  }

  WireReader wire_;
};

}  // namespace

std::string function_key(const std::string& domain, const std::string& name) {
  return domain + "::" + name;
}

const AttributeProto* find_in(const std::vector<AttributeProto>& attributes,
                              std::string_view name) {
  const auto found =
      std::find_if(attributes.begin(), attributes.end(),
                   [&](const AttributeProto& attribute) { return attribute.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

std::shared_ptr<const Model> read_model(ByteStream& stream) {
  auto model = std::make_shared<Model>(ModelReader(stream).model());
  model->source = stream.name();
  if (model->graph.nodes.empty())
    throw InputError(model->source, "", "expected an ONNX model with a graph, got none");
  const auto own = model->versions.find("");
  if (own != model->versions.end() && own->second < first_version)
    throw InputError(model->source, "",
                     "expected ONNX operator set " + std::to_string(first_version) +
                         " or later, got " + std::to_string(own->second) +
                         "; onnx.version_converter converts older models");
  return model;
}

bool looks_like_model(std::string_view head) {
  // Fields of ModelProto in ascending order, as every writer of protobuf emits them, up to the
  // graph. Text never starts so: the first byte is a control character.
  constexpr std::string_view format_version("\x08");
  if (head.size() < 2 || head.substr(0, 1) != format_version) return false;
  std::size_t at = 1;
  const auto read = [&]() -> std::optional<std::uint64_t> {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && at < head.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(head[at++]);
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
    return std::nullopt;
  };
  const auto version = read();
  if (!version || *version == 0 || *version > 1000) return false;
  while (at < head.size()) {
    const auto tag = read();
    if (!tag) return false;
    const std::uint64_t field = *tag >> 3;
    const auto kind = static_cast<WireKind>(*tag & 7);
    if (kind == WireKind::bytes && field == 7) return true;
    const bool known = field >= 1 && field <= 26;
    const auto number = read();
    if (!known || !number) return false;
    if (kind == WireKind::varint) continue;
    if (kind != WireKind::bytes) return false;
    if (*number > head.size() - at) return true;
    at += static_cast<std::size_t>(*number);
  }
  return true;
}

}  // namespace roofline::onnx_graph
