#include "roofline/catalogue.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include "load/byte_stream.hpp"
#include "load/embedded.hpp"
#include "load/image.hpp"
#include "load/kernel_model.hpp"
#include "model/gpu_fields.hpp"
#include "model/gpu_names.hpp"
#include "model/gpu_selection.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

double read_rate(const Value& value, const FieldForm& form) {
  const double stated = value.is_number() ? value.number() : 0;
  if (const std::string expected = expected_rate(stated, form); !expected.empty())
    value.fail_expected(expected);
  return stated * form.unit;
}

std::uint64_t read_count(const Value& value, const FieldForm& form) {
  const bool is_whole = form.quantity == Quantity::whole;
  const double count =
      is_whole ? static_cast<double>(value.integer(1)) : value.positive_number() * form.unit;
  if (const std::string expected = expected_count(count, form); !expected.empty())
    value.fail_expected(expected);
  return static_cast<std::uint64_t>(std::llround(count));
}

template <class Owner>
Owner read_object(const Value& value, const std::string& what);

template <class Member>
void read_field(const Value& value, const FieldForm& form, Member& member) {
  if constexpr (std::is_same_v<Member, std::string>) {
    member = value.text();
  } else if constexpr (std::is_same_v<Member, std::vector<std::string>>) {
    member = value.texts();
  } else if constexpr (std::is_same_v<Member, std::optional<std::uint64_t>>) {
    member = read_count(value, form);
  } else if constexpr (std::is_same_v<Member, EngineRates>) {
    value.check_keys("the engines", {names_of<Engine>.begin(), names_of<Engine>.end()});
    for (const Engine engine : enumerators<Engine>)
      if (const auto rate = value.get(name_of(engine))) member[engine] = read_rate(*rate, form);
    if (!form.required.empty() && value.size() == 0)
      value.fail_expected(std::string(at_least_one_peak));
  } else if constexpr (std::is_same_v<Member, std::optional<SustainedCeilings>>) {
    member = read_object<SustainedCeilings>(value, "sustained");
  } else if constexpr (std::is_same_v<Member, KernelConstants>) {
    member = read_object<KernelConstants>(value, "kernel");
  } else if constexpr (std::is_same_v<Member, SharedConstants>) {
    member = read_constants(value);
  } else if constexpr (std::is_same_v<Member, std::vector<Source>>) {
    if (!value.is_array()) value.fail_expected("a list of sources");
    for (const Value each : value) member.push_back(read_object<Source>(each, "a source"));
  } else if constexpr (std::is_same_v<Member, std::vector<PowerMode>>) {
    if (!value.is_array()) value.fail_expected("a list of power modes");
    for (const Value each : value) member.push_back(read_object<PowerMode>(each, "a power mode"));
  } else {
    member = read_rate(value, form);
  }
}

template <class Owner>
Owner read_object(const Value& value, const std::string& what) {
  std::vector<std::string_view> keys;
  for (const GpuField<Owner>& field : fields_of<Owner>()) keys.push_back(field.form.file_key);
  value.check_keys(what, keys);
  Owner owner;
  for (const GpuField<Owner>& field : fields_of<Owner>()) {
    const FieldForm& form = field.form;
    if (form.required.empty() && !value.contains(form.file_key)) continue;
    const Value stated = value.require(form.file_key, form.required);
    std::visit([&](auto member) { read_field(stated, form, owner.*member); }, field.member);
  }
  return owner;
}

/// Other programs' keys by a part of their names.
void check_spelling(const Value& root) {
  constexpr std::pair<std::string_view, std::string_view> ours[] = {
      {"flops", R"("peak_tflops": {"fp32": 15.7})"}, {"bandwidth", R"("bandwidth_gb_per_s": 900)"}};
  if (!root.is_object()) return;
  for (const Value member : root)
    for (const auto& [part, spelling] : ours)
      if (lower_case(member.key()).find(part) != std::string::npos &&
          std::ranges::none_of(fields_of<Gpu>(), [&](const GpuField<Gpu>& field) {
            return field.form.file_key == member.key();
          }))
        member.fail("expected a key of a GPU such as " + std::string(spelling) + ", got " +
                    in_quotes(member.key()));
}

}  // namespace

