#include "report/grid.hpp"

#include <fmt/format.h>

#include <numeric>

#include "model/text.hpp"
#include "report/text.hpp"
#include "roofline/analysis.hpp"

namespace roofline {
namespace {

constexpr std::size_t narrowest_name = 12;
constexpr std::size_t narrow_name = 28;
constexpr std::size_t narrowest_remark = 30;

std::size_t sum_of(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), column_gap.size() * (widths.size() - 1));
}

std::vector<std::size_t> natural_widths(const Grid& grid) {
  std::vector<std::size_t> widths;
  for (const GridColumn& column : grid.columns) widths.push_back(column.width());
  return widths;
}

std::vector<std::size_t> widths_of(const Grid& grid, std::optional<std::size_t> widest) {
  std::vector<std::size_t> widths = natural_widths(grid);
  if (!widest) return widths;
  const auto narrow = [&](std::size_t column, std::size_t least) {
    const std::size_t whole = sum_of(widths);
    const std::size_t excess = whole > *widest ? whole - *widest : 0;
    std::size_t& width = widths[column];
    width = std::max(std::min(width, least), width > excess ? width - excess : 0);
  };
  // A remark at the end gives way to names, until both are short.
  const bool has_remark = grid.columns.size() > 1 && grid.columns.back().left;
  narrow(0, narrow_name);
  if (has_remark) narrow(widths.size() - 1, narrowest_remark);
  narrow(0, narrowest_name);
  return widths;
}

std::string line_of(const std::vector<std::string_view>& cells, const Grid& grid,
                    const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string cell =
        i == 0 ? short_name(std::string(cells[i]), widths[i]) : shortened(cells[i], widths[i]);
    const std::string blanks(widths[i] - std::min(widths[i], display_width(cell)), ' ');
    if (i > 0) line += column_gap;
    line += grid.columns[i].left ? cell + blanks : blanks + cell;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// Of a row, or of the header.
std::vector<std::string_view> cells_of(const Grid& grid, std::optional<std::size_t> row = {}) {
  std::vector<std::string_view> cells;
  for (const GridColumn& column : grid.columns)
    cells.emplace_back(row ? column.cells[*row] : column.header);
  return cells;
}

struct Word {
  std::string_view word;     ///< a header or a mark
  std::string_view brief;    ///< for a legend; empty: left out
  std::string_view meaning;  ///< for `roofline words`
};

/// The least known first.
constexpr Word words_and_marks[] = {
    {"~", "~: not measured on this GPU",
     "an expected time of a kind of kernel that was not measured on this GPU: it is carried over "
     "from GPUs like it, or from the datasheet"},
    {"*", "*: expected below the roofline, by L2 or Winograd",
     "behind a bound: expected to be faster than the roofline, because operands are in L2 (see "
     "--assume cache) or Winograd needs fewer MACs"},
    {"rank", "rank: shared where ranges overlap",
     "place in a ranking; all whose range (time / within to time x within) overlaps that of the "
     "first of a rank share it, as they are as good for all that is known"},
    {"/bound", "/bound, /exp.: measured over roofline, over expected",
     "the measured time over the roofline; >x1000 where the roofline is far below the start of a "
     "kernel"},
    {"x2", "x2: that many layers alike, added up", "that many layers that are alike, added up"},
    {"best batch", "best batch: the smallest nearly as fast as any",
     "of 1, 2, 4, ... and the largest that fits, the smallest whose time an image is within 5% of "
     "the least"},
    {"max batch", "max batch: the largest that fits",
     "the largest that fits into the memory that driver and libraries leave free: all but 0.5 GB, "
     "of AMD's GPUs all but 1 GB"},
    {"within", "within: 68 of 100 times lie within this factor",
     "of 100 measured times 68 lie between expected / within and expected x within"},
    {"a million", "a million: images, by --price", "what a million images cost, by --price"},
    {"/exp.", "", "the measured time over the expected one"},
    {"lost", "lost: beyond the roofline", "the measured time beyond the roofline"},
    {"gerr", "gerr: the typical error as a factor",
     "of predicted to measured times, exp of the mean |ln ratio|: the typical error as a factor; "
     "in its table the column roofline has that of the plain roofline time"},
    {"bias", "", "the geometric mean of predicted over measured times"},
    {"median", "", "the median of |predicted / measured - 1|"},
    {"TDP", "", "the power that the GPU draws at most"},
    {"speed-up", "speed-up: over the first row",
     "over the first row, of an image's time where that is known"},
    {"bound by", "bound by: most of the roofline's time",
     "what has most of the roofline's time, and its share of it"},
    {"limiter", "limiter: most of the expected time",
     "the largest part of the expected time, one of those below"},
    {"roofline", "roofline: max(FLOP / peak, bytes / bandwidth)",
     "max(FLOP / peak, bytes / bandwidth), with all bytes from device memory"},
    {"expected", "expected: a library's kernel",
     "the time of a library's kernel; less than the roofline where operands are in L2 or Winograd "
     "needs fewer MACs"},
    {"measured", "", "the time that a profiler or a person gave"},
    {"share", "", "of the total"},
    {"bound", "", "what takes longer at the peaks: compute, the arithmetic, or memory, the bytes"},
    {"FLOP", "",
     "operations of floating point: 1 MAC (a multiply and an add) is 2 FLOP; taps on padding "
     "count, bias adds and epilogues do not"},
    {"peak", "", "dense; of tensor cores with sums in fp32"},
    {"bytes", "",
     "what is needed of each operand is read once, each result written once, at its own data type"},
    {"FLOP/B", "", "FLOP over bytes, the arithmetic intensity"},
    {"ridge", "", "peak over bandwidth: layers of fewer FLOP a byte are bound by memory"},
    {"kernel", "kernel, not layer: nothing says for what it ran",
     "what ran on the GPU; where a recording has no shapes, nothing says for which layer"},
    {"nearest roof", "nearest roof: the ceiling that it comes closest to",
     "of a kernel with hardware counters, the ceiling that it comes closest to, and its share of "
     "it; FLOP/B is then counted FLOP over counted bytes, engine the units that they keep busy the "
     "longest"},
    {"k, M, G, T", "", "powers of ten; KiB and MiB are powers of two"},
};

bool ends_in_count(std::string_view cell) {
  const std::size_t digits = cell.find_last_not_of("0123456789");
  return digits != cell.npos && digits > 0 && digits + 1 < cell.size() && cell[digits] == 'x' &&
         cell[digits - 1] == ' ';
}

}  // namespace

