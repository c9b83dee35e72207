#pragma once

// Rows on their way out: rendered apart, on several threads, and put together in order on one.

#include <string>
#include <vector>

#include "report/fields.hpp"

namespace roofline {

/// What a format makes of a part of the inputs.
class RenderedRows {
 public:
  explicit RenderedRows(RowFormat format) : format_(format) {}

  void add(const InputError& error);
  /// Rows from `begin` on, before `end`.
  void add(const Result& result, std::size_t begin, std::size_t end);
  void add(const KernelTable& table);

  /// Nothing in the same format.
  RenderedRows empty() const { return RenderedRows(format_); }
  /// Whether there is so much text that it should not wait for more.
  bool is_large() const { return pieces_.size() > 4; }

 private:
  friend class RowStream;

  std::string& last_piece();

  RowFormat format_;
  std::vector<std::string> pieces_;  ///< that need not be moved to grow
  const std::string* header_ = &csv_header<LayerLine>();
};

/// The parts in order, handed on at once.
class RowStream {
 public:
  RowStream(RowFormat format, Sink sink);

  /// Whether anything was handed on.
  bool has_begun() const { return header_ != nullptr; }
  /// Throws InputError where rows of kernels and of layers, whose columns differ, would stand under
  /// one header.
  void take(const RenderedRows& part);
  /// Nothing more follows.
  void end() { write("", csv_header<LayerLine>()); }

 private:
  void write(std::string_view text, const std::string& header);

  RowFormat format_;
  Sink sink_;
  const std::string* header_ = nullptr;  ///< of all rows
};

/// The rows of a report that its view selects, and its errors.
void write_rows(RowFormat format, const Report& report, const Sink& sink);

}  // namespace roofline
