#pragma once

// Rows on their way out: rendered on several threads, joined in order on one.

#include "report/fields.hpp"

namespace roofline {

class RenderedRows {
 public:
  explicit RenderedRows(RowFormat format, FieldNames fields = {})
      : format_(format), fields_(std::move(fields)) {}

  void add(const InputError& error);
  void add(const Result& result, std::size_t begin, std::size_t end);
  void add(const KernelTable& table);

  RenderedRows empty() const { return RenderedRows(format_, fields_); }
  bool is_large() const { return pieces_.size() > 4; }

 private:
  friend class RowStream;

  std::string& last_piece();

  RowFormat format_;
  FieldNames fields_;                ///< chosen columns; empty: all
  std::vector<std::string> pieces_;  ///< fixed in size, so that growth moves none
  const std::string* header_ = &csv_header<LayerLine>();
};

class RowStream {
 public:
  RowStream(RowFormat format, Sink sink, FieldNames fields = {});

  bool has_begun() const { return header_ != nullptr; }
  /// Throws InputError if kernels and layers, whose columns differ, would share a header.
  void take(const RenderedRows& part);
  void end() { write("", csv_header<LayerLine>()); }

 private:
  void write(std::string_view text, const std::string& header);

  RowFormat format_;
  Sink sink_;
  FieldNames fields_;
  const std::string* header_ = nullptr;  ///< of all rows
};

/// The report's selected rows and its errors.
void write_rows(RowFormat format, const Report& report, const FieldNames& fields, const Sink& sink);

}  // namespace roofline
