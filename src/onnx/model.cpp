#include "onnx/model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/error.hpp"

namespace roofline::onnx_graph {
namespace {

// Limits of memory and fields: a field of two bytes may become an object of hundreds.
constexpr std::uint64_t most_kept_byte = 512ULL << 20;
constexpr std::uint64_t most_fields = 4000000;
constexpr std::uint64_t longest_name_byte = 4096;
constexpr std::size_t deepest_message = 64;
/// A graph in a graph is a field of an attribute of a node.
constexpr std::size_t messages_a_graph = 3;

/// Protobuf's wire format in one pass that skips unwanted fields: gigabytes of weights take little
/// memory.
class WireReader {
 public:
  explicit WireReader(ByteStream& stream) : stream_(stream) {}

  enum class Kind : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };
  struct Field {
    std::uint32_t number = 0;
    Kind kind = Kind::varint;
    std::uint64_t value = 0;  ///< the number, or its bits, or the length of bytes
  };

  /// Calls take(field) for each field, which may read it by the functions below. Throws InputError
  /// for bytes that are no message, too short, nested too deep or too large.
  template <class Take>
  void message(const Field* around, Take take) {
    const std::uint64_t outer_end = end_;
    if (depth_++ > deepest_message)
      fail("expected graphs nested at most " + std::to_string(deepest_message / messages_a_graph) +
           " deep, got more");
    if (around != nullptr && around->kind != Kind::bytes) fail_format();
    if (around != nullptr) end_ = at_ + around->value;
    while (has_more()) {
      const Field field = next();
      const std::uint64_t field_end = field.kind == Kind::bytes ? at_ + field.value : at_;
      take(field);
      pass_over(field_end - at_, nullptr);
    }
    end_ = outer_end;
    --depth_;
  }

  /// Empty if longer than `longest`.
  std::string text(const Field& field, std::uint64_t longest) {
    std::string bytes;
    if (field.kind != Kind::bytes || field.value > longest) return bytes;
    keep(field.value);
    pass_over(field.value, &bytes);
    return bytes;
  }

  /// Throws InputError for a name that is too long.
  std::string name(const Field& field) {
    if (field.kind == Kind::bytes && field.value > longest_name_byte)
      fail("expected names of at most " + std::to_string(longest_name_byte) +
           " bytes, got one of " + std::to_string(field.value));
    return text(field, longest_name_byte);
  }

  /// Packed or single numbers as stored bits. False, without keeping any, for more than `most`.
  bool numbers(const Field& field, Kind each, std::size_t most, std::vector<std::uint64_t>& list) {
    const std::size_t size = list.size();
    const auto add = [&](std::uint64_t number) {
      if (list.size() >= most) return false;
      list.push_back(number);
      return true;
    };
    bool fits = true;
    if (field.kind == each) {
      fits = add(field.value);
    } else if (field.kind == Kind::bytes) {
      const std::uint64_t end = at_ + field.value;
      while (fits && at_ < end) {
        fits =
            add(each == Kind::varint ? read_varint() : read_fixed(each == Kind::fixed64 ? 8 : 4));
        if (at_ > end) fail_format();
      }
    }
    keep((list.size() - size) * sizeof(std::uint64_t));
    if (!fits) list.clear();
    return fits;
  }

  /// Counts kept memory. Throws InputError beyond the limit.
  void keep(std::uint64_t byte) {
    kept_byte_ += byte;
    if (kept_byte_ > most_kept_byte)
      fail("expected a model that takes at most " + std::to_string(most_kept_byte >> 20) +
           " MiB of memory beside the weights, got a larger one");
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(stream_.name(), "", message);
  }

  [[noreturn]] void fail_format() const {
    fail("expected an ONNX model, got bytes that are none (at byte " + std::to_string(at_) + ")");
  }

  /// Throws InputError at the end.
  std::string_view seen() const {
    const std::string_view bytes = stream_.peek(1);
    if (bytes.empty())
      fail("expected a whole ONNX model, got one that ends after " + std::to_string(at_) +
           " bytes, in the middle of a message");
    return bytes;
  }

  bool has_more() {
    if (at_ > end_) fail_format();
    return end_ == UINT64_MAX ? !stream_.peek(1).empty() : at_ < end_;
  }

