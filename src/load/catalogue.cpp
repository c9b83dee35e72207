#include "roofline/catalogue.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "model/spelling.hpp"
#include "load/gpu_names.hpp"
#include "roofline/error.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

bool answers_to(const Gpu& gpu, const std::string& normal_name) {
  return normal_gpu_name(gpu.name) == normal_name ||
         std::any_of(gpu.aliases.begin(), gpu.aliases.end(), [&](const std::string& alias) {
           return normal_gpu_name(alias) == normal_name;
         });
}

/// The files of the user's own folder, sorted by path.
std::vector<Gpu> user_gpus() {
  const char* config_home = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (config_home != nullptr && *config_home != '\0')
    folder = config_home;
  else if (home != nullptr)
    folder = fs::path(home) / ".config";
  std::error_code error;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder / "roofline" / "gpus", error))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Gpu> gpus;
  for (const fs::path& path : paths)
    gpus.push_back(load_gpu(read_text(path.string()), path.string()));
  return gpus;
}

Gpu load_embedded(const EmbeddedFile& file) {
  return load_gpu(file.text, "built-in " + std::string(file.name));
}

const EmbeddedFile* find_embedded_gpu(const std::string& normal_name) {
  for (const EmbeddedFile& file : embedded_gpus())
    for (const std::string_view name : file.names)
      if (normal_gpu_name(name) == normal_name) return &file;
  return nullptr;
}

[[noreturn]] void fail_unknown(const std::string& name) {
  std::vector<std::vector<std::string>> parts;
  for (const EmbeddedFile& file : embedded_gpus()) {
    parts.emplace_back(file.names.begin() + 1, file.names.end());
    parts.back().emplace_back(file.names.front());  // an alias reads better
  }
  std::string message = "unknown GPU \"" + name + "\"";
  const std::vector<std::string> near = nearest_gpu_names(name, parts, 4);
  for (std::size_t i = 0; i < near.size(); ++i)
    message += (i == 0 ? "; did you mean " : i + 1 == near.size() ? " or " : ", ") + near[i];
  throw UsageError(message + (near.empty() ? "" : "?") + " (--list-gpus lists all)");
}

}  // namespace

Gpu find_gpu(const std::string& name_or_path) {
  const bool is_path =
      name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json");
  if (is_path) return load_gpu(read_text(name_or_path), name_or_path);
  const std::string name = normal_gpu_name(name_or_path);
  for (Gpu& gpu : user_gpus())
    if (answers_to(gpu, name)) return std::move(gpu);
  if (const EmbeddedFile* file = find_embedded_gpu(name)) return load_embedded(*file);
  fail_unknown(name_or_path);
}

std::vector<Gpu> all_gpus() {
  std::vector<Gpu> gpus = user_gpus();
  for (const EmbeddedFile& file : embedded_gpus()) {
    Gpu gpu = load_embedded(file);
    if (std::none_of(gpus.begin(), gpus.end(),
                     [&](const Gpu& own) { return answers_to(own, normal_gpu_name(gpu.name)); }))
      gpus.push_back(std::move(gpu));
  }
  std::sort(gpus.begin(), gpus.end(), [](const Gpu& a, const Gpu& b) { return a.name < b.name; });
  return gpus;
}

std::string network_names() {
  std::string names;
  for (const EmbeddedFile& file : embedded_networks()) names += std::string(file.name) + '\n';
  return names;
}

std::optional<std::string_view> find_network(std::string_view name) {
  for (const EmbeddedFile& file : embedded_networks())
    if (file.name == name) return file.text;
  return std::nullopt;
}

}  // namespace roofline
