#pragma once

// Results to bytes: one pure function a format.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/error.hpp"

namespace roofline {

struct Report {
  std::vector<Result> results;
  std::vector<InputError> errors;
};

enum class Format : std::uint8_t { table, json, ndjson, csv, markdown };

/// The format that a name ("json") or a file's extension ("md") stands for.
std::optional<Format> parse_format(std::string_view name);

struct TableStyle {
  bool colour = false;
};

std::string render(const Report& report, Format format, const TableStyle& style = {});

/// One line of NDJSON for each layer of the result.
std::string render_ndjson(const Result& result);

/// The catalogue as a table, and as JSON with every field in base units.
std::string render_gpu_list(const std::vector<Gpu>& gpus);
std::string render_gpus_json(const std::vector<Gpu>& gpus);

}  // namespace roofline
