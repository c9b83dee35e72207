#include "pytorch/transfers.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "load/kernel_names.hpp"

namespace roofline {
namespace {

/// "c10d::_reduce_scatter_base_" as "c10dreducescatterbase": libraries differ in case and marks.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
  }
  return letters;
}

struct KindMark {
  std::string_view letters;
  TransferKind kind;
};

// Longer names before those that stand in them.
constexpr KindMark kind_marks[] = {
    {"allreduce", TransferKind::all_reduce}, {"crossdevicereduce", TransferKind::all_reduce},
    {"allgather", TransferKind::all_gather}, {"reducescatter", TransferKind::reduce_scatter},
    {"alltoall", TransferKind::all_to_all},  {"broadcast", TransferKind::broadcast},
    {"gather", TransferKind::gather},        {"scatter", TransferKind::scatter},
    {"reduce", TransferKind::reduce},        {"sendrecv", TransferKind::send_receive},
    {"send", TransferKind::send_receive},    {"recv", TransferKind::send_receive}};
/// So many of them are in no name of other work.
constexpr std::size_t telling_marks = 5;

/// Whether an operator or kernel of that name is work between GPUs: "record_param_comms",
/// "c10d::allreduce_", "ncclDevKernel_AllGather_RING_LL(...)".
bool is_collective(std::string_view name) {
  if (name.starts_with("aten::")) return false;
  if (mentions(name, {"record_param_comms", "c10d::", "nccl", "symm_mem::"})) return true;
  const std::string letters = letters_of(short_kernel_name(name));
  return std::any_of(std::begin(kind_marks), std::begin(kind_marks) + telling_marks,
                     [&](const KindMark& mark) { return mentions(letters, {mark.letters}); });
}

/// All that a recording says of one exchange between GPUs.
struct ExchangeRecord {
  std::vector<std::string_view> names;  ///< "allreduce": messages', operators' and the kernel's
  std::vector<TensorArgument> tensors;
  const RecordedMessage* message = nullptr;
  std::string_view message_type;  ///< "BFloat16"
};

/// What GPUs exchange in one operation.
struct Exchange {
  TransferKind kind = TransferKind::collective;
  std::string type;            ///< "bf16", what its elements are; empty where it is not known
  std::uint64_t elements = 0;  ///< 0 where it is not known
  std::optional<double> byte;
  std::optional<std::uint64_t> ranks;
};

/// The first name that tells a kind.
TransferKind kind_of(const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    const std::string letters = letters_of(name);
    for (const KindMark& mark : kind_marks)
      if (mentions(letters, {mark.letters})) return mark.kind;
  }
  return TransferKind::collective;
}

/// The elements of the smallest and of the largest tensor.
std::pair<std::uint64_t, std::uint64_t> extent_of(const std::vector<TensorArgument>& tensors) {
  std::pair<std::uint64_t, std::uint64_t> extent{0, 0};
  for (const TensorArgument& tensor : tensors) {
    const std::uint64_t elements = tensor.sizes.empty() ? 0 : element_count(tensor.sizes);
    if (elements == 0) continue;
    extent.first = extent.first == 0 ? elements : std::min(extent.first, elements);
    extent.second = std::max(extent.second, elements);
  }
  return extent;
}

const ElementType* type_of(const ExchangeRecord& record) {
  if (const ElementType* type = find_element_type(record.message_type)) return type;
  for (const TensorArgument& tensor : record.tensors)
    if (const ElementType* type = find_element_type(tensor.type_name)) return type;
  return nullptr;
}

/// Without a message the tensors tell the sizes.
Exchange exchange_of(const ExchangeRecord& record) {
  Exchange exchange;
  exchange.kind = kind_of(record.names);
  if (record.message != nullptr) {
    exchange.elements = std::max(record.message->in_elements, record.message->out_elements);
    if (record.message->ranks > 0) exchange.ranks = record.message->ranks;
  } else {
    const auto [share, whole] = extent_of(record.tensors);
    const bool gathers = exchange.kind == TransferKind::all_gather;
    exchange.elements = whole;
    // The smaller side of an all_gather or a reduce_scatter is one GPU's share of the larger.
    if ((gathers || exchange.kind == TransferKind::reduce_scatter) && share < whole &&
        whole % share == 0)
      exchange.ranks = whole / share;
    // One side alone is the share of an all_gather: what it gives cannot be told without the other.
    if (gathers && !exchange.ranks) exchange.elements = 0;
  }
  const ElementType* type = type_of(record);
  if (type == nullptr) return exchange;
  exchange.type = type->shown;
  if (exchange.elements > 0 && type->type)
    exchange.byte =
        static_cast<double>(exchange.elements) * static_cast<double>(info(*type->type).bits) / 8;
  return exchange;
}

