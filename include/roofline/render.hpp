#pragma once

// Results to bytes: formats that take rows one by one, formats that take whole reports, and one
// table of them all.

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

/// What a chart shows.
enum class ChartKind : std::uint8_t { roofline, time, sweep, compare };

struct RenderStyle {
  /// Columns of the terminal: rows that are alike are folded, those that matter come first, names
  /// are shortened. Absent for files and pipes, which get every layer with its whole name.
  std::optional<std::size_t> width;
  std::optional<std::size_t> height;  ///< its rows: a longer output says its answer once more
  std::optional<ChartKind> chart;     ///< none: the one that the report asks for by itself
};

/// Takes output piece by piece.
using Sink = std::function<void(std::string_view)>;

/// Formats that are rows of layers, of kernels or of points, and nothing else. Each row is rendered
/// by itself, on any thread, and handed on once it is known.
enum class RowFormat : std::uint8_t { ndjson, csv };
/// Whether rows are cells below a line of their columns' names: all of one kind, and none of an
/// error, which stands on standard error alone.
constexpr bool has_columns(RowFormat format) {
  switch (format) {
    case RowFormat::ndjson: return false;
    case RowFormat::csv: return true;
  }
  return false;
}

/// A format that needs all results before it writes the first byte.
using ReportFormat = void (*)(const Report& report, const RenderStyle& style, const Sink& sink);

struct OutputFormat {
  std::string_view name;                     ///< as --format takes it
  std::vector<std::string_view> extensions;  ///< of files, without the dot; the usual one first
  std::variant<ReportFormat, RowFormat> takes;
  bool shows_chart = false;  ///< the one that RenderStyle::chart says
  /// Where work was evaluated in several ways, it shows points, and layers only if the view asks.
  bool shows_points = false;

  /// How it renders rows; null for a format of whole reports.
  const RowFormat* rows() const { return std::get_if<RowFormat>(&takes); }
  /// The rows or the whole of a report, piece by piece. Returns what stands in the way, a chart of
  /// nothing, before anything is written.
  [[nodiscard]] std::optional<InputError> write(const Report& report, const RenderStyle& style,
                                                const Sink& sink) const;
  Expected<std::string> render(const Report& report, const RenderStyle& style) const;
};

std::span<const OutputFormat> output_formats();
/// The format of that name or extension; none where there is none.
const OutputFormat* find_output_format(std::string_view name);

/// The network as a layer file, every layer explicit: reading it again gives the same network.
std::string render_layer_file(const Network& network);

/// All that is known of one GPU, with the sources.
std::string render_gpu(const Gpu& gpu);
/// The catalogue as a table, and as JSON with every field in base units.
std::string render_gpu_list(const std::vector<Gpu>& gpus, const RenderStyle& style);
std::string render_gpus_json(const std::vector<Gpu>& gpus);

}  // namespace roofline
