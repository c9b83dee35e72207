#pragma once

// The table of formats, and the rows between them and the output.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "report/fields.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"

namespace roofline {

/// Output of this size is passed on, so that little of it is in memory.
inline constexpr std::size_t worth_byte = 1 << 18;

void write_json(const Report& report, const RenderStyle& style, const Sink& sink);
void write_table(const Report& report, const RenderStyle& style, const Sink& sink);
void write_markdown(const Report& report, const RenderStyle& style, const Sink& sink);
void write_html(const Report& report, const RenderStyle& style, const Sink& sink);
void write_trace(const Report& report, const RenderStyle& style, const Sink& sink);
void write_svg(const Report& report, const RenderStyle& style, const Sink& sink);

/// Rows as text, all of one kind, and errors.
class RenderedRows {
 public:
  explicit RenderedRows(RowFormat format, FieldNames fields = {})
      : format_(format), fields_(std::move(fields)) {}

  void add(const InputError& error);
  void add(const Result& result, std::size_t begin, std::size_t end);
  void add(const KernelTable& table);
  template <class Line>
  void add(const Line& line) {
    if (kind_ != &row_kind<Line>()) places_ = places_of<Line>(fields_);
    kind_ = &row_kind<Line>();
    append_row(last_piece(), format_, line, fields_, places_);
  }

  RenderedRows empty() const { return RenderedRows(format_, fields_); }
  bool is_large() const { return pieces_.size() > 4; }

 private:
  friend class RowStream;

  std::string& last_piece();

  RowFormat format_;
  FieldNames fields_;                ///< chosen columns; empty: all
  FieldPlaces places_;               ///< of the fields, in the table of the kind
  std::vector<std::string> pieces_;  ///< fixed in size, so that growth moves none
  const RowKind* kind_ = nullptr;    ///< null without rows
  std::vector<InputError> errors_;   ///< below a header, whose columns may not be known yet
};

class RowStream {
 public:
  RowStream(RowFormat format, Sink sink, FieldNames fields = {});

  bool has_begun() const { return has_begun_; }
  /// Throws InputError if rows lack a chosen column, or if kernels and layers, whose columns
  /// differ, would share a header.
  void take(const RenderedRows& part);
  /// Writes the header of layers if no rows came, and the last errors.
  void end();

 private:
  void begin(const RowKind& kind);
  void write_header(const RowKind& kind);
  void write_errors();

  RowFormat format_;
  Sink sink_;
  FieldNames fields_;
  bool has_begun_ = false;
  const RowKind* kind_ = nullptr;  ///< of the last rows
  FieldNames columns_;             ///< below a header
  std::vector<InputError> errors_;
};

/// The report's selected rows and its errors.
void write_rows(RowFormat format, const Report& report, const FieldNames& fields, const Sink& sink);

}  // namespace roofline
