#pragma once

// Items of inputs, and inputs that are read as a whole, of which some rows may be wrong.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "load/byte_stream.hpp"
#include "roofline/error.hpp"
#include "roofline/load.hpp"

namespace roofline {

using NetworkSpecs = std::vector<std::shared_ptr<const NetworkSpec>>;

using Items = std::vector<Item>;

/// Items whose specs do not depend on the settings.
Items items_of(const NetworkSpecs& specs);
inline Items items_of(Items items) { return items; }
inline Items items_of(Item item) { return {std::move(item)}; }
/// A record that is read, once, by whoever asks for it.
template <class Read>
Item record_item(Read read, std::size_t line, std::size_t text_byte) {
  return {[read = std::move(read),
           spec = std::shared_ptr<const NetworkSpec>()](const LayerDefaults&) mutable {
            if (spec == nullptr) spec = read();
            return spec;
          },
          line, text_byte};
}

/// Rows that cannot be read cost only themselves, and are one message: what is wrong with the
/// first.
class BadRows {
 public:
  /// Where each is a layer of its own, so many at most have a message each.
  void name_each(std::size_t most) { most_named_ = most; }
  void add(const InputError& error) {
    if (named_.size() < most_named_)
      named_.push_back(error);
    else
      ++others_;
  }
  /// One after the other, the last with how many more there are; none where no more are left.
  std::optional<InputError> take();

 private:
  std::size_t most_named_ = 1;
  std::vector<InputError> named_;
  std::size_t others_ = 0;
  std::size_t next_ = 0;
};

/// Gives all that an input holds. Throws InputError where that is nothing.
using ReadWhole = std::function<Items(std::unique_ptr<ByteStream> stream, BadRows& bad)>;

/// Gives the items one by one, and after them what was wrong with rows.
std::unique_ptr<Reader> open_whole(std::unique_ptr<ByteStream> stream, ReadWhole read);

/// The same as rows of input formats name it. `read`: a function of the stream, and of bad rows or
/// of all inputs, among which are the files that belong together.
template <auto read>
std::unique_ptr<Reader> whole(std::unique_ptr<ByteStream> stream, const InputSet& inputs = {}) {
  using Read = decltype(read);
  return open_whole(std::move(stream), [=](std::unique_ptr<ByteStream> own, BadRows& bad) {
    if constexpr (std::is_invocable_v<Read, ByteStream&, BadRows&>)
      return items_of(read(*own, bad));
    else if constexpr (std::is_invocable_v<Read, ByteStream&, const InputSet&>)
      return items_of(read(*own, inputs));
    else if constexpr (std::is_invocable_v<Read, ByteStream&>)
      return items_of(read(*own));
    else
      return items_of(read(std::move(own)));
  });
}

}  // namespace roofline
