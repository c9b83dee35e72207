#pragma once

// Reports to bytes: one pure function a format, and one table of formats.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/report.hpp"

namespace roofline {

/// What a chart shows.
enum class ChartKind : std::uint8_t { roofline, intensity, time, sweep, compare };
inline constexpr std::array<std::string_view, 5> chart_names{"roofline", "intensity", "time",
                                                             "sweep", "compare"};

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

struct OutputFormat {
  std::string_view name;                     ///< of --format
  std::vector<std::string_view> extensions;  ///< of -o, without the dot; the first is the usual one
  std::string (*render)(const Report& report, const RenderStyle& style);
  /// The same piece by piece, of formats in which every layer is a row.
  void (*write)(const Report& report, const Sink& sink) = nullptr;
  bool rows_only = false;    ///< rows of layers and nothing else: no types, no derivations
  bool shows_chart = false;  ///< of RenderStyle::chart
  bool derives_all = false;  ///< shows Report::derivations
};

std::span<const OutputFormat> output_formats();
/// The format of that name or extension; none where there is none.
const OutputFormat* find_output_format(std::string_view name);

/// A row as it is computed: appends a line of NDJSON. `source` and `name` are the record's or the
/// network's.
void append_record(std::string& lines, const std::string& source, const std::string& name,
                   const std::string& gpu, const LayerResult& row);
/// What stands in a stream in place of a record that failed.
std::string render_record_error(const InputError& error);

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
