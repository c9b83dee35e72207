#include "report/kernel_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/kernel_names.hpp"
#include "report/short_names.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t widest_kernel_name = 60;
constexpr std::size_t least_kernel_name = 24;

/// What a narrow terminal goes without, first to last.
constexpr std::array<std::string_view, 7> droppable_kernel_columns{
    "occupancy", "mean", "L2 B/s", "DRAM B/s", "engine", "launches", "FLOP/B at L2"};

std::string optional_rate(const std::optional<double>& value) {
  return value ? si(*value, "") : "";
}
std::string optional_plain(const std::optional<double>& value) {
  return value ? plain(*value) : "";
}
std::string optional_percent(const std::optional<double>& value) {
  return value ? percent(*value) : "";
}

std::string launch_count(std::uint64_t count) { return fmt::format("{}", count); }

std::string nearest_text(const KernelRow& row) {
  if (!row.nearest_roof) return "";
  return fmt::format("{} {}", name_of(*row.nearest_roof),
                     percent(*row.roof_share[*row.nearest_roof]));
}

std::vector<std::string> kernel_cells(const KernelRow& row, const std::string& name) {
  return {name,
          launch_count(row.kernel.launches),
          duration(row.kernel.time_s),
          percent(row.time_share),
          duration(mean_time_s(row.kernel)),
          row.engine ? std::string(name_of(*row.engine)) : "",
          optional_rate(row.flop_per_s),
          optional_rate(row.dram_byte_per_s),
          optional_rate(row.l2_byte_per_s),
          optional_plain(row.intensity_flop_per_byte),
          optional_plain(row.l2_intensity_flop_per_byte),
          optional_percent(row.kernel.occupancy),
          nearest_text(row)};
}

std::vector<std::string> summed_cells(const std::string& name, const KernelTable& table,
                                      const std::vector<std::size_t>& rows) {
  std::uint64_t launches = 0;
  double time_s = 0;
  for (const std::size_t i : rows) {
    launches += table.rows[i].kernel.launches;
    time_s += table.rows[i].kernel.time_s;
  }
  return {name,
          launch_count(launches),
          duration(time_s),
          percent(share_of(time_s, table.time_s)),
          "",
          "",
          "",
          "",
          "",
          "",
          "",
          "",
          ""};
}

std::string roofs_text(const Bounds& bounds) {
  std::string peaks;
  for (const Engine engine : enumerators<Engine>)
    if (engine == bounds.main_engine)
      peaks += fmt::format("{} {}", name_of(engine),
                           si(*rate_of(bounds.ceilings.peak_flop_per_s, engine), "FLOP/s"));
  return fmt::format("{}, DRAM {} ({}); L2 {} (of the kernel model)\n", peaks,
                     si(bounds.ceilings.bandwidth_byte_per_s, "B/s"), name_of(bounds.ceilings.kind),
                     si(bounds.roofs.l2_byte_per_s, "B/s"));
}

constexpr std::string_view plain_legend =
    "kernels, not layers: a recording without shapes says what ran, not for what.\n";

constexpr std::string_view counter_legend =
    "FLOP/s, DRAM B/s, L2 B/s: counted by the GPU, over the time. FLOP/B: counted FLOP\n"
    "over counted bytes of device memory, and over those of L2. engine: the units that\n"
    "these FLOP keep busy the longest. nearest roof: the ceiling that the kernel comes\n"
    "closest to, and its share of it; far from all, it waits.\n";

}  // namespace

std::string kernel_title(const KernelTable& table) {
  const KernelRecording& recording = *table.recording;
  std::string text =
      fmt::format("{}: kernels recorded by {}{}\n", shortened(printable(recording.name), 40),
                  recording.recorder, table.gpu.empty() ? "" : " on " + printable(table.gpu));
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
                 const RenderStyle& style) {
  Grid grid;
  grid.columns = {{"kernel", true},
                  {"launches"},
                  {"time"},
                  {"share"},
                  {"mean"},
                  {"engine", true},
                  {"FLOP/s"},
                  {"DRAM B/s"},
                  {"L2 B/s"},
                  {"FLOP/B"},
                  {"FLOP/B at L2"},
                  {"occupancy"},
                  {"nearest roof", true}};
  const std::vector<std::size_t>& shown = style.width ? selection.main_rows : selection.rows;
  std::vector<std::string> names;
  names.reserve(shown.size());
  for (const std::size_t i : shown) names.push_back(kernel_label(table.rows[i]));
  names = short_names(
      names, style.width ? std::clamp(*style.width / 3, least_kernel_name, widest_kernel_name)
                         : widest_kernel_name);
  for (std::size_t i = 0; i < shown.size(); ++i)
    grid.add_row(kernel_cells(table.rows[shown[i]], names[i]));
  if (style.width && !selection.rest.empty())
    grid.add_row(
        summed_cells(fmt::format("{} more (--all)", selection.rest.size()), table, selection.rest));
  std::vector<std::size_t> all(table.rows.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  grid.add_row(summed_cells("total", table, all));
  grid.has_total = true;
  drop_columns(grid, style.width, droppable_kernel_columns);
  return grid;
}

std::string kernel_legend(const Report& report) {
  const bool counted =
      std::any_of(report.kernels.begin(), report.kernels.end(),
                  [](const KernelTable& table) { return table.recording->has_counters(); });
  return std::string(plain_legend) + std::string(counted ? counter_legend : "");
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
  add("launches", launch_count(row.kernel.launches));
  add("time", duration(row.kernel.time_s) + ", " + percent(row.time_share));
  add("mean", duration(mean_time_s(row.kernel)));
  add("engine", row.engine ? std::string(name_of(*row.engine)) : "");
  add("FLOP/s", optional_rate(row.flop_per_s));
  add("DRAM B/s", optional_rate(row.dram_byte_per_s));
  add("L2 B/s", optional_rate(row.l2_byte_per_s));
  add("FLOP/B", optional_plain(row.intensity_flop_per_byte));
  add("FLOP/B at L2", optional_plain(row.l2_intensity_flop_per_byte));
  add("occupancy", optional_percent(row.kernel.occupancy));
  add("nearest roof", nearest_text(row));
  return text;
}

}  // namespace roofline
