#pragma once

// The table of formats (formats.cpp), and the buffer between them and the output.

#include "roofline/render.hpp"

namespace roofline {

/// Passes output on as it grows, so that little of it is in memory.
class OutputBuffer {
 public:
  explicit OutputBuffer(const Sink& sink) : sink_(sink) {}
  OutputBuffer(const OutputBuffer&) = delete;
  OutputBuffer& operator=(const OutputBuffer&) = delete;

  std::string& text() { return text_; }
  void pass_on() {
    if (text_.size() >= worth_byte) flush();
  }
  /// Must be called at the end.
  void flush() {
    sink_(text_);
    text_.clear();
  }

  static constexpr std::size_t worth_byte = 1 << 18;

 private:
  const Sink& sink_;
  std::string text_;
};

void write_json(const Report& report, const RenderStyle& style, const Sink& sink);
void write_table(const Report& report, const RenderStyle& style, const Sink& sink);
void write_markdown(const Report& report, const RenderStyle& style, const Sink& sink);
void write_html(const Report& report, const RenderStyle& style, const Sink& sink);
void write_svg(const Report& report, const RenderStyle& style, const Sink& sink);

}  // namespace roofline
