#include "load/user_lists.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "load/csv.hpp"
#include "load/network_reader.hpp"
#include "model/layer_fields.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

/// The second and third spelling of microseconds have the micro sign and the Greek letter.
constexpr std::array<std::pair<std::string_view, double>, 6> time_units{
    {{"ns", 1e-9}, {"us", 1e-6}, {"\u00b5s", 1e-6}, {"\u03bcs", 1e-6}, {"ms", 1e-3}, {"s", 1}}};

/// Keys of a layer's name, in order of preference.
constexpr std::array<std::string_view, 2> name_keys{"name", "layer"};

bool is_name(std::string_view key) { return std::ranges::find(name_keys, key) != name_keys.end(); }

/// The unit of a time's key: a layer's key, a unit alone, or "time_" and a unit.
std::optional<double> unit_of(std::string_view key) {
  constexpr std::string_view prefix = "time_";
  const std::string_view unit = key.starts_with(prefix) ? key.substr(prefix.size()) : key;
  for (const auto& [name, unit_s] : time_units)
    if (unit == name) return unit_s;
  const auto found = find_field(LayerKind::conv, key);
  const bool is_time = found && found->field->key == "measured_time_s";
  return is_time ? std::optional(found->unit) : std::nullopt;
}

void read_csv(ByteStream& stream, const std::function<void(const Value&)>& read) {
  CsvRows rows(stream);
  const std::optional<CsvRow> header = rows.next();
  const std::string expected = "expected a header row with name and a time, got ";
  if (!header) throw InputError(stream.name(), "", expected + "an empty file");
  if (std::ranges::none_of(header->cells,
                           [](const std::string& column) { return is_name(column); }))
    throw InputError(stream.name(), std::to_string(header->line), expected + "none of name");
  while (const std::optional<CsvRow> row = rows.next()) {
    if (row->cells.size() == header->cells.size() + 1 && rows.separator() == ',')
      check_decimal_point(header->cells.back(), row->cells.end()[-2] + ',' + row->cells.back(),
                          *row, stream.name());
    check_width(*row, header->cells.size(), stream.name());
    JsonDocument document({stream.name(), row->line, stream.limits()});
    std::vector<JsonNode> members;
    for (std::size_t i = 0; i < row->cells.size(); ++i) {
      const std::string& column = header->cells[i];
      const bool is_text = is_name(column) || column == "network";  // also if it is "64"
      if (unit_of(column)) check_decimal_point(column, row->cells[i], *row, stream.name());
      if (!row->cells[i].empty()) members.push_back(document.cell(column, row->cells[i], is_text));
    }
    document.set_root(document.row(members));
    read(document.root());
  }
}

void read_rows(const std::string& path, const InputLimits& limits,
               const std::function<void(const Value&)>& read) {
  const std::unique_ptr<ByteStream> stream = open_stream(path, limits);
  const std::string_view head = stream->peek(1);
  if (!path.ends_with(".json") && !head.starts_with('[') && !head.starts_with('{'))
    return read_csv(*stream, read);
  const JsonDocument document(stream->read_rest(), {path, {}, limits});
  if (!document.root().is_array())
    document.root().fail_expected("a list of objects with name and a time");
  for (const Value each : document.root()) read(each);
}

constexpr std::size_t most_layers_named = 5;

MeasuredTime read_time(const Value& value) {
  if (!value.is_object()) value.fail_expected("an object with a name and a time");
  MeasuredTime time;
  const auto name = std::ranges::find_if(
      name_keys, [&](std::string_view key) { return value.contains(std::string(key).c_str()); });
  if (name == name_keys.end()) value.fail("expected a name, got nothing");
  time.name = value.at(std::string(*name).c_str()).text();
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
  for (const char* key : {"gpu", "measured_gpu"})
    if (value.contains(key)) time.gpu = value.at(key).text();
  if (value.contains("dtype")) time.dtype = read_data_type(value.at("dtype"));
  return time;
}

bool is_of(const MeasuredTime& time, const Layer& layer, const Network& network) {
  return (!time.network || *time.network == network.name) &&
         (!time.batch || *time.batch == layer.output.batch) &&
         (!time.pass || *time.pass == layer.pass) &&
         (!time.dtype || *time.dtype == layer.dtypes.input);
}

