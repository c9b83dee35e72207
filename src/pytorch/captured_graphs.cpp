// A recording of the steps has no operators for kernels of captured graphs. A recording of the
// capture has them: it launched the same kernels in the same order.

#include <algorithm>
#include <map>

#include "pytorch/trace_work.hpp"

namespace roofline {
namespace {

std::string_view name_of(const Recording& recording, const LaunchCall& call) {
  return recording.texts.at(call.name);
}

/// Launches and copies are different work.
bool is_alike(std::string_view activity, std::string_view call) {
  for (const std::string_view kind : {"Memcpy", "Memset"})
    if (activity.starts_with(kind) != mentions(call, {kind})) return false;
  return true;
}

bool launches(const Recording& recording, const std::vector<std::uint32_t>& activities,
              const CapturedGraph& graph) {
  return std::ranges::equal(
      activities, graph.launches, [&](std::uint32_t i, const LaunchCall& call) {
        return is_alike(recording.name(recording.activities[i]), name_of(recording, call));
      });
}

/// The only captured graph that matches; null if none or several match.
const CapturedGraph* graph_of(const Recording& recording,
                              const std::vector<std::uint32_t>& activities) {
  std::vector<const CapturedGraph*> alike;
  for (const CapturedGraph& graph : recording.captured)
    if (launches(recording, activities, graph)) alike.push_back(&graph);
  return alike.size() == 1 ? alike.front() : nullptr;
}

}  // namespace

bool is_graph_launch(const Recording& recording, std::uint32_t call) {
  return call != no_index && mentions(name_of(recording, recording.calls[call]), {"GraphLaunch"});
}

void add_captured(Recording& recording, const Recording& capture) {
  const auto first_thread = static_cast<std::uint32_t>(recording.process_of_threads.size());
  const auto first_arguments = static_cast<std::uint32_t>(recording.arguments.size());
  const std::size_t known = recording.captured.size();
  std::vector<LaunchCall> calls = capture.calls;
  std::ranges::stable_sort(calls, {}, &LaunchCall::start_us);
  bool is_open = false;
  for (LaunchCall call : calls) {
    const std::string_view name = name_of(capture, call);
    const bool begins = mentions(name, {"BeginCapture"});
    is_open = begins || (is_open && !mentions(name, {"EndCapture"}));
    if (begins) recording.captured.emplace_back();
    if (begins || !is_open) continue;
    call.name = recording.texts.id(name);
    call.thread += first_thread;
    recording.captured.back().launches.push_back(call);
  }
  if (recording.captured.size() == known) return;
  recording.has_values = recording.has_values || capture.has_values;
  recording.process_of_threads.resize(first_thread + capture.process_of_threads.size());
  recording.arguments.insert(recording.arguments.end(), capture.arguments.begin(),
                             capture.arguments.end());
  for (HostRange op : capture.operators) {
    op.name = recording.texts.id(capture.name(op));
    op.thread += first_thread;
    op.arguments += first_arguments;
    op.external_id = 0;
    op.message = 0;
    recording.operators.push_back(op);
  }
}

void link_captured(const Recording& recording, WorkOrigins& origins,
                   std::vector<std::string>& notes) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> work_of_calls;
  for (std::uint32_t i = 0; i < recording.activities.size(); ++i)
    if (const std::uint32_t call = origins.of_activities[i].call_index;
        is_graph_launch(recording, call))
      work_of_calls[call].push_back(i);
  std::size_t unlinked = 0;
  for (const auto& [call, activities] : work_of_calls) {
    const CapturedGraph* graph = graph_of(recording, activities);
    if (graph == nullptr) ++unlinked;
    for (std::size_t i = 0; graph != nullptr && i < activities.size(); ++i)
      origins.of_activities[activities[i]].operator_index =
          innermost_operator(recording, origins, graph->launches[i]);
  }
  if (unlinked > 0 && !recording.captured.empty())
    notes.push_back(std::to_string(unlinked) + " of " + std::to_string(work_of_calls.size()) +
                    " launches of graphs are of none of the " +
                    std::to_string(recording.captured.size()) +
                    " captured ones, or of several that have as many kernels");
}

}  // namespace roofline
