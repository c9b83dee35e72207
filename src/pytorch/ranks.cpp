// Ranks of one run, in one file or several: each process with its GPU, and which one the others
// wait for in exchanges between GPUs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "load/csv.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "pytorch/exported_program.hpp"
#include "pytorch/recording.hpp"

namespace roofline {
namespace {

RankGpu gpu_of(const GpuActivity& activity) { return {activity.process, activity.device}; }

/// "[TP01]" of "[TP01] 4711", as some merging tools label ranks.
std::string rank_label(const std::string& process) {
  const std::size_t space = process.rfind(' ');
  return space == process.npos ? "" : process.substr(0, space);
}

/// By process: launches of GPU work, and minus the microseconds until it ran.
using Launchers = std::map<std::uint32_t, std::pair<std::size_t, double>>;

Launchers launchers_of(const RankGpu& gpu, const Recording& recording) {
  std::unordered_map<std::uint64_t, double> starts_us;
  for (const GpuActivity& activity : recording.activities)
    if (gpu_of(activity) == gpu) starts_us.emplace(activity.correlation, activity.start_us);
  Launchers launchers;
  for (const LaunchCall& call : recording.calls) {
    auto& [launches, soonness_us] = launchers[recording.process_of_threads[call.thread]];
    const auto work = starts_us.find(call.correlation);
    if (work == starts_us.end() || call.start_us > work->second) continue;
    ++launches;
    soonness_us += call.start_us - work->second;
  }
  return launchers;
}

/// The process with the GPU's label, or else with the most and soonest launches of its work.
std::uint32_t process_of(const RankGpu& gpu, const Launchers& launchers,
                         const Recording& recording) {
  const std::string label = rank_label(recording.processes.at(gpu.first));
  const auto rank_of = [&](const auto& launcher) {
    const bool is_labelled =
        !label.empty() && rank_label(recording.processes.at(launcher.first)) == label;
    return std::pair(is_labelled, launcher.second);
  };
  return std::ranges::max_element(launchers, {}, rank_of)->first;
}

struct Exchange {
  std::uint32_t activity = 0;
  double duration_us = 0;
};

/// What a rank ran in its steps.
struct RankWork {
  RankGpu gpu;
  std::uint32_t process = 0;
  std::optional<RankNumber> number;  ///< of a recording of its own
  std::string name;
  std::size_t steps = 1;
  double computing_us = 0;
  double waiting_us = 0;
  /// Equal exchanges of a step have a key; each is in the order of its starts.
  std::map<std::string, std::vector<Exchange>> exchanges;
};

RankWork work_of(const Recording& recording, const RankGpu& gpu, std::uint32_t process) {
  std::vector<StepRange> steps;
  std::ranges::copy_if(recording.steps, std::back_inserter(steps),
                       [&](const StepRange& step) { return step.process == process; });
  std::ranges::sort(steps, {}, &StepRange::start_us);
  std::unordered_map<std::uint64_t, double> launched_us;
  for (const LaunchCall& call : recording.calls)
    if (recording.process_of_threads[call.thread] == process)
      launched_us.emplace(call.correlation, call.start_us);
  std::vector<std::uint32_t> own;
  for (std::uint32_t i = 0; i < recording.activities.size(); ++i)
    if (gpu_of(recording.activities[i]) == gpu) own.push_back(i);
  std::ranges::stable_sort(own, {}, [&](auto i) { return recording.activities[i].start_us; });

  RankWork work;
  work.gpu = gpu;
  work.process = process;
  work.name = recording.processes.at(process);
  std::set<std::size_t> used;
  std::unordered_map<TextId, bool> exchanges;  // names repeat
  for (const std::uint32_t index : own) {
    const GpuActivity& activity = recording.activities[index];
    const auto launched = launched_us.find(activity.correlation);
    const bool is_launched = launched != launched_us.end();
    if (!is_launched && !launched_us.empty()) continue;  // before the recording
    const auto step = step_at(steps, is_launched ? launched->second : activity.start_us);
    if (!steps.empty() && !step) continue;
    used.insert(step.value_or(0));
    const auto [is_known, is_new] = exchanges.try_emplace(activity.name, false);
    if (is_new) is_known->second = is_exchange(recording.name(activity));
    if (!is_known->second && activity.message == 0) {
      work.computing_us += activity.duration_us;
      continue;
    }
    const RecordedMessage& message = recording.messages[activity.message];
    std::string key =
        short_kernel_name(recording.name(activity)) + recording.texts.at(message.group);
    for (const std::uint64_t number : {std::uint64_t{step.value_or(0)}, message.in_elements})
      key.append(1, '/').append(std::to_string(number));
    work.exchanges[key].push_back({index, activity.duration_us});
  }
  work.steps = std::max<std::size_t>(1, used.size());
  return work;
}

/// An exchange's least time over the ranks that took part, if all have it as often.
struct Fastest {
  std::vector<double> time_us;
  std::size_t ranks = 0;
  bool is_shared = true;
};

using FastestExchanges = std::map<std::string, Fastest>;

FastestExchanges fastest_of(const std::vector<RankWork>& ranks) {
  FastestExchanges all;
  for (const RankWork& rank : ranks)
    for (const auto& [key, runs] : rank.exchanges) {
      Fastest& fastest = all[key];
      if (fastest.ranks++ == 0) fastest.time_us = each_of(runs, &Exchange::duration_us);
      fastest.is_shared = fastest.is_shared && fastest.time_us.size() == runs.size();
      for (std::size_t i = 0; fastest.is_shared && i < runs.size(); ++i)
        fastest.time_us[i] = std::min(fastest.time_us[i], runs[i].duration_us);
    }
  std::erase_if(all,
                [](const auto& each) { return each.second.ranks < 2 || !each.second.is_shared; });
  return all;
}

/// `add`: takes each shared exchange with its time beyond the fastest rank's.
template <class Add>
void for_each_wait(const RankWork& rank, const FastestExchanges& fastest, const Add& add) {
  for (const auto& [key, runs] : rank.exchanges)
    if (const auto shared = fastest.find(key); shared != fastest.end())
      for (std::size_t i = 0; i < runs.size(); ++i)
        add(runs[i], runs[i].duration_us - shared->second.time_us[i]);
}

/// Moves the rank that waits least to the front and sets all waiting times. False if the ranks
/// share no exchanges.
bool put_awaited_first(std::vector<RankWork>& ranks, const FastestExchanges& fastest) {
  for (RankWork& rank : ranks)
    for_each_wait(rank, fastest, [&](const Exchange&, double us) { rank.waiting_us += us; });
  const auto awaited = std::ranges::min_element(ranks, {}, [](const RankWork& rank) {
    return rank.waiting_us / static_cast<double>(rank.steps);
  });
  if (awaited != ranks.end()) std::rotate(ranks.begin(), awaited, awaited + 1);
  return !fastest.empty();
}

void set_waits(const RankWork& rank, const FastestExchanges& fastest, Recording& recording) {
  for_each_wait(rank, fastest, [&](const Exchange& exchange, double waiting_us) {
    recording.activities[exchange.activity].waiting_us = waiting_us;
  });
}

std::vector<RecordedRank> recorded(const std::vector<RankWork>& ranks) {
  return each_of(ranks, [](const RankWork& rank) {
    const double s_a_step = s_per_us / static_cast<double>(rank.steps);
    return RecordedRank{rank.name, rank.computing_us * s_a_step, rank.waiting_us * s_a_step};
  });
}

/// The value 7 of "key": 7.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key) {
  const std::size_t begin = std::min(text.find(key), text.size() - key.size()) + key.size();
  text.remove_prefix(std::min(text.find_first_not_of(": ", begin), text.size()));
  return number_in<std::uint64_t>(text.substr(0, text.find_first_not_of("0123456789")));
}

/// The one GPU's process of a recording with work.
RankWork work_of_rank(const Recording& recording, RankNumber number) {
  const RankGpu gpu = busiest_gpu(recording);
  const Launchers launchers = launchers_of(gpu, recording);
  const std::uint32_t process =
      launchers.empty() ? gpu.first : process_of(gpu, launchers, recording);
  RankWork work = work_of(recording, gpu, process);
  work.number = number;
  work.name = "rank " + std::to_string(number.rank);
  return work;
}

/// Without a number if the file is no recording of a rank.
RankWork read_rank(const std::string& name, const InputLimits& limits) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(name, error)) return {};  // a pipe can be read only once
  const auto stream = decompressed(open_stream(name, limits));
  const std::string_view head = stream->peek(head_byte);
  const auto number = looks_like_trace(head) ? rank_number(head) : std::nullopt;
  if (!number) return {};
  Recording recording = scan_trace(*stream);
  if (recording.activities.empty()) return {};
  std::vector<std::string> notes;
  mark_repeated_steps(recording, notes);
  return work_of_rank(recording, *number);
}

}  // namespace

