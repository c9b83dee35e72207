#include "load/onnx/lean_model.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "roofline/error.hpp"

namespace roofline::onnx_graph {
namespace {

// What is kept, as bytes and as fields: a field of two bytes may become an object of hundreds.
constexpr std::uint64_t most_lean_byte = 128ULL << 20;
constexpr std::uint64_t most_fields = 4000000;
constexpr std::uint64_t most_attribute_byte = 1ULL << 20;
constexpr std::uint64_t longest_name_byte = 4096;
constexpr std::size_t deepest_message = 64;

/// Messages of onnx.proto whose fields matter to what is kept.
enum class Message : std::uint8_t {
  model,
  graph,
  node,
  attribute,
  tensor,
  sparse,
  function,
  value,
  type,
  tensor_type,
  shape,
  dimension,
  leaf
};

/// What becomes of a length-delimited field; fields not listed are copied.
enum class Fate : std::uint8_t { descend, drop, drop_if_long, drop_if_large, tensor_data, name };

struct FieldRule {
  Message message;
  std::uint32_t field;
  Fate fate;
  Message child = Message::leaf;
};

// Field numbers of onnx.proto (ONNX 1.12 to 1.18, unchanged).
constexpr FieldRule rules[] = {
    {Message::model, 6, Fate::drop},  // doc_string
    {Message::model, 7, Fate::descend, Message::graph},
    {Message::model, 8, Fate::descend},  // opset_import
    {Message::model, 14, Fate::drop},    // metadata_props
    {Message::model, 20, Fate::drop},    // training_info
    {Message::model, 25, Fate::descend, Message::function},
    {Message::function, 1, Fate::name},
    {Message::function, 4, Fate::name},  // input
    {Message::function, 5, Fate::name},  // output
    {Message::function, 6, Fate::name},  // attribute
    {Message::function, 7, Fate::descend, Message::node},
    {Message::function, 8, Fate::drop},     // doc_string
    {Message::function, 9, Fate::descend},  // opset_import
    {Message::function, 10, Fate::name},    // domain
    {Message::function, 11, Fate::descend, Message::attribute},
    {Message::function, 12, Fate::drop},  // value_info
    {Message::function, 14, Fate::drop},  // metadata_props
    {Message::graph, 1, Fate::descend, Message::node},
    {Message::graph, 5, Fate::descend, Message::tensor},
    {Message::graph, 10, Fate::drop},  // doc_string
    {Message::graph, 11, Fate::descend, Message::value},
    {Message::graph, 12, Fate::descend, Message::value},
    {Message::graph, 13, Fate::descend, Message::value},
    {Message::graph, 14, Fate::drop},  // quantization_annotation
    {Message::graph, 15, Fate::descend, Message::sparse},
    {Message::graph, 16, Fate::drop},  // metadata_props
    {Message::node, 1, Fate::name},    // input
    {Message::node, 2, Fate::name},    // output
    {Message::node, 3, Fate::name},
    {Message::node, 4, Fate::name},  // op_type
    {Message::node, 5, Fate::descend, Message::attribute},
    {Message::node, 6, Fate::drop},     // doc_string
    {Message::node, 7, Fate::name},     // domain
    {Message::node, 9, Fate::descend},  // metadata_props
    {Message::attribute, 1, Fate::name},
    {Message::attribute, 4, Fate::drop_if_large},  // s
    {Message::attribute, 5, Fate::descend, Message::tensor},
    {Message::attribute, 6, Fate::descend, Message::graph},
    {Message::attribute, 7, Fate::drop_if_large},  // floats
    {Message::attribute, 8, Fate::drop_if_large},  // ints
    {Message::attribute, 9, Fate::drop_if_large},  // strings
    {Message::attribute, 10, Fate::descend, Message::tensor},
    {Message::attribute, 11, Fate::descend, Message::graph},
    {Message::attribute, 13, Fate::drop},  // doc_string
    {Message::attribute, 14, Fate::drop},  // tp
    {Message::attribute, 15, Fate::drop},  // type_protos
    {Message::attribute, 21, Fate::name},  // ref_attr_name
    {Message::attribute, 22, Fate::descend, Message::sparse},
    {Message::sparse, 1, Fate::descend, Message::tensor},
    {Message::sparse, 2, Fate::descend, Message::tensor},
    {Message::value, 1, Fate::name},
    {Message::value, 2, Fate::descend, Message::type},
    {Message::value, 3, Fate::drop},  // doc_string
    {Message::value, 4, Fate::drop},  // metadata_props
    {Message::type, 1, Fate::descend, Message::tensor_type},
    {Message::type, 4, Fate::drop},  // sequence_type
    {Message::type, 5, Fate::drop},  // map_type
    {Message::type, 8, Fate::drop},  // sparse_tensor_type
    {Message::type, 9, Fate::drop},  // optional_type
    {Message::tensor_type, 2, Fate::descend, Message::shape},
    {Message::shape, 1, Fate::descend, Message::dimension},
    {Message::dimension, 2, Fate::drop_if_long},  // dim_param
    {Message::tensor, 4, Fate::tensor_data},      // float_data
    {Message::tensor, 5, Fate::tensor_data},      // int32_data
    {Message::tensor, 6, Fate::tensor_data},      // string_data
    {Message::tensor, 7, Fate::tensor_data},      // int64_data
    {Message::tensor, 8, Fate::name},
    {Message::tensor, 9, Fate::tensor_data},   // raw_data
    {Message::tensor, 10, Fate::tensor_data},  // double_data
    {Message::tensor, 11, Fate::tensor_data},  // uint64_data
    {Message::tensor, 12, Fate::drop},         // doc_string
    {Message::tensor, 13, Fate::drop},         // external_data
    {Message::tensor, 16, Fate::drop},         // metadata_props
};

const FieldRule* find_rule(Message message, std::uint32_t field) {
  for (const FieldRule& rule : rules)
    if (rule.message == message && rule.field == field) return &rule;
  return nullptr;
}

enum WireType : std::uint32_t { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 };

void append_varint(std::string& out, std::uint64_t number) {
  while (number >= 0x80) {
    out += static_cast<char>(number | 0x80);
    number >>= 7;
  }
  out += static_cast<char>(number);
}

class LeanReader {
 public:
  explicit LeanReader(ByteStream& stream) : stream_(stream) {}

