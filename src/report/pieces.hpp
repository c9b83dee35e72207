#pragma once

// Output that is handed on as it grows, so that the whole of it is never in memory.

#include <cstddef>
#include <string>

#include "roofline/render.hpp"

namespace roofline {

class Pieces {
 public:
  explicit Pieces(const Sink& sink) : sink_(sink) {}
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  /// To append to.
  std::string& text() { return text_; }
  /// Hands on what there is, once it is worth it.
  void pass_on() {
    if (text_.size() >= worth_byte) flush();
  }
  /// Hands on all. Must be called at the end.
  void flush() {
    sink_(text_);
    text_.clear();
  }

  static constexpr std::size_t worth_byte = 1 << 18;

 private:
  const Sink& sink_;
  std::string text_;
};

}  // namespace roofline
