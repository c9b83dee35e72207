#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "model/gpu_fields.hpp"
#include "report/text.hpp"
#include "roofline/render.hpp"

namespace roofline {
namespace {

/// "  label            value", nothing for what is unknown.
void add_line(std::string& out, std::string_view label, const std::string& value,
              std::size_t width = 22) {
  if (!value.empty()) out += fmt::format("  {:<{}}{}\n", label, width, value);
}

std::string binary_bytes(double bytes) {
  constexpr double kibi = 1024;
  constexpr double mebi = 1024 * kibi;
  return bytes >= mebi ? fmt::format("{:g} MiB", bytes / mebi)
                       : fmt::format("{:g} KiB", bytes / kibi);
}

std::string number_text(const FieldForm& form, double value) {
  if (form.quantity == Quantity::whole) return fmt::format("{:.0f}", value);
  if (form.quantity == Quantity::binary_size) return binary_bytes(value);
  return si(value, form.symbol);
}

std::string value_text(const FieldForm&, const std::string& text) { return text; }

template <class T>
requires std::is_arithmetic_v<T> std::string value_text(const FieldForm& form,
                                                        const std::optional<T>& value) {
  return value ? number_text(form, static_cast<double>(*value)) : "";
}

/// Lists and parts have headings of their own.
template <class T>
std::string value_text(const FieldForm&, const T&) {
  return "";
}

/// A line a field, together with the fields that end it.
void add_fields(std::string& out, const Gpu& gpu) {
  std::string_view label;
  std::string line;
  for (const auto& [form, member] : fields_of<Gpu>()) {
    if (form.label.empty() && form.joint.empty()) continue;
    const std::string text =
        std::visit([&, &as = form](auto each) { return value_text(as, gpu.*each); }, member);
    if (form.joint.empty()) {
      add_line(out, label, line);
      label = form.label;
      line = text;
    } else if (!text.empty()) {
      const std::size_t start = line.empty() ? form.joint.find_first_not_of(", ") : 0;
      line += std::string(form.joint.substr(std::min(start, form.joint.size()))) + text;
    }
  }
  add_line(out, label, line);
}

void add_peaks(std::string& out, const std::string& heading, const EngineRates& rates,
               double bandwidth_byte_per_s) {
  out += heading;
  std::size_t width = 22;
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

}  // namespace

std::string render_gpu(const Gpu& gpu) {
  std::string out = gpu.name;
  if (!gpu.aliases.empty()) out += fmt::format(" ({})", fmt::join(gpu.aliases, ", "));
  out += '\n';
  add_fields(out, gpu);
  add_peaks(out, "\ndatasheet ceilings\n", gpu.peak_flop_per_s, gpu.bandwidth_byte_per_s);
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
  return out;
}

}  // namespace roofline
