#include <fmt/format.h>

#include "report/rows.hpp"
#include "report/text.hpp"

namespace roofline {
std::string kernel_title(const KernelTable& table) {
  const KernelRecording& recording = *table.recording;
  std::string text = fmt::format(
      "{}: kernels recorded by {}{}\n", shortened(printable(recording.name), 40),
      name_of(recording.recorder), table.gpu.empty() ? "" : " on " + printable(table.gpu));
  if (const auto& bounds = table.bounds)
    text += fmt::format(
        "{} {}, DRAM {} ({}); L2 {} (of the kernel model)\n", name_of(bounds->main_engine),
        si(*rate_of(bounds->ceilings.peak_flop_per_s, bounds->main_engine), "FLOP/s"),
        si(bounds->ceilings.bandwidth_byte_per_s, "B/s"), name_of(bounds->ceilings.kind),
        si(bounds->roofs.l2_byte_per_s, "B/s"));
  if (recording.busy_s && recording.span_s)
    text +=
        fmt::format("GPU busy {} and idle {} of {}; ", duration(*recording.busy_s),
                    duration(*recording.span_s - *recording.busy_s), duration(*recording.span_s));
  text += fmt::format("{} launches of {} kernels take {}\n", table.launches, table.rows.size(),
                      duration(table.time_s));
  for (const std::string& note : recording.notes) text += printable(note) + '\n';
  return text;
}

Grid kernel_grid(const KernelTable& table, const Selection& selection,
                 std::optional<std::size_t> width) {
  constexpr std::size_t enough_name = 32;
  std::vector<KernelLine> all;
  all.reserve(table.rows.size());
  for (const KernelRow& row : table.rows) all.push_back({table, row});
  const auto lines_of = [&](const std::vector<std::size_t>& rows) {
    std::vector<KernelLine> lines;
    lines.reserve(rows.size());
    for (const std::size_t i : rows) lines.push_back(all[i]);
    return lines;
  };
  const std::vector<Column<KernelLine>> columns = shown_columns(kernel_columns());
  Grid grid =
      grid_of<KernelLine>(columns, lines_of(width ? selection.main_rows() : selection.rows));
  if (width && !selection.rest.empty())
    add_sum<KernelLine>(grid, columns, fmt::format("+{} (--top all)", selection.rest.size()),
                        lines_of(selection.rest));
  add_sum<KernelLine>(grid, columns, "total", all);
  fit(grid, width, enough_name);
  return grid;
}

std::string kernel_label(const KernelRow& row) {
  return printable(short_signature(row.kernel.name));
}

std::string kernel_note(const KernelRow& row) {
  return fmt::format("{}, {}{}", duration(row.kernel.time_s), percent(row.time_share),
                     row.kernel.launches > 1 ? fmt::format(", x{}", row.kernel.launches) : "");
}

std::string kernel_hover(const KernelTable& table, const KernelRow& row) {
  const KernelLine line{table, row};
  std::string text = shortened(printable(row.kernel.name), 200);
  const auto add = [&](std::string_view what, const std::string& value) {
    if (!value.empty()) text += fmt::format("\n{}: {}", what, value);
  };
  add("grid", row.kernel.grid);
  add("block", row.kernel.block);
  for (const Column<KernelLine>& column : shown_columns(kernel_columns()))
    if (column.path != "name") add(column.people.header, cell_text(column, line));
  return text;
}

}  // namespace roofline
