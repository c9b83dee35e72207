#pragma once

// A stream's characters as an input iterator, for parsers that take a pair of them.

#include <cstddef>
#include <iterator>
#include <string_view>

#include "load/byte_stream.hpp"

namespace roofline {

/// The part of the stream that is in memory, and the place in it. Iterators over one stream share
/// one of these, as input iterators may.
class StreamCharacters {
 public:
  explicit StreamCharacters(ByteStream& stream) : stream_(&stream) { refill(); }

  bool at_end() const { return next_ == window_.size(); }
  const char& current() const { return window_[next_]; }
  void advance() {
    if (++next_ == window_.size()) refill();
  }

 private:
  void refill() {
    stream_->skip(window_.size());
    window_ = stream_->peek(1);
    next_ = 0;
  }

  ByteStream* stream_;
  std::string_view window_;
  std::size_t next_ = 0;
};

class StreamIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  StreamIterator() = default;  ///< the end of any stream
  explicit StreamIterator(StreamCharacters& characters) : characters_(&characters) {}

  reference operator*() const { return characters_->current(); }
  StreamIterator& operator++() {
    characters_->advance();
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(const StreamIterator& other) const { return at_end() == other.at_end(); }

 private:
  bool at_end() const { return characters_ == nullptr || characters_->at_end(); }

  StreamCharacters* characters_ = nullptr;
};

}  // namespace roofline
