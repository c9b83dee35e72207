#include "profilers/engine_files.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "load/json_value.hpp"
#include "profilers/formats.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

constexpr double s_per_ms = 1e-3;
using Words = std::span<const std::string_view>;
constexpr std::string_view layer_words[] = {"graph", "layer_info", "layerinfo", "layers"};
constexpr std::string_view profile_words[] = {"profile"};
constexpr std::string_view run_words[] = {"timing", "times"};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

char first_character(std::string_view head) {
  const std::size_t at = head.find_first_not_of(" \t\r\n");
  return at == std::string_view::npos ? '\0' : head[at];
}

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

/// The file with the last of the words in its name exchanged for one of the others, if there is
/// such a file.
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

JsonDocument parse_file(const std::string& file) {
  return parse_json(read_text(file).value(), {file, {}});
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const std::size_t middle = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

/// The engine explorer lists least, most, mean, median, percentile.
std::optional<double> latency_of_metadata(const JsonNode& metadata) {
  const JsonNode* summary = metadata.find("performance_summary");
  const JsonNode* times = summary == nullptr ? nullptr : summary->find("GPU Compute Time");
  constexpr std::size_t median_at = 3;
  if (times == nullptr || times->elements().size() <= median_at ||
      !times->elements()[median_at].is_number())
    return std::nullopt;
  return times->elements()[median_at].number() * s_per_ms;
}

std::string device_of_metadata(const JsonNode& metadata) {
  const JsonNode* information = metadata.find("device_information");
  const JsonNode* device = information == nullptr ? nullptr : information->find("Selected Device");
  return device != nullptr && device->is_string() ? std::string(device->text()) : "";
}

/// --exportTimes: one object a run.
std::optional<double> latency_of_runs(const JsonNode& runs) {
  std::vector<double> times_ms;
  for (const JsonNode& run : runs.elements())
    if (const JsonNode* time = run.find("computeMs"); time != nullptr && time->is_number())
      times_ms.push_back(time->number());
  return times_ms.empty() ? std::nullopt : std::optional(median(times_ms) * s_per_ms);
}

/// What is there of a profile's companions; empty names where nothing is.
struct Companions {
  std::string metadata;
  std::string runs;
};

Companions companions_of(const std::string& profile_file) {
  constexpr std::string_view ending = ".json";
  if (!profile_file.ends_with(ending)) return {};
  const std::string metadata =
      profile_file.substr(0, profile_file.size() - ending.size()) + ".metadata.json";
  return {exists(metadata) ? metadata : "", renamed(profile_file, profile_words, run_words)};
}

void read_companions(const std::string& file, EngineProfile& profile) {
  const Companions companions = companions_of(file);
  if (!companions.metadata.empty()) {
    const JsonDocument metadata = parse_file(companions.metadata);
    profile.latency_s = latency_of_metadata(metadata.root());
    profile.device = device_of_metadata(metadata.root());
  }
  if (!profile.latency_s && !companions.runs.empty())
    profile.latency_s = latency_of_runs(parse_file(companions.runs).root());
}

}  // namespace

bool looks_like_engine_layers(std::string_view head) {
  return first_character(head) == '{' && has(head, "\"Layers\"") &&
         (has(head, "\"LayerType\"") || has(head, "\"Layers\": [\"") || has(head, "\"Bindings\""));
}

bool looks_like_engine_profile(std::string_view head) {
  return first_character(head) == '[' && has(head, "\"averageMs\"") && has(head, "\"percentage\"");
}

bool looks_like_engine_companion(std::string_view head) {
  const bool is_log = has(head, "\"performance_summary\"") || has(head, "\"build_options\"") ||
                      has(head, "\"device_information\"");
  return (first_character(head) == '{' && is_log) ||
         (first_character(head) == '[' && has(head, "\"startEnqMs\""));
}

std::string profile_beside(const std::string& layers_file) {
  return renamed(layers_file, layer_words, profile_words);
}

std::string layers_beside(const std::string& profile_file) {
  return renamed(profile_file, profile_words, layer_words);
}

std::vector<std::string> read_with_layers(const std::string& layers_file) {
  const std::string profile = profile_beside(layers_file);
  if (profile.empty()) return {};
  const Companions companions = companions_of(profile);
  std::vector<std::string> files{profile, companions.metadata, companions.runs};
  std::erase(files, "");
  return files;
}

std::vector<std::string> read_with_profile(const std::string& profile_file) {
  const Companions companions = companions_of(profile_file);
  const std::string layers = layers_beside(profile_file);
  std::vector<std::string> files = read_with_layers(layers);
  files.insert(files.end(), {companions.metadata, companions.runs, layers});
  std::erase(files, "");
  return files;
}

EngineProfile read_engine_profile(const std::string& file) {
  const Origin origin{file, {}};
  const JsonDocument entries = parse_json(read_text(file).value(), origin);
  EngineProfile profile;
  profile.source = file;
  const Value list(entries.root(), origin);
  if (!list.is_array()) list.fail_expected("an array of layers with their times");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value entry = list.at(i);
    if (!entry.node().is_object()) entry.fail_expected("an object");
    if (!entry.node().contains("name")) continue;  // the first: how many runs
    const JsonNode* time = entry.node().find("averageMs");
    if (time == nullptr || !time->is_number()) entry.fail("expected a number averageMs, got none");
    profile.layers.push_back({entry.at("name").text(), time->number() * s_per_ms});
  }
  read_companions(file, profile);
  return profile;
}

}  // namespace roofline
