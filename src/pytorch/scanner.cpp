#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "load/csv.hpp"
#include "load/json.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "pytorch/recording.hpp"

namespace roofline {
namespace {

std::uint64_t count_in(const Value& object, std::string_view key) {
  return object.find(key).try_integer().value_or(0);
}

/// Older profilers write times as texts.
std::optional<double> time_in(const Value& value) {
  return value.is_number() ? value.number() : number_in<double>(value.try_text());
}

/// Processes and threads have numbers or names.
void append_word(const Value& value, std::string& text) {
  if (const auto number = value.try_integer())
    text += std::to_string(*number);
  else
    text += value.is_string() ? value.try_text() : value.json();
}

/// Appends a key of the arguments. Returns the number of values.
std::uint64_t append_list(const Value& list, std::string& text) {
  constexpr char string_end = '\x1f';
  std::uint64_t values = list.size();
  text += '[';
  for (const Value part : list) {
    if (part.is_array())
      values += append_list(part, text);
    else if (const auto number = part.try_integer())
      text.append(std::to_string(*number)).append(1, ',');
    else
      text.append(part.try_text()).append(1, string_end);
  }
  text += ']';
  return values;
}

Sizes numbers_in(const Value& list) {
  return each_of(list, [](const Value& each) { return each.try_integer().value_or(0); });
}

bool has_list(const Value& list) {
  for (const Value each : list)
    if (each.is_array()) return true;
  return false;
}

/// PyTorch before 1.13 recorded no values.
Arguments read_arguments(const Value& sizes, const Value& strides, const Value& types,
                         const Value& values) {
  const Value none = sizes.find("");
  const auto part = [&](const Value& list, std::size_t i) {
    return i < list.size() ? list.at(i) : none;
  };
  std::vector<Argument> arguments(std::max({sizes.size(), types.size(), values.size()}));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Argument& argument = arguments[i];
    argument.type = part(types, i).try_text();
    argument.value = part(values, i).try_text();
    if (i >= sizes.size()) continue;
    const Value own = sizes.at(i);
    const Value stride = part(strides, i);
    argument.is_list = argument.type == "TensorList" || has_list(own);
    const ElementType* type = find_element_type(argument.type);
    const auto own_type = type != nullptr ? std::optional(type->type) : std::nullopt;
    const std::string_view type_name = type != nullptr ? type->name : "";
    const auto add = [&](const Value& size, const Value& its_stride) {
      argument.tensors.push_back(
          {{.sizes = numbers_in(size), .strides = numbers_in(its_stride), .type = own_type},
           type_name});
    };
    if (!argument.is_list) add(own, stride);
    for (std::size_t j = 0; argument.is_list && j < own.size(); ++j)
      add(own.at(j), part(stride, j));
  }
  return arguments;
}

class Scanner {
 public:
  explicit Scanner(const ByteStream& stream)
      : source_(stream.name()), most_values_(2 * stream.limits().values) {}

  void add(const Value& event) {
    ++events_;
    const std::string_view phase = event.find("ph").try_text();
    if (phase == "X") add_whole(event);
    if (phase == "B" || phase == "E") ++recording_.half_events;
    if ((phase == "s" || phase == "f") && event.find("cat").try_text() == "fwdbwd")
      add_link(event, phase == "s");
  }

  void add_device(const Value& object) {
    recording_.gpus.try_emplace(static_cast<std::uint32_t>(count_in(object, "id")),
                                RecordedGpu{std::string(object.find("name").try_text()),
                                            object.find("numSms").try_integer(),
                                            object.find("totalGlobalMem").try_integer(),
                                            object.find("warpSize").try_integer()});
  }

  Recording take() { return std::move(recording_); }

