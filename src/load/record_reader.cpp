#include <istream>
#include <memory>
#include <utility>

#include "load/csv.hpp"
#include "load/inputs.hpp"
#include "load/layer_reader.hpp"

namespace roofline {
namespace {

using nlohmann::json;

/// Turns records into layers, remembering of the past only the layer before.
class RecordLayers {
 public:
  RecordLayers(std::string source, const std::vector<LayerDefaults>& defaults)
      : source_(std::move(source)), previous_(defaults.size()) {
    for (const LayerDefaults& each : defaults) {
      LayerScope scope;
      scope.defaults = each;
      scope.find_layer = [](const Value& name) -> std::pair<std::size_t, const Layer*> {
        name.fail("expected a shape: a stream of layers remembers no names");
      };
      scopes_.push_back(std::move(scope));
    }
  }

  std::vector<Layer> read(const json& record, std::size_t line) {
    const Origin origin{source_, line};
    std::vector<Layer> layers;
    for (LayerScope& scope : scopes_) {
      scope.index = index_;
      layers.push_back(read_layer(Value(record, origin), origin, scope));
    }
    ++index_;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      previous_[i] = layers[i];
      scopes_[i].previous = &previous_[i];
    }
    return layers;
  }

  const std::string& source() const { return source_; }

 private:
  std::string source_;
  std::vector<LayerScope> scopes_;
  std::vector<Layer> previous_;
  std::size_t index_ = 0;
};

bool blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

class NdjsonReader : public LayerReader {
 public:
  /// `first_line`, already taken from the stream after `lines_before` others, is read first.
  NdjsonReader(std::unique_ptr<InputStream> stream, const std::vector<LayerDefaults>& defaults,
               std::optional<std::string> first_line, std::size_t lines_before)
      : stream_(std::move(stream)),
        layers_(stream_->name(), defaults),
        pending_(std::move(first_line)),
        line_(lines_before) {}

  std::vector<Layer> next() override {
    std::string line;
    while (next_line(line)) {
      if (blank(line)) continue;
      found_ = true;
      const json record = parse_json(line, {layers_.source(), line_});
      return layers_.read(record, line_);
    }
    if (std::exchange(found_, true) || stream_->failed()) return {};
    throw InputError(layers_.source(), "", "expected a layer a line, got an empty file");
  }

 private:
  bool next_line(std::string& line) {
    ++line_;
    if (!pending_) return stream_->read_line(line);
    line = std::move(*pending_);
    pending_.reset();
    return true;
  }

  std::unique_ptr<InputStream> stream_;
  RecordLayers layers_;
  std::optional<std::string> pending_;
  std::size_t line_;
  bool found_ = false;  ///< a record, or that there is none
};

class CsvLayerReader : public LayerReader {
 public:
  CsvLayerReader(std::unique_ptr<InputStream> stream, const std::vector<LayerDefaults>& defaults)
      : stream_(std::move(stream)), rows_(*stream_), layers_(stream_->name(), defaults) {
    const std::optional<CsvRow> header = rows_.next();
    if (!header) throw InputError(layers_.source(), "", "expected a header row, got an empty file");
    columns_ = header->cells;
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (columns_.front().starts_with(byte_order_mark))
      columns_.front().erase(0, byte_order_mark.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      known_.push_back(is_layer_key(columns_[i]));
      for (std::size_t j = 0; j < i; ++j)
        if (columns_[i] == columns_[j] && known_[i])
          throw InputError(layers_.source(), "1",
                           "expected each column once, got \"" + columns_[i] + "\" twice");
    }
  }

  std::vector<Layer> next() override {
    const std::optional<CsvRow> row = rows_.next();
    if (!row) return {};
    if (row->cells.size() != columns_.size())
      throw InputError(layers_.source(), std::to_string(row->line),
                       "expected " + std::to_string(columns_.size()) + " cells, got " +
                           std::to_string(row->cells.size()));
    json record = json::object();
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (known_[i] && !row->cells[i].empty())
        record[columns_[i]] =
            columns_[i] == "name" ? json(row->cells[i]) : cell_value(row->cells[i]);
    return layers_.read(record, row->line);
  }

  std::vector<std::string> ignored_columns() const override {
    std::vector<std::string> ignored;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (!known_[i]) ignored.push_back(columns_[i]);
    return ignored;
  }

 private:
  /// A cell that is JSON (64, 0.5, true, [3, 3]) is that value; any other is a text.
  static json cell_value(const std::string& cell) {
    json value = json::parse(cell, nullptr, false);
    return value.is_discarded() ? json(cell) : value;
  }

  std::unique_ptr<InputStream> stream_;
  CsvRows rows_;
  RecordLayers layers_;
  std::vector<std::string> columns_;
  std::vector<bool> known_;
};

bool is_whole_layer_object(const std::string& line) {
  const json value = json::parse(line, nullptr, false);
  return value.is_object() && !value.contains("layers");
}

OpenInput open_standard_input(std::unique_ptr<InputStream> stream,
                              const std::vector<LayerDefaults>& defaults) {
  std::string before;
  std::string line;
  std::size_t lines_before = 0;
  while (stream->read_line(line) && blank(line)) {
    before += line + '\n';
    ++lines_before;
  }
  if (is_whole_layer_object(line))
    return {"", std::make_unique<NdjsonReader>(std::move(stream), defaults, std::move(line),
                                               lines_before)};
  if (!stream->ended()) line += '\n';
  return {before + line + stream->read_rest(), nullptr};
}

}  // namespace

OpenInput open_input(const InputSource& source, const std::vector<LayerDefaults>& defaults) {
  using Kind = InputSource::Kind;
  if (source.kind == Kind::json || source.kind == Kind::built_in)
    return {source.kind == Kind::json ? read_text(source.name) : built_in_text(source.name),
            nullptr};
  auto stream = std::make_unique<InputStream>(source.name);
  if (source.kind == Kind::csv)
    return {"", std::make_unique<CsvLayerReader>(std::move(stream), defaults)};
  if (source.kind == Kind::ndjson)
    return {"", std::make_unique<NdjsonReader>(std::move(stream), defaults, std::nullopt, 0)};
  return open_standard_input(std::move(stream), defaults);
}

}  // namespace roofline