  std::uint64_t read_varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(seen().front());
      stream_.skip(1);
      ++at_;
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
    fail_format();
  }

  /// Little-endian.
  std::uint64_t read_fixed(std::size_t count) {
    std::string bytes;
    pass_over(count, &bytes);
    std::uint64_t number = 0;
    for (std::size_t i = count; i-- > 0;)
      number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return number;
  }

  void pass_over(std::uint64_t count, std::string* copy) {
    while (count > 0) {
      const std::string_view bytes = seen().substr(0, count);
      if (copy != nullptr) copy->append(bytes);
      count -= bytes.size();
      at_ += bytes.size();
      stream_.skip(bytes.size());
    }
  }

  Field next() {
    const std::uint64_t tag = read_varint();
    Field field{static_cast<std::uint32_t>(tag >> 3), static_cast<Kind>(tag & 7)};
    if (field.number == 0 || tag > UINT32_MAX) fail_format();
    if (++fields_ > most_fields)
      fail("expected a model of at most " + std::to_string(most_fields) +
           " fields beside the weights, got more");
    switch (field.kind) {
      case Kind::varint:
      case Kind::bytes: field.value = read_varint(); break;
      case Kind::fixed64: field.value = read_fixed(8); break;
      case Kind::fixed32: field.value = read_fixed(4); break;
      default: fail_format();
    }
    if (field.kind == Kind::bytes && field.value > end_ - std::min(at_, end_)) fail_format();
    return field;
  }

  ByteStream& stream_;
  std::uint64_t at_ = 0;
  std::uint64_t end_ = UINT64_MAX;  ///< of the innermost message
  std::uint64_t fields_ = 0;
  std::uint64_t kept_byte_ = 0;
  std::size_t depth_ = 0;
};

using WireField = WireReader::Field;
using WireKind = WireReader::Kind;
using Bits = std::vector<std::uint64_t>;

/// Larger tensors are left out; sizes and indices of shapes are far smaller.
constexpr std::uint64_t most_tensor_byte = 4096;
constexpr std::size_t most_list = std::size_t{1} << 17;
constexpr std::uint64_t longest_text_byte = std::uint64_t{1} << 20;
constexpr std::uint64_t longest_note_byte = std::uint64_t{1} << 16;

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

