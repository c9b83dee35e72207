#pragma once

// Protobuf's wire format, read from a stream in one pass: fields nobody asks for are passed over,
// so that a file of gigabytes of weights takes little memory.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "load/byte_stream.hpp"

namespace roofline::onnx_graph {

class WireReader {
 public:
  explicit WireReader(ByteStream& stream) : stream_(stream) {}

  enum class Kind : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };
  struct Field {
    std::uint32_t number = 0;
    Kind kind = Kind::varint;
    std::uint64_t value = 0;  ///< the number, or its bits; of bytes: how many they are
  };

  /// Calls take(field) for each field of a message: of `around`'s bytes, or the whole stream. Takes
  /// what it wants of a field by the functions below; the rest is passed over. Throws InputError
  /// where the bytes are no protobuf message, end too early, or nest or weigh too much.
  template <class Take>
  void message(const Field* around, Take take) {
    const std::uint64_t outer_end = end_;
    enter(around);
    while (has_more()) {
      const Field field = next();
      const std::uint64_t field_end = field.kind == Kind::bytes ? at_ + field.value : at_;
      take(field);
      pass_over(field_end - at_, nullptr);
    }
    end_ = outer_end;
    --depth_;
  }

  /// The field's bytes, if they are at most that many; else none are kept.
  std::string text(const Field& field, std::uint64_t longest);
  /// A name; throws InputError where it is longer than any name is.
  std::string name(const Field& field);
  /// Numbers one after the other in one field, or one a field; each as the bits it is stored in.
  /// False, and nothing is kept, where the list would hold more than that many.
  bool numbers(const Field& field, Kind each, std::size_t most, std::vector<std::uint64_t>& list);

  /// Counts memory that the caller keeps. Throws InputError beyond what a model may take.
  void keep(std::uint64_t byte);

 private:
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_format() const;
  /// The bytes that are in memory. Throws InputError where there are none.
  std::string_view seen() const;

  void enter(const Field* around);
  bool has_more();
  Field next();
  std::uint64_t read_varint();
  std::uint64_t read_fixed(std::size_t count);
  void pass_over(std::uint64_t count, std::string* copy);

  ByteStream& stream_;
  std::uint64_t at_ = 0;
  std::uint64_t end_ = UINT64_MAX;  ///< where the innermost message ends
  std::uint64_t fields_ = 0;
  std::uint64_t kept_byte_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace roofline::onnx_graph
