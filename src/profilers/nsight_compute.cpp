#include "profilers/nsight_compute.hpp"

#include <string>
#include <utility>
#include <vector>

#include "profilers/kernel_list.hpp"
#include "profilers/kernel_reader.hpp"
#include "profilers/nsight_metrics.hpp"
#include "profilers/profiler_csv.hpp"

namespace roofline {
namespace {

constexpr std::string_view common_columns[] = {"ID", "Process ID", "Kernel Name"};
constexpr double longest_s = 365.25 * 86400;

/// One launch and all that was measured of it.
struct MeasuredLaunch {
  std::string id;  ///< of its process and within it; empty for none yet
  std::size_t line = 0;
  RecordedKernel kernel;
  std::string device;
  std::string compute_capability;
  NsightMetrics metrics;
};

class NsightComputeTable {
 public:
  NsightComputeTable(ByteStream& stream, BadRows& bad)
      : source_(stream.name()), table_(stream, common_columns), bad_(bad) {}

  KernelRecording read() {
    if (table_.find("Metric Name"))
      read_metrics();
    else
      read_launches();
    finish_launch();
    KernelRecording recording;
    recording.recorder = "Nsight Compute";
    recording.gpu = std::move(gpu_);
    list_.fold_into(recording);
    return recording;
  }

 private:
  /// A row for each metric: those of a launch follow each other.
  void read_metrics() {
    const auto name = table_.find("Metric Name");
    const auto unit = table_.find("Metric Unit");
    const auto value = table_.find("Metric Value");
    while (table_.next()) {
      if (begin_launch())
        launch_.metrics.set(table_.cell(name), table_.cell(unit), table_.cell(value));
    }
  }

  /// A row for each launch, a column for each metric, and their units in the first row.
  void read_launches() {
    std::vector<std::string> units;
    while (table_.next()) {
      if (table_.cell(table_.find("ID")).empty()) {
        units.clear();
        for (std::size_t i = 0; i < table_.header().size(); ++i) units.emplace_back(table_.cell(i));
        continue;
      }
      if (!begin_launch()) continue;
      for (std::size_t i = 0; i < table_.header().size(); ++i)
        launch_.metrics.set(table_.header()[i], i < units.size() ? units[i] : "", table_.cell(i));
    }
  }

  /// False where the row is none of the table: what the profiled program printed.
  bool begin_launch() {
    if (!profiler_number(table_.cell(table_.find("Process ID")))) return false;
    const auto cell = [&](std::string_view column) {
      return std::string(table_.cell(table_.find(column)));
    };
    const std::string id = cell("Process ID") + '/' + cell("ID");
    if (id == launch_.id) return true;
    finish_launch();
    launch_.id = id;
    launch_.line = table_.line();
    launch_.kernel.name = cell("Kernel Name");
    launch_.kernel.grid = cell("Grid Size");
    launch_.kernel.block = cell("Block Size");
    launch_.device = cell("Device");
    launch_.compute_capability = cell("CC");
    return true;
  }

  void finish_launch() {
    MeasuredLaunch launch = std::exchange(launch_, MeasuredLaunch());
    if (launch.id.empty()) return;
    const std::optional<double> time_s = launch.metrics.time_s();
    if (!time_s || *time_s > longest_s) {
      bad_.add({source_, std::to_string(launch.line),
                "expected the launch's gpu__time_duration.sum, got none: record it with ncu "
                "--metrics"});
      return;
    }
    launch.kernel.time_s = *time_s;
    launch.kernel.occupancy = launch.metrics.occupancy();
    launch.kernel.registers = launch.metrics.registers();
    launch.kernel.counters = launch.metrics.counters(launch.compute_capability);
    if (gpu_.name.empty()) gpu_ = launch.metrics.gpu();
    list_.add({std::move(launch.kernel), std::move(launch.device), std::nullopt});
  }

  std::string source_;
  ProfilerCsv table_;
  BadRows& bad_;
  MeasuredLaunch launch_;
  KernelList list_;
  RecordedGpu gpu_;
};

NetworkSpecs read_nsight_compute(ByteStream& stream, BadRows& bad) {
  return specs_of(NsightComputeTable(stream, bad).read(), stream);
}

}  // namespace

bool looks_like_nsight_compute(std::string_view head) { return has_header(head, common_columns); }

std::unique_ptr<Reader> open_nsight_compute(std::unique_ptr<ByteStream> stream) {
  return open_whole(std::move(stream), read_nsight_compute);
}

}  // namespace roofline
