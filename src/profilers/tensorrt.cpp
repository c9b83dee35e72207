// Files of trtexec that match by name: "x.graph.json", "x.profile.json", "x.profile.metadata.json"
// and "x.timing.json" (formats.hpp).

#include "profilers/tensorrt.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "load/kernel_model.hpp"
#include "load/recording.hpp"
#include "load/whole_input.hpp"
#include "model/layer_kind.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "profilers/formats.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

double seconds_of_ms(const Value& time) {
  constexpr double s_per_ms = 1e-3;
  constexpr double most_ms = 1e9;  // 12 days
  return number_within(time, 0, most_ms) * s_per_ms;
}

using Words = std::span<const std::string_view>;
constexpr std::string_view layer_words[] = {"graph", "layer_info", "layerinfo", "layers"};
constexpr std::string_view profile_words[] = {"profile"};
constexpr std::string_view run_words[] = {"timing", "times"};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool begins_with(std::string_view head, char bracket) {
  const std::size_t at = head.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && head[at] == bracket;
}

std::string head_of(const std::string& file) try {
  return std::string(open_stream(file)->peek(head_byte));
} catch (const InputError&) {
  return "";  // reported when it is opened as an input
}

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

/// The file with the last of `words` in its name replaced by one of `others`; empty if missing.
std::string renamed(const std::string& file, Words words, Words others) {
  const std::size_t name_begin = file.find_last_of('/') + 1;
  for (const std::string_view word : words) {
    const std::size_t at = file.rfind(word);
    if (at == std::string::npos || at < name_begin) continue;
    for (const std::string_view other : others) {
      std::string wanted = file;
      wanted.replace(at, word.size(), other);
      if (exists(wanted)) return wanted;
    }
  }
  return "";
}

std::string layers_beside(const std::string& profile_file) {
  return renamed(profile_file, profile_words, layer_words);
}

std::string metadata_beside(const std::string& profile_file) {
  const std::string file = profile_file.substr(0, profile_file.rfind(".json")) + ".metadata.json";
  return exists(file) ? file : "";
}

std::string runs_beside(const std::string& profile_file) {
  return renamed(profile_file, profile_words, run_words);
}

struct EngineProfile {
  std::string source;
  std::vector<LayerTime> layers;
  std::optional<double> latency_s;  ///< of one run, without layers' clocks
  std::string device;               ///< empty if unknown
};

void read_metadata(const Value& metadata, EngineProfile& profile) {
  // The engine explorer lists least, most, mean, median, percentile.
  constexpr std::size_t median_at = 3;
  const Value times = metadata.find("performance_summary").find("GPU Compute Time");
  if (times.is_array() && times.size() > median_at && times.at(median_at).is_number())
    profile.latency_s = seconds_of_ms(times.at(median_at));
  profile.device = metadata.find("device_information").find("Selected Device").try_text();
}

void read_runs(const Value& runs, EngineProfile& profile) {
  std::vector<double> times_s;
  for (const Value run : runs)
    if (const Value time = run.find("computeMs"); time.is_number())
      times_s.push_back(seconds_of_ms(time));
  if (times_s.empty()) return;
  std::sort(times_s.begin(), times_s.end());
  const std::size_t middle = times_s.size() / 2;
  profile.latency_s =
      times_s.size() % 2 == 1 ? times_s[middle] : (times_s[middle - 1] + times_s[middle]) / 2;
}

EngineProfile profile_of(const JsonDocument& entries) {
  EngineProfile profile;
  profile.source = entries.origin().source;
  const Value list = entries.root();
  if (!list.is_array()) list.fail_expected("an array of layers with their times");
  for (const Value entry : list) {
    if (!entry.is_object()) entry.fail_expected("an object");
    if (!entry.contains("name")) continue;  // the first entry: the number of runs
    const Value time = entry.find("averageMs");
    if (!time.is_number()) entry.fail("expected a number averageMs, got none");
    profile.layers.push_back({entry.at("name").text(), seconds_of_ms(time)});
  }
  return profile;
}

EngineProfile read_profile(const std::string& file) {
  EngineProfile profile = profile_of(JsonDocument(read_text(file).value(), {file}));
  if (const std::string metadata = metadata_beside(file); !metadata.empty())
    read_metadata(JsonDocument(read_text(metadata).value(), {metadata}).root(), profile);
  if (const std::string runs = runs_beside(file); !profile.latency_s && !runs.empty())
    read_runs(JsonDocument(read_text(runs).value(), {runs}).root(), profile);
  return profile;
}

/// Several times of one name are in the profile's order.
using TimesByName = std::multimap<std::string, double>;

TimesByName times_by_name(const EngineProfile& profile) {
  TimesByName times;
  for (const LayerTime& layer : profile.layers) times.emplace(layer.name, layer.time_s);
  return times;
}

std::optional<double> take_time(TimesByName& times, const std::string& name) {
  const auto found = times.lower_bound(name);
  if (found == times.end() || found->first != name) return std::nullopt;
  return times.extract(found).mapped();
}

