#pragma once

// CSV row by row, for runs that keep no results.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/render.hpp"

namespace roofline {

std::string csv_header();

/// The rows of a network.
void append_csv_rows(std::string& out, const Result& result);

/// Rows of records without their shares of the whole time, which is known when all rows are.
struct OpenRows {
  struct Row {
    std::size_t share_at;  ///< in the text
    std::optional<double> expected_time_s;
    double roofline_time_s;
  };
  std::string text;
  std::vector<Row> rows;
};

void append_open_rows(OpenRows& rows, const std::string& source, const std::string& name,
                      const std::string& gpu, const std::vector<LayerResult>& layers);

/// The rows of all parts, in order, with their shares of the time of all.
void write_open_rows(std::vector<OpenRows> parts, const Sink& sink);

}  // namespace roofline