 private:
  void add_whole(const Value& event) {
    // The second names are those of PyTorch 1.8 to 1.12.
    const std::string_view category = category_of(event);
    const std::string_view name = event.find("name").try_text();
    const bool is_annotation = category == "user_annotation";
    const bool is_step = name.starts_with("ProfilerStep");
    const bool is_operator = category == "cpu_op" || category == "Operator";
    if (is_step && (is_annotation || is_operator))
      add_step(event);
    else if (name.starts_with(before_module) && (is_annotation || is_operator))
      add_module(event, name.substr(before_module.size()));
    else if (is_operator ||
             (is_annotation && name.starts_with("nccl:")))  // around work between GPUs
      add_operator(event);
    else if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset" ||
             category == "Kernel" || category == "Memcpy" || category == "Memset")
      add_activity(event);
    else if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime")
      add_call(event);
    else if (is_annotation || category == "python_function")
      add_long_range(event);
  }

  /// Before 1.8, PyTorch told categories by the names of processes.
  static std::string_view category_of(const Value& event) {
    const std::string_view category = event.find("cat").try_text();
    if (!category.empty()) return category;
    const std::string_view process = event.find("pid").try_text();
    return process == "CUDA functions" ? "kernel" : process == "CPU functions" ? "cpu_op" : "";
  }

  struct Times {
    double start_us;
    double duration_us;
  };

  Times times_of(const Value& event) const {
    constexpr double longest_us = 1e12;  // twelve days
    const std::optional<double> start_us = time_in(event.find("ts"));
    const std::optional<double> duration_us = time_in(event.find("dur"));
    if (start_us && duration_us && std::abs(*start_us) < 1e18 && *duration_us >= 0 &&
        *duration_us < longest_us)
      return {*start_us, *duration_us};
    throw InputError(source_, "/traceEvents/" + std::to_string(events_ - 1),
                     "expected numbers of microseconds, ts and a dur from 0 to 1e12, got others in "
                     "the event " +
                         in_quotes(event.find("name").try_text()));
  }

  TextId name_of(const Value& event) { return recording_.texts.id(event.find("name").try_text()); }

  /// Older profilers write "external id".
  static std::uint64_t operator_id(const Value& arguments) {
    const auto id = arguments.find("External id").try_integer();
    return id ? *id : count_in(arguments, "external id");
  }

  void add_step(const Value& event) {
    const auto [start_us, duration_us] = times_of(event);
    recording_.steps.push_back({start_us, start_us + duration_us, process_of(event)});
  }

  HostRange range_of(const Value& event) {
    const auto [start_us, duration_us] = times_of(event);
    return {start_us, start_us + duration_us, operator_id(event.find("args")), name_of(event),
            thread_of(event)};
  }

  void add_operator(const Value& event) {
    const Value arguments = event.find("args");
    HostRange& range = recording_.operators.emplace_back(range_of(event));
    range.arguments = arguments_of(arguments);
    range.message = message_of(arguments);
  }

  void add_activity(const Value& event) {
    const auto [start_us, duration_us] = times_of(event);
    const Value arguments = event.find("args");
    recording_.activities.push_back({start_us, duration_us, operator_id(arguments),
                                     count_in(arguments, "correlation"),
                                     count_in(arguments, "bytes"), name_of(event),
                                     static_cast<std::uint32_t>(count_in(arguments, "device")),
                                     process_of(event), message_of(arguments)});
  }

  /// Only calls that put work on the GPU matter.
  void add_call(const Value& event) {
    add_long_range(event);
    if (mentions(event.find("name").try_text(), {"Launch", "Memcpy", "Memset"}))
      recording_.calls.push_back({range_of(event), count_in(event.find("args"), "correlation")});
  }

  /// A range of the user's, which explains gaps as others do.
  void add_module(const Value& event, std::string_view name) {
    add_long_range(event);
    HostRange& range = recording_.modules.emplace_back(range_of(event));
    range.name = recording_.texts.id(name);
  }