  std::string model() {
    std::string out;
    message(Message::model, std::nullopt, out, 0);
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(stream_.name(), "", message);
  }
  [[noreturn]] void fail_truncated() const {
    fail("expected a whole ONNX model, got one that ends after " + std::to_string(at_) +
         " bytes, in the middle of a message");
  }
  [[noreturn]] void fail_format() const {
    fail("expected an ONNX model, got bytes that are none (at byte " + std::to_string(at_) + ")");
  }

  std::uint64_t read_varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::string_view seen = stream_.peek(1);
      if (seen.empty()) fail_truncated();
      const auto byte = static_cast<unsigned char>(seen.front());
      stream_.skip(1);
      ++at_;
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
    fail_format();
  }

  void pass_over(std::uint64_t count, std::string* copy) {
    if (copy != nullptr && count > most_lean_byte) fail_too_large();
    while (count > 0) {
      const std::string_view seen = stream_.peek(1);
      if (seen.empty()) fail_truncated();
      const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(count, seen.size()));
      if (copy != nullptr) copy->append(seen.substr(0, taken));
      stream_.skip(taken);
      at_ += taken;
      count -= taken;
    }
  }

  [[noreturn]] void fail_too_large() const {
    fail("expected a model of at most " + std::to_string(most_lean_byte >> 20) +
         " MiB beside the weights, got a larger one");
  }

  void count_field() {
    if (++fields_ > most_fields)
      fail("expected a model of at most " + std::to_string(most_fields) +
           " fields beside the weights, got more");
  }

