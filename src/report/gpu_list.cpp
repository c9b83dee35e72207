#include <fmt/format.h>

#include "report/grid.hpp"
#include "report/text.hpp"
#include "roofline/report.hpp"

namespace roofline {
namespace {

std::string rate_text(const EngineRates& rates, Engine engine) {
  const std::optional<double> rate = rate_of(rates, engine);
  return rate ? si(*rate, "") : "";
}

std::string memory_text(const Gpu& gpu) {
  if (!gpu.memory_byte) return gpu.memory_type;
  return si(static_cast<double>(*gpu.memory_byte), "B") +
         (gpu.memory_type.empty() ? "" : ' ' + gpu.memory_type);
}

/// The aliases, as many as fit.
std::string alias_text(const Gpu& gpu) {
  constexpr std::size_t widest = 26;
  std::string text;
  for (const std::string& alias : gpu.aliases) {
    if (text.size() + alias.size() + 1 > widest) break;
    text += (text.empty() ? "" : " ") + alias;
  }
  return text;
}

}  // namespace

std::string render_gpu_list(const std::vector<Gpu>& gpus) {
  Grid grid;
  grid.columns = {{"name", true}, {"aliases", true}, {"arch", true},  {"memory", true},
                  {"B/s"},        {"fp32 FLOP/s"},   {"fp16 tensor"}, {"ridge"}};
  for (const Gpu& gpu : gpus) {
    const auto fp32 = rate_of(gpu.peak_flop_per_s, Engine::fp32);
    grid.rows.push_back({gpu.name, alias_text(gpu), gpu.architecture, memory_text(gpu),
                         si(gpu.bandwidth_byte_per_s, ""),
                         rate_text(gpu.peak_flop_per_s, Engine::fp32),
                         rate_text(gpu.peak_flop_per_s, Engine::fp16_tensor),
                         fp32 ? plain(*fp32 / gpu.bandwidth_byte_per_s) : ""});
  }
  return aligned(grid, {}) + "\nridge: FLOP/B at fp32. --json gives every alias and field.\n";
}

}  // namespace roofline
