#include "profilers/engine_files.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "load/json.hpp"
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

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const std::size_t middle = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

/// The engine explorer lists least, most, mean, median, percentile.
std::optional<double> latency_of_metadata(const Value& metadata) {
  const Value times = metadata.find("performance_summary").find("GPU Compute Time");
  constexpr std::size_t median_at = 3;
  if (!times.is_array() || times.size() <= median_at || !times.at(median_at).is_number())
    return std::nullopt;
  return times.at(median_at).number() * s_per_ms;
}

std::string device_of_metadata(const Value& metadata) {
  return std::string(metadata.find("device_information").find("Selected Device").try_text());
}

/// --exportTimes: one object a run.
std::optional<double> latency_of_runs(const Value& runs) {
  std::vector<double> times_ms;
  for (const Value run : runs)
    if (const Value time = run.find("computeMs"); time.is_number())
      times_ms.push_back(time.number());
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
    const JsonDocument metadata(read_text(companions.metadata).value(), {companions.metadata});
    profile.latency_s = latency_of_metadata(metadata.root());
    profile.device = device_of_metadata(metadata.root());
  }
  if (!profile.latency_s && !companions.runs.empty())
    profile.latency_s =
        latency_of_runs(JsonDocument(read_text(companions.runs).value(), {companions.runs}).root());
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
  const JsonDocument entries(read_text(file).value(), {file});
  EngineProfile profile;
  profile.source = file;
  const Value list = entries.root();
  if (!list.is_array()) list.fail_expected("an array of layers with their times");
  for (const Value entry : list) {
    if (!entry.is_object()) entry.fail_expected("an object");
    if (!entry.contains("name")) continue;  // the first: how many runs
    const Value time = entry.find("averageMs");
    if (!time.is_number()) entry.fail("expected a number averageMs, got none");
    profile.layers.push_back({entry.at("name").text(), time.number() * s_per_ms});
  }
  read_companions(file, profile);
  return profile;
}

}  // namespace roofline