RankGpu busiest_gpu(const Recording& recording) {
  std::map<RankGpu, double> time_us;
  for (const GpuActivity& activity : recording.activities)
    time_us[gpu_of(activity)] += activity.duration_us;
  return busiest(time_us);
}

std::vector<RecordedRank> keep_one_rank(Recording& recording, std::vector<std::string>& notes) {
  if (recording.activities.empty()) return {};
  RankGpu gpu = busiest_gpu(recording);
  const Launchers launchers = launchers_of(gpu, recording);
  if (launchers.size() < 2) return {};
  std::uint32_t rank = process_of(gpu, launchers, recording);
  std::set<RankGpu> gpus;
  for (const GpuActivity& activity : recording.activities) gpus.insert(gpu_of(activity));
  std::vector<RankWork> ranks;
  for (const RankGpu& each : gpus) {
    Launchers own = launchers_of(each, recording);  // of no other GPU
    for (const RankWork& other : ranks)
      if (own.size() > 1) own.erase(other.process);
    ranks.push_back(work_of(recording, each, process_of(each, own, recording)));
  }
  const FastestExchanges fastest = fastest_of(ranks);
  const bool is_awaited = put_awaited_first(ranks, fastest);
  if (is_awaited) {
    set_waits(ranks.front(), fastest, recording);
    gpu = ranks.front().gpu;
    rank = ranks.front().process;
  }
  const auto is_other_gpu = [&](const GpuActivity& activity) { return gpu_of(activity) != gpu; };
  const auto is_other = [&](const auto& range) {
    return recording.process_of_threads[range.thread] != rank;
  };
  const std::size_t left_out = std::erase_if(recording.activities, is_other_gpu);
  std::erase_if(recording.operators, is_other);
  std::erase_if(recording.calls, is_other);
  std::erase_if(recording.long_ranges, is_other);
  std::erase_if(recording.steps, [&](const StepRange& step) { return step.process != rank; });
  notes.push_back("one of " + std::to_string(launchers.size()) + " processes in this file, " +
                  recording.processes.at(rank) +
                  (is_awaited ? ", for which the others wait" : ", with the busiest GPU") +
                  "; kernels and copies of the others, left out: " + std::to_string(left_out));
  return is_awaited ? recorded(ranks) : std::vector<RecordedRank>();
}

