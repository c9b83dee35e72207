#include "pytorch/scanner.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "load/stream_iterator.hpp"
#include "pytorch/recorder.hpp"
#include "roofline/error.hpp"

namespace roofline {

namespace {

/// The keys of an event, and of its "args", that say something of use.
enum class EventKey : std::uint8_t {
  none,
  phase,
  category,
  name,
  process,
  thread,
  start,
  duration,
  arguments,
  external_id,
  correlation,
  device,
  byte,
  collective,
  element_type,
  in_elements,
  out_elements,
  ranks,
  sequence,
  grid,
  sizes,
  strides,
  types,
  values,
};

struct KeyName {
  std::string_view name;
  EventKey key;
};

constexpr KeyName event_keys[] = {{"ph", EventKey::phase},     {"cat", EventKey::category},
                                  {"name", EventKey::name},    {"pid", EventKey::process},
                                  {"tid", EventKey::thread},   {"ts", EventKey::start},
                                  {"dur", EventKey::duration}, {"args", EventKey::arguments}};

// Older profilers write "external id" and "Input dims".
constexpr KeyName argument_keys[] = {{"External id", EventKey::external_id},
                                     {"external id", EventKey::external_id},
                                     {"correlation", EventKey::correlation},
                                     {"device", EventKey::device},
                                     {"bytes", EventKey::byte},
                                     {"Collective name", EventKey::collective},
                                     {"dtype", EventKey::element_type},
                                     {"In msg nelems", EventKey::in_elements},
                                     {"Out msg nelems", EventKey::out_elements},
                                     {"Group size", EventKey::ranks},
                                     {"Sequence number", EventKey::sequence},
                                     {"grid", EventKey::grid},
                                     {"Input Dims", EventKey::sizes},
                                     {"Input dims", EventKey::sizes},
                                     {"Input Strides", EventKey::strides},
                                     {"Input type", EventKey::types},
                                     {"Concrete Inputs", EventKey::values}};

template <std::size_t count>
EventKey find_key(const KeyName (&keys)[count], std::string_view name) {
  for (const KeyName& each : keys)
    if (each.name == name) return each.key;
  return EventKey::none;
}

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Follows the parser through the text. `level_` says in what it is; everything of no use is
/// counted past by its nesting alone.
class EventHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit EventHandler(const std::string& source) : source_(&source), recorder_(source) {}

  Recording take() { return recorder_.take(); }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override {
    if (captured_ != nullptr) return capture_number(value);
    return number(static_cast<double>(value), 0, value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (captured_ != nullptr) return capture_number(value);
    return number(static_cast<double>(value), value, value);
  }
  bool number_float(number_float_t value, const string_t& text) override {
    if (captured_ != nullptr) {
      captured_->append(text).append(1, ',');
      return true;
    }
    return number(value, 0, value);
  }
  bool string(string_t& value) override;
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(false); }
  bool end_array() override { return close(true); }
  bool key(string_t& name) override;
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override;

 private:
  enum class Level : std::uint8_t { outside, document, devices, device, events, event, arguments };

  template <class Number>
  bool capture_number(Number value) {
    char digits[24];
    const std::to_chars_result end = std::to_chars(std::begin(digits), std::end(digits), value);
    captured_->append(digits, end.ptr).append(1, ',');
    return true;
  }

  template <class Number>
  bool number(double value, std::uint64_t count, Number shown) {
    if (skipped_ > 0) return true;
    if (level_ == Level::device) set_device_number(count);
    switch (key_) {
      case EventKey::start: event_.start_us = value; break;
      case EventKey::duration: event_.duration_us = value; break;
      case EventKey::external_id: event_.external_id = count; break;
      case EventKey::correlation: event_.correlation = count; break;
      case EventKey::device: event_.device = count; break;
      case EventKey::byte: event_.byte = count; break;
      case EventKey::in_elements: event_.in_elements = count; break;
      case EventKey::out_elements: event_.out_elements = count; break;
      case EventKey::ranks: event_.ranks = count; break;
      case EventKey::sequence: event_.sequence = count; break;
      case EventKey::process: event_.process = std::to_string(shown); break;
      case EventKey::thread: event_.thread = std::to_string(shown); break;
      default: break;
    }
    return true;
  }

  void set_device_number(std::uint64_t number) {
    if (key_text_ == "id") device_.id = static_cast<std::uint32_t>(number);
    if (key_text_ == "numSms") device_.gpu.sm_count = number;
    if (key_text_ == "totalGlobalMem") device_.gpu.memory_byte = number;
    if (key_text_ == "warpSize") device_.gpu.warp_size = number;
  }

  bool open(bool is_array);
  bool close(bool is_array);
  std::string* captured_text();