void GridColumn::add(std::string_view cell) { cells.push_back(printable(cell)); }

std::size_t GridColumn::width() const {
  std::size_t widest = display_width(header);
  for (const std::string& cell : cells) widest = std::max(widest, display_width(cell));
  return widest;
}

void Grid::add_row(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].add(cells[i]);
}

std::string aligned(const Grid& grid, std::optional<std::size_t> width) {
  const std::vector<std::size_t> widths = widths_of(grid, width);
  std::string text;
  const auto add = [&](const std::vector<std::string_view>& cells) {
    text += line_of(cells, grid, widths) + '\n';
  };
  add(cells_of(grid));
  for (std::size_t i = 0; i < grid.row_count(); ++i) add(cells_of(grid, i));
  return text;
}

std::string markdown_grid(const Grid& grid) {
  std::string text;
  const auto add = [&](const std::vector<std::string_view>& cells) {
    for (const std::string_view cell : cells) text += "| " + markdown_text(cell) + ' ';
    text += "|\n";
  };
  add(cells_of(grid));
  for (const GridColumn& column : grid.columns) text += column.left ? "| :-- " : "| --: ";
  text += "|\n";
  for (std::size_t i = 0; i < grid.row_count(); ++i) add(cells_of(grid, i));
  return text;
}

void fit(Grid& grid, std::optional<std::size_t> width, std::size_t enough) {
  std::vector<GridColumn>& columns = grid.columns;
  std::erase_if(columns, [](const GridColumn& column) {
    return std::ranges::all_of(column.cells, [&](const std::string& cell) {
      return cell.empty() || (!column.left && cell == "0");
    });
  });
  const auto is_too_wide = [&] {
    std::vector<std::size_t> widths = natural_widths(grid);
    if (!widths.empty()) widths.front() = std::min(widths.front(), enough);
    return sum_of(widths) > *width;
  };
  const auto order = [](const GridColumn& column) { return column.drop_order - 1; };  // 0: last
  while (width && !columns.empty() && is_too_wide()) {
    const auto next = std::ranges::min_element(columns, {}, order);
    if (next->drop_order == 0) return;
    columns.erase(next);
  }
}

void Legend::add(const Grid& grid) {
  for (const GridColumn& column : grid.columns) {
    words_.insert(column.header);
    for (const std::string& cell : column.cells) {
      if (cell.starts_with('~')) words_.insert("~");
      if (column.header == "bound" && cell.ends_with('*')) words_.insert("*");
      if (column.header == "layer" && ends_in_count(cell)) words_.insert("x2");
    }
  }
}

std::string Legend::text() const {
  constexpr std::string_view more = "roofline words explains all.";
  std::string text;
  const auto with = [&](std::string_view brief) {
    return broken(fmt::format("{}{}. {}", text, brief, more), sentence_width);
  };
  for (const Word& each : words_and_marks) {
    if (each.brief.empty() || !words_.contains(std::string(each.word))) continue;
    const std::string longer = with(each.brief);
    if (std::ranges::count(longer, '\n') < 2) text += fmt::format("{}. ", each.brief);
  }
  return text.empty() ? text : broken(text + std::string(more), sentence_width) + '\n';
}

std::string words_text(std::size_t width, std::string_view only) {
  std::string text;
  const auto add = [&](std::string_view word, std::string_view meaning) {
    if (!only.empty() && only != word) return;
    const std::string name = fmt::format("  {:<12} ", word);
    std::string lines = broken(meaning, width - name.size());
    for (std::size_t i = lines.find('\n'); i != lines.npos; i = lines.find('\n', i + 1))
      lines.insert(i + 1, name.size(), ' ');
    text += name + lines + '\n';
  };
  for (const Word& each : words_and_marks) add(each.word, each.meaning);
  if (only.empty()) text += "\nparts of the expected time\n";
  for (const Limiter limiter : enumerators<Limiter>) add(words(limiter), meaning_of(limiter));
  return text;
}

}  // namespace roofline
