#include "pytorch/transfers.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "pytorch/collectives.hpp"
#include "pytorch/kernel_names.hpp"

namespace roofline {
namespace {

/// When at least one of some activities ran.
class Coverage {
 public:
  /// In the order of their starts.
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
  TransferList(const Recording& recording, const Links& links)
      : recording_(recording), links_(links) {}

  bool is_exchange(std::uint32_t index) {
    const std::uint32_t op = links_.origins[index].operator_index;
    return is_collective_.of(recording_.activities[index].name) ||
           (op != no_index && is_collective_.of(recording_.operators[op].name));
  }

  std::optional<TransferKind> copy_of(std::uint32_t index) const {
    return copy_kind(name_at(recording_.activities[index].name));
  }

  void add_copy(std::uint32_t index, TransferKind kind, double hidden_us) {
    const GpuActivity& activity = recording_.activities[index];
    Transfer& transfer = transfers_[{kind, host_memory(name_at(activity.name)), 0, {}}];
    if (activity.byte > 0)
      transfer.byte = transfer.byte.value_or(0) + static_cast<double>(activity.byte);
    add(transfer, activity.duration_us, hidden_us);
  }

  /// The kernels of one operator are one exchange: its bytes count once.
  void add_exchange(std::uint32_t index, double hidden_us) {
    const std::uint32_t op = links_.origins[index].operator_index;
    const Exchange exchange = exchange_at(index);
    Transfer& transfer =
        transfers_[{exchange.kind, exchange.type, exchange.elements, exchange.ranks}];
    const bool is_first = op == no_index || seen_.insert(op).second;
    if (exchange.byte && is_first) transfer.byte = transfer.byte.value_or(0) + *exchange.byte;
    add(transfer, recording_.activities[index].duration_us, hidden_us);
  }

  std::vector<Transfer> items(std::size_t steps) && {
    const auto step_count = static_cast<double>(steps);
    std::map<std::tuple<TransferKind, std::string, std::optional<std::uint64_t>>, Transfer> folded;
    for (const auto& [key, transfer] : transfers_) {
      const auto& [kind, type, elements, ranks] = key;
      const bool every_step = transfer.launches >= step_count;
      const std::string what =
          what_of(type, every_step || elements == 0 ? elements : several_sizes);
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
  const std::string& name_at(TextId id) const { return recording_.texts.at(id); }

  static constexpr std::uint64_t several_sizes = ~std::uint64_t{0};

  /// "bf16 8816192"; of the host's memory or an unknown size as it is.
  static std::string what_of(const std::string& type, std::uint64_t elements) {
    if (elements == 0) return type;
    const std::string prefix = type.empty() ? "" : type + ' ';
    return prefix + (elements == several_sizes ? "of several sizes" : std::to_string(elements));
  }

  static void add(Transfer& transfer, double time_us, double hidden_us) {
    constexpr double microsecond_s = 1e-6;
    transfer.launches += 1;
    transfer.time_s += time_us * microsecond_s;
    transfer.hidden_s += hidden_us * microsecond_s;
  }

  /// What the operator that launched it, those around that, and the kernel itself say.
  Exchange exchange_at(std::uint32_t index) {
    const GpuActivity& activity = recording_.activities[index];
    std::vector<ExchangeSource> sources;
    std::vector<OperatorArguments> arguments;  // which the sources point into
    arguments.reserve(most_ranges);
    std::uint32_t message = activity.message;
    const auto name_message = [&] {
      if (message != 0) sources.push_back({name_at(recording_.messages[message].collective), {}});
    };
    name_message();
    for (std::uint32_t op = links_.origins[index].operator_index;
         op != no_index && arguments.size() < most_ranges; op = links_.callers[op]) {
      const HostRange& range = recording_.operators[op];
      if (!is_collective_.of(range.name)) break;
      if (message == 0 && range.message != 0) {
        message = range.message;
        name_message();
      }
      arguments.emplace_back(recording_.arguments[range.arguments], recording_.texts);
      sources.push_back({name_at(range.name), tensors_in(arguments.back())});
    }
    sources.push_back({name_at(activity.name), {}});
    if (message == 0) return exchange_of(sources, std::nullopt);
    const RecordedMessage& own = recording_.messages[message];
    return exchange_of(
        sources, ExchangeMessage{name_at(own.type), own.in_elements, own.out_elements, own.ranks});
  }

  static std::vector<const TensorArgument*> tensors_in(const OperatorArguments& arguments) {
    std::vector<const TensorArgument*> tensors;
    for (std::size_t i = 0; i < arguments.count(); ++i) {
      if (const TensorArgument* tensor = arguments.tensor(i)) tensors.push_back(tensor);
      for (const TensorArgument& tensor : arguments.tensors(i)) tensors.push_back(&tensor);
    }
    return tensors;
  }

  static constexpr std::size_t most_ranges = 6;

  const Recording& recording_;
  const Links& links_;
  NameTest is_collective_{recording_.texts, is_collective};
  std::unordered_set<std::uint32_t> seen_;  ///< operators whose bytes are counted
  /// By kind, type or host's memory, elements and ranks; the sums of all steps.
  std::map<std::tuple<TransferKind, std::string, std::uint64_t, std::optional<std::uint64_t>>,
           Transfer>
      transfers_;
};

}  // namespace

SplitWork split_transfers(const Recording& recording, const Links& links,
                          const std::vector<std::uint32_t>& activities, std::size_t steps) {
  SplitWork split;
  TransferList list(recording, links);
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
  split.transfers = std::move(list).items(steps);
  return split;
}

}  // namespace roofline
