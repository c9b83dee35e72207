#include "load/json_input.hpp"

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <utility>

#include "load/json_network.hpp"

namespace roofline {
namespace {

constexpr std::string_view blanks = " \t\r\n";

bool is_blank(std::string_view text) { return text.find_first_not_of(blanks) == text.npos; }

/// The end of the JSON value that starts at `begin`: where its brackets close, or for a number or a
/// word where it ends. The text's end where it does not.
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

/// The documents of a text, each with the line and the column at which it starts.
class Documents {
 public:
  explicit Documents(std::string text) : text_(std::move(text)) { find_next(); }

  bool has_next() const { return begin_ != std::string::npos; }
  bool is_only() const { return first_ && text_.find_first_not_of(blanks, end_) == text_.npos; }
  std::pair<std::string_view, Origin> next(const std::string& source) {
    std::pair<std::string_view, Origin> found{std::string_view(text_).substr(begin_, end_ - begin_),
                                              {source, line_, column_}};
    first_ = false;
    find_next();
    return found;
  }
  std::string_view whole() const { return text_; }
  /// All of it, of which nothing stays here.
  std::string take() { return std::exchange(text_, {}); }

 private:
  void find_next() {
    const std::size_t from = end_;
    begin_ = text_.find_first_not_of(blanks, from);
    if (!has_next()) return;
    for (std::size_t i = counted_; i < begin_; ++i) {
      const bool is_continued = (static_cast<unsigned char>(text_[i]) & 0xC0U) == 0x80U;  // UTF-8
      column_ = text_[i] == '\n' ? 1 : column_ + (is_continued ? 0 : 1);
      line_ += text_[i] == '\n' ? 1 : 0;
    }
    counted_ = begin_;
    end_ = end_of_value(text_, begin_);
  }

  std::string text_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t counted_ = 0;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
  bool first_ = true;
};

/// A text that is one document, or several that each are a record or a network of their own.
class JsonReader : public Reader {
 public:
  explicit JsonReader(std::unique_ptr<ByteStream> stream)
      : source_(stream->name()),
        documents_(stream->read_rest()),
        is_one_(is_one_document()),
        whole_(is_one_),
        done_(is_one_) {}

  bool has_records() const override { return !is_one_; }

  std::optional<Expected<Item>> next() override {
    try {
      while (items_.empty()) {
        if (whole_) {
          whole_ = false;
          const Origin origin{source_, std::nullopt};
          add(read_networks(
              std::make_shared<const JsonDocument>(parse_json(documents_.take(), origin)), origin));
          continue;
        }
        if (done_ || !documents_.has_next()) return std::nullopt;
        read_next_document();
      }
    } catch (const InputError& error) {
      return error;
    }
    Item item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

 private:
  bool is_one_document() const {
    const std::size_t begin = documents_.whole().find_first_not_of(blanks);
    const bool has_brackets =
        begin != std::string_view::npos &&
        (documents_.whole()[begin] == '{' || documents_.whole()[begin] == '[');
    return !has_brackets || documents_.is_only();
  }

  void read_next_document() {
    const auto [text, origin] = documents_.next(source_);
    const JsonDocument document = parsed(text, origin);
    const JsonNode& root = document.root();
    if (!root.is_object() || root.contains("layers") || root.contains("results"))
      add(read_networks(root, origin));
    else
      items_.push_back(fixed_item(read_record(root, origin)));
  }

  /// What is no JSON leaves no way to tell where the next document begins.
  JsonDocument parsed(std::string_view text, const Origin& origin) {
    try {
      return parse_json(text, origin);
    } catch (const InputError&) {
      done_ = true;
      throw;
    }
  }

  void add(std::vector<std::shared_ptr<const NetworkSpec>> networks) {
    for (auto& network : networks) items_.push_back(fixed_item(std::move(network)));
  }

  std::string source_;
  Documents documents_;
  bool is_one_;
  bool whole_;  ///< the one is still to be read
  bool done_;   ///< nothing after it, or after what is no JSON, is read
  std::deque<Item> items_;
};

/// Lines of a file, which the records on them share.
struct Lines {
  std::string source;
  std::string text;
};

class NdjsonReader : public Reader {
 public:
  explicit NdjsonReader(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}
  /// A chunk, which may be empty.
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
              const Origin origin{lines->source, line};
              return read_record(parse_json(text, origin).root(), origin);
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
  std::string_view left_;  ///< of their text
  std::size_t line_ = 0;
  bool found_ = false;  ///< a record, or that there is none
};

}  // namespace

Item fixed_item(std::shared_ptr<const NetworkSpec> spec) {
  return {[spec = std::move(spec)](const LayerDefaults&) { return spec; }};
}

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
