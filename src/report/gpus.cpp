#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "kernel/constants.hpp"
#include "model/gpu_fields.hpp"
#include "model/text.hpp"
#include "report/grid.hpp"
#include "report/text.hpp"
#include "report/writer.hpp"
#include "roofline/render.hpp"

namespace roofline {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t label_width = 22;

/// "  label            value"; nothing without a value.
void add_line(std::string& out, std::string_view label, const std::string& value,
              std::size_t width = label_width) {
  if (!value.empty()) out += fmt::format("  {:<{}}{}\n", label, width, value);
}

std::string binary_bytes(double bytes) {
  constexpr double kibi = 1024;
  constexpr double mebi = 1024 * kibi;
  return bytes >= mebi ? fmt::format("{:g} MiB", bytes / mebi)
                       : fmt::format("{:g} KiB", bytes / kibi);
}

template <class T>
std::string value_text(const FieldForm& form, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value;
    // cppcheck-suppress constStatement ; it is a requirement
  } else if constexpr (requires { static_cast<double>(*value); }) {
    if (!value) return "";
    const auto number = static_cast<double>(*value);
    if (form.quantity == Quantity::whole) return fmt::format("{:.0f}", number);
    return form.quantity == Quantity::binary_size ? binary_bytes(number) : si(number, form.symbol);
  } else {
    return "";
  }
}

void add_fields(std::string& out, const Gpu& gpu) {
  for (const auto& [form, member] : fields_of<Gpu>())
    if (!form.label.empty())
      add_line(
          out, form.label,
          std::visit([&, &as = form](auto each) { return value_text(as, gpu.*each); }, member));
}

void add_peaks(std::string& out, const std::string& heading, const EngineRates& rates,
               double bandwidth_byte_per_s) {
  out += heading;
  std::size_t width = label_width;
  for (const Engine engine : enumerators<Engine>)
    if (rates[engine]) width = std::max(width, name_of(engine).size() + 2);
  for (const Engine engine : enumerators<Engine>)
    if (rates[engine])
      add_line(out, name_of(engine),
               fmt::format("{:<15} ridge {} FLOP/B", si(*rates[engine], "FLOP/s"),
                           plain(*rates[engine] / bandwidth_byte_per_s)),
               width);
  add_line(out, "bandwidth", si(bandwidth_byte_per_s, "B/s"), width);
}

/// In units of 10^exponent, to compare a column at a glance.
std::string in_units(const std::optional<double>& value, double unit) {
  return value ? fmt::format("{:.5g}", *value / unit) : "";
}

/// Null if absent; rates by engine hold the known ones only.
template <class T>
Json to_json(const T& value) {
  Json json;
  if constexpr (std::is_same_v<T, std::string>) {
    if (!value.empty()) json = value;
  } else if constexpr (std::is_same_v<T, double>) {
    if (std::isfinite(value)) json = value;
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    json = value;
  } else if constexpr (std::is_same_v<T, ModelConstants>) {
    json = value.name;
  } else if constexpr (std::is_same_v<T, EngineRates>) {
    json = Json::object();
    for (const Engine engine : enumerators<Engine>)
      if (value[engine]) json[std::string(name_of(engine))] = to_json(*value[engine]);
  } else if constexpr (std::ranges::range<T>) {
    json = Json::array();
    for (const auto& each : value) json.push_back(to_json(each));
    // cppcheck-suppress constStatement ; it is a requirement
  } else if constexpr (requires { *value; }) {
    if (value) json = to_json(*value);
  } else {
    for (const GpuField<T>& field : fields_of<T>())
      std::visit([&](auto member) { json[std::string(field.form.key)] = to_json(value.*member); },
                 field.member);
  }
  return json;
}

}  // namespace

