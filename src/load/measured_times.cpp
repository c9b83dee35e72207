#include "load/measured_times.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "load/byte_stream.hpp"
#include "load/csv.hpp"
#include "load/json_fields.hpp"
#include "load/json_layer.hpp"
#include "load/json_value.hpp"
#include "model/spelling.hpp"
#include "roofline/summary.hpp"

namespace roofline {
namespace {

constexpr std::size_t most_layers_named = 5;

/// The unit of a key that states a time: as layers have it, or the unit alone.
std::optional<double> unit_of(std::string_view key) {
  constexpr std::array<std::pair<std::string_view, double>, 3> units{
      {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
  for (const auto& [name, unit_s] : units)
    if (key == name) return unit_s;
  const auto found = find_field(LayerKind::conv, key);
  const bool is_time = found && found->field->key == "measured_time_s";
  return is_time ? std::optional(found->unit) : std::nullopt;
}

MeasuredTime read_time(const Value& value) {
  const JsonNode& node = value.node();
  if (!node.is_object()) value.fail_expected("an object with a name and a time");
  MeasuredTime time;
  if (!node.contains("name")) value.fail("expected a name, got nothing");
  time.name = value.at("name").text();
  for (const auto& [key, member] : node.members())
    if (const auto unit_s = unit_of(key)) {
      if (time.time_s > 0) value.fail("expected one time, got " + std::string(key) + " as well");
      time.time_s = value.beneath(member).positive_number() * *unit_s;
    }
  if (time.time_s == 0)
    value.fail("expected a time as measured_us, measured_ms or measured_time_s, got nothing");
  if (node.contains("network")) time.network = value.at("network").text();
  if (node.contains("batch")) time.batch = value.at("batch").integer(1);
  if (node.contains("pass"))
    time.pass = enumerators<Pass>[read_choice(value.at("pass"), names_of<Pass>)];
  if (node.contains("dtype")) time.dtype = read_data_type(value.at("dtype"));
  return time;
}

std::vector<MeasuredTime> read_json(const std::string& text, const std::string& path) {
  const Origin origin{path, std::nullopt};
  const JsonDocument document = parse_json(text, origin);
  const Value list(document.root(), origin);
  if (!list.is_array()) list.fail_expected("a list of objects with a name and a time");
  std::vector<MeasuredTime> times;
  for (std::size_t i = 0; i < list.size(); ++i) times.push_back(read_time(list.at(i)));
  return times;
}

std::vector<MeasuredTime> read_csv(ByteStream& stream) {
  CsvRows rows(stream);
  const std::optional<CsvRow> header = rows.next();
  if (!header) throw InputError(stream.name(), "", "expected a header row, got an empty file");
  if (std::find(header->cells.begin(), header->cells.end(), "name") == header->cells.end())
    throw InputError(stream.name(), std::to_string(header->line),
                     "expected a header row with name and a time, got none of name");
  std::vector<MeasuredTime> times;
  while (const std::optional<CsvRow> row = rows.next()) {
    if (row->cells.size() != header->cells.size())
      throw InputError(stream.name(), std::to_string(row->line),
                       "expected " + std::to_string(header->cells.size()) + " cells, got " +
                           std::to_string(row->cells.size()));
    const Origin origin{stream.name(), row->line};
    JsonStore store;
    std::vector<JsonNode::Member> members;
    for (std::size_t i = 0; i < row->cells.size(); ++i) {
      const std::string& column = header->cells[i];
      const std::string& cell = row->cells[i];
      if (cell.empty()) continue;
      const bool is_text = column == "name" || column == "network";
      members.push_back({column, is_text ? store.string(cell) : cell_node(cell, origin, store)});
    }
    const JsonNode object = object_node(members, origin, store);
    times.push_back(read_time(Value(object, origin)));
  }
  return times;
}

bool is_of(const MeasuredTime& time, const Layer& layer, const Network& network) {
  return (!time.network || *time.network == network.name) &&
         (!time.batch || *time.batch == layer.output.batch) &&
         (!time.pass || *time.pass == layer.pass) &&
         (!time.dtype || *time.dtype == layer.dtypes.input);
}

}  // namespace

MeasuredTimes::MeasuredTimes(const std::string& path, const InputLimits& limits) : path_(path) {
  const std::unique_ptr<ByteStream> stream = open_stream(path, limits);
  const std::string_view head = stream->peek(1);
  const bool is_json = path.ends_with(".json") || head.starts_with('[') || head.starts_with('{');
  times_ = is_json ? read_json(stream->read_rest(), path) : read_csv(*stream);
}

void MeasuredTimes::join(Network& network) {
  std::multimap<std::string_view, const MeasuredTime*> by_name;  // in the order of the file
  for (const MeasuredTime& time : times_) by_name.emplace(time.name, &time);
  for (Layer& layer : network.layers) {
    bool found = false;
    const auto [begin, end] = by_name.equal_range(layer.name);
    for (auto each = begin; each != end; ++each) {
      if (!is_of(*each->second, layer, network)) continue;
      if (found) repeated_.push_back(layer.name);
      layer.measured.change([&](Measured& measured) {
        measured.warm_s = each->second->time_s;
        measured.pass = layer.pass;
      });
      each->second->used = found = true;
    }
    layers_.push_back(layer.name);
    if (!found) unmeasured_.push_back(layer.name);
  }
  join_parts(network);
}

void MeasuredTimes::join_parts(Network& network) {
  for (const MeasuredTime& time : times_) {
    const bool is_part = std::any_of(sweep_parts.begin(), sweep_parts.end(),
                                     [&](const SweepPart& part) { return part.name == time.name; });
    const bool is_layer = std::any_of(network.layers.begin(), network.layers.end(),
                                      [&](const Layer& layer) { return layer.name == time.name; });
    if (!is_part || is_layer || !is_of(time, network.layers.front(), network)) continue;
    network.measured_parts_s[time.name] = time.time_s;
    time.used = true;
    has_parts_ = true;
  }
}

std::vector<std::string> MeasuredTimes::notes() const {
  const std::vector<std::string_view> known(layers_.begin(), layers_.end());
  std::vector<std::string> unmatched;
  for (const MeasuredTime& time : times_)
    if (!time.used) unmatched.push_back('"' + time.name + '"' + did_you_mean(time.name, known));
  std::vector<std::string> notes;
  if (!unmatched.empty())
    notes.push_back(path_ + ": " + std::to_string(unmatched.size()) +
                    " of its times match no layer: " + some_of(unmatched, most_layers_named));
  if (!repeated_.empty())
    notes.push_back(path_ + ": of several times that fit a layer the last counts: " +
                    some_of(repeated_, most_layers_named));
  if (!unmeasured_.empty() && !has_parts_)
    notes.push_back(path_ + ": " + std::to_string(unmeasured_.size()) + " of " +
                    std::to_string(layers_.size()) +
                    " layers have no time in it: " + some_of(unmeasured_, most_layers_named));
  return notes;
}

}  // namespace roofline
