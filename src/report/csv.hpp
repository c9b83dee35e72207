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

/// A row of a network's result.
void append_csv_row(std::string& out, const std::string& source, const std::string& network,
                    const std::string& gpu, const LayerResult& row);

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
