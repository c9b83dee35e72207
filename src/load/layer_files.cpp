#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "load/csv.hpp"
#include "load/network_reader.hpp"
#include "model/layer_fields.hpp"
#include "model/layer_kind.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Records share the text of their lines.
struct Lines {
  std::string source;
  std::string text;
  InputLimits limits;
};

class LinesReader : public Reader {
 public:
  LinesReader(std::unique_ptr<ByteStream> stream, ReadLine read)
      : stream_(std::move(stream)), read_(read) {}
  /// Lines cut from a longer text, possibly none.
  LinesReader(std::unique_ptr<ByteStream> stream, ReadLine read, std::size_t first_line)
      : stream_(std::move(stream)), read_(read), line_(first_line - 1), found_(true) {}

  bool has_records() const override { return true; }
  bool may_wait() const override { return left_.empty() && !stream_->has_line(); }

  std::optional<Expected<Item>> next() override {
    try {
      while (!left_.empty() || read_lines()) {
        const std::string_view text = left_.substr(0, left_.find('\n'));
        left_.remove_prefix(std::min(text.size() + 1, left_.size()));
        ++line_;
        if (trimmed(text).empty()) continue;
        found_ = true;
        return record_item(
            [read = read_, lines = lines_, text, line = line_] {
              return read(text, {lines->source, line, lines->limits});
            },
            line_, text.size());
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
    more->limits = stream_->limits();
    left_ = more->text;
    lines_ = std::move(more);
    return true;
  }

  std::unique_ptr<ByteStream> stream_;
  ReadLine read_;
  std::shared_ptr<const Lines> lines_;
  std::string_view left_;  ///< not returned yet
  std::size_t line_ = 0;
  bool found_ = false;  ///< a record, or the error that there is none
};

std::shared_ptr<const NetworkSpec> read_ndjson(std::string_view line, const Origin& origin) {
  return read_record(JsonDocument(line, origin).root());
}

/// Values in a stream, whatever stands between them; one at a time is in memory.
class ValuesReader : public Reader {
 public:
  explicit ValuesReader(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}

  bool has_records() const override { return true; }
  bool may_wait() const override { return !stream_->has_line(); }

  std::optional<Expected<Item>> next() override {
    try {
      pass(blank_size());
      const std::string_view seen = peek_value(*stream_);
      if (seen.empty() && stream_->peek(1).empty()) return std::nullopt;
      // A comma or a bracket between values is a faulty record of its own.
      const std::string text(seen.empty() ? stream_->peek(1).substr(0, 1) : seen);
      ++records_;
      const std::size_t begin = line_;
      pass(text.size());
      // A stream without line breaks counts its records.
      const std::size_t place = line_ == 1 ? records_ : begin;
      return record_item(
          [text, origin = Origin{stream_->name(), place, stream_->limits()}] {
            return read_ndjson(text, origin);
          },
          place, text.size());
    } catch (const InputError& error) {
      return error;
    }
  }

 private:
  std::size_t blank_size() {
    for (std::size_t size = 0;; ++size) {
      const std::string_view bytes = stream_->peek(size + 1);
      if (size == bytes.size() || blanks.find(bytes[size]) == blanks.npos) return size;
    }
  }

  void pass(std::size_t size) {
    const std::string_view bytes = stream_->peek(size).substr(0, size);
    line_ += static_cast<std::size_t>(std::ranges::count(bytes, '\n'));
    stream_->skip(size);
  }

  std::unique_ptr<ByteStream> stream_;
  std::size_t line_ = 1;  ///< of the next byte
  std::size_t records_ = 0;
};

/// A column's key: of the layer, or of the row in this program's own output.
struct CsvKey {
  std::string key;
  bool is_of_layer = true;
};

/// This program's column of a layer ("layer_stride"), or a user's measured time ("measured_us").
std::optional<CsvKey> layer_key_of_own(std::string_view column) {
  constexpr std::string_view column_start = "layer_";
  if (column.starts_with(column_start)) {
    column.remove_prefix(column_start.size());
    return is_layer_key(column) ? std::optional(CsvKey{std::string(column)}) : std::nullopt;
  }
  const auto key = find_field(LayerKind::conv, column);
  return key && key->unit != 1 ? std::optional(CsvKey{std::string(column)}) : std::nullopt;
}

/// Columns of notes are somebody's own, and are named with others that do nothing.
bool is_note(std::string_view key) {
  const auto found = find_field(LayerKind::conv, key);
  return found && std::holds_alternative<NoteField>(found->field->member);
}

/// nullopt for a column that is ignored.
std::optional<CsvKey> key_of(const std::string& column, bool own) {
  // A column "Kernel" counts kernels or names them.
  const bool is_other = column != "kernel" && lower_case(column) == "kernel";
  if (!own)
    return !is_other && is_layer_key(column) && !is_note(column) ? std::optional(CsvKey{column})
                                                                 : std::nullopt;
  if (auto key = layer_key_of_own(column)) return key;
  return contains(own_row::csv_keys, column) ? std::optional(CsvKey{column, false}) : std::nullopt;
}

/// Keys of texts, even if a value looks like a number.
bool is_text(std::string_view key) {
  const auto found = find_field(LayerKind::conv, key);
  return found && std::holds_alternative<TextField>(found->field->member);
}

/// The user's own, which may be of any kind.
bool is_id(std::string_view key) {
  const auto found = find_field(LayerKind::conv, key);
  return found && std::holds_alternative<ScalarField>(found->field->member);
}

/// Counts of a layer: of kinds that know their own they are somebody's, as other columns are.
bool is_work(std::string_view key) {
  const auto found = find_field(LayerKind::other, key);
  return found && std::holds_alternative<WorkField>(found->field->member);
}

class CsvHeader {
 public:
  CsvHeader(std::vector<std::string> columns, const ByteStream& stream, char separator)
      : source_(stream.name()),
        limits_(stream.limits()),
        columns_(std::move(columns)),
        separator_(separator),
        own_(is_own()) {
    std::set<std::string_view> seen;
    for (const std::string& column : columns_) {
      keys_.push_back(key_of(column, own_));
      if (!seen.insert(column).second && keys_.back())
        fail("expected each column once, got " + in_quotes(column) + " twice");
    }
    if (std::ranges::none_of(keys_, [](const auto& key) { return key.has_value(); }))
      fail("expected keys of a layer with commas between them, got " + in_quotes(columns_.front()) +
           (columns_.size() > 1 ? ", ..." : ""));
    if (!own_) check_others();
  }

  /// Ignored columns of other programs' files; those of our own output are computed anew.
  std::string ignored() const {
    std::string all;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (!own_ && !keys_[i]) {
        const std::string_view advice = advice_on(columns_[i]);
        add_item(all, columns_[i] + (advice.empty() ? "" : " (" + std::string(advice) + ")"));
      }
    return all;
  }

  std::shared_ptr<const NetworkSpec> read(const CsvRow& row) const {
    check_width(row, columns_.size(), source_);
    JsonDocument document({source_, row.line, limits_});
    std::vector<JsonNode> layer;
    std::vector<JsonNode> record;
    std::optional<JsonNode> no_name;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!keys_[i] || (!own_ && is_work(columns_[i]) && !is_other(row))) continue;
      const std::string& key = keys_[i]->key;
      if (separator_ != ',' && !is_text(key))
        check_decimal_point(columns_[i], row.cells[i], row, source_);
      if (!row.cells[i].empty())
        (keys_[i]->is_of_layer ? layer : record).push_back(node_of(document, key, row.cells[i]));
      else if (own_ && key == "name")
        no_name = document.cell(key, "", true);
    }
    // Each layer that this program wrote has a name, which may be empty.
    if (no_name && !layer.empty()) layer.push_back(*no_name);
    JsonNode root = own_ && layer.empty() ? JsonNode() : document.row(layer);
    if (own_) {
      record.push_back({root.content, own_row::layer_key});
      root = document.row(record);
    }
    document.set_root(root);
    return read_record(document.root());
  }

