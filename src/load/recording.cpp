#include "load/recording.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/csv.hpp"
#include "model/layer_fields.hpp"
#include "model/recording.hpp"
#include "roofline/network.hpp"

namespace roofline {
namespace {

/// The sum lacks a counter if one launch does.
void add_counters(KernelCounters& sum, const KernelCounters& counters) {
  const auto add = [](std::optional<double>& to, const std::optional<double>& value) {
    to = to && value ? std::optional(*to + *value) : std::nullopt;
  };
  for (const Engine engine : enumerators<Engine>) add(sum.flop[engine], counters.flop[engine]);
  add(sum.dram_byte, counters.dram_byte);
  add(sum.l2_byte, counters.l2_byte);
}

void add_launch(RecordedKernel& sum, const RecordedKernel& launch) {
  sum.launches += launch.launches;
  sum.time_s += launch.time_s;
  if (sum.grid != launch.grid) sum.grid.clear();
  if (sum.block != launch.block) sum.block.clear();
  if (launch.occupancy) sum.occupancy = launch.occupancy;
  if (launch.registers) sum.registers = launch.registers;
  add_counters(sum.counters, launch.counters);
}

/// "foo" of "2ck3fooILi64E", in which each part of a nested name follows its length.
std::string_view last_part(std::string_view mangled) {
  std::string_view part;
  while (const std::size_t digits =
             std::min(mangled.find_first_not_of("0123456789"), mangled.size())) {
    const auto size = number_in<std::size_t>(mangled.substr(0, digits)).value_or(0);
    part = mangled.substr(digits, size);
    mangled.remove_prefix(digits + part.size());
  }
  return part;
}

}  // namespace

void Coverage::add(double start, double end) {
  if (ends_.empty() || start > ends_.back()) {
    before_.push_back(covered());
    starts_.push_back(start);
    ends_.push_back(end);
  } else {
    ends_.back() = std::max(ends_.back(), end);
  }
}

double Coverage::until(double time) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), time);
  if (after == starts_.begin()) return 0;
  const auto at = static_cast<std::size_t>(after - starts_.begin() - 1);
  return before_[at] + std::min(time, ends_[at]) - starts_[at];
}

void KernelList::add(const KernelLaunch& launch) {
  const RecordedKernel& kernel = launch.kernel;
  Device& device = devices_[launch.device];
  device.time_s += kernel.time_s;
  device.launches += kernel.launches;
  device.lacks_starts = device.lacks_starts || !launch.start_s;
  if (launch.start_s)
    device.intervals_s.emplace_back(*launch.start_s, *launch.start_s + kernel.time_s);
  // Launches of different sizes have different places on the roofline.
  const std::string key =
      kernel.counters.any() ? kernel.name + '\n' + kernel.grid + '\n' + kernel.block : kernel.name;
  const auto [row, is_new] = device.row_of.try_emplace(key, device.kernels.size());
  if (is_new)
    device.kernels.push_back(kernel);
  else
    add_launch(device.kernels[row->second], kernel);
}

std::string KernelList::fold_into(KernelRecording& recording) {
  if (devices_.empty()) return "";
  std::map<std::string, double> time_s;
  for (const auto& [name, device] : devices_) time_s[name] = device.time_s;
  std::string gpu = busiest(time_s);
  Device& own = devices_.at(gpu);
  if (devices_.size() > 1) {
    std::uint64_t others = 0;
    for (const auto& [name, device] : devices_)
      if (name != gpu) others += device.launches;
    recording.notes.push_back("kernels of the busiest of " + std::to_string(devices_.size()) +
                              " GPUs; launches on others, left out: " + std::to_string(others));
  }
  if (!own.lacks_starts) {
    std::ranges::sort(own.intervals_s);
    Coverage busy;
    for (const auto& [start_s, end_s] : own.intervals_s) busy.add(start_s, end_s);
    recording.span_s = busy.span();
    recording.busy_s = std::min(busy.covered(), busy.span());
  }
  recording.kernels = std::move(own.kernels);
  std::ranges::stable_sort(recording.kernels, std::greater(), &RecordedKernel::time_s);
  devices_.clear();
  return gpu;
}

NetworkSpecs specs_of(KernelRecording recording, const ByteStream& stream) {
  if (recording.kernels.empty())
    throw InputError(stream.name(), "", "expected kernels in the recording, got none");
  if (recording.name.empty())
    recording.name = name_without(stream.name(), {".gz", ".csv", ".json", ".txt", ".log"});
  recording.source = stream.name();
  NetworkSpec spec;
  spec.name = recording.name;
  spec.source = recording.source;
  spec.kernels = std::make_shared<const KernelRecording>(std::move(recording));
  return {std::make_shared<const NetworkSpec>(std::move(spec))};
}

