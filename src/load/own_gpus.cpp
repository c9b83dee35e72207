#include "load/own_gpus.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "load/byte_stream.hpp"
#include "model/gpu_names.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Empty where neither variable says where it is.
fs::path own_folder() {
  const char* config_home = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (config_home != nullptr && *config_home != '\0')
    folder = config_home;
  else if (home != nullptr && *home != '\0')
    folder = fs::path(home) / ".config";
  else
    return folder;
  return folder / "roofline" / "gpus";
}

/// The paths of the GPU files in a folder, sorted; none where there is no folder.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::error_code error;
  if (folder.empty() || fs::status(folder, error).type() == fs::file_type::not_found) return {};
  std::vector<fs::path> paths;
  auto entry = fs::directory_iterator(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    if (entry->path().extension() == ".json") paths.push_back(entry->path());
  if (error) throw InputError(folder.string(), "", "cannot be read: " + error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// The name and the aliases that stand in a text before it stops being JSON, whatever else is wrong
/// with it. None of a text that is far too long for a GPU, which each run would read again.
std::vector<std::string> readable_names(const std::string& text) {
  constexpr std::size_t most_byte = 1'000'000;
  if (text.size() > most_byte) return {};
  std::vector<std::string> names;
  std::string key;
  const auto note_name = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::key && depth == 1) key = value.get<std::string>();
    if (event == json::parse_event_t::value && value.is_string() &&
        ((depth == 1 && key == "name") || (depth == 2 && key == "aliases")))
      names.push_back(value.get<std::string>());
    return true;
  };
  constexpr bool throws = false;
  [[maybe_unused]] const json parsed = json::parse(text, note_name, throws);
  return names;
}

OwnGpu read_file(const fs::path& path) {
  std::string text;
  OwnGpu own{path.string(), {}, InputError("", "", "")};
  try {
    constexpr bool is_looked_through = true;
    text = read_regular_file(own.path, is_looked_through);
    Gpu gpu = load_gpu(text, own.path).value();
    own.names = gpu.aliases;
    own.names.push_back(gpu.name);
    own.content = std::move(gpu);
  } catch (const InputError& error) {
    own.names = readable_names(text);
    own.content = error;
  }
  own.names.push_back(path.stem().string());
  return own;
}

}  // namespace

bool OwnGpu::answers_to(const std::string& normal_name) const {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return normal_gpu_name(name) == normal_name; });
}

OwnGpus read_own_gpus() {
  OwnGpus own;
  try {
    for (const fs::path& path : files_in(own_folder())) own.files.push_back(read_file(path));
  } catch (const InputError& error) {
    own.folder_error = error;
  }
  return own;
}

}  // namespace roofline
