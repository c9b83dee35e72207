#pragma once

// Reports to bytes: one pure function a format, and one table of formats.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/report.hpp"

namespace roofline {

struct RenderStyle {
  bool colour = false;
};

struct OutputFormat {
  std::string_view name;                     ///< of --format
  std::vector<std::string_view> extensions;  ///< of -o, without the dot; the first is the usual one
  std::string (*render)(const Report& report, const RenderStyle& style);
  bool rows_only = false;  ///< rows of layers and nothing else: no types, no derivations
};

std::span<const OutputFormat> output_formats();
/// The format of that name or extension; none where there is none.
const OutputFormat* find_output_format(std::string_view name);

/// A stream's record as it is computed: a line of NDJSON a row. `source` and `name` are the
/// record's.
std::string render_record(const std::string& source, const std::string& name,
                          const std::string& gpu, const std::vector<LayerResult>& rows);
/// What stands in a stream in place of a record that failed.
std::string render_record_error(const InputError& error);

/// The network as a layer file, every layer explicit: reading it again gives the same network.
std::string render_layer_file(const Network& network);

/// All that is known of one GPU, with the sources.
std::string render_gpu(const Gpu& gpu);
/// The constants of its kernel model.
std::string render_model(const Gpu& gpu);
/// The catalogue as a table, and as JSON with every field in base units.
std::string render_gpu_list(const std::vector<Gpu>& gpus);
std::string render_gpus_json(const std::vector<Gpu>& gpus);

}  // namespace roofline
