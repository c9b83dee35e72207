#pragma once

// Items of inputs, and inputs that are read as a whole, of which some rows may be wrong.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "load/byte_stream.hpp"
#include "roofline/error.hpp"
#include "roofline/load.hpp"

namespace roofline {

using NetworkSpecs = std::vector<std::shared_ptr<const NetworkSpec>>;

using Items = std::vector<Item>;

/// Items whose specs do not depend on the settings.
Items fixed_items(const NetworkSpecs& specs);
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
using ReadWhole = std::function<Items(ByteStream& stream, BadRows& bad)>;

/// Gives the items one by one, and after them what was wrong with rows.
std::unique_ptr<Reader> open_whole(std::unique_ptr<ByteStream> stream, ReadWhole read);

// The same as rows of input formats name it.

template <NetworkSpecs (*read)(ByteStream& stream, BadRows& bad)>
std::unique_ptr<Reader> whole(std::unique_ptr<ByteStream> stream) {
  return open_whole(std::move(stream),
                    [](ByteStream& own, BadRows& bad) { return fixed_items(read(own, bad)); });
}

/// Of one network, whose spec depends on the settings.
template <Item (*read)(ByteStream& stream)>
std::unique_ptr<Reader> whole(std::unique_ptr<ByteStream> stream) {
  return open_whole(std::move(stream), [](ByteStream& own, BadRows&) { return Items{read(own)}; });
}

/// `inputs`: the names of all inputs, among which are the files that belong together.
template <NetworkSpecs (*read)(ByteStream& stream, std::span<const std::string> inputs)>
std::unique_ptr<Reader> whole_beside(std::unique_ptr<ByteStream> stream,
                                     std::span<const std::string> inputs) {
  return open_whole(std::move(stream),
                    [names = std::vector(inputs.begin(), inputs.end())](ByteStream& own, BadRows&) {
                      return fixed_items(read(own, names));
                    });
}

}  // namespace roofline
