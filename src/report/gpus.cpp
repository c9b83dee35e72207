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
#include <utility>
#include <variant>
#include <vector>

#include "kernel/constants.hpp"
#include "model/gpu_fields.hpp"
#include "model/text.hpp"
#include "report/document.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"
#include "report/writer.hpp"
#include "roofline/render.hpp"

namespace roofline {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t label_width = 21;

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

List fields_list(const Gpu& gpu) {
  List list{.rows = {}, .term_width = label_width};
  for (const auto& [form, member] : fields_of<Gpu>())
    if (!form.label.empty())
      list.add(
          form.label,
          std::visit([&, &as = form](auto each) { return value_text(as, gpu.*each); }, member));
  return list;
}

List peaks_list(const EngineRates& rates, double bandwidth_byte_per_s) {
  List list{.rows = {}, .term_width = label_width};
  for (const Engine engine : enumerators<Engine>) {
    if (!rates[engine]) continue;
    list.term_width = std::max(list.term_width, name_of(engine).size() + 1);
    list.add(name_of(engine), fmt::format("{:<15} ridge {} FLOP/B", si(*rates[engine], "FLOP/s"),
                                          plain(*rates[engine] / bandwidth_byte_per_s)));
  }
  list.add("bandwidth", si(bandwidth_byte_per_s, "B/s"));
  return list;
}

List power_modes_list(const Gpu& gpu) {
  List list{.rows = {}, .term_width = label_width};
  for (const PowerMode& mode : gpu.power_modes)
    list.add(mode.name, !mode.set.empty()     ? joined(mode.set, ", ")
                        : gpu.changes.empty() ? "as above"
                                              : "the GPU as listed");
  return list;
}

std::string source_text(const Source& source) {
  std::string text = "  - " + source.title;
  if (!source.date.empty()) text += fmt::format(" ({})", source.date);
  if (!source.fields.empty()) text += fmt::format(": {}", fmt::join(source.fields, ", "));
  return text;
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

Document gpu_document(const Gpu& gpu) {
  Document document;
  const auto begin = [&](std::string title) {
    document.add_gap();
    document.add_heading(std::move(title));
  };
  begin(gpu.name + (gpu.aliases.empty() ? "" : fmt::format(" ({})", fmt::join(gpu.aliases, ", "))));
  document.add_list(fields_list(gpu));
  begin("datasheet ceilings");
  document.add_list(peaks_list(gpu.peak_flop_per_s, gpu.bandwidth_byte_per_s));
  if (!gpu.power_modes.empty()) begin("power modes, for --set power=");
  document.add_list(power_modes_list(gpu));
  if (gpu.sustained) {
    begin("sustained ceilings: " + gpu.sustained->source);
    document.add_list(
        peaks_list(gpu.sustained->peak_flop_per_s,
                   gpu.sustained->bandwidth_byte_per_s.value_or(gpu.bandwidth_byte_per_s)));
  }
  if (!gpu.notes.empty()) begin("notes");
  for (const std::string& note : gpu.notes) document.add_line("  - " + note);
  if (!gpu.sources.empty()) begin("sources");
  for (const Source& source : gpu.sources) document.add_line(source_text(source));
  return document;
}

std::string render_gpu(const Gpu& gpu) { return printable_lines(text_of(gpu_document(gpu), {})); }

std::string render_gpu_list(const std::vector<Gpu>& gpus, const RenderStyle& style) {
  // A narrow terminal drops derived columns and those of --json and gpus NAME.
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
  Document document;
  document.add_table({std::move(grid)});
  document.add_gap();
  document.add_line("fp32, fp16 tensor: TFLOP/s. ridge: FLOP/B at fp32. --json gives all fields.");
  return text_of(document, style.width);
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
