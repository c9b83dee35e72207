#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "load/recording.hpp"
#include "model/recording.hpp"
#include "profilers/formats.hpp"
#include "profilers/profiler_csv.hpp"

namespace roofline {
namespace {

constexpr std::string_view launch_columns[] = {"Start", "Duration", "CorrId", "Name"};
constexpr std::string_view summed_columns[] = {"Total Time", "Instances", "Name"};
constexpr std::string_view operation_columns[] = {"Total Time", "Instances", "Operation"};

/// "NVIDIA H100 80GB HBM3 (0)" without the index.
std::string name_of_device(std::string_view cell) {
  const std::size_t open = cell.rfind(" (");
  return std::string(cell.ends_with(')') ? cell.substr(0, open) : cell);
}

/// Empty for copies.
std::string grid_in(const ProfilerCsv& table, std::string_view x, std::string_view y,
                    std::string_view z) {
  return table.cell(x).empty() ? "" : grid_text(table.cell(x), table.cell(y), table.cell(z));
}

KernelLaunch launch_in(const ProfilerCsv& table) {
  KernelLaunch launch;
  launch.kernel.name = table.cell("Name");
  launch.kernel.time_s = table.seconds("Duration");
  launch.kernel.grid = grid_in(table, "GrdX", "GrdY", "GrdZ");
  launch.kernel.block = grid_in(table, "BlkX", "BlkY", "BlkZ");
  launch.kernel.registers = profiler_number(table.cell("Reg/Trd"));
  launch.device = table.cell("Device");
  launch.start_s = table.seconds("Start");
  return launch;
}

KernelLaunch sum_in(const ProfilerCsv& table, std::string_view name) {
  KernelLaunch launch;
  launch.kernel.name = table.cell(name);
  launch.kernel.time_s = table.seconds("Total Time");
  launch.kernel.launches = table.count("Instances");
  return launch;
}

}  // namespace

bool looks_like_nsight_systems(std::string_view head) {
  return has_header(head, launch_columns) || has_header(head, summed_columns) ||
         has_header(head, operation_columns);
}

NetworkSpecs read_nsight_systems(ByteStream& stream, BadRows& bad) {
  const std::string_view head = stream.peek(head_byte);
  const bool has_launches = has_header(head, launch_columns);
  const Columns columns = has_launches                       ? Columns(launch_columns)
                          : has_header(head, summed_columns) ? Columns(summed_columns)
                                                             : Columns(operation_columns);
  ProfilerCsv table(stream, columns);
  KernelList list;
  table.for_each_row(
      bad, [&] { list.add(has_launches ? launch_in(table) : sum_in(table, columns.back())); });
  KernelRecording recording;
  recording.recorder = Recorder::nsight_systems;
  table.note_others(recording.notes);
  const std::string device = list.fold_into(recording);
  if (has_launches) recording.gpu.name = name_of_device(device);
  return specs_of(std::move(recording), stream);
}

}  // namespace roofline
