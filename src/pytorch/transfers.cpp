#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/recording.hpp"
#include "model/text.hpp"
#include "pytorch/recording.hpp"

namespace roofline {
namespace {

/// "c10d::_reduce_scatter_base_" as "c10dreducescatterbase": libraries differ in case and marks.
std::string letters_of(std::string_view name) {
  std::string letters = lower_case(name);
  std::erase_if(letters, [](char c) { return !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'); });
  return letters;
}

struct KindMark {
  std::string_view letters;
  TransferKind kind;
};

// Longer names first, as they contain shorter ones.
constexpr KindMark kind_marks[] = {
    {"allreduce", TransferKind::all_reduce}, {"crossdevicereduce", TransferKind::all_reduce},
    {"allgather", TransferKind::all_gather}, {"reducescatter", TransferKind::reduce_scatter},
    {"alltoall", TransferKind::all_to_all},  {"broadcast", TransferKind::broadcast},
    {"gather", TransferKind::gather},        {"scatter", TransferKind::scatter},
    {"reduce", TransferKind::reduce},        {"sendrecv", TransferKind::send_receive},
    {"send", TransferKind::send_receive},    {"recv", TransferKind::send_receive}};
/// The first marks occur in no other work's name.
constexpr std::size_t telling_marks = 5;

std::optional<TransferKind> copy_kind(std::string_view name) {
  if (!name.starts_with("Memcpy")) return std::nullopt;
  if (mentions(name, {"HtoD"})) return TransferKind::host_to_device;
  if (mentions(name, {"DtoH"})) return TransferKind::device_to_host;
  if (mentions(name, {"PtoP"})) return TransferKind::peer_to_peer;
  if (mentions(name, {"HtoH"})) return TransferKind::host_to_host;
  return std::nullopt;
}

struct ExchangeRecord {
  std::vector<std::string_view> names;  ///< "allreduce": of messages, operators and the kernel
  std::vector<const TensorArgument*> tensors;
  const RecordedMessage* message = nullptr;
  const ElementType* type = nullptr;
};

/// A transfer over a link. `what`: the element type, or the host's memory.
struct LinkWork {
  Transfer transfer;
  std::uint64_t elements = 0;  ///< 0 if unknown
};

TransferKind kind_of(const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    const std::string letters = letters_of(name);
    for (const KindMark& mark : kind_marks)
      if (mentions(letters, {mark.letters})) return mark.kind;
  }
  return TransferKind::collective;
}

/// Sizes come from the message, or else from the tensors.
LinkWork exchange_of(const ExchangeRecord& record) {
  LinkWork work;
  Transfer& transfer = work.transfer;
  transfer.kind = kind_of(record.names);
  if (record.message != nullptr) {
    work.elements = std::max(record.message->in_elements, record.message->out_elements);
    if (record.message->ranks > 0) transfer.ranks = record.message->ranks;
  } else {
    std::uint64_t share = std::numeric_limits<std::uint64_t>::max();
    for (const TensorArgument* tensor : record.tensors) {
      const std::uint64_t elements = element_count(tensor->sizes);
      if (tensor->sizes.empty() || elements == 0) continue;
      share = std::min(share, elements);
      work.elements = std::max(work.elements, elements);
    }
    const bool gathers = transfer.kind == TransferKind::all_gather;
    // The smaller side of an all_gather or a reduce_scatter is one GPU's share of the larger.
    if ((gathers || transfer.kind == TransferKind::reduce_scatter) && share < work.elements &&
        work.elements % share == 0)
      transfer.ranks = work.elements / share;
    // A lone side is the share of an all_gather: its result is unknown.
    if (gathers && !transfer.ranks) work.elements = 0;
  }
  if (record.type == nullptr) return work;
  transfer.what = record.type->name;
  if (work.elements > 0)
    transfer.byte = static_cast<double>(work.elements) * element_byte(record.type->type);
  return work;
}

class TransferList {
 public:
  TransferList(const Recording& recording, const WorkOrigins& origins)
      : recording_(recording), origins_(origins) {}

  bool is_exchange(std::uint32_t index) {
    const std::uint32_t op = origins_.of_activities[index].operator_index;
    return is_collective_name(recording_.activities[index].name) ||
           (op != no_index && is_collective_name(recording_.operators[op].name));
  }

  void add(std::uint32_t index, double hidden_us) {
    const GpuActivity& activity = recording_.activities[index];
    const auto copied = copy_kind(recording_.name(activity));
    const auto [made, elements] =
        copied ? copy_of(activity, *copied) : exchange_of(record_of(index));
    Transfer& transfer = transfers_[{made.kind, made.what, elements, made.ranks}];
    transfer.kind = made.kind;
    transfer.ranks = made.ranks;
    // The kernels of an operator are one exchange, whose bytes count once.
    const std::uint32_t op = origins_.of_activities[index].operator_index;
    if (made.byte && (copied || op == no_index || seen_.insert(op).second))
      transfer.byte = transfer.byte.value_or(0) + *made.byte;
    transfer.launches += 1;
    transfer.time_s += activity.duration_us * s_per_us;
    transfer.hidden_s += hidden_us * s_per_us;
    transfer.waiting_s += activity.waiting_us * s_per_us;
  }

  /// Transfers of one step, by falling time.
  std::vector<Transfer> items(std::size_t steps) const {
    const auto step_count = static_cast<double>(steps);
    std::map<std::tuple<TransferKind, std::string, std::optional<std::uint64_t>>, Transfer> folded;
    for (const auto& [key, transfer] : transfers_) {
      const auto& [kind, type, elements, ranks] = key;
      const std::string what = what_of(type, elements, transfer.launches >= step_count);
      Transfer& item = folded[{kind, what, ranks}];
      item.kind = kind;
      item.what = what;
      item.ranks = ranks;
      item.launches += transfer.launches / step_count;
      item.time_s += transfer.time_s / step_count;
      item.hidden_s += transfer.hidden_s / step_count;
      item.waiting_s += transfer.waiting_s / step_count;
      if (transfer.byte) item.byte = item.byte.value_or(0) + *transfer.byte / step_count;
    }
    std::vector<Transfer> items;
    items.reserve(folded.size());
    for (auto& [key, item] : folded) items.push_back(std::move(item));
    std::ranges::stable_sort(items, std::greater(), &Transfer::time_s);
    return items;
  }

 private:
  using Key = std::tuple<TransferKind, std::string, std::uint64_t, std::optional<std::uint64_t>>;

  /// Cached: recordings have few names and many events.
  bool is_collective_name(TextId id) {
    const auto [entry, inserted] = is_collective_.try_emplace(id, false);
    if (inserted) entry->second = roofline::is_exchange(recording_.texts.at(id));
    return entry->second;
  }

  LinkWork copy_of(const GpuActivity& activity, TransferKind kind) const {
    LinkWork work;
    work.transfer.kind = kind;
    // "Memcpy HtoD (Pageable -> Device)" names the host's side.
    const std::string& name = recording_.name(activity);
    if (mentions(name, {"Pinned"})) work.transfer.what = "pinned";
    if (mentions(name, {"Pageable"})) work.transfer.what = "pageable";
    if (activity.byte > 0) work.transfer.byte = static_cast<double>(activity.byte);
    return work;
  }

  /// "bf16 8816192"; without a size if it is unknown, and "of several sizes" if steps differ.
  static std::string what_of(const std::string& type, std::uint64_t elements, bool every_step) {
    if (elements == 0) return type;
    const std::string prefix = type.empty() ? "" : type + ' ';
    return prefix + (every_step ? std::to_string(elements) : "of several sizes");
  }

  ExchangeRecord record_of(std::uint32_t index) {
    constexpr std::size_t most_ranges = 6;
    const GpuActivity& activity = recording_.activities[index];
    ExchangeRecord record;
    const auto take_message = [&](std::uint32_t message) {
      if (message == 0 || record.message != nullptr) return;
      record.message = &recording_.messages[message];
      record.names.push_back(recording_.texts.at(record.message->collective));
    };
    take_message(activity.message);
    std::uint32_t op = origins_.of_activities[index].operator_index;
    for (std::size_t i = 0; i < most_ranges && op != no_index; ++i) {
      const HostRange& range = recording_.operators[op];
      if (!is_collective_name(range.name)) break;
      take_message(range.message);
      record.names.push_back(recording_.name(range));
      for (const Argument& argument : recording_.arguments[range.arguments])
        for (const TensorArgument& tensor : argument.tensors) record.tensors.push_back(&tensor);
      op = origins_.callers[op];
    }
    record.names.push_back(recording_.name(activity));
    if (record.message != nullptr)
      record.type = find_element_type(recording_.texts.at(record.message->type));
    for (const TensorArgument* tensor : record.tensors)
      if (record.type == nullptr) record.type = find_element_type(tensor->type_name);
    return record;
  }

  const Recording& recording_;
  const WorkOrigins& origins_;
  std::unordered_map<TextId, bool> is_collective_;
  std::unordered_set<std::uint32_t> seen_;  ///< operators whose bytes are counted
  std::map<Key, Transfer> transfers_;       ///< sums over all steps
};

}  // namespace

bool is_exchange(std::string_view name) {
  if (name.starts_with("aten::")) return false;
  if (mentions(name, {"record_param_comms", "c10d::", "nccl", "symm_mem::"})) return true;
  const std::string letters = letters_of(short_kernel_name(name));
  return std::any_of(std::begin(kind_marks), std::begin(kind_marks) + telling_marks,
                     [&](const KindMark& mark) { return mentions(letters, {mark.letters}); });
}

SplitWork split_transfers(const Recording& recording, const WorkOrigins& origins,
                          const std::vector<std::uint32_t>& activities, std::size_t steps) {
  SplitWork split;
  TransferList list(recording, origins);
  std::vector<std::uint32_t> transfers;
  for (const std::uint32_t index : activities) {
    const GpuActivity& activity = recording.activities[index];
    const bool is_copy = copy_kind(recording.name(activity)).has_value();
    const bool is_transfer = is_copy || list.is_exchange(index);
    (is_transfer ? transfers : split.computing).push_back(index);
    if (!is_copy) split.computing_and_exchanges.push_back(index);
  }
  const Coverage computing = busy_time(recording, split.computing);
  for (const std::uint32_t index : transfers) {
    const GpuActivity& activity = recording.activities[index];
    list.add(index, computing.within(activity.start_us, activity.end_us()));
  }
  split.transfers = list.items(steps);
  return split;
}

}  // namespace roofline
