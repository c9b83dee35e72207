#include "pytorch/scanner.hpp"

#include <charconv>
#include <optional>

#include "load/json.hpp"
#include "pytorch/recorder.hpp"

namespace roofline {
namespace {

/// A key of an event, or of its "args", and the member that takes its value.
template <class Member>
struct EventKey {
  std::string_view name;
  Member TraceEvent::*member;
};

constexpr EventKey<std::string> word_keys[] = {{"cat", &TraceEvent::category},
                                               {"name", &TraceEvent::name},
                                               {"pid", &TraceEvent::process},
                                               {"tid", &TraceEvent::thread}};

constexpr EventKey<std::optional<double>> time_keys[] = {{"ts", &TraceEvent::start_us},
                                                         {"dur", &TraceEvent::duration_us}};

// Keys of "args". Older profilers write "external id" and "Input dims".
constexpr EventKey<std::uint64_t> count_keys[] = {{"External id", &TraceEvent::external_id},
                                                  {"external id", &TraceEvent::external_id},
                                                  {"correlation", &TraceEvent::correlation},
                                                  {"device", &TraceEvent::device},
                                                  {"bytes", &TraceEvent::byte},
                                                  {"In msg nelems", &TraceEvent::in_elements},
                                                  {"Out msg nelems", &TraceEvent::out_elements},
                                                  {"Group size", &TraceEvent::ranks},
                                                  {"Sequence number", &TraceEvent::sequence}};

constexpr EventKey<std::string> message_keys[] = {{"Collective name", &TraceEvent::collective},
                                                  {"dtype", &TraceEvent::element_type}};

constexpr EventKey<std::string> list_keys[] = {
    {"grid", &TraceEvent::grid},        {"Input Dims", &TraceEvent::sizes},
    {"Input dims", &TraceEvent::sizes}, {"Input Strides", &TraceEvent::strides},
    {"Input type", &TraceEvent::types}, {"Concrete Inputs", &TraceEvent::values}};

/// The member of the event that a key's value belongs to; null for a key that says nothing of use.
template <class Member, std::size_t count>
Member* find_member(const EventKey<Member> (&keys)[count], std::string_view name,
                    TraceEvent& event) {
  for (const EventKey<Member>& key : keys)
    if (key.name == name) return &(event.*key.member);
  return nullptr;
}

/// A process or a thread may have a number or a name.
void set_word(const Value& value, std::string& word) {
  if (value.is_string())
    word = value.try_text();
  else if (const auto number = value.try_integer())
    word = std::to_string(*number);
  else if (value.is_number())
    word = value.json();
}

/// Older profilers write times as texts.
std::optional<double> time_in(const Value& value) {
  if (value.is_number()) return value.number();
  const std::string_view text = value.try_text();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Appends a list as ArgumentTexts has it.
void append_list(std::string& text, const Value& list) {
  text += list.is_array() ? '[' : '{';
  for (const Value part : list) {
    if (part.is_array() || part.is_object())
      append_list(text, part);
    else if (part.is_string())
      text.append(part.try_text()).append(1, string_end);
    else if (const auto number = part.try_integer())
      text.append(std::to_string(*number)).append(1, ',');
    else if (part.is_number())
      text.append(part.json()).append(1, ',');
  }
  text += list.is_array() ? "]," : "},";
}

void read_arguments(const Value& arguments, TraceEvent& event) {
  for (const Value value : arguments) {
    if (value.is_number()) {
      if (auto* count = find_member(count_keys, value.key(), event))
        *count = value.try_integer().value_or(0);
    } else if (value.is_string()) {
      if (std::string* word = find_member(message_keys, value.key(), event))
        *word = value.try_text();
    } else if (value.is_array()) {
      std::string* list = find_member(list_keys, value.key(), event);
      if (list == nullptr) continue;
      list->clear();
      append_list(*list, value);
    }
  }
}

void read_event(const Value& object, TraceEvent& event) {
  event.clear();
  for (const Value value : object) {
    if (value.key() == "args") {
      if (value.is_object()) read_arguments(value, event);
    } else if (value.key() == "ph") {
      const std::string_view phase = value.try_text();
      event.phase = phase.empty() ? '\0' : phase.front();
    } else if (std::string* word = find_member(word_keys, value.key(), event)) {
      set_word(value, *word);
    } else if (std::optional<double>* time = find_member(time_keys, value.key(), event)) {
      *time = time_in(value);
    }
  }
}

RecordedDevice read_device(const Value& object) {
  RecordedDevice device;
  device.id = static_cast<std::uint32_t>(object.find("id").try_integer().value_or(0));
  device.gpu.name = object.find("name").try_text();
  device.gpu.sm_count = object.find("numSms").try_integer();
  device.gpu.memory_byte = object.find("totalGlobalMem").try_integer();
  device.gpu.warp_size = object.find("warpSize").try_integer();
  return device;
}

}  // namespace

Recording scan_trace(ByteStream& stream) {
  Recorder recorder(stream.name());
  TraceEvent event;
  for_each_listed(stream, [&](std::string_view list, const Value& element) {
    if (!element.is_object()) return;
    if (list == "traceEvents") {
      read_event(element, event);
      recorder.add(event);
    } else if (list == "deviceProperties") {
      recorder.add_device(read_device(element));
    }
  });
  return recorder.take();
}

}  // namespace roofline
