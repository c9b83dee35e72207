#pragma once

// Short texts and numbers on their way to the end of a string.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace roofline {

/// Gathers what is added and appends it together, which is cheaper than one by one. Must be flushed
/// at the end.
class Appender {
 public:
  explicit Appender(std::string& out) : out_(out) {}
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  void add(char c) {
    *room(1) = c;
    ++used_;
  }
  void add(std::string_view text) {
    if (text.size() > gathered_.size() - used_) return add_beyond(text);
    std::memcpy(gathered_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }
  /// The first characters of a block, of which all is copied: a fixed size takes no call.
  template <std::size_t block_size>
  void add(std::span<const char, block_size> block, std::size_t size) {
    std::memcpy(room(block_size), block.data(), block_size);
    used_ += size;
  }
  /// Digits.
  void add_count(std::uint64_t count) {
    constexpr std::uint64_t least_of_two_digits = 10;
    if (count < least_of_two_digits)
      add(static_cast<char>('0' + count));
    else
      add_digits(count);
  }
  /// The shortest digits that read back as the same number, which has to be finite; a whole one
  /// with ".0".
  void add_number(double value);

  /// The string's size with all that was added.
  std::size_t size() const { return out_.size() + used_; }
  void flush();

 private:
  char* room(std::size_t most) {
    if (most > gathered_.size() - used_) flush();
    return gathered_.data() + used_;
  }
  void add_beyond(std::string_view text);
  void add_digits(std::uint64_t count);

  std::string& out_;
  std::array<char, 4096> gathered_;  // more than a row has
  std::size_t used_ = 0;
};

}  // namespace roofline
