#include <utility>

#include "load/json.hpp"
#include "load/kernel_list.hpp"
#include "profilers/formats.hpp"

namespace roofline {
namespace {

constexpr std::string_view tool_key = "rocprofiler-sdk-tool";
constexpr std::uint64_t gpu_agent = 2;
constexpr std::uint64_t longest_ns = std::uint64_t{366} * 86400 * 1000000000;

std::uint64_t handle_of(const Value& id) { return id.find("handle").try_integer().value_or(0); }

/// "(2, 784, 1)"; empty where it is not stated.
std::string triple(const Value& sizes) {
  const auto x = sizes.find("x").try_integer();
  const auto y = sizes.find("y").try_integer();
  const auto z = sizes.find("z").try_integer();
  if (!x || !y || !z) return "";
  return '(' + std::to_string(*x) + ", " + std::to_string(*y) + ", " + std::to_string(*z) + ')';
}

class Rocprofv3Run {
 public:
  Rocprofv3Run(const Value& run, BadRows& bad) : run_(run), bad_(bad) {
    for (const Value symbol : run.find("kernel_symbols")) {
      const auto id = symbol.find("kernel_id").try_integer();
      const std::string_view name = symbol.find("formatted_kernel_name").try_text();
      if (id) names_[*id] = name.empty() ? symbol.find("kernel_name").try_text() : name;
    }
    for (const Value agent : run.find("agents"))
      agents_.insert_or_assign(handle_of(agent.find("id")), agent);
  }

  void add_to(KernelRecording& recording) {
    const Value buffers = run_.find("buffer_records");
    const Value dispatches = buffers.find("kernel_dispatch");
    for (std::size_t i = 0; i < dispatches.size(); ++i) add_dispatch(dispatches.at(i), i);
    for (const Value copy : buffers.find("memory_copy")) add_copy(copy);
    const std::string device = list_.fold_into(recording);
    if (!device.empty()) set_gpu(agents_.at(std::stoull(device)), recording.gpu);
    if (run_.find("callback_records").find("counter_collection").size() > 0)
      recording.notes.emplace_back(
          "counters are read from CSV only: rocprofv3 --output-format csv");
  }

 private:
  struct Times {
    double start_s;
    double time_s;
  };

  std::optional<Times> times_of(const Value& record) {
    const auto start = record.find("start_timestamp").try_integer();
    const auto end = record.find("end_timestamp").try_integer();
    if (!start || !end || *end < *start || *end - *start > longest_ns) return std::nullopt;
    if (!first_ns_) first_ns_ = *start;
    const double after_first = *start >= *first_ns_ ? static_cast<double>(*start - *first_ns_)
                                                    : -static_cast<double>(*first_ns_ - *start);
    return Times{after_first * 1e-9, static_cast<double>(*end - *start) * 1e-9};
  }

  void add_dispatch(const Value& record, std::size_t index) {
    const Value info = record.find("dispatch_info");
    const auto id = info.find("kernel_id").try_integer();
    const auto name = id ? names_.find(*id) : names_.end();
    const auto times = times_of(record);
    if (!times || name == names_.end()) {
      bad_.add(run_.origin().error(
          "/" + std::string(tool_key) + "/0/buffer_records/kernel_dispatch/" +
              std::to_string(index),
          !times ? "expected start_timestamp and end_timestamp in ns, one after "
                   "the other"
                 : "expected the kernel_id of one of kernel_symbols"));
      return;
    }
    KernelLaunch launch;
    launch.kernel.name = name->second;
    launch.kernel.time_s = times->time_s;
    launch.kernel.grid = triple(info.find("grid_size"));
    launch.kernel.block = triple(info.find("workgroup_size"));
    launch.device = device_of(info.find("agent_id"));
    launch.start_s = times->start_s;
    list_.add(launch);
  }

  void add_copy(const Value& record) {
    const auto times = times_of(record);
    if (!times) return;
    const bool from_gpu = is_gpu(record.find("src_agent_id"));
    const bool to_gpu = is_gpu(record.find("dst_agent_id"));
    KernelLaunch launch;
    launch.kernel.name = std::string("[copy ") + (from_gpu ? "device" : "host") + " to " +
                         (to_gpu ? "device]" : "host]");
    launch.kernel.time_s = times->time_s;
    launch.device = device_of(record.find(to_gpu ? "dst_agent_id" : "src_agent_id"));
    launch.start_s = times->start_s;
    list_.add(launch);
  }

  /// The agent's handle; empty for one that is not listed.
  std::string device_of(const Value& id) const {
    const std::uint64_t handle = handle_of(id);
    return agents_.contains(handle) ? std::to_string(handle) : "";
  }

  bool is_gpu(const Value& id) const {
    const auto agent = agents_.find(handle_of(id));
    return agent != agents_.end() && agent->second.find("type").try_integer() == gpu_agent;
  }

  static void set_gpu(const Value& agent, RecordedGpu& gpu) {
    gpu.name = agent.find("product_name").try_text();
    gpu.sm_count = agent.find("cu_count").try_integer();
    gpu.warp_size = agent.find("wave_front_size").try_integer();
  }

  const Value run_;
  BadRows& bad_;
  std::map<std::uint64_t, std::string> names_;
  std::map<std::uint64_t, Value> agents_;
  std::optional<std::uint64_t> first_ns_;
  KernelList list_;
};

NetworkSpecs read_rocprofv3_json(ByteStream& stream, BadRows& bad) {
  const JsonDocument document(stream.read_rest(), {stream.name()});
  const Value runs = document.root().find(tool_key);
  if (!runs.is_array() || runs.size() == 0)
    throw document.origin().error("/" + std::string(tool_key),
                                  "expected a list of a process's records");
  KernelRecording recording;
  recording.recorder = "rocprofv3";
  Rocprofv3Run(runs.at(0), bad).add_to(recording);
  if (runs.size() > 1)
    recording.notes.push_back("the first of " + std::to_string(runs.size()) + " processes");
  return specs_of(std::move(recording), stream);
}

}  // namespace

bool looks_like_rocprofv3_json(std::string_view head) {
  return head.find("\"rocprofiler-sdk-tool\"") != std::string_view::npos;
}

std::unique_ptr<Reader> open_rocprofv3_json(std::unique_ptr<ByteStream> stream) {
  return open_whole(std::move(stream), read_rocprofv3_json);
}

}  // namespace roofline
