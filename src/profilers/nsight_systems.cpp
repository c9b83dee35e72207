#include "profilers/nsight_systems.hpp"

#include <utility>

#include "profilers/kernel_list.hpp"
#include "profilers/kernel_reader.hpp"
#include "profilers/profiler_csv.hpp"

namespace roofline {
namespace {

constexpr std::string_view launch_columns[] = {"Start", "Duration", "CorrId", "Name"};
constexpr std::string_view kernel_columns[] = {"Total Time", "Instances", "Name"};
constexpr std::string_view operation_columns[] = {"Total Time", "Instances", "Operation"};

/// "NVIDIA H100 80GB HBM3 (0)" without the index.
std::string name_of_device(std::string_view cell) {
  const std::size_t open = cell.rfind(" (");
  return std::string(cell.ends_with(')') ? cell.substr(0, open) : cell);
}

/// "(2, 784, 1)"; empty for copies, which have none.
std::string triple(const ProfilerCsv& table, std::string_view x, std::string_view y,
                   std::string_view z) {
  const std::string_view first = table.cell(table.find(x));
  if (first.empty()) return "";
  return '(' + std::string(first) + ", " + std::string(table.cell(table.find(y))) + ", " +
         std::string(table.cell(table.find(z))) + ')';
}

KernelLaunch nsys_launch_in(const ProfilerCsv& table) {
  KernelLaunch launch;
  launch.kernel.name = table.cell(table.find("Name"));
  launch.kernel.time_s = table.seconds(*table.find("Duration"));
  launch.kernel.grid = triple(table, "GrdX", "GrdY", "GrdZ");
  launch.kernel.block = triple(table, "BlkX", "BlkY", "BlkZ");
  launch.kernel.registers = profiler_number(table.cell(table.find("Reg/Trd")));
  launch.device = table.cell(table.find("Device"));
  launch.start_s = table.seconds(*table.find("Start"));
  return launch;
}

KernelLaunch sum_in(const ProfilerCsv& table, std::size_t name) {
  KernelLaunch launch;
  launch.kernel.name = table.cell(name);
  launch.kernel.time_s = table.seconds(*table.find("Total Time"));
  launch.kernel.launches = table.count(*table.find("Instances"));
  return launch;
}

KernelRecording read_launches(ByteStream& stream, BadRows& bad) {
  ProfilerCsv table(stream, launch_columns);
  KernelList list;
  KernelRecording recording;
  recording.recorder = "Nsight Systems";
  while (table.next()) try {
      list.add(nsys_launch_in(table));
    } catch (const InputError& error) {
      bad.add(error);
    }
  recording.gpu.name = name_of_device(list.fold_into(recording));
  return recording;
}

KernelRecording read_sums(ByteStream& stream, BadRows& bad, Columns columns) {
  ProfilerCsv table(stream, columns);
  const std::size_t name = *table.find(columns.back());
  KernelList list;
  KernelRecording recording;
  recording.recorder = "Nsight Systems";
  while (table.next()) try {
      list.add(sum_in(table, name));
    } catch (const InputError& error) {
      bad.add(error);
    }
  list.fold_into(recording);
  return recording;
}

NetworkSpecs read_nsight_systems(ByteStream& stream, BadRows& bad) {
  const std::string_view head = stream.peek(head_byte);
  const bool of_kernels = has_header(head, kernel_columns);
  return specs_of(
      has_header(head, launch_columns)
          ? read_launches(stream, bad)
          : read_sums(stream, bad,
                      of_kernels ? Columns(kernel_columns) : Columns(operation_columns)),
      stream);
}

}  // namespace

bool looks_like_nsight_systems(std::string_view head) {
  return has_header(head, launch_columns) || has_header(head, kernel_columns) ||
         has_header(head, operation_columns);
}

std::unique_ptr<Reader> open_nsight_systems(std::unique_ptr<ByteStream> stream) {
  return open_whole(std::move(stream), read_nsight_systems);
}

}  // namespace roofline