/// A GPU file of the user's folder. An invalid one keeps its file name and fails only when used.
struct OwnGpu {
  std::string path;
  std::vector<std::string> names;  ///< the file's name last
  Expected<Gpu> content;

  const Gpu* gpu() const { return content ? &*content : nullptr; }
  const InputError* error() const { return content ? nullptr : &content.error(); }
  bool answers_to(const std::string& normal_name) const {
    return std::ranges::any_of(
        names, [&](const std::string& name) { return normal_gpu_name(name) == normal_name; });
  }
};

namespace {

using OwnGpus = std::vector<OwnGpu>;

namespace fs = std::filesystem;

/// Empty if neither variable is set.
fs::path own_folder() {
  const char* config_home = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (config_home != nullptr && *config_home != '\0')
    return fs::path(config_home) / "roofline" / "gpus";
  if (home != nullptr && *home != '\0') return fs::path(home) / ".config" / "roofline" / "gpus";
  return {};
}

/// Sorted; empty without the folder.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::error_code error;
  if (folder.empty() || fs::status(folder, error).type() == fs::file_type::not_found) return {};
  std::vector<fs::path> paths;
  auto entry = fs::directory_iterator(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    if (entry->path().extension() == ".json") paths.push_back(entry->path());
  if (error) throw InputError(folder.string(), "", "cannot be read: " + error.message());
  std::ranges::sort(paths);
  return paths;
}

Gpu load_file(const std::string& path, const std::string& text) {
  Gpu gpu = load_gpu(text, path).value();
  gpu.files.push_back(path);
  return gpu;
}

OwnGpu read_own_gpu(const fs::path& path) {
  OwnGpu own{path.string(), {}, expected([&] {
               return load_file(path.string(), read_regular_file(path.string()));
             })};
  if (const Gpu* gpu = own.gpu()) {
    own.names = gpu->aliases;
    own.names.push_back(gpu->name);
  }
  own.names.push_back(path.stem().string());
  return own;
}

/// The folder itself if it cannot be read.
OwnGpus read_own_gpus() {
  OwnGpus own;
  try {
    for (const fs::path& path : files_in(own_folder())) own.push_back(read_own_gpu(path));
  } catch (const InputError& error) {
    own.push_back({own_folder().string(), {}, error});
  }
  return own;
}

Gpu load_embedded(const EmbeddedFile& file) {
  const auto index = static_cast<std::size_t>(&file - embedded_gpus().data());
  Gpu gpu = read_image<Gpu>(gpu_images()[index]);
  gpu.constants = built_in_constants(gpu);
  return gpu;
}

/// Most names are spelled as in the files and need no normal form.
const EmbeddedFile* find_embedded_gpu(const std::string& any_name) {
  for (const EmbeddedFile& file : embedded_gpus())
    if (std::ranges::find(file.names, any_name) != file.names.end()) return &file;
  const std::string normal = normal_gpu_name(any_name);
  for (std::size_t i = 0; i < embedded_gpus().size(); ++i)
    if (has_word(gpu_normal_names()[i], normal)) return &embedded_gpus()[i];
  return nullptr;
}

/// A file of a built-in GPU's name answers to all of its names; a wrong file comes first.
const OwnGpu* find_own_gpu(const OwnGpus& own, const std::string& any_name) {
  const std::string name = normal_gpu_name(any_name);
  const EmbeddedFile* built_in = find_embedded_gpu(any_name);
  const std::string full = built_in != nullptr ? normal_gpu_name(built_in->names.front()) : name;
  const OwnGpu* found = nullptr;
  for (const OwnGpu& file : own) {
    if (!file.answers_to(name) && !file.answers_to(full)) continue;
    if (file.error() != nullptr) return &file;
    if (found == nullptr) found = &file;
  }
  return found;
}

bool is_path(const std::string& name) {
  if (name.ends_with(".json")) return true;
  // "AMD Instinct MI250X/MI250" is a device's name.
  return name.find('/') != name.npos && (fs::exists(name) || find_embedded_gpu(name) == nullptr);
}

std::vector<std::string> nearest_names(const std::string& name, const OwnGpus& own) {
  constexpr std::size_t most_named = 4;
  std::vector<std::vector<std::string>> parts;
  for (const OwnGpu& file : own)
    if (file.gpu() != nullptr) parts.push_back(file.names);
  for (const EmbeddedFile& file : embedded_gpus()) {
    parts.emplace_back(file.names.begin() + 1, file.names.end());
    parts.back().emplace_back(file.names.front());  // an alias reads better
  }
  return nearest_gpu_names(name, parts, most_named);
}

/// `gpus`: all, since the name may be meant to select some.
[[noreturn]] void fail_unknown(const std::string& name, const OwnGpus& own,
                               const std::vector<Gpu>& gpus) {
  if (const std::vector<std::string> alike = gpus_with_chip(name, gpus); !alike.empty())
    throw InputError(
        "expected a GPU, got " + in_quotes(name) + ", the chip of " + joined(alike) + ": name one",
        Remedy::gpu);
  std::string message = "unknown GPU " + in_quotes(name);
  const std::string words = gpu_name_words(name);
  if (words.find(" mig ") != words.npos)
    throw InputError("expected a whole GPU, got the MIG slice " + in_quotes(name) +
                     ": name its GPU, and the slice's share as what-ifs of sms, memory, bandwidth "
                     "and l2");
  std::vector<std::string> near = nearest_names(name, own);
  if (near.empty()) {
    const std::vector<std::string> selecting = selecting_words(gpus);
    near = nearest(name, {selecting.begin(), selecting.end()});
  }
  for (std::size_t i = 0; i < near.size(); ++i)
    message += (i == 0 ? "; did you mean " : i + 1 == near.size() ? " or " : ", ") + near[i];
  throw InputError(message + (near.empty() ? "" : "?"), Remedy::gpu);
}

/// Lower-case letters and digits: "ResNet-50" is "resnet50".
std::string plain_name(std::string_view name) {
  std::string plain = lower_case(name);
  std::erase_if(plain, [](unsigned char letter) { return std::isalnum(letter) == 0; });
  return plain;
}

}  // namespace

