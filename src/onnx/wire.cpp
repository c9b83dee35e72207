#include "onnx/wire.hpp"

#include <algorithm>

#include "roofline/error.hpp"

namespace roofline::onnx_graph {
namespace {

// What is kept, as memory and as fields: a field of two bytes may become an object of hundreds.
constexpr std::uint64_t most_kept_byte = 512ULL << 20;
constexpr std::uint64_t most_fields = 4000000;
constexpr std::uint64_t longest_name_byte = 4096;
constexpr std::size_t deepest_message = 64;
/// A graph inside a graph is a field of an attribute of a node.
constexpr std::size_t messages_a_graph = 3;

}  // namespace

void WireReader::fail(const std::string& message) const {
  throw InputError(stream_.name(), "", message);
}

std::string_view WireReader::seen() const {
  const std::string_view bytes = stream_.peek(1);
  if (bytes.empty())
    fail("expected a whole ONNX model, got one that ends after " + std::to_string(at_) +
         " bytes, in the middle of a message");
  return bytes;
}

void WireReader::fail_format() const {
  fail("expected an ONNX model, got bytes that are none (at byte " + std::to_string(at_) + ")");
}

void WireReader::keep(std::uint64_t byte) {
  kept_byte_ += byte;
  if (kept_byte_ > most_kept_byte)
    fail("expected a model that takes at most " + std::to_string(most_kept_byte >> 20) +
         " MiB of memory beside the weights, got a larger one");
}

void WireReader::enter(const Field* around) {
  if (depth_++ > deepest_message)
    fail("expected graphs nested at most " + std::to_string(deepest_message / messages_a_graph) +
         " deep, got more");
  if (around != nullptr && around->kind != Kind::bytes) fail_format();
  if (around != nullptr) end_ = at_ + around->value;
}

bool WireReader::has_more() {
  if (at_ > end_) fail_format();
  return end_ == UINT64_MAX ? !stream_.peek(1).empty() : at_ < end_;
}

std::uint64_t WireReader::read_varint() {
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
std::uint64_t WireReader::read_fixed(std::size_t count) {
  std::string bytes;
  pass_over(count, &bytes);
  std::uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

void WireReader::pass_over(std::uint64_t count, std::string* copy) {
  while (count > 0) {
    const std::string_view bytes = seen().substr(0, count);
    if (copy != nullptr) copy->append(bytes);
    count -= bytes.size();
    at_ += bytes.size();
    stream_.skip(bytes.size());
  }
}

WireReader::Field WireReader::next() {
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

std::string WireReader::text(const Field& field, std::uint64_t longest) {
  std::string bytes;
  if (field.kind != Kind::bytes || field.value > longest) return bytes;
  keep(field.value);
  pass_over(field.value, &bytes);
  return bytes;
}

std::string WireReader::name(const Field& field) {
  if (field.kind == Kind::bytes && field.value > longest_name_byte)
    fail("expected names of at most " + std::to_string(longest_name_byte) + " bytes, got one of " +
         std::to_string(field.value));
  return text(field, longest_name_byte);
}

bool WireReader::numbers(const Field& field, Kind each, std::size_t most,
                         std::vector<std::uint64_t>& list) {
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
      fits = add(each == Kind::varint ? read_varint() : read_fixed(each == Kind::fixed64 ? 8 : 4));
      if (at_ > end) fail_format();
    }
  }
  keep((list.size() - size) * sizeof(std::uint64_t));
  if (!fits) list.clear();
  return fits;
}

}  // namespace roofline::onnx_graph
