#include <cstdint>
#include <string>

#include "model/text.hpp"
#include "results/explanation.hpp"

namespace roofline {

std::string doubts_on_mapping(const LayerResult& row, const Gpu& gpu) {
  const KernelMapping& mapping = *row.layer.mapping;
  if (!mapping.threads) return "";
  constexpr std::uint64_t usual_warp = 32;
  const std::uint64_t threads = *mapping.threads;
  const std::uint64_t warp = gpu.warp_size.value_or(usual_warp);
  std::string text;
  if (const std::uint64_t idle = (warp - threads % warp) % warp; idle > 0)
    text = concat(threads, " threads a block are no whole warps: ", threads + idle, " run, ", idle,
                  " of them idle");
  if (!mapping.tile) return text;
  const auto& [m, n, k] = *mapping.tile;
  if (static_cast<double>(m) * static_cast<double>(n) < static_cast<double>(threads))
    add_item(text,
             concat("a tile of ", m, "x", n, " has ", m * n, " results for ", threads,
                    " threads: ", threads - m * n, " have none"),
             "; ");
  return text;
}

}  // namespace roofline