 private:
  bool is_other(const CsvRow& row) const {
    const auto type = std::ranges::find(columns_, "type");
    if (type == columns_.end()) return false;
    const auto kind =
        parse_layer_type(row.cells[static_cast<std::size_t>(type - columns_.begin())]);
    return kind && kind->kind == LayerKind::other;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(source_, "1", message);
  }

  JsonNode node_of(JsonDocument& document, std::string_view key, std::string_view text) const {
    return is_id(key) ? document.id_cell(key, text, own_) : document.cell(key, text, is_text(key));
  }

  /// Fails for columns with misspelled layer keys. ("kernel" in other spellings counts kernels.)
  void check_others() const {
    std::string wrong;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string_view key = keys_[i] ? std::string_view() : meant_key(columns_[i]);
      if (!key.empty() && key != "kernel")
        add_item(wrong, in_quotes(columns_[i]) + " (did you mean " + in_quotes(key) + "?)");
    }
    if (!wrong.empty())
      fail("expected keys of a layer, and columns of your own that are called otherwise, got " +
           wrong);
  }

  /// Whether this program wrote the file. Fails if its rows have no layers.
  bool is_own() const {
    const auto has = [&](std::string_view column) {
      return std::ranges::find(columns_, column) != columns_.end();
    };
    if (std::ranges::any_of(columns_, [](const std::string& column) {
          return column.starts_with("layer_") && layer_key_of_own(column);
        }))
      return true;
    if (has(own_row::time_key) || has(own_row::kernel_key)) fail(own_row::no_layers);
    return false;
  }

  std::string source_;
  InputLimits limits_;
  std::vector<std::string> columns_;
  char separator_;
  bool own_;                                 ///< this program wrote the file
  std::vector<std::optional<CsvKey>> keys_;  ///< nullopt: ignored
};