std::string render_gpu(const Gpu& gpu) {
  std::string out = gpu.name;
  if (!gpu.aliases.empty()) out += fmt::format(" ({})", fmt::join(gpu.aliases, ", "));
  out += '\n';
  add_fields(out, gpu);
  add_peaks(out, "\ndatasheet ceilings\n", gpu.peak_flop_per_s, gpu.bandwidth_byte_per_s);
  if (!gpu.power_modes.empty()) out += "\npower modes, for --set power=\n";
  for (const PowerMode& mode : gpu.power_modes)
    add_line(out, mode.name,
             mode.set.empty() ? gpu.changes.empty() ? "as above" : "the GPU as listed"
                              : joined(mode.set, ", "));
  if (gpu.sustained)
    add_peaks(out, "\nsustained ceilings: " + gpu.sustained->source + "\n",
              gpu.sustained->peak_flop_per_s,
              gpu.sustained->bandwidth_byte_per_s.value_or(gpu.bandwidth_byte_per_s));
  if (!gpu.notes.empty()) out += "\nnotes\n";
  for (const std::string& text : gpu.notes) out += fmt::format("  - {}\n", text);
  if (!gpu.sources.empty()) out += "\nsources\n";
  for (const Source& source : gpu.sources) {
    out += "  - " + source.title;
    if (!source.date.empty()) out += fmt::format(" ({})", source.date);
    if (!source.fields.empty()) out += fmt::format(": {}", fmt::join(source.fields, ", "));
    out += '\n';
  }
  return printable_lines(out);
}

std::string render_gpu_list(const std::vector<Gpu>& gpus, const RenderStyle& style) {
  Grid grid{{left("name"), left("alias"), left("architecture", 2), right("GB"), right("GB/s"),
             right("fp32"), right("fp16 tensor"), right("ridge", 1)}};
  for (const Gpu& gpu : gpus) {
    const std::optional<double> fp32 = rate_of(gpu.peak_flop_per_s, Engine::fp32);
    const std::optional<double> tensor = rate_of(gpu.peak_flop_per_s, Engine::fp16_tensor);
    grid.add_row({gpu.name, gpu.aliases.empty() ? "" : gpu.aliases.front(), gpu.architecture,
                  gpu.memory_byte ? in_units(static_cast<double>(*gpu.memory_byte), 1e9) : "",
                  in_units(gpu.bandwidth_byte_per_s, 1e9), in_units(fp32, 1e12),
                  in_units(tensor, 1e12),
                  fp32 ? fmt::format("{:.1f}", *fp32 / gpu.bandwidth_byte_per_s) : ""});
  }
  // A narrow terminal drops derived columns and those of --json and gpus NAME.
  fit(grid, style.width);
  return aligned(grid, style.width) +
         "\nfp32, fp16 tensor: TFLOP/s. ridge: FLOP/B at fp32. --json gives all fields.\n";
}

std::string render_gpus_csv(const std::vector<Gpu>& gpus) {
  std::string out =
      "name,alias,architecture,memory_byte,bandwidth_byte_per_s,fp32_flop_per_s,"
      "fp16_tensor_flop_per_s\n";
  TextBuffer csv(out);
  for (const Gpu& gpu : gpus) {
    const Cell cells[] = {std::string_view(gpu.name),
                          gpu.aliases.empty() ? Cell() : std::string_view(gpu.aliases.front()),
                          std::string_view(gpu.architecture),
                          gpu.memory_byte,
                          gpu.bandwidth_byte_per_s,
                          rate_of(gpu.peak_flop_per_s, Engine::fp32),
                          rate_of(gpu.peak_flop_per_s, Engine::fp16_tensor)};
    append_csv_row(csv, cells);
  }
  csv.flush();
  return out;
}

std::string render_gpus_json(const std::vector<Gpu>& gpus) {
  constexpr std::uint64_t version = 1;  // raised when a key changes its meaning or goes
  Json all{{"gpus_version", version}, {"roofline_version", ROOFLINE_VERSION}};
  for (const Gpu& gpu : gpus) {
    Json& json = all["gpus"][gpu.name] = to_json(gpu);
    json["source_of"] = Json::object();
    for (const Source& source : gpu.sources)
      for (const std::string& field : source.fields)
        for (const auto& [form, member] : fields_of<Gpu>())  // "peak_tflops.fp64"
          if (form.file_key == field.substr(0, field.find('.')))
            json["source_of"][std::string(form.key) + field.substr(form.file_key.size())] =
                source.title;
  }
  return dumped(all, 2) + '\n';
}

}  // namespace roofline
