#pragma once

// Results to bytes: one pure function a format.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/error.hpp"
#include "roofline/summary.hpp"

namespace roofline {

enum class Format : std::uint8_t { table, json, ndjson, csv, markdown };

/// The format that a name ("json") or a file's extension ("md") stands for.
std::optional<Format> parse_format(std::string_view name);

enum class SortBy : std::uint8_t { time, flops, bytes, intensity };

/// Which rows are shown. Without any of these: all, in the network's order.
struct View {
  std::optional<SortBy> sort;         ///< descending; by time where rows are cut
  std::optional<std::uint64_t> top;   ///< as many rows at most
  std::optional<double> cover_share;  ///< the fewest rows that make up this share of the time
  bool by_type = false;               ///< a row a type in place of a row a layer

  bool is_default() const { return !sort && !top && !cover_share && !by_type; }
};

/// All that any format shows.
struct Report {
  View view;
  std::vector<Result> results;
  std::vector<ComparisonRow> comparison;
  std::vector<Sweep> sweeps;
  std::vector<InputError> errors;
};

/// Sums up the results and then cuts them to the view.
Report make_report(std::vector<Result> results, std::vector<InputError> errors, const View& view);

struct TableStyle {
  bool colour = false;
};

std::string render(const Report& report, Format format, const TableStyle& style = {});

/// One line of NDJSON for each layer of the result.
std::string render_ndjson(const Result& result);

/// All that is known of one GPU, with the sources.
std::string render_gpu(const Gpu& gpu);

/// The catalogue as a table, and as JSON with every field in base units.
std::string render_gpu_list(const std::vector<Gpu>& gpus);
std::string render_gpus_json(const std::vector<Gpu>& gpus);

}  // namespace roofline