/// The profile of the engine's name, or else one of the inputs that knows half of the layers.
std::optional<EngineProfile> find_profile(const Value& list, const InputSet& inputs) {
  const std::string& layers_file = list.origin().source;
  if (const std::string file = renamed(layers_file, layer_words, profile_words); !file.empty())
    return read_profile(file);
  for (const std::string& file : inputs.names()) {
    const auto profile = inputs.find_in<EngineProfile>(file, [&] {
      return looks_like_engine_profile(head_of(file)) ? read_profile(file) : EngineProfile();
    });
    if (profile == nullptr || profile->source.empty()) continue;
    TimesByName times = times_by_name(*profile);
    std::size_t known = 0;
    for (const Value layer : list) known += take_time(times, engine_layer_name(layer)) ? 1U : 0U;
    if (2 * known >= list.size()) return *profile;
  }
  return std::nullopt;
}

/// The first size of the first tensor that is an input of the engine and no vector.
std::optional<std::uint64_t> batch_of(const Value& engine, const Value& list) {
  std::set<std::string_view> inputs;  // and results, which layers rarely read
  for (const Value name : engine.find("Bindings")) inputs.insert(name.try_text());
  for (const Value layer : list)
    for (const Value tensor : layer.find("Inputs")) {
      const Value sizes = tensor.find("Dimensions");
      if (!inputs.contains(tensor.find("Name").try_text()) || sizes.size() < 2) continue;
      if (const auto batch = sizes.at(0).try_integer(); batch > 0U) return batch;
    }
  return std::nullopt;
}

std::string microseconds(double time_s) {
  std::string text = std::to_string(time_s * 1e6);
  text.resize(text.find('.') + 2);
  return text + " us";
}

void note_profiling_cost(EngineProfile& profile, TraceSummary& summary) {
  const double cost_s = take_off_profiling_cost(profile.layers, *profile.latency_s);
  if (cost_s <= 0) return;
  summary.notes.push_back("the layers' times sum to " + microseconds(summary.span_s) +
                          ", a run takes " + microseconds(*profile.latency_s) +
                          ": timing each layer cost " + microseconds(cost_s) +
                          ", which are taken off");
  summary.span_s = *profile.latency_s;
}

using NamesByReason = std::map<std::string, std::vector<std::string>>;

/// Every layer of the file is in the network, in a table or counted here.
void note_layers(const NamesByReason& layers, std::string_view what, NetworkSpec& spec) {
  constexpr std::size_t most_named = 5;
  for (const auto& [reason, names] : layers)
    spec.assumptions.push_back(std::to_string(names.size()) +
                               (names.size() == 1 ? " layer " : " layers ") + std::string(what) +
                               ": " + some_of(names, most_named) + " (" + reason + ")");
}

void add_unmeasured(const Value& list, NetworkSpec& spec) {
  NamesByReason by_bytes;
  NamesByReason left_out;
  for (const Value layer : list) {
    auto read = read_engine_layer(layer);
    auto* none = std::get_if<NotModelled>(&read);
    if (none != nullptr)
      (none->by_bytes ? by_bytes : left_out)[none->reason].push_back(engine_layer_name(layer));
    if (none == nullptr)
      spec.layers.push_back(std::get<LayerSpec>(std::move(read)));
    else if (none->by_bytes)
      spec.layers.push_back(std::move(*none->by_bytes));
  }
  note_layers(by_bytes, "counted by bytes alone", spec);
  note_layers(left_out, "left out", spec);
}

void add_measured(const Value& list, EngineProfile& profile, NetworkSpec& spec) {
  TraceSummary summary;
  summary.recorder = Recorder::tensorrt;
  summary.times_hold_launches = true;
  summary.gpu.name = profile.device;
  summary.latency_s = profile.latency_s;
  for (const LayerTime& layer : profile.layers) summary.span_s += layer.time_s;
  if (profile.latency_s) note_profiling_cost(profile, summary);
  TimesByName times = times_by_name(profile);
  UnmodelledList unmodelled;
  NamesByReason left_out;
  for (const Value layer : list) {
    const std::string name = engine_layer_name(layer);
    const double time_s = take_time(times, name).value_or(0);
    if (time_s <= 0) {  // constants, and copies without work
      left_out["without a time in " + profile.source].push_back(name);
      continue;
    }
    ++summary.launches;
    summary.kernel_s += time_s;
    auto read = read_engine_layer(layer);
    if (const auto* none = std::get_if<NotModelled>(&read)) {
      unmodelled.add(name, none->shapes, none->reason, time_s);
      continue;
    }
    summary.layers_s += time_s;
    LayerSpec& own = std::get<LayerSpec>(read);
    own.measured = Measured{time_s, std::nullopt, profile.device};
    spec.layers.push_back(std::move(own));
  }
  for (const auto& [name, time_s] : times) {
    if (time_s <= 0) continue;
    ++summary.launches;
    summary.kernel_s += time_s;
    unmodelled.add(name, "", "a time that no layer of the engine has", time_s);
  }
  summary.busy_s = summary.kernel_s;
  summary.unmodelled = unmodelled.items(1);
  note_layers(left_out, "left out", spec);
  spec.summary = std::make_shared<const TraceSummary>(std::move(summary));
  spec.runs_as = RunsAs::tensorrt_engine;
}

}  // namespace

