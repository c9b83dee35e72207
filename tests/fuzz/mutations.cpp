#include "mutations.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace {

constexpr std::array extreme_texts = std::to_array<std::string_view>({
    "0",
    "-0.0",
    "1",
    "-1",
    "0.5",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740992",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "-1e308",
    "1e309",
    "1e-308",
    "5e-324",
    "1e19",
    "33554432",
    "65535",
    "1000000007",
    "0.000000000000000000000000000000000000000000000000000000000000000000000000000000001",
    "123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
});

constexpr std::array<std::uint64_t, 14> extreme_integers{
    0,          1,          2,          0x7fffffff, 0x80000000,
    0xffffffff, 1ULL << 32, 1ULL << 53, 1ULL << 62, (1ULL << 63) - 1,
    1ULL << 63, ~0ULL,      ~0ULL - 1,  65536};

template <class List>
auto pick(const List& list, Randomness& random) {
  return list[random() % list.size()];
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool continues_number(char c) { return is_digit(c) || c == '.' || c == 'e' || c == 'E'; }

/// A field of a message. Of a nested one, `fields` are what it holds.
struct ProtoField {
  std::uint64_t key = 0;
  std::uint64_t varint = 0;
  std::string bytes;
  std::vector<ProtoField> fields;

  unsigned wire_type() const { return static_cast<unsigned>(key & 7); }
};

std::optional<std::uint64_t> read_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::string varint_bytes(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

/// What has a length is a message where it reads as one; a name that does so by chance stays the
/// same bytes. None where the bytes are no message.
std::optional<std::vector<ProtoField>> read_fields(std::string_view bytes, int depth) {
  std::vector<ProtoField> fields;
  while (!bytes.empty()) {
    ProtoField field;
    const auto key = read_varint(bytes);
    if (!key || *key >> 3 == 0) return std::nullopt;
    field.key = *key;
    std::size_t size = field.wire_type() == 1 ? 8 : 4;
    if (field.wire_type() == 0) {
      const auto value = read_varint(bytes);
      if (!value) return std::nullopt;
      field.varint = *value;
      size = 0;
    } else if (field.wire_type() == 2) {
      const auto length = read_varint(bytes);
      if (!length || *length > bytes.size()) return std::nullopt;
      size = *length;
    } else if (field.wire_type() != 1 && field.wire_type() != 5) {
      return std::nullopt;
    }
    if (size > bytes.size()) return std::nullopt;
    field.bytes = bytes.substr(0, size);
    bytes.remove_prefix(size);
    if (field.wire_type() == 2 && depth > 0)
      if (auto nested = read_fields(field.bytes, depth - 1)) field.fields = std::move(*nested);
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string bytes_of(const std::vector<ProtoField>& fields) {
  std::string bytes;
  for (const ProtoField& field : fields) {
    bytes += varint_bytes(field.key);
    if (field.wire_type() == 0) {
      bytes += varint_bytes(field.varint);
      continue;
    }
    const std::string content = field.fields.empty() ? field.bytes : bytes_of(field.fields);
    if (field.wire_type() == 2) bytes += varint_bytes(content.size());
    bytes += content;
  }
  return bytes;
}

bool is_number(const ProtoField& field) {
  return field.wire_type() == 0 || (field.wire_type() == 2 && field.fields.empty() &&
                                    !field.bytes.empty() && field.bytes.size() % 8 == 0);
}

void add_numbers(std::vector<ProtoField>& fields, std::vector<ProtoField*>& numbers) {
  for (ProtoField& field : fields) {
    if (is_number(field)) numbers.push_back(&field);
    add_numbers(field.fields, numbers);
  }
}

}  // namespace

std::string with_extreme_number(const std::string& text, Randomness& random) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (is_digit(text[i]) && (i == 0 || !continues_number(text[i - 1]))) begins.push_back(i);
  if (begins.empty()) return text;
  std::size_t begin = pick(begins, random);
  std::size_t end = begin;
  while (end < text.size() && continues_number(text[end])) ++end;
  if (begin > 0 && text[begin - 1] == '-') --begin;
  std::string out = text;
  return out.replace(begin, end - begin, pick(extreme_texts, random));
}

std::string with_extreme_varint(const std::string& message, Randomness& random) {
  auto fields = read_fields(message, 16);
  if (!fields) return message;
  std::vector<ProtoField*> numbers;
  add_numbers(*fields, numbers);
  if (numbers.empty()) return message;
  ProtoField& field = *pick(numbers, random);
  const std::uint64_t value = pick(extreme_integers, random);
  if (field.wire_type() == 0) {
    field.varint = value;
  } else {
    const std::size_t at = random() % (field.bytes.size() / 8) * 8;
    for (std::size_t i = 0; i < 8; ++i) field.bytes[at + i] = static_cast<char>(value >> (8 * i));
  }
  return bytes_of(*fields);
}
