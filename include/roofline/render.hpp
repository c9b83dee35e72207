#pragma once

// From results to bytes: formats of rows, formats of whole reports, and the table of all formats.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/report.hpp"

namespace roofline {

enum class ChartKind : std::uint8_t { roofline, time, sweep };

struct RenderStyle {
  /// Columns of the terminal: tables drop columns and shorten names. Absent for files and pipes.
  std::optional<std::size_t> width;
  /// Rows of the terminal: longer outputs repeat the answer at the end.
  std::optional<std::size_t> height;
  std::optional<ChartKind> chart;        ///< nullopt: the report's default chart
  std::vector<std::string> fields = {};  ///< columns of rows, as CSV names them; empty: all
};

/// Receives output piece by piece.
using Sink = std::function<void(std::string_view)>;

/// Rows of layers, kernels or points, rendered alone on any thread and written as they come.
/// CSV puts an apostrophe before a text that a spreadsheet would run; its reader takes it off.
enum class RowFormat : std::uint8_t { ndjson, csv };
/// Whether rows are cells below a header line: all of one kind, without errors (standard error).
constexpr bool has_columns(RowFormat format) {
  switch (format) {
    case RowFormat::ndjson: return false;
    case RowFormat::csv: return true;
  }
  return false;
}

/// A format which needs all results before its first byte.
using ReportFormat = void (*)(const Report& report, const RenderStyle& style, const Sink& sink);

struct OutputFormat {
  std::string_view name;                     ///< as --format takes it
  std::vector<std::string_view> extensions;  ///< of files, without the dot; the usual one first
  std::variant<ReportFormat, RowFormat> takes;
  bool shows_chart = false;  ///< the chart of RenderStyle::chart
  /// Shows points for work evaluated in several settings, and layers only on request.
  bool shows_points = false;

  /// Draws several results, as pictures and pages do.
  bool draws() const { return shows_chart || name == "html"; }
  /// Whether it has a place for notes, which otherwise stand beside it.
  bool holds_notes() const { return !shows_chart && rows() == nullptr && name != "trace"; }
  /// Null for a format of whole reports.
  const RowFormat* rows() const { return std::get_if<RowFormat>(&takes); }
  /// Writes a report piece by piece. Returns an error (an empty chart) before the first byte.
  [[nodiscard]] std::optional<InputError> write(const Report& report, const RenderStyle& style,
                                                const Sink& sink) const;
  Expected<std::string> render(const Report& report, const RenderStyle& style) const;
};

std::span<const OutputFormat> output_formats();
/// By name or extension; null if unknown.
const OutputFormat* find_output_format(std::string_view name);

/// The network as a layer file with every layer explicit; reading it gives the same network. An
/// error for a network without layers.
Expected<std::string> render_layer_file(const Network& network);

std::string render_gpu(const Gpu& gpu);
/// The catalogue as a table, and as JSON with every field in base units.
std::string render_gpu_list(const std::vector<Gpu>& gpus, const RenderStyle& style);
std::string render_gpus_json(const std::vector<Gpu>& gpus);
/// A GPU a row, with the columns of the table in base units.
std::string render_gpus_csv(const std::vector<Gpu>& gpus);

/// The rows by which the GPU's library chooses kernels, with their evidence. The GPU must hold
/// constants, as from load_gpu.
std::string render_kernel_rows(const Gpu& gpu, const RenderStyle& style);
std::string render_kernel_rows_json(const Gpu& gpu);
std::string render_kernel_rows_csv(const Gpu& gpu);

}  // namespace roofline
