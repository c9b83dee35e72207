#include "load/user_lists.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "load/csv.hpp"
#include "load/json.hpp"
#include "load/network_reader.hpp"
#include "model/layer_fields.hpp"
#include "model/text.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {
namespace {

/// The columns of a list of objects.
struct ListColumns {
  std::string wanted;                      ///< "gpu and per_hour", as errors name the columns
  std::vector<std::string_view> required;  ///< in the header
  std::vector<std::string_view> texts;     ///< cells are texts even where they look like numbers
  bool others_are_read = false;
};

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_header(const std::optional<CsvRow>& header, const ListColumns& columns,
                  const std::string& source) {
  const std::string expected = "expected a header row with " + columns.wanted + ", got ";
  if (!header) throw InputError(source, "", expected + "an empty file");
  for (const std::string_view name : columns.required)
    if (std::find(header->cells.begin(), header->cells.end(), name) == header->cells.end())
      throw InputError(source, std::to_string(header->line),
                       expected + "none of " + std::string(name));
}

void read_csv(ByteStream& stream, const ListColumns& columns,
              const std::function<void(const Value&)>& read_row) {
  CsvRows rows(stream);
  const std::optional<CsvRow> header = rows.next();
  check_header(header, columns, stream.name());
  while (const std::optional<CsvRow> row = rows.next()) {
    check_width(*row, header->cells.size(), stream.name());
    JsonDocument document({stream.name(), row->line});
    std::vector<JsonNode> members;
    for (std::size_t i = 0; i < row->cells.size(); ++i) {
      const std::string& column = header->cells[i];
      if (row->cells[i].empty()) continue;
      if (columns.others_are_read || contains(columns.required, column))
        members.push_back(document.cell(column, row->cells[i], contains(columns.texts, column)));
    }
    document.set_root(document.row(members));
    read_row(document.root());
  }
}

/// Reads a file that a user gives beside the inputs: a list of objects in JSON, or CSV of which
/// each row is an object. Throws InputError.
void read_object_list(const std::string& path, const InputLimits& limits,
                      const ListColumns& columns,
                      const std::function<void(const Value& object)>& read) {
  const std::unique_ptr<ByteStream> stream = open_stream(path, limits);
  const std::string_view head = stream->peek(1);
  if (!path.ends_with(".json") && !head.starts_with('[') && !head.starts_with('{'))
    return read_csv(*stream, columns, read);
  const JsonDocument document(stream->read_rest(), {path});
  if (!document.root().is_array())
    document.root().fail_expected("a list of objects with " + columns.wanted);
  for (const Value each : document.root()) read(each);
}

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
  if (!value.is_object()) value.fail_expected("an object with a name and a time");
  MeasuredTime time;
  if (!value.contains("name")) value.fail("expected a name, got nothing");
  time.name = value.at("name").text();
  for (const Value member : value)
    if (const auto unit_s = unit_of(member.key())) {
      if (time.time_s > 0)
        value.fail("expected one time, got " + std::string(member.key()) + " as well");
      time.time_s = member.positive_number() * *unit_s;
    }
  if (time.time_s == 0)
    value.fail("expected a time as measured_us, measured_ms or measured_time_s, got nothing");
  if (value.contains("network")) time.network = value.at("network").text();
  if (value.contains("batch")) time.batch = value.at("batch").integer(1);
  if (value.contains("pass"))
    time.pass = enumerators<Pass>[value.at("pass").choice(names_of<Pass>)];
  if (value.contains("dtype")) time.dtype = read_data_type(value.at("dtype"));
  return time;
}

bool is_of(const MeasuredTime& time, const Layer& layer, const Network& network) {
  return (!time.network || *time.network == network.name) &&
         (!time.batch || *time.batch == layer.output.batch) &&
         (!time.pass || *time.pass == layer.pass) &&
         (!time.dtype || *time.dtype == layer.dtypes.input);
}

}  // namespace

Prices load_prices(const std::string& path, const Catalogue& catalogue) {
  Prices prices;
  read_object_list(
      path, {}, {"gpu and per_hour", {"gpu", "per_hour"}, {"gpu"}}, [&](const Value& row) {
        row.check_keys("a price", {"gpu", "per_hour"});
        const Value gpu = row.require("gpu", "the name of a GPU");
        const Expected<Gpu> found = catalogue.find(gpu.text());
        if (!found) {
          InputError error = gpu.origin().error(gpu.pointer(), found.error().what());
          error.remedy = found.error().remedy;
          throw error;
        }
        const double per_hour = row.require("per_hour", "what an hour costs").positive_number();
        if (!prices.emplace(found->name, per_hour).second)
          gpu.fail("expected each GPU once, got " + found->name + " again");
      });
  return prices;
}

MeasuredTimes::MeasuredTimes(const std::string& path, const InputLimits& limits) : path_(path) {
  read_object_list(path, limits, {"name and a time", {"name"}, {"name", "network"}, true},
                   [&](const Value& row) { times_.push_back(read_time(row)); });
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
  if (network.layers.empty()) return;
  for (const MeasuredTime& time : times_) {
    if (!parse<NetworkPart>(time.name) || !is_of(time, network.layers.front(), network)) continue;
    if (std::ranges::find(network.layers, time.name, &Layer::name) != network.layers.end())
      continue;  // a layer's name means the layer
    network.measured_parts_s[time.name] = time.time_s;
    time.used = true;
    has_parts_ = true;
  }
}

std::vector<std::string> MeasuredTimes::notes() const {
  const std::vector<std::string_view> known(layers_.begin(), layers_.end());
  std::vector<std::string> unmatched;
  for (const MeasuredTime& time : times_)
    if (!time.used)
      unmatched.push_back(
          '"' + time.name + '"' +
          (unmatched.size() < most_layers_named ? did_you_mean(time.name, known) : ""));
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
