#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "model/gpu_names.hpp"
#include "model/text.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

struct MigProfile {
  std::uint64_t compute_slices;
  std::uint64_t memory_slices;
};

// Supported MIG profiles of NVIDIA's Multi-Instance GPU User Guide: of seven compute and eight
// memory slices, and of four and four.
constexpr MigProfile sevenths[] = {{1, 1}, {1, 2}, {2, 2}, {3, 4}, {4, 4}, {7, 8}};
constexpr MigProfile fourths[] = {{1, 1}, {2, 2}, {4, 4}};

constexpr std::uint64_t any_sm_count = 0;

struct MigPart {
  std::string_view compute_capability;
  std::uint64_t sm_count;
  std::span<const MigProfile> profiles;
  /// SMs of each profile in `nvidia-smi mig -lgip`; 0 without a known listing.
  std::array<std::uint64_t, 6> listed_sms;
};

/// The first match counts. GPUs with MIG are identified by compute capability and number of SMs.
constexpr MigPart mig_parts[] = {
    {"8.0", 56, fourths, {14, 28, 56}},                         // A30
    {"8.0", any_sm_count, sevenths, {14, 14, 28, 42, 56, 98}},  // A100
    {"9.0", 132, sevenths, {16, 26, 32, 60, 64, 132}},          // H100
    {"9.0", any_sm_count, sevenths, {}},                        // H100 PCIe, H20
    {"10.0", 148, sevenths, {18, 30, 36}},                      // B200
    {"10.0", 152, sevenths, {18, 32, 38}},                      // GB200
    {"10.3", any_sm_count, sevenths, {}},                       // B300
    {"12.0", 188, fourths, {46, 94, 188}},                      // RTX PRO 6000
};

std::string short_number(double value) { return number_text(value, 4); }
std::string gigabytes(double bytes) { return short_number(bytes / 1e9); }

struct MigSlice {
  std::uint64_t compute_slices;
  double gigabytes;
  double memory_share;
  std::string memory_text;  ///< "1 of 8 memory slices"
  bool lists_sms;
  std::uint64_t sm_count;

  /// "1g.10gb"; the driver rounds the memory.
  std::string name() const {
    return std::to_string(compute_slices) + "g." + std::to_string(std::llround(gigabytes)) + "gb";
  }
};

MigSlice slice_of(const Gpu& whole, const MigPart& part, std::size_t profile) {
  const auto [compute_slices, memory_slices] = part.profiles[profile];
  const auto [all_compute, all_memory] = part.profiles.back();
  const double share = static_cast<double>(memory_slices) / static_cast<double>(all_memory);
  const std::uint64_t listed = part.listed_sms[profile];
  // The driver's number, else the published fraction, in pairs of SMs as on chips.
  const std::uint64_t fraction = *whole.sm_count * compute_slices / all_compute / 2 * 2;
  return {compute_slices,
          static_cast<double>(*whole.memory_byte) / 1e9 * share,
          share,
          std::to_string(memory_slices) + " of " + std::to_string(all_memory) + " memory slices",
          listed > 0,
          listed > 0 ? listed : fraction};
}

/// Empty if the GPU cannot be divided.
std::vector<MigSlice> slices_of(const Gpu& whole) {
  std::vector<MigSlice> slices;
  if (!whole.sm_count || !whole.memory_byte) return slices;
  for (const MigPart& part : mig_parts)
    if (slices.empty() && part.compute_capability == whole.compute_capability &&
        (part.sm_count == any_sm_count || part.sm_count == whole.sm_count))
      for (std::size_t i = 0; i < part.profiles.size(); ++i)
        slices.push_back(slice_of(whole, part, i));
  return slices;
}

/// The slice with these compute slices and the nearest memory; drivers round the usable memory.
const MigSlice& slice_meant(const MigName& name, const Gpu& whole,
                            const std::vector<MigSlice>& slices) {
  constexpr double rounding_gb = 1;
  constexpr double rounding_share = 0.06;
  const auto named = static_cast<double>(name.gigabytes);
  const MigSlice* nearest = nullptr;
  double least = std::max(rounding_gb, rounding_share * named);
  std::string all;
  for (const MigSlice& slice : slices) {
    add_item(all, slice.name(), &slice == &slices.back() ? " and " : ", ");
    const double difference = std::fabs(slice.gigabytes - named);
    if (slice.compute_slices != name.compute_slices || difference > least) continue;
    nearest = &slice;
    least = difference;
  }
  if (nearest == nullptr)
    throw InputError(whole.name + " has no MIG profile " + std::to_string(name.compute_slices) +
                     "g." + std::to_string(name.gigabytes) + "gb; it has " + all);
  return *nearest;
}