/// When at least one of some activities ran.
class Coverage {
 public:
  /// Activities come in the order of their starts.
  void add(double start_us, double end_us) {
    if (ends_us_.empty() || start_us > ends_us_.back()) {
      before_us_.push_back(ends_us_.empty() ? 0 : until(ends_us_.back()));
      starts_us_.push_back(start_us);
      ends_us_.push_back(end_us);
    } else {
      ends_us_.back() = std::max(ends_us_.back(), end_us);
    }
  }

  double within(double start_us, double end_us) const { return until(end_us) - until(start_us); }

 private:
  double until(double time_us) const {
    const auto after = std::upper_bound(starts_us_.begin(), starts_us_.end(), time_us);
    if (after == starts_us_.begin()) return 0;
    const auto at = static_cast<std::size_t>(after - starts_us_.begin() - 1);
    return before_us_[at] + std::min(time_us, ends_us_[at]) - starts_us_[at];
  }

  std::vector<double> starts_us_;
  std::vector<double> ends_us_;
  std::vector<double> before_us_;  ///< covered before each start
};

/// "Memcpy HtoD (Pageable -> Device)" as "pageable": the host's side, where it is named.
std::string host_memory(std::string_view name) {
  for (const std::string_view memory : {"Pageable", "Pinned"})
    if (name.find(memory) != std::string_view::npos)
      return memory == "Pinned" ? "pinned" : "pageable";
  return "";
}

/// A question of a name, asked once of each: recordings have few names and many events.
class NameTest {
 public:
  NameTest(const TextPool& texts, bool (*test)(std::string_view)) : texts_(texts), test_(test) {}

  bool of(TextId id) {
    const auto [entry, inserted] = answers_.try_emplace(id, false);
    if (inserted) entry->second = test_(texts_.at(id));
    return entry->second;
  }

 private:
  const TextPool& texts_;
  bool (*test_)(std::string_view);
  std::unordered_map<TextId, bool> answers_;
};

class TransferList {
 public:
  TransferList(const Recording& recording, const WorkOrigins& origins)
      : recording_(recording), origins_(origins) {}

  bool is_exchange(std::uint32_t index) {
    const std::uint32_t op = origins_.of_activities[index].operator_index;
    return is_collective_.of(recording_.activities[index].name) ||
           (op != no_index && is_collective_.of(recording_.operators[op].name));
  }

  std::optional<TransferKind> copy_of(std::uint32_t index) const {
    return copy_kind(recording_.name(recording_.activities[index]));
  }

  void add_copy(std::uint32_t index, TransferKind kind, double hidden_us) {
    const GpuActivity& activity = recording_.activities[index];
    std::optional<double> byte;
    if (activity.byte > 0) byte = static_cast<double>(activity.byte);
    add({kind, host_memory(recording_.name(activity)), 0, {}}, byte, activity, hidden_us);
  }

  /// The kernels of one operator are one exchange: its bytes count once.
  void add_exchange(std::uint32_t index, double hidden_us) {
    const std::uint32_t op = origins_.of_activities[index].operator_index;
    const Exchange exchange = exchange_of(record_of(index));
    const bool is_first = op == no_index || seen_.insert(op).second;
    add({exchange.kind, exchange.type, exchange.elements, exchange.ranks},
        is_first ? exchange.byte : std::nullopt, recording_.activities[index], hidden_us);
  }

  /// The transfers of one step, in descending order of time.
  std::vector<Transfer> items(std::size_t steps) const {
    const auto step_count = static_cast<double>(steps);
    std::map<std::tuple<TransferKind, std::string, std::optional<std::uint64_t>>, Transfer> folded;
    for (const auto& [key, transfer] : transfers_) {
      const auto& [kind, type, elements, ranks] = key;
      const bool every_step = transfer.launches >= step_count;
      const std::string what = what_of(type, elements, every_step);
      Transfer& item = folded[{kind, what, ranks}];
      item.kind = kind;
      item.what = what;
      item.ranks = ranks;
      item.launches += transfer.launches / step_count;
      item.time_s += transfer.time_s / step_count;
      item.hidden_s += transfer.hidden_s / step_count;
      if (transfer.byte) item.byte = item.byte.value_or(0) + *transfer.byte / step_count;
    }
    std::vector<Transfer> items;
    items.reserve(folded.size());
    for (auto& [key, item] : folded) items.push_back(std::move(item));
    std::stable_sort(items.begin(), items.end(),
                     [](const Transfer& a, const Transfer& b) { return a.time_s > b.time_s; });
    return items;
  }

