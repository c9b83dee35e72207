#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernel/constant_fields.hpp"
#include "roofline/kernel.hpp"
#include "roofline/render.hpp"

namespace roofline {
namespace {

/// The number of an origin in the list of them.
std::size_t numbered(std::vector<std::string>& origins, const std::string& origin) {
  const auto found = std::find(origins.begin(), origins.end(), origin);
  const auto index = static_cast<std::size_t>(found - origins.begin());
  if (found == origins.end()) origins.push_back(origin);
  return index + 1;
}

void add_constants(std::string& out, const ModelConstants& constants,
                   std::vector<std::string>& origins) {
  std::string_view group;
  const auto fields = constant_fields();
  for (std::size_t i = 0; i < constant_count; ++i) {
    const ConstantNote& note = constants.notes[i];
    if (!note.stated) continue;
    if (fields[i].group() != group) {
      group = fields[i].group();
      out += fmt::format("\n{}\n", dotted(group));
    }
    out += fmt::format("  {:<28}{:>9.4g} {:<17}{:<20}{} [{}]\n", fields[i].key(),
                       numbers_of(constants.values)[i], fields[i].unit,
                       fmt::format("{:.3g} to {:.3g}", note.least, note.most), fields[i].meaning,
                       numbered(origins, constants.origins[note.origin]));
  }
}

void add_features(std::string& out, const ModelConstants& constants) {
  out += "\nwhat the library's dense kernels can do\n";
  for (const EngineClass engine_class : enumerators<EngineClass>) {
    std::vector<std::string_view> words;
    for (const FeatureField& field : feature_fields)
      if (constants.features[engine_class].*field.member) words.push_back(field.key);
    out +=
        fmt::format("  {:<20}{}\n", name_of(engine_class),
                    words.empty() ? "nothing of these" : fmt::format("{}", fmt::join(words, ", ")));
  }
  out += "\ntiles, m x n x k\n";
  for (const TileList list : enumerators<TileList>) {
    std::vector<std::string> tiles;
    for (const TileKernel& tile : constants.tiles[list])
      tiles.push_back(fmt::format("{}x{}x{}", tile.m, tile.n, tile.k));
    if (!tiles.empty()) out += fmt::format("  {:<20}{}\n", name_of(list), fmt::join(tiles, " "));
  }
}

}  // namespace

std::string render_model(const Gpu& gpu) {
  const ModelConstants& constants = *gpu.constants;
  std::string out = fmt::format("{}: {}, {}\n", gpu.name, constants.name, constants.title);
  const std::vector<std::string> assumptions = kernel_model_of(gpu).value().assumptions();
  for (const std::string& assumption : assumptions) out += assumption + '\n';
  for (const std::string& command : constants.made_by) out += "made by: " + command + '\n';
  std::vector<std::string> origins;
  add_constants(out, constants, origins);
  add_features(out, constants);
  out += "\norigins\n";
  for (std::size_t i = 0; i < origins.size(); ++i)
    out += fmt::format("  [{}] {}\n", i + 1, origins[i]);
  return out;
}

}  // namespace roofline
