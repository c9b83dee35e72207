#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/fields.hpp"
#include "report/rows.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

using Kernel = const KernelRow&;

std::string count_text(std::uint64_t count) { return fmt::format("{}", count); }

std::string nearest_text(const KernelRow& row) {
  if (!row.nearest_roof) return "";
  return fmt::format("{} {}", name_of(*row.nearest_roof),
                     percent(*row.roof_share[*row.nearest_roof]));
}

/// How people read a kernel, after its name.
struct KernelColumn {
  std::string_view header;
  std::string (*text)(const KernelRow&);
  bool left = false;
};

constexpr KernelColumn columns[] = {
    {"launches", [](Kernel row) { return count_text(row.kernel.launches); }},
    {"time", [](Kernel row) { return duration(row.kernel.time_s); }},
    {"share", [](Kernel row) { return percent(row.time_share); }},
    {"mean", [](Kernel row) { return duration(mean_time_s(row.kernel)); }},
    {"engine", [](Kernel row) { return row.engine ? std::string(name_of(*row.engine)) : ""; },
     true},
    {"FLOP/s", [](Kernel row) { return si(row.flop_per_s, ""); }},
    {"DRAM B/s", [](Kernel row) { return si(row.dram_byte_per_s, ""); }},
    {"L2 B/s", [](Kernel row) { return si(row.l2_byte_per_s, ""); }},
    {"FLOP/B", [](Kernel row) { return plain(row.intensity_flop_per_byte); }},
    {"FLOP/B at L2", [](Kernel row) { return plain(row.l2_intensity_flop_per_byte); }},
    {"occupancy", [](Kernel row) { return percent(row.kernel.occupancy); }},
    {"nearest roof", nearest_text, true},
};

/// A row of several kernels.
std::vector<std::string> summed_cells(const std::string& name, const KernelTable& table,
                                      const std::vector<std::size_t>& rows) {
  std::uint64_t launches = 0;
  double time_s = 0;
  for (const std::size_t i : rows) {
    launches += table.rows[i].kernel.launches;
    time_s += table.rows[i].kernel.time_s;
  }
  std::vector<std::string> cells{name, count_text(launches), duration(time_s),
                                 percent(share_of(time_s, table.time_s))};
  cells.resize(1 + std::size(columns));
  return cells;
}

std::string roofs_text(const Bounds& bounds) {
  return fmt::format("{} {}, DRAM {} ({}); L2 {} (of the kernel model)\n",
                     name_of(bounds.main_engine),
                     si(*rate_of(bounds.ceilings.peak_flop_per_s, bounds.main_engine), "FLOP/s"),
                     si(bounds.ceilings.bandwidth_byte_per_s, "B/s"), name_of(bounds.ceilings.kind),
                     si(bounds.roofs.l2_byte_per_s, "B/s"));
}

}  // namespace

std::string kernel_title(const KernelTable& table) {
  const KernelRecording& recording = *table.recording;
  std::string text = fmt::format(
      "{}: kernels recorded by {}{}\n", shortened(printable(recording.name), 40),
      name_of(recording.recorder), table.gpu.empty() ? "" : " on " + printable(table.gpu));
  if (table.bounds) text += roofs_text(*table.bounds);
  if (recording.busy_s && recording.span_s)
    text +=
        fmt::format("GPU busy {} and idle {} of {}; ", duration(*recording.busy_s),
                    duration(*recording.span_s - *recording.busy_s), duration(*recording.span_s));
  text += fmt::format("{} launches of {} kernels take {}\n", table.launches, table.rows.size(),
                      duration(table.time_s));
  for (const std::string& note : recording.notes) text += printable(note) + '\n';
  return text;
}

Grid kernel_grid(const KernelTable& table, const KernelSelection& selection,
                 std::optional<std::size_t> width) {
  constexpr std::size_t widest_name = 60, least_name = 24;
  Grid grid{{left("kernel")}};
  for (const KernelColumn& column : columns)
    grid.columns.push_back({std::string(column.header), column.left});
  const std::vector<std::size_t>& shown = width ? selection.main_rows : selection.rows;
  const std::size_t name_width =
      width ? std::clamp(*width / 3, least_name, widest_name) : widest_name;
  for (const std::size_t i : shown) {
    std::vector<std::string> cells{short_name(kernel_label(table.rows[i]), name_width)};
    for (const KernelColumn& column : columns) cells.push_back(column.text(table.rows[i]));
    grid.add_row(cells);
  }
  if (width && !selection.rest.empty())
    grid.add_row(
        summed_cells(fmt::format("{} more (--all)", selection.rest.size()), table, selection.rest));
  std::vector<std::size_t> all(table.rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  grid.add_row(summed_cells("total", table, all));
  drop_columns(grid, width,
               {"occupancy", "mean", "L2 B/s", "DRAM B/s", "engine", "launches", "FLOP/B at L2"});
  return grid;
}

std::string kernel_label(const KernelRow& row) {
  return printable(short_signature(row.kernel.name));
}

std::string kernel_note(const KernelRow& row) {
  return fmt::format("{}, {}{}", duration(row.kernel.time_s), percent(row.time_share),
                     row.kernel.launches > 1 ? fmt::format(", x{}", row.kernel.launches) : "");
}

std::string kernel_hover(const KernelRow& row) {
  std::string text = shortened(printable(row.kernel.name), 200);
  const auto add = [&](std::string_view what, const std::string& value) {
    if (!value.empty()) text += fmt::format("\n{}: {}", what, value);
  };
  add("grid", row.kernel.grid);
  add("block", row.kernel.block);
  for (const KernelColumn& column : columns)
    if (column.header == "time")
      add("time", duration(row.kernel.time_s) + ", " + percent(row.time_share));
    else if (column.header != "share")
      add(column.header, column.text(row));
  return text;
}

}  // namespace roofline