/// Whether a line has several columns and one of them is a key of layers or of this program's rows.
bool is_layer_header(std::string_view line) try {
  const std::unique_ptr<ByteStream> stream = text_stream("", std::string(line));
  const std::optional<CsvRow> first = CsvRows(*stream).next();
  return first && first->cells.size() > 1 &&
         std::ranges::any_of(first->cells, [](const std::string& column) {
           const auto key = find_field(LayerKind::conv, column);
           return (key && key->key == column) || key_of(column, true);
         });
} catch (const InputError&) {
  return false;
}

/// Whether the first line begins with # and is no header, as "#,h,w" may be.
bool is_comment(std::string_view head) {
  if (head.starts_with(byte_order_mark)) head.remove_prefix(byte_order_mark.size());
  return head.starts_with('#') && !is_layer_header(head.substr(0, head.find('\n')));
}

class CsvReader : public Reader {
 public:
  explicit CsvReader(std::unique_ptr<ByteStream> stream)
      : stream_(std::move(stream)), rows_(*stream_), comments_(rows_.pass_comments()) {
    const std::optional<CsvRow> first = rows_.next();
    if (!first) throw InputError(source(), "", "expected a header row, got an empty file");
    header_ = std::make_shared<const CsvHeader>(first->cells, *stream_, rows_.separator());
  }

  bool has_records() const override { return true; }
  bool may_wait() const override { return !stream_->has_line(); }

  std::optional<Expected<Item>> next() override {
    try {
      if (std::optional<CsvRow> row = rows_.next()) {
        has_rows_ = true;
        const auto [line, text_byte] = std::pair(row->line, row->text_byte);
        return record_item([header = header_, row = std::move(*row)] { return header->read(row); },
                           line, text_byte);
      }
      if (std::exchange(has_rows_, true)) return std::nullopt;
      return InputError(source(), "", "expected rows below the header, got none");
    } catch (const InputError& error) {
      has_rows_ = true;
      return error;
    }
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    if (comments_ > 0)
      notes.push_back(source() + ": lines before the header that begin with #, passed over: " +
                      std::to_string(comments_));
    if (const std::string ignored = header_->ignored(); !ignored.empty())
      notes.push_back(source() + ": ignored columns: " + ignored);
    return notes;
  }

 private:
  const std::string& source() const { return stream_->name(); }

  std::unique_ptr<ByteStream> stream_;
  CsvRows rows_;
  std::size_t comments_ = 0;  ///< lines before the header
  std::shared_ptr<const CsvHeader> header_;
  bool has_rows_ = false;  ///< or the error that there are none
};

/// A layer, and no document that holds some.
bool is_layer_text(std::string_view text) {
  const auto value = nlohmann::json::parse(text, nullptr, false);
  return value.is_object() && !value.contains("layers") && !value.contains("results");
}

/// Removes the byte order mark; rejects other encodings and line breaks.
void check_first_line(std::string& line, const std::string& source) {
  if (const auto wrong = wrong_encoding(line)) throw InputError(source, "", *wrong);
  if (line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  const std::size_t lone = line.find('\r');
  if (lone != line.npos && lone + 1 < line.size())
    throw InputError(source, "1", "expected lines that end in LF or CR LF, got a CR without an LF");
}

}  // namespace

bool looks_like_ndjson(std::string_view head) {
  head = trimmed(head);
  return is_layer_text(head.substr(0, head.find('\n')));
}