/// The value of stored bits, for types of constants that are read.
double (*number_of(int type))(std::uint64_t bits) {
  switch (type) {
    case 1: return from_float;
    case 2:
    case 9: return from_integer<std::uint8_t>;
    case 3: return from_integer<std::int8_t>;
    case 4: return from_integer<std::uint16_t>;
    case 5: return from_integer<std::int16_t>;
    case 6: return from_integer<std::int32_t>;
    case 7: return from_integer<std::int64_t>;
    case 10: return from_half;
    case 11: return [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
    case 12: return from_integer<std::uint32_t>;
    case 13: return from_integer<std::uint64_t>;
    case 16: return [](std::uint64_t bits) { return from_float(bits << 16); };
    default: return nullptr;
  }
}

Bits bits_of_raw(const std::string& bytes, std::size_t byte) {
  Bits all(byte > 0 && bytes.size() % byte == 0 ? bytes.size() / byte : 0);
  for (std::size_t i = bytes.size(); !all.empty() && i-- > 0;)
    all[i / byte] = all[i / byte] << 8 | static_cast<unsigned char>(bytes[i]);
  return all;
}

/// Messages of onnx.proto, with field numbers of ONNX 1.2 to 1.18, which are the same.
class ModelReader {
 public:
  explicit ModelReader(ByteStream& stream) : wire_(stream) {}

  Model model() {
    Model model;
    wire_.message(nullptr, [&](const WireField& field) {
      if (field.number == 7) graph(field, model.graph);
      if (field.number == 8) version(field, model.version);
      if (field.number == 25) {
        FunctionProto each = function(field);
        model.functions[function_key(each.domain, each.name, each.overload)] = std::move(each);
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

  /// The version of ONNX's own operator set.
  void version(const WireField& around, std::int64_t& known) {
    std::string set;
    std::int64_t version = 0;
    wire_.message(&around, [&](const WireField& field) {
      if (field.number == 1) set = domain(field);
      if (field.number == 2) version = static_cast<std::int64_t>(field.value);
    });
    if (set.empty()) known = version;
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
        case 8: node.overload = wire_.name(field); break;
        case 9: metadata(field, node); break;
        default: break;
      }
    });
    node.attributes.shrink_to_fit();
  }

  void metadata(const WireField& around, NodeProto& node) {
    std::string key;
    wire_.message(&around, [&](const WireField& field) {
      if (field.number == 1) key = wire_.text(field, longest_text_byte);
      if (field.number == 2 && key == "pkg.torch.onnx.name_scopes")
        node.scopes = wire_.text(field, longest_note_byte);
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
        case 10: function.domain = domain(field); break;
        case 11: attribute(field, append(function.defaults)); break;
        case 13: function.overload = wire_.name(field); break;
        default: break;
      }
    });
    return function;
  }

  void attribute(const WireField& around, AttributeProto& attribute) {
    Bits ints;
    Bits floats;
    constexpr std::array<std::string_view, 10> kinds{
        "",         "",        "a number", "an integer", "a text",
        "a tensor", "a graph", "numbers",  "integers",   "texts"};  // by field number
    std::set<std::uint64_t> held;
    std::uint64_t stated = 0;
    wire_.message(&around, [&](const WireField& field) {
      if (field.number >= 2 && field.number <= 9) held.insert(field.number);
      switch (field.number) {
        case 1: attribute.name = wire_.name(field); break;
        case 2: attribute.f = from_float(field.value); break;
        case 3: attribute.i = static_cast<std::int64_t>(field.value); break;
        case 4: attribute.s = wire_.text(field, longest_text_byte); break;
        case 5: tensor(field, make(attribute.tensor)); break;
        case 6: graph(field, make(attribute.graph)); break;
        case 7: wire_.numbers(field, WireKind::fixed32, most_list, floats); break;
        case 8: wire_.numbers(field, WireKind::varint, most_list, ints); break;
        case 20: stated = field.value + 1; break;  // a type: field number less one
        case 21: attribute.reference = wire_.name(field); break;
        default: break;
      }
    });
    if (!held.empty()) attribute.kind = kinds[held.contains(stated) ? stated : *held.begin()];
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
    const auto number = number_of(tensor.type);
    if (number == nullptr) return;
    if (raw) data = bits_of_raw(*raw, info(element_type(tensor.type).type).bits / 8);
    std::uint64_t count = 1;
    for (const std::int64_t size : tensor.sizes)
      if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) return;
    if (data.size() != count) return;
    Numbers& numbers = tensor.numbers.emplace();
    for (const std::uint64_t bits : data) numbers.push_back(number(bits));
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

const ElementType& element_type(int type) {
  static constexpr ElementType unknown;
  const ElementType* found = element_type_in_onnx(type);
  return found != nullptr ? *found : unknown;
}

bool is_float(int type) { return element_type(type).elements == Elements::numbers; }

std::string function_key(const std::string& domain, const std::string& name,
                         const std::string& overload) {
  return domain + "::" + name + (overload.empty() ? "" : ":" + overload);
}

const AttributeProto* find_in(const std::vector<AttributeProto>& attributes,
                              std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &AttributeProto::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::shared_ptr<const Model> read_model(ByteStream& stream) {
  auto model = std::make_shared<Model>(ModelReader(stream).model());
  model->source = stream.name();
  if (model->graph.nodes.empty())
    throw InputError(model->source, "", "expected an ONNX model with a graph, got none");
  if (model->version < first_version)
    throw InputError(model->source, "",
                     "expected ONNX operator set " + std::to_string(first_version) +
                         " or later, got " + std::to_string(model->version) +
                         "; onnx.version_converter converts older models");
  return model;
}

bool looks_like_model(std::string_view head) {
  // The format's version, a small number, then the tag of a number or bytes, as all protobuf
  // writers emit ModelProto. No text begins with this control character.
  constexpr char format_version = 0x08;
  if (head.size() < 2 || head[0] != format_version || head[1] <= 0) return false;
  if (head.size() == 2) return true;
  const unsigned tag = static_cast<unsigned char>(head[2]);
  const auto kind = static_cast<WireKind>(tag & 7);
  return tag >= 0x10 && (kind == WireKind::varint || kind == WireKind::bytes);
}

}  // namespace roofline::onnx_graph
