#include <fmt/format.h>

#include "report/text.hpp"
#include "roofline/render.hpp"

namespace roofline {
namespace {

/// "  label            value", nothing for what is unknown.
void add_line(std::string& out, std::string_view label, const std::string& value) {
  if (!value.empty()) out += fmt::format("  {:<22}{}\n", label, value);
}

template <class T>
std::string with_unit(const std::optional<T>& value, std::string_view unit) {
  return value ? si(static_cast<double>(*value), unit) : "";
}

std::string binary(const std::optional<std::uint64_t>& bytes) {
  if (!bytes) return "";
  constexpr double mebi = 1024.0 * 1024.0;
  const auto count = static_cast<double>(*bytes);
  return count >= mebi ? fmt::format("{:g} MiB", count / mebi)
                       : fmt::format("{:g} KiB", count / 1024.0);
}

std::string whole(const std::optional<std::uint64_t>& count) {
  return count ? fmt::format("{}", *count) : "";
}

void add_peaks(std::string& out, const std::string& heading, const EngineRates& rates,
               double bandwidth_byte_per_s) {
  out += heading;
  for (std::size_t i = 0; i < engine_count; ++i)
    if (rates[i])
      add_line(out, engine_names[i],
               fmt::format("{:<15} ridge {} FLOP/B", si(*rates[i], "FLOP/s"),
                           plain(*rates[i] / bandwidth_byte_per_s)));
  add_line(out, "bandwidth", si(bandwidth_byte_per_s, "B/s"));
}

}  // namespace

std::string render_gpu(const Gpu& gpu) {
  std::string out = fmt::format("{} ({})\n", gpu.name, fmt::join(gpu.aliases, ", "));
  add_line(out, "architecture",
           gpu.compute_capability.empty() ? gpu.architecture
                                          : fmt::format("{}, compute capability {}",
                                                        gpu.architecture, gpu.compute_capability));
  add_line(out, "SMs", whole(gpu.sm_count));
  add_line(out, "boost clock", with_unit(gpu.boost_clock_hz, "Hz"));
  add_line(
      out, "memory",
      with_unit(gpu.memory_byte, "B") + (gpu.memory_type.empty() ? "" : ' ' + gpu.memory_type));
  add_line(out, "L2", binary(gpu.l2_byte));
  add_line(out, "L3", binary(gpu.l3_byte));
  add_line(out, "shared memory an SM", binary(gpu.shared_memory_byte_per_sm));
  add_line(out, "shared memory a block", binary(gpu.shared_memory_byte_per_block));
  add_line(out, "registers an SM", whole(gpu.registers_per_sm));
  add_line(out, "threads an SM", whole(gpu.max_threads_per_sm));
  add_line(out, "blocks an SM", whole(gpu.max_blocks_per_sm));
  add_line(out, "host link", with_unit(gpu.host_link_byte_per_s, "B/s"));
  add_line(out, "TDP", with_unit(gpu.tdp_w, "W"));
  add_peaks(out, "\ndatasheet ceilings\n", gpu.peak_flop_per_s, gpu.bandwidth_byte_per_s);
  if (gpu.sustained)
    add_peaks(out, "\nsustained ceilings: " + gpu.sustained->source + "\n",
              gpu.sustained->peak_flop_per_s,
              gpu.sustained->bandwidth_byte_per_s.value_or(gpu.bandwidth_byte_per_s));
  if (!gpu.notes.empty()) out += "\nnotes\n";
  for (const std::string& text : gpu.notes) out += fmt::format("  - {}\n", text);
  if (!gpu.sources.empty()) out += "\nsources\n";
  for (const Source& source : gpu.sources)
    out +=
        fmt::format("  - {} ({}): {}\n", source.title, source.date, fmt::join(source.fields, ", "));
  return out;
}

}  // namespace roofline
