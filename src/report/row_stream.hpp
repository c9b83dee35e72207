#pragma once

// Rows on their way out: rendered apart, on several threads, and put together in order on one.

#include <optional>
#include <string>
#include <vector>

#include "roofline/render.hpp"

namespace roofline {

/// What a format makes of a part of the inputs.
class RenderedRows {
 public:
  explicit RenderedRows(const RowFormat& format) : format_(&format) {}

  void add(const InputError& error);
  /// Rows of a network from `begin` on, before `end`.
  void add(const Result& network, std::size_t begin, std::size_t end);
  void add(const KernelTable& table);
  /// Rows of a record. Those of one `slot`, a setting on a GPU, become one result.
  void add(std::size_t slot, const Network& record, const std::string& gpu,
           const std::vector<LayerResult>& rows);

  /// Nothing in the same format.
  RenderedRows empty() const { return RenderedRows(*format_); }
  /// Whether there is so much text that it should not wait for more.
  bool is_large() const { return pieces_.size() > 4; }

 private:
  friend class RowStream;

  /// Rows without their shares of the whole time, which is known when all rows are.
  struct Open {
    struct Row {
      std::size_t share_at;  ///< in the text
      double time_s;
    };
    std::string text;
    std::vector<Row> rows;
  };

  std::string& last_piece();

  const RowFormat* format_;
  std::vector<std::string> pieces_;  ///< that need not be moved to grow
  std::vector<Open> open_;           ///< by slot
  RowsOf rows_of_ = RowsOf::layers;  ///< what the pieces are rows of
};

/// The parts in order. What is complete is handed on at once.
class RowStream {
 public:
  RowStream(const RowFormat& format, Sink sink);

  /// Whether anything was handed on.
  bool has_begun() const { return begun_; }
  /// Throws InputError where rows of kernels and of layers, whose columns differ, would stand under
  /// one header.
  void take(RenderedRows part);
  /// The records taken since the last input's end are a whole.
  void end_input();
  /// Nothing more follows.
  void end();

 private:
  void write(std::string_view text, RowsOf what = RowsOf::layers);
  void write(std::vector<RenderedRows::Open> parts);

  const RowFormat* format_;
  Sink sink_;
  bool begun_ = false;
  RowsOf rows_of_ = RowsOf::layers;
  std::vector<std::vector<RenderedRows::Open>> open_;  ///< the present input's, by slot
};

/// The rows of a report that its view selects, and its errors.
void write_rows(const RowFormat& format, const Report& report, const Sink& sink);

}  // namespace roofline