 private:
  /// Kind, type or host's memory, elements and ranks.
  using Key = std::tuple<TransferKind, std::string, std::uint64_t, std::optional<std::uint64_t>>;

  void add(const Key& key, std::optional<double> byte, const GpuActivity& activity,
           double hidden_us) {
    Transfer& transfer = transfers_[key];
    if (byte) transfer.byte = transfer.byte.value_or(0) + *byte;
    transfer.launches += 1;
    transfer.time_s += activity.duration_us * s_per_us;
    transfer.hidden_s += hidden_us * s_per_us;
  }

  /// "bf16 8816192"; of the host's memory or an unknown size as it is. What runs with other sizes
  /// in every step has no one size.
  static std::string what_of(const std::string& type, std::uint64_t elements, bool every_step) {
    if (elements == 0) return type;
    const std::string prefix = type.empty() ? "" : type + ' ';
    return prefix + (every_step ? std::to_string(elements) : "of several sizes");
  }

  /// What the operator that launched it, those around that, and the kernel itself say.
  ExchangeRecord record_of(std::uint32_t index) {
    constexpr std::size_t most_ranges = 6;
    const GpuActivity& activity = recording_.activities[index];
    ExchangeRecord record;
    const auto take_message = [&](std::uint32_t message) {
      if (message == 0 || record.message != nullptr) return;
      record.message = &recording_.messages[message];
      record.message_type = recording_.texts.at(record.message->type);
      record.names.push_back(recording_.texts.at(record.message->collective));
    };
    take_message(activity.message);
    std::uint32_t op = origins_.of_activities[index].operator_index;
    for (std::size_t i = 0; i < most_ranges && op != no_index; ++i, op = origins_.callers[op]) {
      const HostRange& range = recording_.operators[op];
      if (!is_collective_.of(range.name)) break;
      take_message(range.message);
      record.names.push_back(recording_.name(range));
      add_tensors(read_arguments(recording_.arguments[range.arguments], recording_.texts), record);
    }
    record.names.push_back(recording_.name(activity));
    return record;
  }

  static void add_tensors(const OperatorArguments& arguments, ExchangeRecord& record) {
    for (std::size_t i = 0; i < arguments.count(); ++i) {
      if (const TensorArgument* tensor = arguments.tensor(i)) record.tensors.push_back(*tensor);
      for (const TensorArgument& tensor : arguments.list(i)) record.tensors.push_back(tensor);
    }
  }

  const Recording& recording_;
  const WorkOrigins& origins_;
  NameTest is_collective_{recording_.texts, is_collective};
  std::unordered_set<std::uint32_t> seen_;  ///< operators whose bytes are counted
  std::map<Key, Transfer> transfers_;       ///< the sums of all steps
};

}  // namespace

SplitWork split_transfers(const Recording& recording, const WorkOrigins& origins,
                          const std::vector<std::uint32_t>& activities, std::size_t steps) {
  SplitWork split;
  TransferList list(recording, origins);
  Coverage computing;
  std::vector<std::uint32_t> transfers;
  for (const std::uint32_t index : activities) {
    const GpuActivity& activity = recording.activities[index];
    const bool is_copy = list.copy_of(index).has_value();
    const bool is_transfer = is_copy || list.is_exchange(index);
    (is_transfer ? transfers : split.computing).push_back(index);
    if (!is_copy) split.computing_and_exchanges.push_back(index);
    if (!is_transfer) computing.add(activity.start_us, activity.end_us());
  }
  for (const std::uint32_t index : transfers) {
    const GpuActivity& activity = recording.activities[index];
    const double hidden_us = computing.within(activity.start_us, activity.end_us());
    if (const auto kind = list.copy_of(index))
      list.add_copy(index, *kind, hidden_us);
    else
      list.add_exchange(index, hidden_us);
  }
  split.transfers = list.items(steps);
  return split;
}

}  // namespace roofline