bool looks_like_json_stream(std::string_view head) {
  head = trimmed(head);
  ValueEnd end;
  if (!head.starts_with('{') || !end.is_in(head) || !is_layer_text(head.substr(0, end.at)))
    return false;
  const std::string_view rest = head.substr(end.at);
  const std::size_t second = rest.find_first_not_of(blanks);
  const auto has_break = [](std::string_view text) { return text.find('\n') != text.npos; };
  return second != rest.npos && rest[second] == '{' &&
         has_break(head.substr(0, end.at)) == has_break(rest.substr(0, second));
}

std::unique_ptr<Reader> open_json_stream(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<ValuesReader>(std::move(stream));
}

NetworkSpecs read_json(ByteStream& stream, BadRows&) {
  const Origin origin{stream.name(), {}, stream.limits()};
  return read_networks(std::make_shared<const JsonDocument>(stream.read_rest(), origin));
}

std::unique_ptr<Reader> open_records(std::unique_ptr<ByteStream> stream, ReadLine read) {
  return std::make_unique<LinesReader>(std::move(stream), read);
}

std::unique_ptr<Reader> open_ndjson(std::unique_ptr<ByteStream> stream) {
  return open_records(std::move(stream), read_ndjson);
}

std::unique_ptr<Reader> open_ndjson_from(std::unique_ptr<ByteStream> stream,
                                         std::size_t first_line) {
  return std::make_unique<LinesReader>(std::move(stream), read_ndjson, first_line);
}

bool looks_like_csv(std::string_view head) {
  while (is_comment(head)) take(head, '\n');
  const std::string_view line = head.substr(0, head.find('\n'));
  return line.find_first_of("{[") == line.npos && is_layer_header(line);  // else JSON
}

std::unique_ptr<Reader> open_csv(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<CsvReader>(std::move(stream));
}

bool CsvRows::read_line(std::string& line) {
  if (!stream_->read_line(line)) return false;
  if (++line_ == 1) check_first_line(line, stream_->name());
  return true;
}

std::size_t CsvRows::pass_comments() {
  constexpr std::size_t longest = 65'536;
  std::size_t passed = 0;
  std::string line;
  while (is_comment(stream_->peek_line(longest)) && read_line(line)) ++passed;
  return passed;
}

namespace {

/// The separator of a header: the first of these that it has.
char separator_of(std::string_view line) {
  for (const char separator : {',', ';', '\t'})
    if (line.find(separator) != line.npos) return separator;
  return ',';
}

}  // namespace

std::optional<CsvRow> CsvRows::next() {
  std::string line;
  do {
    if (!read_line(line)) return std::nullopt;
  } while (line.empty() || line == "\r");
  if (separator_ == 0) separator_ = separator_of(line);

  CsvRow row{{""}, line_, line.size()};
  const InputLimits& limits = stream_->limits();
  std::uint64_t values = 1;  // lists in cells count by their values
  bool quoted = false;
  for (std::size_t i = 0;; ++i) {
    if (i == line.size()) {
      if (!quoted) return row;
      row.cells.back() += '\n';
      if (!read_line(line))
        throw InputError(stream_->name(), std::to_string(row.line),
                         "expected a closing quote, got the end of the file");
      row.text_byte += line.size();
      i = static_cast<std::size_t>(-1);
      continue;
    }
    const char c = line[i];
    if (c == separator_ && ++values > limits.values)
      throw limit_error(stream_->name(), std::to_string(row.line), expected_values(limits));
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      row.cells.back() += '"';
      ++i;
    } else if (c == '"' && (quoted || row.cells.back().empty())) {  // within a cell: inches
      quoted = !quoted;
    } else if (c == '\r' && !quoted && i + 1 == line.size()) {
      continue;  // part of the line break CR LF
    } else if (c == separator_ && !quoted) {
      row.cells.emplace_back();
    } else {
      row.cells.back() += c;
    }
  }
}

bool is_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  const auto are_digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
  };
  return comma != text.npos && are_digits(text.substr(0, comma)) &&
         are_digits(text.substr(comma + 1));
}

void check_decimal_point(std::string_view column, std::string_view text, const CsvRow& row,
                         const std::string& source) {
  if (is_decimal_comma(text))
    throw InputError(source, std::to_string(row.line),
                     concat(column, ": expected a number with a decimal point, got ",
                            in_quotes(text), " with a comma"));
}

void check_width(const CsvRow& row, std::size_t columns, const std::string& source) {
  if (row.cells.size() != columns)
    throw InputError(source, std::to_string(row.line),
                     concat("expected ", columns, " cells, got ", row.cells.size()));
}

}  // namespace roofline
