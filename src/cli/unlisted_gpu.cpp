#include "cli/unlisted_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cli/errors.hpp"
#include "model/gpu_names.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

bool is_of_laptop(std::string_view name) {
  const std::string words = gpu_name_words(name);
  return has_word(words, "laptop") || has_word(words, "mobile") || has_word(words, "notebook");
}

/// "sms=20,clock=1.733GHz,memory=8GB,bandwidth=320GB/s,power=180W", as far as they are known.
std::string settings_of(const Gpu& gpu) {
  constexpr double giga = 1e9;
  std::string text;
  if (gpu.sm_count) add_item(text, fmt::format("sms={}", *gpu.sm_count), ",");
  if (gpu.boost_clock_hz)
    add_item(text, fmt::format("clock={:g}GHz", *gpu.boost_clock_hz / giga), ",");
  if (gpu.memory_byte)
    add_item(text, fmt::format("memory={:g}GB", static_cast<double>(*gpu.memory_byte) / giga), ",");
  add_item(text, fmt::format("bandwidth={:g}GB/s", gpu.bandwidth_byte_per_s / giga), ",");
  if (gpu.tdp_w) add_item(text, fmt::format("power={:g}W", *gpu.tdp_w), ",");
  return text;
}

/// A name that stands in JSON and in a file's name as it is.
std::string own_name(const std::string& name) {
  const bool is_plain = std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == ' ' || c == '-' || c == '_';
  });
  constexpr std::size_t longest = 40;
  return is_plain && name.size() <= longest ? name : "my-gpu";
}

std::string ways_for(const std::string& name, const std::optional<Gpu>& like) {
  constexpr double tera = 1e12;
  constexpr double giga = 1e9;
  const std::string own = own_name(name);
  const std::string alias = !like                   ? "GPU"
                            : like->aliases.empty() ? in_quotes(like->name)
                                                    : like->aliases.front();
  const std::string settings =
      like ? settings_of(*like) : "sms=..,clock=..,memory=..,bandwidth=..,power=..";
  const double fp32 = like ? like->peak_flop_per_s[Engine::fp32].value_or(10 * tera) : 10 * tera;
  const double bandwidth = like ? like->bandwidth_byte_per_s : 500 * giga;
  return fmt::format(
      "for a GPU that is not listed, take one of its architecture with its datasheet's numbers:\n"
      "  --gpu {} --set {}\n"
      "or write a file of three keys, and take --gpu {}.json:\n"
      "  {{\"name\": \"{}\", \"peak_tflops\": {{\"fp32\": {:g}}}, \"bandwidth_gb_per_s\": {:g}}}\n",
      alias, settings, normal_gpu_name(own), own, fp32 / tera, bandwidth / giga);
}

/// The desktop's card of a laptop's name, or of a common laptop where the name is of none.
std::optional<Gpu> desktop_of(const std::string& name, const Catalogue& catalogue) {
  const std::optional<Gpu> near = catalogue.nearest(name);
  return near ? near : catalogue.nearest("rtx4060");
}

}  // namespace

void raise_unlisted(const InputError& error, const std::string& name, const Catalogue& catalogue) {
  const bool may_be_model = name.find_first_of("0123456789") != name.npos || is_of_laptop(name);
  const bool is_unknown = error.remedy == Remedy::gpu && error.source.empty();
  if (!is_unknown || !may_be_model) raise(error);
  if (!is_of_laptop(name))
    throw UsageError(hinted(error).what(), ways_for(name, catalogue.nearest(name)));
  throw UsageError(
      fmt::format(
          "unknown GPU {}: laptops' GPUs are not listed, as each maker sets their power; "
          "those of desktops, workstations, servers and Jetson are (roofline gpus lists all)",
          in_quotes(name)),
      ways_for(name, desktop_of(name, catalogue)));
}

}  // namespace roofline
