// A trace written again with more in the arguments of its GPU work: every other byte stays.

#include <optional>
#include <utility>

#include "load/json.hpp"
#include "pytorch/formats.hpp"
#include "pytorch/recording.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr std::string_view own_key = "roofline";
constexpr std::size_t event_depth = 3;  // in a list of the outermost object

/// Goes through the text byte by byte. It is JSON: it has been read before.
class TraceCopy {
 public:
  TraceCopy(std::string source, const AnnotationOf& annotation_of, const TakeText& take)
      : source_(std::move(source)), annotation_of_(annotation_of), take_(take) {}

  void add(char c) {
    text_ += c;
    if (in_string_) return add_to_string(c);
    switch (c) {
      case '"':
        in_string_ = true;
        word_.clear();
        break;
      case ':':
        if (depth_ == 1) list_ = word_;
        if (depth_ == event_depth) member_ = word_;
        break;
      case '{':
      case '[': open(c); break;
      case '}':
      case ']': close(); break;
      default: break;
    }
  }

  /// Of a text that may be long, what is known to stay.
  void pass_on_outside() {
    if (!in_event_) pass_on();
  }

 private:
  void add_to_string(char c) {
    constexpr std::size_t longest_key = 16;
    if (!is_escaped_ && c == '"') in_string_ = false;
    is_escaped_ = !is_escaped_ && c == '\\';
    if (in_string_ && word_.size() < longest_key) word_ += c;
  }

  void open(char c) {
    ++depth_;
    if (depth_ == event_depth && c == '{' && list_ == "traceEvents") {
      text_.pop_back();
      pass_on();
      text_ = c;
      in_event_ = true;
      arguments_end_.reset();
    }
    in_arguments_ =
        in_arguments_ || (in_event_ && depth_ == event_depth + 1 && c == '{' && member_ == "args");
  }

  void close() {
    if (depth_ == event_depth + 1 && std::exchange(in_arguments_, false))
      arguments_end_ = text_.size() - 1;
    if (depth_ == event_depth && std::exchange(in_event_, false)) end_event();
    --depth_;
  }

  void end_event() {
    // As lenient as the first reading: keys may come twice.
    const auto event = text_stream(source_, "{\"traceEvents\": [" + text_ + "]}");
    for_each_listed(*event, [&](std::string_view, const Value& value) {
      if (!is_gpu_work(value)) return;
      if (value.find("args").contains(own_key))
        throw InputError(source_, "",
                         "expected a recording as it was made, got one that roofline wrote");
      if (const std::string annotation = annotation_of_(work_++); !annotation.empty())
        insert(annotation);
    });
  }

  void insert(const std::string& annotation) {
    const std::string member = '"' + std::string(own_key) + "\": " + annotation;
    const std::size_t end = arguments_end_.value_or(text_.size() - 1);
    const std::size_t last = text_.find_last_not_of(" \t\r\n", end - 1);
    const std::string comma = text_[last] == '{' ? "" : ", ";
    text_.insert(last + 1, comma + (arguments_end_ ? member : "\"args\": {" + member + '}'));
  }

  void pass_on() {
    take_(text_);
    text_.clear();
  }

  std::string source_;
  const AnnotationOf& annotation_of_;
  const TakeText& take_;
  std::string text_;  ///< read and not passed on yet
  std::string word_;  ///< the last string, as far as keys matter
  std::string list_;  ///< the key of the outermost object's member
  std::string member_;
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool is_escaped_ = false;
  bool in_event_ = false;
  bool in_arguments_ = false;
  std::optional<std::size_t> arguments_end_;
  std::size_t work_ = 0;  ///< pieces of GPU work so far
};

}  // namespace

void annotate_trace(ByteStream& trace, const AnnotationOf& annotation_of, const TakeText& take) {
  TraceCopy copy(trace.name(), annotation_of, take);
  for (std::string_view bytes; !(bytes = trace.peek(1)).empty(); trace.skip(bytes.size())) {
    for (const char c : bytes) copy.add(c);
    copy.pass_on_outside();
  }
}

}  // namespace roofline