  /// An arrow from an operator to its backward pass: two events with one number.
  void add_link(const Value& event, bool is_forward) {
    const std::optional<double> time_us = time_in(event.find("ts"));
    const std::optional<std::uint64_t> number = event.find("id").try_integer();
    if (!time_us || !number) return;
    const auto [found, is_new] = open_links_.try_emplace(*number);
    BackwardLink& link = found->second;
    (is_forward ? link.forward_thread : link.backward_thread) = thread_of(event);
    (is_forward ? link.forward_us : link.backward_us) = *time_us;
    if (is_new) return;
    recording_.backward_links.push_back(link);
    open_links_.erase(found);
  }

  /// Long ranges only explain; one without times is skipped.
  void add_long_range(const Value& event) {
    const std::optional<double> start_us = time_in(event.find("ts"));
    const double duration_us = time_in(event.find("dur")).value_or(0);
    if (!start_us || !(duration_us >= least_long_range_us)) return;
    recording_.long_ranges.push_back(
        {*start_us, *start_us + duration_us, 0, name_of(event), thread_of(event), 0});
  }

  std::uint32_t thread_of(const Value& event) {
    key_.clear();
    append_word(event.find("pid"), key_);
    key_ += '/';
    append_word(event.find("tid"), key_);
    const auto next = static_cast<std::uint32_t>(thread_ids_.size());
    const auto [thread, is_new] = thread_ids_.try_emplace(key_, next);
    if (is_new) recording_.process_of_threads.push_back(process_of(event));
    return thread->second;
  }

  std::uint32_t process_of(const Value& event) {
    key_.clear();
    append_word(event.find("pid"), key_);
    return recording_.processes.id(key_);
  }

  std::uint32_t arguments_of(const Value& own) {
    const Value sizes = own.find(own.contains("Input dims") ? "Input dims" : "Input Dims");
    const Value strides = own.find("Input Strides");
    const Value types = own.find("Input type");
    const Value values = own.find("Concrete Inputs");
    recording_.has_values = recording_.has_values || values.is_array();
    key_.clear();
    bool is_known = false;
    std::uint64_t count = 0;
    for (const Value& list : {sizes, strides, types, values}) {
      is_known = is_known || list.is_array();
      count += append_list(list, key_);
    }
    if (!is_known) return 0;
    const auto next = static_cast<std::uint32_t>(recording_.arguments.size());
    const auto [entry, inserted] = argument_ids_.try_emplace(key_, next);
    if (!inserted) return entry->second;
    argument_values_ += count;
    if (argument_values_ > most_values_)
      throw limit_error(source_, "",
                        "at most " + std::to_string(most_values_) +
                            " values in arguments of operators, equal lists of them once");
    recording_.arguments.push_back(read_arguments(sizes, strides, types, values));
    return next;
  }

  std::uint32_t message_of(const Value& own) {
    const std::string_view collective = own.find("Collective name").try_text();
    if (collective.empty()) return 0;
    recording_.messages.push_back(
        {recording_.texts.id(collective), recording_.texts.id(own.find("dtype").try_text()),
         count_in(own, "In msg nelems"), count_in(own, "Out msg nelems"),
         count_in(own, "Group size"),
         recording_.texts.id(own.find("Process Group Ranks").try_text())});
    return static_cast<std::uint32_t>(recording_.messages.size() - 1);
  }

  static constexpr std::string_view before_module = "module: ";

  std::string source_;
  std::uint64_t most_values_;  ///< limit of kept arguments
  std::uint64_t argument_values_ = 0;
  std::size_t events_ = 0;  ///< seen so far
  Recording recording_;
  std::string key_;  ///< of the look-ups below
  std::unordered_map<std::string, std::uint32_t> thread_ids_;
  std::unordered_map<std::string, std::uint32_t> argument_ids_;
  std::unordered_map<std::uint64_t, BackwardLink> open_links_;  ///< with one of two events
};

}  // namespace

Recording scan_trace(ByteStream& stream) {
  Scanner scanner(stream);
  for_each_listed(stream, [&](std::string_view list, const Value& element) {
    if (!element.is_object()) return;
    if (list == "traceEvents" || list.empty())
      scanner.add(element);
    else if (list == "deviceProperties")
      scanner.add_device(element);
  });
  return scanner.take();
}

}  // namespace roofline
