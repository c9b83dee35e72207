#include <utility>

#include "load/json_value.hpp"
#include "load/kernel_list.hpp"
#include "profilers/formats.hpp"

namespace roofline {
namespace {

constexpr std::string_view tool_key = "rocprofiler-sdk-tool";
constexpr std::uint64_t gpu_agent = 2;
constexpr std::uint64_t longest_ns = std::uint64_t{366} * 86400 * 1000000000;

/// The member of that key, null where there is none or the value is no object.
const JsonNode& json_member(const JsonNode& object, std::string_view key) {
  static const JsonNode null;
  const JsonNode* found = object.find(key);
  return found == nullptr ? null : *found;
}

std::optional<std::uint64_t> whole_number(const JsonNode& value) {
  const auto* number = std::get_if<std::uint64_t>(&value.content());
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::string json_text(const JsonNode& value) {
  return value.is_string() ? std::string(value.text()) : "";
}

std::uint64_t handle_of(const JsonNode& id) {
  return whole_number(json_member(id, "handle")).value_or(0);
}

/// "(2, 784, 1)"; empty where it is not stated.
std::string triple(const JsonNode& sizes) {
  const auto x = whole_number(json_member(sizes, "x"));
  const auto y = whole_number(json_member(sizes, "y"));
  const auto z = whole_number(json_member(sizes, "z"));
  if (!x || !y || !z) return "";
  return '(' + std::to_string(*x) + ", " + std::to_string(*y) + ", " + std::to_string(*z) + ')';
}

class Rocprofv3Run {
 public:
  Rocprofv3Run(const JsonNode& run, const Origin& origin, BadRows& bad)
      : run_(run), origin_(origin), bad_(bad) {
    for (const JsonNode& symbol : json_member(run, "kernel_symbols").elements()) {
      const auto id = whole_number(json_member(symbol, "kernel_id"));
      const std::string name = json_text(json_member(symbol, "formatted_kernel_name"));
      if (id) names_[*id] = name.empty() ? json_text(json_member(symbol, "kernel_name")) : name;
    }
    for (const JsonNode& agent : json_member(run, "agents").elements())
      agents_[handle_of(json_member(agent, "id"))] = &agent;
  }

  void add_to(KernelRecording& recording) {
    const JsonNode& buffers = json_member(run_, "buffer_records");
    const auto dispatches = json_member(buffers, "kernel_dispatch").elements();
    for (std::size_t i = 0; i < dispatches.size(); ++i) add_dispatch(dispatches[i], i);
    for (const JsonNode& copy : json_member(buffers, "memory_copy").elements()) add_copy(copy);
    const std::string device = list_.fold_into(recording);
    if (!device.empty()) set_gpu(*agents_.at(std::stoull(device)), recording.gpu);
    if (json_member(json_member(run_, "callback_records"), "counter_collection").size() > 0)
      recording.notes.emplace_back(
          "counters are read from CSV only: rocprofv3 --output-format csv");
  }

 private:
  struct Times {
    double start_s;
    double time_s;
  };

  std::optional<Times> times_of(const JsonNode& record) {
    const auto start = whole_number(json_member(record, "start_timestamp"));
    const auto end = whole_number(json_member(record, "end_timestamp"));
    if (!start || !end || *end < *start || *end - *start > longest_ns) return std::nullopt;
    if (!first_ns_) first_ns_ = *start;
    const double after_first = *start >= *first_ns_ ? static_cast<double>(*start - *first_ns_)
                                                    : -static_cast<double>(*first_ns_ - *start);
    return Times{after_first * 1e-9, static_cast<double>(*end - *start) * 1e-9};
  }

  void add_dispatch(const JsonNode& record, std::size_t index) {
    const JsonNode& info = json_member(record, "dispatch_info");
    const auto id = whole_number(json_member(info, "kernel_id"));
    const auto name = id ? names_.find(*id) : names_.end();
    const auto times = times_of(record);
    if (!times || name == names_.end()) {
      bad_.add(origin_.error("/" + std::string(tool_key) + "/0/buffer_records/kernel_dispatch/" +
                                 std::to_string(index),
                             !times ? "expected start_timestamp and end_timestamp in ns, one after "
                                      "the other"
                                    : "expected the kernel_id of one of kernel_symbols"));
      return;
    }
    KernelLaunch launch;
    launch.kernel.name = name->second;
    launch.kernel.time_s = times->time_s;
    launch.kernel.grid = triple(json_member(info, "grid_size"));
    launch.kernel.block = triple(json_member(info, "workgroup_size"));
    launch.device = device_of(json_member(info, "agent_id"));
    launch.start_s = times->start_s;
    list_.add(launch);
  }

  void add_copy(const JsonNode& record) {
    const auto times = times_of(record);
    if (!times) return;
    const bool from_gpu = is_gpu(json_member(record, "src_agent_id"));
    const bool to_gpu = is_gpu(json_member(record, "dst_agent_id"));
    KernelLaunch launch;
    launch.kernel.name = std::string("[copy ") + (from_gpu ? "device" : "host") + " to " +
                         (to_gpu ? "device]" : "host]");
    launch.kernel.time_s = times->time_s;
    launch.device = device_of(json_member(record, to_gpu ? "dst_agent_id" : "src_agent_id"));
    launch.start_s = times->start_s;
    list_.add(launch);
  }

  /// The agent's handle; empty for one that is not listed.
  std::string device_of(const JsonNode& id) const {
    const std::uint64_t handle = handle_of(id);
    return agents_.contains(handle) ? std::to_string(handle) : "";
  }

  bool is_gpu(const JsonNode& id) const {
    const auto agent = agents_.find(handle_of(id));
    return agent != agents_.end() && whole_number(json_member(*agent->second, "type")) == gpu_agent;
  }

  static void set_gpu(const JsonNode& agent, RecordedGpu& gpu) {
    gpu.name = json_text(json_member(agent, "product_name"));
    gpu.sm_count = whole_number(json_member(agent, "cu_count"));
    gpu.warp_size = whole_number(json_member(agent, "wave_front_size"));
  }

  const JsonNode& run_;
  const Origin& origin_;
  BadRows& bad_;
  std::map<std::uint64_t, std::string> names_;
  std::map<std::uint64_t, const JsonNode*> agents_;
  std::optional<std::uint64_t> first_ns_;
  KernelList list_;
};

NetworkSpecs read_rocprofv3_json(ByteStream& stream, BadRows& bad) {
  const Origin origin{stream.name(), {}};
  const JsonDocument document = parse_json(stream.read_rest(), origin);
  const auto runs = json_member(document.root(), tool_key).elements();
  if (runs.empty())
    throw origin.error("/" + std::string(tool_key), "expected a list of a process's records");
  KernelRecording recording;
  recording.recorder = "rocprofv3";
  Rocprofv3Run(runs.front(), origin, bad).add_to(recording);
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
