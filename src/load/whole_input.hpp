#pragma once

// Inputs that are read as a whole, of which some rows may be wrong.

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "load/byte_stream.hpp"
#include "roofline/error.hpp"
#include "roofline/reader.hpp"

namespace roofline {

/// Rows that cannot be read cost only themselves, and are one message.
class BadRows {
 public:
  void add(const InputError& error) {
    if (!first_) first_ = error;
    ++count_;
  }
  /// The first one, and how many more there are; none where every row could be read.
  std::optional<InputError> error() const;

 private:
  std::optional<InputError> first_;
  std::size_t count_ = 0;
};

using NetworkSpecs = std::vector<std::shared_ptr<const NetworkSpec>>;

/// What a whole input holds. Throws InputError where that is nothing.
using ReadWhole = NetworkSpecs (*)(ByteStream& stream, BadRows& bad);

/// Gives these one by one, and after them what was wrong with rows.
std::unique_ptr<Reader> open_whole(std::unique_ptr<ByteStream> stream, ReadWhole read);

}  // namespace roofline
