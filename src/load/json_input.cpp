// JSON and NDJSON as inputs.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "load/layer_files.hpp"
#include "load/network_reader.hpp"

namespace roofline {
namespace {

constexpr std::string_view blanks = " \t\r\n";

bool is_blank(std::string_view text) { return text.find_first_not_of(blanks) == text.npos; }

/// The end of the JSON value that starts at `begin`: where its brackets close. The text's end where
/// they do not, and for a number or a word.
std::size_t end_of_value(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && depth > 0) {
      if (--depth == 0) return i + 1;
    }
  }
  return text.size();
}

/// A text that is one document, or several that each are a record or a network of their own.
class JsonReader : public Reader {
 public:
  explicit JsonReader(std::unique_ptr<ByteStream> stream)
      : source_(stream->name()), text_(stream->read_rest()) {
    const std::size_t begin = text_.find_first_not_of(blanks);
    const bool has_brackets = begin != text_.npos && (text_[begin] == '{' || text_[begin] == '[');
    is_one_ = !has_brackets || is_blank(rest(end_of_value(text_, begin)));
  }

  bool has_records() const override { return !is_one_; }

  std::optional<Expected<Item>> next() override {
    try {
      while (next_ == specs_.size() && !done_) read_document();
    } catch (const InputError& error) {
      return error;
    }
    if (next_ == specs_.size()) return std::nullopt;
    return fixed_item(std::move(specs_[next_++]));
  }

 private:
  std::string_view rest(std::size_t from) const { return std::string_view(text_).substr(from); }

  /// The next document, or the only one, whose text is not kept.
  void read_document() {
    next_ = 0;
    specs_.clear();
    if (is_one_) {
      done_ = true;
      const std::string text = std::move(text_);
      specs_ = read_networks(std::make_shared<const JsonDocument>(text, Origin{source_}));
      return;
    }
    const std::size_t begin = text_.find_first_not_of(blanks, end_);
    done_ = begin == text_.npos;
    if (done_) return;
    position_.pass(rest(end_).substr(0, begin - end_));
    const Origin origin{source_, position_.line, position_.column};
    end_ = end_of_value(text_, begin);
    const std::string_view text = rest(begin).substr(0, end_ - begin);
    position_.pass(text);
    done_ = true;  // what is no JSON leaves no way to tell where the next document begins
    const auto document = std::make_shared<const JsonDocument>(text, origin);
    done_ = false;
    const Value root = document->root();
    if (!root.is_object() || root.contains("layers") || root.contains("results"))
      specs_ = read_networks(document);
    else
      specs_ = {read_record(root)};
  }

  std::string source_;
  std::string text_;
  bool is_one_ = false;
  std::size_t end_ = 0;    ///< where the text continues that is not read yet
  TextPosition position_;  ///< the same place
  bool done_ = false;
  NetworkSpecs specs_;    ///< what the document read last holds
  std::size_t next_ = 0;  ///< the next of these to give
};

/// Lines of a file: the records on them share the text.
struct Lines {
  std::string source;
  std::string text;
};

class NdjsonReader : public Reader {
 public:
  explicit NdjsonReader(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}
  /// Lines cut out of a longer text: there may be none.
  NdjsonReader(std::unique_ptr<ByteStream> stream, std::size_t first_line)
      : stream_(std::move(stream)), line_(first_line - 1), found_(true) {}

  bool has_records() const override { return true; }
  bool may_wait() const override { return left_.empty() && !stream_->has_line(); }

  std::optional<Expected<Item>> next() override {
    try {
      while (!left_.empty() || read_lines()) {
        const std::string_view text = left_.substr(0, left_.find('\n'));
        left_.remove_prefix(std::min(text.size() + 1, left_.size()));
        ++line_;
        if (is_blank(text)) continue;
        found_ = true;
        return record_item(
            [lines = lines_, text, line = line_] {
              return read_record(JsonDocument(text, {lines->source, line}).root());
            },
            line_);
      }
      if (std::exchange(found_, true) || stream_->failed()) return std::nullopt;
      throw InputError(stream_->name(), "", "expected a layer a line, got an empty file");
    } catch (const InputError& error) {
      return error;
    }
  }

 private:
  bool read_lines() {
    auto more = std::make_shared<Lines>();
    if (!stream_->read_lines(more->text)) return false;
    more->source = stream_->name();
    left_ = more->text;
    lines_ = std::move(more);
    return true;
  }

  std::unique_ptr<ByteStream> stream_;
  std::shared_ptr<const Lines> lines_;
  std::string_view left_;  ///< the part of their text that is not given yet
  std::size_t line_ = 0;
  bool found_ = false;  ///< a record, or that there is none
};

}  // namespace

bool looks_like_ndjson(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(blanks);
  if (begin == head.npos) return false;
  const std::string_view line = head.substr(begin, head.find('\n', begin) - begin);
  const auto value = nlohmann::json::parse(line, nullptr, false);
  return value.is_object() && !value.contains("layers") && !value.contains("results");
}

std::unique_ptr<Reader> open_json(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<JsonReader>(std::move(stream));
}

std::unique_ptr<Reader> open_ndjson(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<NdjsonReader>(std::move(stream));
}

std::unique_ptr<Reader> open_ndjson_from(std::unique_ptr<ByteStream> stream,
                                         std::size_t first_line) {
  return std::make_unique<NdjsonReader>(std::move(stream), first_line);
}

}  // namespace roofline
