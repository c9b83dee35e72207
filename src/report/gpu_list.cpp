#include <fmt/format.h>

#include <array>

#include "report/grid.hpp"
#include "report/text.hpp"
#include "roofline/render.hpp"

namespace roofline {
namespace {

/// A rate in units of 10^exponent, so that a column of them can be compared at a glance.
std::string in_units(const std::optional<double>& value, double unit) {
  return value ? fmt::format("{:.5g}", *value / unit) : "";
}

/// The first aliases, as many as fit and at least one.
std::string alias_text(const Gpu& gpu, std::size_t widest) {
  std::string text;
  for (const std::string& alias : gpu.aliases) {
    if (!text.empty() && text.size() + 1 + alias.size() > widest) break;
    text += (text.empty() ? "" : " ") + alias;
  }
  return text;
}

/// Narrow terminals go without what can be worked out, or stands in --json and --show-gpu.
constexpr std::array<std::string_view, 2> droppable{"ridge", "architecture"};
constexpr std::size_t narrow = 100;

}  // namespace

std::string render_gpu_list(const std::vector<Gpu>& gpus, const RenderStyle& style) {
  Grid grid;
  grid.columns = {{"name", true}, {"aliases", true}, {"architecture", true}, {"GB"},
                  {"GB/s"},       {"fp32"},          {"fp16 tensor"},        {"ridge"}};
  const std::size_t widest_aliases = style.width && *style.width < narrow ? 14 : 20;
  for (const Gpu& gpu : gpus) {
    const std::optional<double> fp32 = rate_of(gpu.peak_flop_per_s, Engine::fp32);
    const std::optional<double> tensor = rate_of(gpu.peak_flop_per_s, Engine::fp16_tensor);
    grid.add_row({gpu.name, alias_text(gpu, widest_aliases), gpu.architecture,
                  gpu.memory_byte ? in_units(static_cast<double>(*gpu.memory_byte), 1e9) : "",
                  in_units(gpu.bandwidth_byte_per_s, 1e9), in_units(fp32, 1e12),
                  in_units(tensor, 1e12),
                  fp32 ? fmt::format("{:.1f}", *fp32 / gpu.bandwidth_byte_per_s) : ""});
  }
  drop_columns(grid, style.width, droppable);
  return aligned(grid, style) +
         "\nfp32, fp16 tensor: TFLOP/s. ridge: FLOP/B at fp32. --json gives all fields.\n";
}

}  // namespace roofline