Catalogue::Catalogue() : own_(std::make_shared<const OwnGpus>(read_own_gpus())) {}

std::optional<Gpu> Catalogue::try_find(const std::string& any_name) const {
  const EmbeddedFile* built_in = find_embedded_gpu(any_name);
  const OwnGpu* found = find_own_gpu(*own_, any_name);
  if (found != nullptr && found->error() != nullptr) throw *found->error();
  if (found == nullptr) return built_in ? std::optional(load_embedded(*built_in)) : std::nullopt;
  const Gpu& own = *found->gpu();
  if (built_in != nullptr && !roofline::answers_to(own, built_in->names.front()))
    throw InputError(found->path, "",
                     "expected names that no other GPU has, got " + in_quotes(any_name) +
                         ", which is " + std::string(built_in->names.front()) +
                         "; a file of that name takes its place");
  return own;
}

Expected<Gpu> Catalogue::find(const std::string& name_or_path) const {
  return expected([&]() -> Gpu {
    if (is_path(name_or_path)) return load_file(name_or_path, read_text(name_or_path).value());
    if (std::optional<Gpu> found = try_find(name_or_path)) return *std::move(found);
    if (const std::size_t at = name_or_path.rfind('@'); at != name_or_path.npos) {
      const std::string name = name_or_path.substr(0, at);
      if (selected_gpus(name, all()))
        throw InputError(concat("expected one GPU before @, got ", in_quotes(name)));
      const auto setting = parse_gpu_setting("power=" + name_or_path.substr(at + 1)).value();
      return with_settings(find(name).value(), {&setting, 1}).value();
    }
    fail_unknown(name_or_path, *own_, all());
  });
}

std::optional<Gpu> Catalogue::nearest(const std::string& name) const {
  const std::vector<std::string> near = nearest_names(name, *own_);
  return near.empty() ? std::nullopt : try_find(near.front());
}

Expected<std::optional<std::vector<Gpu>>> Catalogue::select(const std::string& word) const {
  return expected([&]() -> std::optional<std::vector<Gpu>> {
    const bool has_limits = word.find_first_of("<>=") != word.npos && !word.ends_with(".json");
    const bool is_name = find_embedded_gpu(word) != nullptr || path_of(word);
    if (is_name && !has_limits) {
      const std::optional<std::string> own_file = path_of(word);
      if (own_file && !is_path(word) && selected_gpus(word, all()))
        throw InputError(*own_file, "",
                         "expected another name than " + in_quotes(word) + ", which selects GPUs");
      return std::nullopt;
    }
    return selected_gpus(word, all());
  });
}