/// What a recorder lengthens is the host's part of a step, so that the GPU idles: its kernels take
/// the time that was recorded.
void set_step(Network& network, double step_s) {
  const auto recording = std::make_shared<TraceSummary>(*network.recording);
  if (step_s < recording->busy_s) {
    constexpr double ms_per_s = 1e3;
    const auto ms_text = [](double time_s) { return number_text(time_s * ms_per_s, 4) + " ms"; };
    throw InputError(network.source, "",
                     "expected a step no shorter than the GPU's recorded work of " +
                         ms_text(recording->busy_s) + ", got " + ms_text(step_s) +
                         ": give the mean of whole steps");
  }
  recording->unrecorded_s = step_s;
  recording->unrecorded_host_s = recording->host_s * step_s / recording->span_s;
  recording->unrecorded_is_stated = true;
  network.recording = recording;
}

}  // namespace

std::optional<double> stated_time_s(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !(number >= 1e-30 && number <= 1e30)) return std::nullopt;
  const std::string_view unit = trimmed({stop, static_cast<std::size_t>(end - stop)});
  for (const auto& [name, unit_s] : time_units)
    if (unit == name) return number * unit_s;
  return std::nullopt;
}

MeasuredTimes::MeasuredTimes(const std::string& path, const std::string& gpu,
                             const InputLimits& limits)
    : path_(path) {
  read_rows(path, limits, [&](const Value& row) {
    times_.push_back(read_time(row));
    if (times_.back().gpu.empty()) times_.back().gpu = gpu;
  });
}

void MeasuredTimes::join(Network& network) {
  if (path_.empty() && times_.front().name.empty()) {
    if (network.layers.size() != 1)
      throw InputError(network.source, "",
                       "expected one layer for the one measured time, got " +
                           std::to_string(network.layers.size()) + ": --explain LAYER names it");
    times_.front().name = network.layers.front().name;
  }
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
        measured.gpu = each->second->gpu;
        measured.pass = layer.pass;
      });
      each->second->used = found = true;
    }
    layers_.push_back(layer.name);
    if (!found) unmeasured_.push_back(layer.name);
  }
  const bool has_step = network.recording != nullptr && network.recording->span_s > 0 &&
                        !network.recording->times_hold_launches;
  for (const MeasuredTime& time : times_)
    if (has_step && time.name == "step" && !time.used) {
      time.used = true;  // also where it is refused
      set_step(network, time.time_s);
    }
}

std::string MeasuredTimes::unmatched() const {
  // Without layers, join() met no network.
  if (layers_.empty() || times_.empty() || times_.front().name.empty()) return "";
  const std::vector<std::string_view> known(layers_.begin(), layers_.end());
  std::vector<std::string> unmatched;
  for (const MeasuredTime& time : times_)
    if (!time.used)
      unmatched.push_back(in_quotes(time.name) + (unmatched.size() < most_layers_named
                                                      ? did_you_mean(time.name, known)
                                                      : ""));
  return unmatched.empty() ? "" : some_of(unmatched, most_layers_named);
}

std::string MeasuredTimes::problem() const {
  const std::string names = path_.empty() ? unmatched() : "";
  return names.empty()
             ? ""
             : "--measured: expected names of layers, or step of a recording, got " + names;
}

std::vector<std::string> MeasuredTimes::notes() const {
  const std::string where = path_.empty() ? "the times given" : path_;
  std::vector<std::string> notes;
  if (const std::string names = path_.empty() ? "" : unmatched(); !names.empty())
    notes.push_back(where + ": " +
                    std::to_string(std::ranges::count(times_, false, &MeasuredTime::used)) +
                    " of its times match no layer: " + names);
  if (!repeated_.empty())
    notes.push_back(where + ": of several times that fit a layer the last counts: " +
                    some_of(repeated_, most_layers_named));
  if (!path_.empty() && !unmeasured_.empty())
    notes.push_back(path_ + ": " + std::to_string(unmeasured_.size()) + " of " +
                    std::to_string(layers_.size()) +
                    " layers have no time in it: " + some_of(unmeasured_, most_layers_named));
  return notes;
}

}  // namespace roofline
