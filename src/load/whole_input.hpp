#pragma once

// Items of inputs, and inputs that are read as a whole, of which some rows may be wrong.

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "load/byte_stream.hpp"
#include "roofline/error.hpp"
#include "roofline/load.hpp"

namespace roofline {

using NetworkSpecs = std::vector<std::shared_ptr<const NetworkSpec>>;

/// An item whose spec does not depend on the settings.
Item fixed_item(std::shared_ptr<const NetworkSpec> spec);
/// A record that is read, once, by whoever asks for it.
template <class Read>
Item record_item(Read read, std::size_t line) {
  return {[read = std::move(read),
           spec = std::shared_ptr<const NetworkSpec>()](const LayerDefaults&) mutable {
            if (spec == nullptr) spec = read();
            return spec;
          },
          line};
}

/// Rows that cannot be read cost only themselves, and are one message.
class BadRows {
 public:
  void add(const InputError& error) {
    if (!first_) first_ = error;
    ++count_;
  }
  /// The first error, and how many more there are, once; none where every row could be read.
  std::optional<InputError> take();

 private:
  std::optional<InputError> first_;
  std::size_t count_ = 0;
};

/// Gives all that an input holds. Throws InputError where that is nothing.
using ReadWhole = NetworkSpecs (*)(ByteStream& stream, BadRows& bad);

/// Gives the networks one by one, and after them what was wrong with rows.
std::unique_ptr<Reader> open_whole(std::unique_ptr<ByteStream> stream, ReadWhole read);

}  // namespace roofline