Expected<std::vector<Gpu>> Catalogue::find_recorded(const RecordedGpu& recorded) const {
  return expected([&]() -> std::vector<Gpu> {
    if (!recorded.name.empty())
      if (std::optional<Gpu> found = try_find(recorded.name)) {
        // Each die of a two-die module is a device with the module's name.
        const std::string module = found->name.substr(0, found->name.find(" ("));
        if (recorded.sm_count && found->sm_count != recorded.sm_count)
          for (const Gpu& die : all())
            if (die.sm_count == recorded.sm_count && die.name.starts_with(module + " ("))
              return {die};
        return {*std::move(found)};
      }
    if (!recorded.sm_count || !recorded.memory_byte) return {};
    const auto recorded_byte = static_cast<double>(*recorded.memory_byte);
    std::vector<Gpu> alike = all();
    std::erase_if(alike, [&](const Gpu& gpu) {
      if (gpu.sm_count != recorded.sm_count || !gpu.memory_byte) return true;
      return std::abs(recorded_byte / static_cast<double>(*gpu.memory_byte) - 1) > 0.1;
    });
    return alike;
  });
}

Expected<std::string> Catalogue::text(const std::string& name_or_path) const {
  return expected([&]() -> std::string {
    if (const auto path = path_of(name_or_path)) return read_text(*path).value();
    if (const EmbeddedFile* file = find_embedded_gpu(name_or_path)) return std::string(file->text);
    fail_unknown(name_or_path, *own_, all());
  });
}

std::optional<std::string> Catalogue::path_of(const std::string& name_or_path) const {
  if (is_path(name_or_path)) return name_or_path;
  const OwnGpu* found = find_own_gpu(*own_, name_or_path);
  return found != nullptr ? std::optional(found->path) : std::nullopt;
}

std::vector<Gpu> Catalogue::all() const {
  std::vector<Gpu> gpus;
  for (const OwnGpu& file : *own_)
    if (file.gpu() != nullptr) gpus.push_back(*file.gpu());
  for (const EmbeddedFile& file : embedded_gpus()) {
    Gpu gpu = load_embedded(file);
    const std::string name = normal_gpu_name(gpu.name);
    if (std::ranges::none_of(
            *own_, [&](const OwnGpu& own) { return own.gpu() != nullptr && own.answers_to(name); }))
      gpus.push_back(std::move(gpu));
  }
  std::ranges::sort(gpus, {}, &Gpu::name);
  return gpus;
}

std::vector<InputError> Catalogue::problems_besides(const std::vector<std::string>& names) const {
  std::vector<InputError> problems;
  for (const OwnGpu& file : *own_) {
    const bool meant = std::ranges::any_of(names, [&](const std::string& name) {
      return is_path(name) ? name == file.path : file.answers_to(normal_gpu_name(name));
    });
    if (file.error() != nullptr && !meant) problems.push_back(*file.error());
  }
  return problems;
}

Expected<Gpu> find_gpu(const std::string& name_or_path) { return Catalogue().find(name_or_path); }

std::vector<Gpu> all_gpus() { return Catalogue().all(); }

std::string network_names() {
  std::string names;
  for (const EmbeddedFile& file : embedded_networks()) names += std::string(file.name) + '\n';
  return names;
}

std::optional<std::string_view> find_network(std::string_view name) {
  const std::string wanted = plain_name(name);
  for (const EmbeddedFile& file : embedded_networks())
    if (plain_name(file.name) == wanted) return file.text;
  return std::nullopt;
}

Expected<Gpu> load_gpu(std::string_view json_text, const std::string& source) {
  return expected([&] {
    const JsonDocument document(json_text, {source});
    check_spelling(document.root());
    Gpu gpu = read_object<Gpu>(document.root(), "a GPU");
    if (const auto fault = fault_in_names(gpu)) document.root().fail_at(fault->key, fault->message);
    if (gpu.constants == nullptr) gpu.constants = built_in_constants(gpu);
    if (!gpu.constants->file.empty()) gpu.files.push_back(gpu.constants->file);
    return gpu;
  });
}

}  // namespace roofline
