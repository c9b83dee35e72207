#pragma once

// Items of inputs, and inputs that are read whole, possibly with bad rows.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "load/byte_stream.hpp"
#include "roofline/load.hpp"

namespace roofline {

using NetworkSpecs = std::vector<std::shared_ptr<const NetworkSpec>>;

using Items = std::vector<Item>;

/// Items whose specs do not depend on the settings.
Items items_of(const NetworkSpecs& specs);
inline Items items_of(Items items) { return items; }
inline Items items_of(Item item) { return {std::move(item)}; }
/// A record, read once on first use.
template <class Read>
Item record_item(Read read, std::size_t line, std::size_t text_byte) {
  return {[read = std::move(read),
           spec = std::shared_ptr<const NetworkSpec>()](const LayerDefaults&) mutable {
            if (spec == nullptr) spec = read();
            return spec;
          },
          line, text_byte};
}

/// Bad rows cost only themselves. One message on the first stands for all.
class BadRows {
 public:
  /// For rows that are layers of their own: a message each, up to `most`.
  void name_each(std::size_t most) { most_named_ = most; }
  void add(const InputError& error) {
    if (named_.size() < most_named_)
      named_.push_back(error);
    else
      ++others_;
  }
  /// The next error, the last with the count of the rest; nullopt when done.
  std::optional<InputError> take();

 private:
  std::size_t most_named_ = 1;
  std::vector<InputError> named_;
  std::size_t others_ = 0;
  std::size_t next_ = 0;
};

/// All of an input. Throws InputError if it is empty.
using ReadWhole = std::function<Items(std::unique_ptr<ByteStream> stream, BadRows& bad)>;

/// Returns the items, then the errors of rows.
std::unique_ptr<Reader> open_whole(std::unique_ptr<ByteStream> stream, ReadWhole read);

/// `read` takes the stream, and bad rows or all inputs, whose files may belong together.
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
