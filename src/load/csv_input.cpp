#include "load/csv_input.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "load/csv.hpp"
#include "load/json_input.hpp"
#include "load/json_network.hpp"
#include "load/own_rows.hpp"
#include "model/layer_fields.hpp"
#include "model/spreadsheet.hpp"

namespace roofline {
namespace {

/// Keys whose values are texts even where they look like numbers.
bool is_text(std::string_view key) {
  const auto found = find_field(LayerKind::conv, key);
  return found ? std::holds_alternative<TextField>(found->field->member) : key == "gpu";
}

/// A column that is read: a key of the layer, or in output of ours of its row.
struct CsvKey {
  std::string key;
  bool is_of_layer = true;
};

std::optional<CsvKey> key_of(const std::string& column, bool own) {
  if (!own) return is_layer_key(column) ? std::optional(CsvKey{column}) : std::nullopt;
  if (const auto key = layer_key_of_own_column(column)) return CsvKey{std::string(*key)};
  const bool is_of_row = column == "gpu" || column == "batch";
  return is_of_row ? std::optional(CsvKey{column, false}) : std::nullopt;
}

/// What a file's first row says of all others.
class CsvHeader {
 public:
  CsvHeader(std::vector<std::string> columns, std::string source)
      : source_(std::move(source)), columns_(std::move(columns)) {
    own_ = is_own_header(columns_, {source_, 1});
    std::set<std::string_view> seen;
    for (const std::string& column : columns_) {
      keys_.push_back(key_of(column, own_));
      if (!seen.insert(column).second && keys_.back())
        throw InputError(source_, "1", "expected each column once, got \"" + column + "\" twice");
    }
    if (std::none_of(keys_.begin(), keys_.end(), [](const auto& key) { return key.has_value(); }))
      throw InputError(source_, "1",
                       "expected keys of a layer with commas between them, got \"" +
                           columns_.front() + '"' + (columns_.size() > 1 ? ", ..." : ""));
  }

  /// Of somebody else's file: what else stands in ours is computed anew.
  std::string ignored() const {
    std::string all;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (!own_ && !keys_[i]) all += (all.empty() ? "" : ", ") + columns_[i];
    return all;
  }

  std::shared_ptr<const NetworkSpec> read(const CsvRow& row) const {
    JsonStore store;
    return read_record(record_of(row, store), {source_, row.line});
  }

 private:
  JsonNode record_of(const CsvRow& row, JsonStore& store) const {
    if (row.cells.size() != columns_.size())
      throw InputError(source_, std::to_string(row.line),
                       "expected " + std::to_string(columns_.size()) + " cells, got " +
                           std::to_string(row.cells.size()));
    const Origin origin{source_, row.line};
    std::vector<JsonNode::Member> layer;
    std::vector<JsonNode::Member> record;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!keys_[i] || row.cells[i].empty()) continue;
      const std::string& key = keys_[i]->key;
      const std::string cell = own_ ? unguarded(row.cells[i]) : row.cells[i];
      (keys_[i]->is_of_layer ? layer : record)
          .push_back({key, is_text(key) ? store.string(cell) : cell_node(cell, origin, store)});
    }
    if (!own_) return object_node(layer, origin, store);
    record.push_back({"layer", layer.empty() ? JsonNode() : object_node(layer, origin, store)});
    return object_node(record, origin, store);
  }

  std::string source_;
  std::vector<std::string> columns_;
  std::vector<std::optional<CsvKey>> keys_;  ///< none for columns that are left out
  bool own_ = false;                         ///< this program wrote it
};

class CsvReader : public Reader {
 public:
  explicit CsvReader(std::unique_ptr<ByteStream> stream)
      : stream_(std::move(stream)), rows_(*stream_) {
    const std::optional<CsvRow> first = rows_.next();
    if (!first) throw InputError(source(), "", "expected a header row, got an empty file");
    header_ = std::make_shared<const CsvHeader>(first->cells, source());
  }

  bool has_records() const override { return true; }
  bool may_wait() const override { return !stream_->has_line(); }

  std::optional<Expected<Item>> next() override {
    try {
      if (std::optional<CsvRow> row = rows_.next()) {
        has_rows_ = true;
        const std::size_t line = row->line;
        return record_item([header = header_, row = std::move(*row)] { return header->read(row); },
                           line);
      }
      if (std::exchange(has_rows_, true)) return std::nullopt;
      return InputError(source(), "", "expected rows below the header, got none");
    } catch (const InputError& error) {
      return error;
    }
  }

  std::vector<std::string> notes() const override {
    const std::string ignored = header_->ignored();
    if (ignored.empty()) return {};
    return {source() + ": ignored columns: " + ignored};
  }

 private:
  const std::string& source() const { return stream_->name(); }

  std::unique_ptr<ByteStream> stream_;
  CsvRows rows_;
  std::shared_ptr<const CsvHeader> header_;
  bool has_rows_ = false;  ///< or it is said that there are none
};

}  // namespace

/// A header with a column that is a key of layers, or of rows that this program wrote.
bool looks_like_csv(std::string_view head) {
  std::string line(head.substr(0, head.find('\n')));
  if (line.find_first_of("{[") != std::string::npos) return false;  // JSON
  const std::unique_ptr<ByteStream> stream = text_stream("", std::move(line));
  try {
    const std::optional<CsvRow> first = CsvRows(*stream).next();
    return first && first->cells.size() > 1 &&
           std::any_of(first->cells.begin(), first->cells.end(), [](const std::string& column) {
             return key_of(column, false) || key_of(column, true);
           });
  } catch (const InputError&) {
    return false;
  }
}

std::unique_ptr<Reader> open_csv(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<CsvReader>(std::move(stream));
}

}  // namespace roofline
