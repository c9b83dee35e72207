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
  bool colour = false;
  /// Columns of the terminal: rows that are alike are folded, those that matter come first, names
  /// are shortened. Absent for files and pipes, which get every layer with its whole name.
  std::optional<std::size_t> width;
  bool unicode = false;            ///< block characters may be drawn
  std::optional<ChartKind> chart;  ///< none: the one that the report asks for by itself
};

/// Takes output piece by piece.
using Sink = std::function<void(std::string_view)>;

/// A row and what it is a row of, which outlive it.
struct Row {
  std::string_view source;
  std::string_view network;
  std::string_view gpu;
  const LayerResult& layer;
  bool in_stream = false;  ///< it stands alone, of no whole to have a share of
};

/// Rows of each have columns of their own.
enum class RowsOf : std::uint8_t { layers, kernels, points };

enum class RowOrder : std::uint8_t {
  /// Each row, and each error in its place, once it is known: no row states its share of a whole.
  as_computed,
  /// The rows of a result together, each with its share of the result's time.
  by_result,
};

/// A format that is rows of layers, of kernels or of points, and nothing else. Each row is rendered
/// by itself, on any thread, and the texts are put together in order. How it writes a layer, a
/// kernel and a point are references: a format that lacks one does not compile.
struct RowFormat {
  RowOrder order = RowOrder::as_computed;
  /// Appends a row. Returns where in the text its share of the time stands, or has to be put in
  /// once it is known; anything where rows stand as computed.
  std::size_t (&row)(std::string& text, const Row& row);
  /// What stands before all rows; unset: nothing.
  std::string (*begin)(RowsOf what) = nullptr;
  /// Appends what stands in place of an input that failed; unset: nothing.
  void (*error)(std::string& text, const InputError& error) = nullptr;
  /// Appends a kernel of a recording.
  void (&kernel)(std::string& text, const KernelTable& table, const KernelRow& row);
  /// Appends a row of a ranking of GPUs.
  void (&point)(std::string& text, const SettingsTable& table, const SettingRow& row);
};

/// A format that needs all results before it writes the first byte.
using ReportFormat = void (*)(const Report& report, const RenderStyle& style, const Sink& sink);

struct OutputFormat {
  std::string_view name;                     ///< as --format takes it
  std::vector<std::string_view> extensions;  ///< of files, without the dot; the usual one first
  std::variant<ReportFormat, RowFormat> takes;
  bool shows_chart = false;  ///< the one that RenderStyle::chart says
  bool derives_all = false;  ///< it shows Report::derivations
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
/// The constants of its kernel model.
std::string render_model(const Gpu& gpu);
/// The catalogue as a table, and as JSON with every field in base units.
std::string render_gpu_list(const std::vector<Gpu>& gpus, const RenderStyle& style);
std::string render_gpus_json(const std::vector<Gpu>& gpus);

}  // namespace roofline