double take_off_profiling_cost(std::vector<LayerTime>& layers, double latency_s) {
  const auto reduced = [](double time_s, double cost_s) {
    constexpr double least_share_kept = 0.1;
    return std::max(time_s - cost_s, time_s * least_share_kept);
  };
  const auto sum_s = [&](double cost_s) {
    double sum = 0;
    for (const LayerTime& layer : layers) sum += reduced(layer.time_s, cost_s);
    return sum;
  };
  if (sum_s(0) <= latency_s) return 0;
  // Bisects the cost, since the sum falls as it grows.
  double least_s = 0;
  double most_s = 0;
  for (const LayerTime& layer : layers) most_s = std::max(most_s, layer.time_s);
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle_s = (least_s + most_s) / 2;
    (sum_s(middle_s) > latency_s ? least_s : most_s) = middle_s;
  }
  for (LayerTime& layer : layers) layer.time_s = reduced(layer.time_s, most_s);
  return most_s;
}

bool looks_like_engine_layers(std::string_view head) {
  return begins_with(head, '{') && has(head, "\"Layers\"") &&
         (has(head, "\"LayerType\"") || has(head, "\"Layers\": [\"") || has(head, "\"Bindings\""));
}

bool looks_like_engine_profile(std::string_view head) {
  return begins_with(head, '[') && has(head, "\"averageMs\"") && has(head, "\"percentage\"");
}

bool looks_like_engine_companion(std::string_view head) {
  const bool is_log = has(head, "\"performance_summary\"") || has(head, "\"build_options\"") ||
                      has(head, "\"device_information\"");
  return (begins_with(head, '{') && is_log) ||
         (begins_with(head, '[') && has(head, "\"startEnqMs\""));
}

std::vector<std::string> read_with_layers(const std::string& layers_file) {
  const std::string profile = renamed(layers_file, layer_words, profile_words);
  if (profile.empty()) return {};
  std::vector<std::string> files{profile, metadata_beside(profile), runs_beside(profile)};
  std::erase(files, "");
  return files;
}

std::vector<std::string> read_with_profile(const std::string& profile_file) {
  const std::string layers = layers_beside(profile_file);
  std::vector<std::string> files = read_with_layers(layers);
  for (const std::string& file : {metadata_beside(profile_file), runs_beside(profile_file), layers})
    if (!file.empty()) files.push_back(file);
  return files;
}

NetworkSpecs read_engine(ByteStream& stream, const InputSet& inputs) {
  const JsonDocument document(stream.read_rest(), {stream.name(), {}, stream.limits()});
  const Value list = document.root().require("Layers", "an array of layers");
  if (!list.is_array()) list.fail_expected("an array of layers");
  NetworkSpec spec;
  spec.source = stream.name();
  spec.name = name_without(stream.name(), {".gz", ".json", ".graph", ".engine", ".onnx"});
  if (std::optional<EngineProfile> profile = find_profile(list, inputs))
    add_measured(list, *profile, spec);
  else
    add_unmeasured(list, spec);
  spec.batch = batch_of(document.root(), list);
  spec.batch_is_fixed = true;
  if (spec.layers.empty()) list.fail("expected layers that run, got none");
  return {std::make_shared<const NetworkSpec>(std::move(spec))};
}

NetworkSpecs read_engine_profile(ByteStream& stream, const InputSet& inputs) {
  const std::string beside = layers_beside(stream.name());
  const auto names = inputs.names();
  const bool is_given = std::ranges::find(names, beside) != names.end();
  if (!beside.empty() && !is_given) return read_engine(*open_stream(beside), inputs);
  if (is_given) return {};
  // Engines search several profiles for times, so errors are reported here.
  profile_of(JsonDocument(stream.read_rest(), {stream.name(), {}, stream.limits()}));
  const bool has_layers = std::ranges::any_of(
      names, [](const std::string& file) { return looks_like_engine_layers(head_of(file)); });
  if (has_layers) return {};
  throw InputError(stream.name(), "",
                   "expected the engine's layers beside their times: give the file of trtexec "
                   "--exportLayerInfo too");
}

NetworkSpecs read_engine_companion(ByteStream& stream, const InputSet& inputs) {
  if (inputs.names().size() > 1) return {};
  throw InputError(stream.name(), "",
                   "expected an engine's layers, got what TensorRT says of its build or its runs: "
                   "give the file of trtexec --exportLayerInfo, beside which this one is read");
}

}  // namespace roofline