std::string name_without(std::string_view source, std::initializer_list<std::string_view> endings) {
  std::string_view name = source.substr(source.find_last_of('/') + 1);
  for (const std::string_view ending : endings)
    if (name.size() > ending.size() && name.ends_with(ending)) name.remove_suffix(ending.size());
  return std::string(name);
}

std::string grid_text(std::string_view x, std::string_view y, std::string_view z) {
  std::string text = "(";
  return text.append(x).append(", ").append(y).append(", ").append(z).append(")");
}

void UnmodelledList::add(const std::string& name, const std::string& shapes,
                         const std::string& reason, double time_s, std::size_t launches) {
  UnmodelledWork& work = items_[{name, shapes, reason}];
  work.launches += static_cast<double>(launches);
  work.time_s += time_s;
}

std::vector<UnmodelledWork> UnmodelledList::items(std::size_t steps) const {
  std::vector<UnmodelledWork> items;
  const auto step_count = static_cast<double>(steps);
  for (const auto& [key, work] : items_) {
    const auto& [name, shapes, reason] = key;
    items.push_back({name, reason, shapes, work.launches / step_count, work.time_s / step_count});
  }
  std::ranges::stable_sort(items, std::greater(), &UnmodelledWork::time_s);
  return items;
}

std::optional<InputError> failure_of(const LayerSpec& layer) {
  NetworkSpec alone;
  alone.layers = {layer};
  alone.layers.front().repeat.reset();
  for (OperandSpec* operand : operands_of(alone.layers.front())) operand->layer.clear();
  const Expected<Network> network = infer(alone, {});
  return network ? std::nullopt : std::optional(network.error());
}

std::uint64_t element_count(const Sizes& sizes) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t count = 1;
  for (const std::uint64_t size : sizes) {
    if (size != 0 && count > most / size) return most;
    count *= size;
  }
  return count;
}

std::string sizes_text(const Sizes& sizes) {
  std::string text;
  for (const std::uint64_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

OperandSpec whole_operand(const Sizes& sizes) {
  OperandSpec operand;
  if (element_count(sizes) == 0) return operand;
  operand.whole = true;
  operand.sizes = sizes;
  for (; operand.sizes.size() > most_operand_sizes; operand.sizes.pop_back()) {
    std::uint64_t& joined = operand.sizes[operand.sizes.size() - 2];
    joined = element_count({joined, operand.sizes.back()});
  }
  while (operand.sizes.size() < fewest_operand_sizes)
    operand.sizes.insert(operand.sizes.begin(), 1);
  return operand;
}

AxesSpec axes_of(Sizes numbers) {
  AxesSpec axes;
  axes.is_list = numbers.size() > 1;
  axes.numbers = std::move(numbers);
  return axes;
}

bool mentions(std::string_view name, std::initializer_list<std::string_view> any_of) {
  return std::ranges::any_of(
      any_of, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

std::string short_kernel_name(std::string_view name) {
  constexpr std::string_view mangled = "_ZN";
  constexpr std::size_t telling = 8;  // more than "Kernel2", whose arguments tell
  if (name.starts_with(mangled))
    if (const auto own = last_part(name.substr(mangled.size())); own.size() >= telling) name = own;
  constexpr std::string_view result = "void ";
  constexpr std::string_view unnamed[] = {"(anonymous namespace)", "<unnamed>"};
  if (name.starts_with(result)) name.remove_prefix(result.size());
  std::string text;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    const auto* scope = std::ranges::find_if(
        unnamed, [&](std::string_view each) { return rest.starts_with(each); });
    if (scope != std::end(unnamed)) {
      i += scope->size() - 1 + (rest.substr(scope->size()).starts_with("::") ? 2 : 0);
      continue;
    }
    const char c = name[i];
    if (c == '(' && depth == 0 && !name.starts_with("Mem")) break;
    if (c == '<') ++depth;
    if (depth == 0) text += c;
    if (c == '>' && depth > 0) --depth;
  }
  while (text.ends_with(' ')) text.pop_back();
  if (const std::size_t own = name.find('<'); own != name.npos && mentions(text, {"cutlass"}))
    if (text.ends_with("::Kernel2") || text.ends_with("::Kernel"))
      return std::string(name.substr(own + 1, name.find_first_of("<>,(", own + 1) - own - 1));
  return text;
}

bool is_tf32_kernel(std::string_view name) {
  // CUTLASS and cuDNN name "tf32" or the instruction shape 16x8x8. Turing's fp16 kernels share the
  // shape, but fp32 operators do not run those.
  return mentions(name, {"tf32", "s1688"});
}

bool sums_in_fp16(std::string_view name) {
  // "h" before the instruction shape, where "s" means sums in fp32 (volta_h884gemm,
  // ampere_h16816cudnn); xmma names the types of operands, of result and sums, and of the scale.
  return mentions(name, {"h884", "h1688", "h16816", "_f16f16_f16f16_f16"});
}

}  // namespace roofline