  const std::string* source_;
  Recorder recorder_;
  TraceEvent event_;
  Level level_ = Level::outside;
  EventKey key_ = EventKey::none;
  std::string key_text_;  ///< above the events, where keys are few
  RecordedDevice device_;
  std::size_t skipped_ = 0;          ///< levels of nesting inside something of no use
  std::string* captured_ = nullptr;  ///< takes the list that is being read
  std::size_t captured_depth_ = 0;
};

bool EventHandler::key(string_t& name) {
  if (skipped_ > 0) return true;
  if (level_ == Level::event)
    key_ = find_key(event_keys, name);
  else if (level_ == Level::arguments)
    key_ = find_key(argument_keys, name);
  else
    key_text_ = name;
  return true;
}

bool EventHandler::string(string_t& value) {
  if (captured_ != nullptr) {
    captured_->append(value).append(1, string_end);
    return true;
  }
  if (skipped_ > 0) return true;
  if (level_ == Level::device && key_text_ == "name") device_.gpu.name = value;
  switch (key_) {
    case EventKey::phase: event_.phase = value.empty() ? '\0' : value.front(); break;
    case EventKey::category: event_.category = value; break;
    case EventKey::name: event_.name = value; break;
    case EventKey::process: event_.process = value; break;
    case EventKey::thread: event_.thread = value; break;
    case EventKey::collective: event_.collective = value; break;
    case EventKey::element_type: event_.element_type = value; break;
    // Older profilers write times as texts.
    case EventKey::start: event_.start_us = number_in(value); break;
    case EventKey::duration: event_.duration_us = number_in(value); break;
    default: break;
  }
  return true;
}

std::string* EventHandler::captured_text() {
  switch (key_) {
    case EventKey::grid: return &event_.grid;
    case EventKey::sizes: return &event_.sizes;
    case EventKey::strides: return &event_.strides;
    case EventKey::types: return &event_.types;
    case EventKey::values: return &event_.values;
    default: return nullptr;
  }
}

bool EventHandler::open(bool is_array) {
  if (captured_ != nullptr) {
    ++captured_depth_;
    captured_->append(is_array ? "[" : "{");
    return true;
  }
  if (skipped_ > 0) {
    ++skipped_;
    return true;
  }
  const Level from = level_;
  if (from == Level::outside && !is_array) level_ = Level::document;
  if (from == Level::document && is_array && key_text_ == "traceEvents") level_ = Level::events;
  if (from == Level::document && is_array && key_text_ == "deviceProperties")
    level_ = Level::devices;
  if (from == Level::devices && !is_array) level_ = Level::device;
  if (from == Level::events && !is_array) {
    level_ = Level::event;
    event_.clear();
    key_ = EventKey::none;
  }
  if (from == Level::event && !is_array && key_ == EventKey::arguments) level_ = Level::arguments;
  if (from == Level::arguments && is_array) {
    captured_ = captured_text();
    if (captured_ != nullptr) {
      captured_->assign("[");
      captured_depth_ = 1;
      return true;
    }
  }
  if (level_ == from) skipped_ = 1;
  return true;
}

bool EventHandler::close(bool is_array) {
  if (captured_ != nullptr) {
    captured_->append(is_array ? "]," : "},");
    if (--captured_depth_ == 0) captured_ = nullptr;
    return true;
  }
  if (skipped_ > 0) {
    --skipped_;
    return true;
  }
  switch (level_) {
    case Level::arguments: level_ = Level::event; break;
    case Level::event:
      recorder_.add(event_);
      level_ = Level::events;
      break;
    case Level::device:
      recorder_.add_device(std::exchange(device_, {}));
      level_ = Level::devices;
      break;
    case Level::events:
    case Level::devices: level_ = Level::document; break;
    default: level_ = Level::outside;
  }
  key_ = EventKey::none;
  return true;
}

bool EventHandler::parse_error(std::size_t position, const std::string&,
                               const nlohmann::detail::exception& error) {
  const std::string_view detail = error.what();
  const bool at_end = detail.find("unexpected end of input") != std::string_view::npos;
  const bool not_utf8 = detail.find("UTF-8") != std::string_view::npos;
  throw InputError(*source_, "byte " + std::to_string(position),
                   at_end     ? "expected the rest of the trace, got the end of the text"
                   : not_utf8 ? "expected UTF-8 text, got a byte that is not"
                              : "expected JSON, got something else");
}

}  // namespace

Recording scan_trace(ByteStream& stream) {
  EventHandler handler(stream.name());
  StreamCharacters characters(stream);
  nlohmann::json::sax_parse(StreamIterator(characters), StreamIterator(), &handler);
  return handler.take();
}

}  // namespace roofline
