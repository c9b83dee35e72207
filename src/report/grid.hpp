#pragma once

// A grid of texts as an aligned table or as Markdown.

#include <string>
#include <vector>

namespace roofline {

struct GridColumn {
  std::string header;
  bool left = false;
};

struct Grid {
  std::vector<GridColumn> columns;
  std::vector<std::vector<std::string>> rows;
  bool has_total = false;  ///< the last row is a sum
};

struct RenderStyle;

/// At most 100 columns wide where shortening the first column can achieve it.
std::string aligned(const Grid& grid, const RenderStyle& style);
std::string markdown(const Grid& grid);

}  // namespace roofline
