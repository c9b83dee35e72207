#pragma once

#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"

/// The rows of a table of tests/measured, cells by their column.
inline std::vector<std::map<std::string, std::string>> measured_rows(const std::string& file) {
  std::ifstream stream(ROOFLINE_SOURCE_FOLDER "/tests/measured/" + file);
  const auto cells_of = [](const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream cells_stream(line);
    for (std::string cell; std::getline(cells_stream, cell, '\t');) cells.push_back(cell);
    return cells;
  };
  std::string line;
  REQUIRE(std::getline(stream, line));
  const std::vector<std::string> columns = cells_of(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(stream, line)) {
    const std::vector<std::string> cells = cells_of(line);
    std::map<std::string, std::string>& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) row[columns.at(i)] = cells[i];
  }
  return rows;
}