  /// Copies a message of so many bytes (of all that is left without a length), without what is
  /// dropped of it.
  void message(Message kind, std::optional<std::uint64_t> length, std::string& out,
               std::size_t depth) {
    if (depth > deepest_message)
      fail("expected graphs nested at most " + std::to_string(deepest_message / 3) +
           " deep, got more");
    const std::uint64_t end = length ? at_ + *length : UINT64_MAX;
    if (length && end < at_) fail_format();
    std::uint64_t tensor_byte = 0;
    bool left_out = false;
    while (length ? at_ < end : !stream_.peek(1).empty()) {
      const std::uint64_t tag = read_varint();
      const auto field = static_cast<std::uint32_t>(tag >> 3);
      if (field == 0 || tag > UINT32_MAX) fail_format();
      count_field();
      const FieldRule* rule = find_rule(kind, field);
      const bool is_data = rule != nullptr && rule->fate == Fate::tensor_data;
      switch (tag & 7) {
        case delimited: left_out |= delimited_field(tag, rule, end, tensor_byte, out, depth); break;
        case varint:
        case fixed64:
        case fixed32: left_out |= scalar_field(tag, is_data ? &tensor_byte : nullptr, out); break;
        default: fail_format();
      }
      if (at_ > end) fail_format();
      if (out.size() > most_lean_byte) fail_too_large();
    }
    if (left_out && kind == Message::tensor) {
      append_varint(out, 14U << 3 | varint);  // data_location: EXTERNAL
      append_varint(out, 1);
    }
  }

  /// Whether it was left out.
  bool scalar_field(std::uint64_t tag, std::uint64_t* tensor_byte, std::string& out) {
    std::string bytes;
    append_varint(bytes, tag);
    if ((tag & 7) == varint)
      append_varint(bytes, read_varint());
    else
      pass_over((tag & 7) == fixed64 ? 8 : 4, &bytes);
    if (tensor_byte != nullptr && (*tensor_byte += bytes.size()) > most_tensor_byte) return true;
    out += bytes;
    return false;
  }

  /// Whether data of a tensor was left out.
  bool delimited_field(std::uint64_t tag, const FieldRule* rule, std::uint64_t end,
                       std::uint64_t& tensor_byte, std::string& out, std::size_t depth) {
    const std::uint64_t size = read_varint();
    if (size > end - std::min(at_, end)) fail_format();
    if (rule != nullptr && rule->fate == Fate::descend) {
      std::string inside;
      message(rule->child, size, inside, depth + 1);
      append_varint(out, tag);
      append_varint(out, inside.size());
      out += inside;
      return false;
    }
    bool drops = false;
    bool is_data = false;
    if (rule != nullptr && rule->fate == Fate::name && size > longest_name_byte)
      fail("expected names of at most " + std::to_string(longest_name_byte) +
           " bytes, got one of " + std::to_string(size));
    if (rule != nullptr) {
      is_data = rule->fate == Fate::tensor_data;
      if (is_data) tensor_byte += size;
      drops = rule->fate == Fate::drop ||
              (rule->fate == Fate::drop_if_long && size > longest_name_byte) ||
              (rule->fate == Fate::drop_if_large && size > most_attribute_byte) ||
              (is_data && tensor_byte > most_tensor_byte);
    }
    if (!drops) {
      append_varint(out, tag);
      append_varint(out, size);
    }
    pass_over(size, drops ? nullptr : &out);
    return drops && is_data;
  }

  ByteStream& stream_;
  std::uint64_t at_ = 0;
  std::uint64_t fields_ = 0;
};

}  // namespace

std::string read_lean_model(ByteStream& stream) { return LeanReader(stream).model(); }

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
    if ((*tag & 7) == delimited && field == 7) return true;
    const bool known = field >= 1 && field <= 26;
    const auto number = read();
    if (!known || !number) return false;
    if ((*tag & 7) == varint) continue;
    if ((*tag & 7) != delimited) return false;
    if (*number > head.size() - at) return true;
    at += static_cast<std::size_t>(*number);
  }
  return true;
}

}  // namespace roofline::onnx_graph