std::optional<RankNumber> rank_number(std::string_view head) {
  const std::size_t begin = head.find("\"distributedInfo\"");
  if (begin == head.npos) return std::nullopt;
  const auto rank = number_after(head.substr(begin), "\"rank\"");
  const auto world = number_after(head.substr(begin), "\"world_size\"");
  return rank && world && *world > 1 ? std::optional(RankNumber{*rank, *world}) : std::nullopt;
}

std::vector<RecordedRank> ranks_among(const InputSet& inputs, const ByteStream& stream,
                                      RankNumber number, Recording& recording) {
  if (inputs.apart() || recording.activities.empty()) return {};
  std::vector<RankWork> ranks{work_of_rank(recording, number)};
  const std::string name = ranks.front().name;
  inputs.find_in<RankWork>(stream.name(), [&] { return ranks.front(); });  // for the other files
  std::set<std::uint64_t> numbers{number.rank};
  for (const std::string& file : inputs.names()) {
    if (file == stream.name()) continue;
    const auto rank =
        inputs.find_in<RankWork>(file, [&] { return read_rank(file, stream.limits()); });
    if (rank == nullptr || !rank->number || rank->number->world != number.world) continue;
    if (!numbers.insert(rank->number->rank).second) return {};  // of several runs
    ranks.push_back(*rank);
  }
  const FastestExchanges fastest = fastest_of(ranks);
  if (!put_awaited_first(ranks, fastest)) return {};
  if (ranks.front().name == name) set_waits(ranks.front(), fastest, recording);
  return recorded(ranks);
}

}  // namespace roofline