/// Removes and returns the last word; "" if it is the only one.
std::string take_last_word(std::string& words) {
  const std::size_t blank = words.rfind(' ');
  if (blank == std::string::npos) return "";
  std::string last = words.substr(blank + 1);
  words.resize(blank);
  return last;
}

/// The number, of at most four digits, before a unit, 40 of "40gb"; 0 for another word.
std::uint64_t number_before(const std::string& word, std::string_view unit) {
  std::uint64_t number = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, number);
  const bool is_one = error == std::errc{} && number < 10000 && std::string_view(rest, end) == unit;
  return is_one ? number : 0;
}

template <class Number>
void scale_known(std::optional<Number>& value, double factor) {
  if (value) value = static_cast<Number>(static_cast<double>(*value) * factor);
}

}  // namespace

std::optional<MigName> parse_mig_name(std::string_view text) {
  // "h100 80gb hbm3 mig 4g 40gb me": words after the memory size name media engines and graphics.
  std::string words = gpu_name_words(text);
  std::string word = take_last_word(words);
  while (word == "me" || word == "gfx" || word == "all") word = take_last_word(words);
  const std::uint64_t gigabytes = number_before(word, "gb");
  const std::uint64_t compute_slices = number_before(take_last_word(words), "g");
  if (gigabytes == 0 || compute_slices == 0) return std::nullopt;
  if (words.ends_with(" mig")) take_last_word(words);
  if (words.empty() || words == "mig") return std::nullopt;
  return MigName{words, gigabytes, compute_slices};
}

Gpu mig_slice(const Gpu& whole, const MigName& name) {
  const std::vector<MigSlice> slices = slices_of(whole);
  if (slices.empty()) throw InputError(whole.name + " has no MIG slices");
  const MigSlice& slice = slice_meant(name, whole, slices);
  const double sm_share =
      static_cast<double>(slice.sm_count) / static_cast<double>(*whole.sm_count);
  const double memory_share = slice.memory_share;
  const std::string suffix = " MIG " + slice.name();
  Gpu gpu = whole;
  gpu.name += suffix;
  for (std::string& alias : gpu.aliases) alias += suffix;
  gpu.sm_count = slice.sm_count;
  for (const Engine engine : enumerators<Engine>)
    scale_known(gpu.peak_flop_per_s[engine], sm_share);
  gpu.bandwidth_byte_per_s *= memory_share;
  scale_known(gpu.memory_byte, memory_share);
  scale_known(gpu.memory_bus_bit, memory_share);
  scale_known(gpu.l2_byte, memory_share);
  scale_known(gpu.l3_byte, memory_share);
  gpu.tdp_w.reset();
  gpu.sustained.reset();
  std::string taken = "MIG slice of " + whole.name + ": " + std::to_string(slice.sm_count) +
                      " of " + std::to_string(*whole.sm_count) + " SMs" +
                      (slice.lists_sms ? "" : " (the published fraction)") + ", " +
                      slice.memory_text + " (" + gigabytes(static_cast<double>(*gpu.memory_byte)) +
                      " GB, " + gigabytes(gpu.bandwidth_byte_per_s) + " GB/s";
  if (gpu.l2_byte)
    taken += ", " + short_number(static_cast<double>(*gpu.l2_byte) / (1024 * 1024)) + " MiB of L2";
  gpu.share = taken + ")";
  gpu.notes.insert(gpu.notes.begin(), gpu.share);
  gpu.sources.push_back(
      {"NVIDIA Multi-Instance GPU User Guide, supported MIG profiles; nvidia-smi mig -lgip of the "
       "parts (issues of NVIDIA/mig-parted and NVIDIA/gpu-operator)",
       "2026-11",
       {"sm_count", "peak_tflops", "memory_gb", "bandwidth_gb_per_s", "l2_mib"}});
  return gpu;
}

}  // namespace roofline
