#include "model/gpu_share.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/text.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

struct MigProfile {
  std::uint64_t compute_slices;
  std::uint64_t memory_slices;
};

// Supported MIG profiles of NVIDIA's Multi-Instance GPU User Guide: parts of seven compute and
// eight memory slices, and of four and four.
constexpr MigProfile sevenths[] = {{1, 1}, {1, 2}, {2, 2}, {3, 4}, {4, 4}, {7, 8}};
constexpr MigProfile fourths[] = {{1, 1}, {2, 2}, {4, 4}};

/// The SMs that `nvidia-smi mig -lgip` lists of a profile.
struct ListedSms {
  MigProfile profile;
  std::uint64_t sm_count;
};

struct MigPart {
  std::string_view compute_capability;
  std::uint64_t sm_count;
  std::span<const MigProfile> profiles;
  std::span<const ListedSms> listed;
};

constexpr ListedSms a30_sms[] = {{{1, 1}, 14}, {{2, 2}, 28}, {{4, 4}, 56}};
constexpr ListedSms a100_sms[] = {{{1, 1}, 14}, {{1, 2}, 14}, {{2, 2}, 28},
                                  {{3, 4}, 42}, {{4, 4}, 56}, {{7, 8}, 98}};
constexpr ListedSms h100_sms[] = {{{1, 1}, 16}, {{1, 2}, 26}, {{2, 2}, 32},
                                  {{3, 4}, 60}, {{4, 4}, 64}, {{7, 8}, 132}};
constexpr ListedSms b200_sms[] = {{{1, 1}, 18}, {{1, 2}, 30}, {{2, 2}, 36}};
constexpr ListedSms gb200_sms[] = {{{1, 1}, 18}, {{1, 2}, 32}, {{2, 2}, 38}};
constexpr ListedSms rtx_pro_6000_sms[] = {{{1, 1}, 46}, {{2, 2}, 94}, {{4, 4}, 188}};

constexpr std::uint64_t any_sm_count = 0;

/// The first that fits is meant: parts with MIG are told by their chip and how much of it they
/// have.
constexpr MigPart mig_parts[] = {
    {"8.0", 56, fourths, a30_sms},        {"8.0", any_sm_count, sevenths, a100_sms},
    {"9.0", 132, sevenths, h100_sms},     {"9.0", any_sm_count, sevenths, {}},
    {"10.0", 148, sevenths, b200_sms},    {"10.0", 152, sevenths, gb200_sms},
    {"10.3", any_sm_count, sevenths, {}}, {"12.0", 188, fourths, rtx_pro_6000_sms},
};

const MigPart* mig_part_of(const Gpu& gpu) {
  for (const MigPart& part : mig_parts)
    if (part.compute_capability == gpu.compute_capability &&
        (part.sm_count == any_sm_count || part.sm_count == gpu.sm_count))
      return &part;
  return nullptr;
}

std::string short_number(double value) { return number_text(value, 4); }
std::string gigabytes(double bytes) { return short_number(bytes / 1e9); }

double share(const MigPart& part, const MigProfile& profile) {
  return static_cast<double>(profile.memory_slices) /
         static_cast<double>(part.profiles.back().memory_slices);
}

double gigabytes_of(const Gpu& whole, const MigPart& part, const MigProfile& profile) {
  return static_cast<double>(*whole.memory_byte) / 1e9 * share(part, profile);
}

/// "1g.10gb"; the driver rounds what the memory slices have.
std::string profile_name(const Gpu& whole, const MigPart& part, const MigProfile& profile) {
  return std::to_string(profile.compute_slices) + "g." +
         std::to_string(std::llround(gigabytes_of(whole, part, profile))) + "gb";
}

[[noreturn]] void fail_profile(const Gpu& whole, const MigPart& part, const ShareName& name) {
  std::string message = whole.name + " has no MIG profile " + std::to_string(name.compute_slices) +
                        "g." + std::to_string(name.gigabytes) + "gb; it has ";
  for (std::size_t i = 0; i < part.profiles.size(); ++i)
    message += (i == 0                          ? ""
                : i + 1 == part.profiles.size() ? " and "
                                                : ", ") +
               profile_name(whole, part, part.profiles[i]);
  throw InputError(message);
}

/// The profile with these compute slices whose memory is nearest to what the name says, which
/// drivers round from what they leave of the board's.
const MigProfile& profile_of(const Gpu& whole, const MigPart& part, const ShareName& name) {
  constexpr double rounding_gb = 1;
  constexpr double rounding_share = 0.06;
  const auto named = static_cast<double>(name.gigabytes);
  const MigProfile* nearest = nullptr;
  double least = std::max(rounding_gb, rounding_share * named);
  for (const MigProfile& profile : part.profiles) {
    const double difference = std::fabs(gigabytes_of(whole, part, profile) - named);
    if (profile.compute_slices != name.compute_slices || difference > least) continue;
    nearest = &profile;
    least = difference;
  }
  if (nearest == nullptr) fail_profile(whole, part, name);
  if (name.instance_slices > name.compute_slices)
    throw InputError(whole.name + " has no compute instance of " +
                     std::to_string(name.instance_slices) + " slices in MIG " +
                     profile_name(whole, part, *nearest));
  return *nearest;
}

std::optional<std::uint64_t> listed_sms(const MigPart& part, const MigProfile& profile) {
  for (const ListedSms& each : part.listed)
    if (each.profile.compute_slices == profile.compute_slices &&
        each.profile.memory_slices == profile.memory_slices)
      return each.sm_count;
  return std::nullopt;
}

/// What drivers list, else as many as the published fraction has, in pairs as chips do.
std::uint64_t sms_of(const Gpu& whole, const MigPart& part, const MigProfile& profile) {
  return listed_sms(part, profile)
      .value_or(*whole.sm_count * profile.compute_slices / part.profiles.back().compute_slices / 2 *
                2);
}

template <class Number>
void scale_known(std::optional<Number>& value, double factor) {
  if (value) value = static_cast<Number>(static_cast<double>(*value) * factor);
}

/// Names the share as the whole is named.
void rename(Gpu& gpu, const std::string& suffix) {
  for (std::string& alias : gpu.aliases) alias += ' ' + suffix;
  gpu.name += ' ' + suffix;
}

void describe(Gpu& gpu, const std::string& taken) {
  gpu.share = taken;
  gpu.notes.insert(gpu.notes.begin(), taken);
}

Gpu mig_slice(const Gpu& whole, const ShareName& name) {
  const MigPart* part = mig_part_of(whole);
  if (part == nullptr || !whole.sm_count || !whole.memory_byte)
    throw InputError(whole.name + " has no MIG slices");
  const MigProfile& profile = profile_of(whole, *part, name);
  const bool is_instance =
      name.instance_slices > 0 && name.instance_slices < profile.compute_slices;
  const std::uint64_t sm_count =
      is_instance ? name.instance_slices * sms_of(whole, *part, part->profiles.front())
                  : sms_of(whole, *part, profile);
  const double sm_share = static_cast<double>(sm_count) / static_cast<double>(*whole.sm_count);
  const double memory_share = share(*part, profile);
  Gpu slice = whole;
  rename(slice, "MIG " + (is_instance ? std::to_string(name.instance_slices) + "c." : "") +
                    profile_name(whole, *part, profile));
  slice.sm_count = sm_count;
  for (const Engine engine : enumerators<Engine>)
    scale_known(slice.peak_flop_per_s[engine], sm_share);
  slice.bandwidth_byte_per_s *= memory_share;
  scale_known(slice.memory_byte, memory_share);
  scale_known(slice.memory_bus_bit, memory_share);
  scale_known(slice.l2_byte, memory_share);
  scale_known(slice.l3_byte, memory_share);
  slice.tdp_w.reset();
  slice.sustained.reset();
  std::string taken = "MIG slice of " + whole.name + ": " + std::to_string(sm_count) + " of " +
                      std::to_string(*whole.sm_count) + " SMs" +
                      (listed_sms(*part, profile) ? "" : " (the published fraction)") + ", " +
                      std::to_string(profile.memory_slices) + " of " +
                      std::to_string(part->profiles.back().memory_slices) + " memory slices (" +
                      gigabytes(static_cast<double>(*slice.memory_byte)) + " GB, " +
                      gigabytes(slice.bandwidth_byte_per_s) + " GB/s";
  if (slice.l2_byte)
    taken +=
        ", " + short_number(static_cast<double>(*slice.l2_byte) / (1024 * 1024)) + " MiB of L2";
  describe(slice, taken + ")");
  slice.sources.push_back(
      {"NVIDIA Multi-Instance GPU User Guide, supported MIG profiles; nvidia-smi mig -lgip of the "
       "parts (issues of NVIDIA/mig-parted and NVIDIA/gpu-operator)",
       "2026-11",
       {"sm_count", "peak_tflops", "memory_gb", "bandwidth_gb_per_s", "l2_mib"}});
  return slice;
}

Gpu virtual_gpu(const Gpu& whole, const ShareName& name) {
  if (!whole.memory_byte) throw InputError(whole.name + " states no memory to be shared");
  const auto memory_byte = name.gigabytes * 1'000'000'000;
  if (static_cast<double>(memory_byte) > 1.02 * static_cast<double>(*whole.memory_byte))
    throw InputError(whole.name + " has " + gigabytes(static_cast<double>(*whole.memory_byte)) +
                     " GB, which is less than the " + std::to_string(name.gigabytes) +
                     " GB of this virtual GPU");
  Gpu gpu = whole;
  rename(gpu, "vGPU " + std::to_string(name.gigabytes) + "GB");
  gpu.memory_byte = std::min(memory_byte, *whole.memory_byte);
  describe(gpu, "virtual GPU of " + whole.name + ": " + std::to_string(name.gigabytes) + " of " +
                    gigabytes(static_cast<double>(*whole.memory_byte)) +
                    " GB, all SMs in turn with others");
  return gpu;
}

}  // namespace

Gpu share_of_gpu(const Gpu& whole, const ShareName& name) {
  return name.compute_slices > 0 ? mig_slice(whole, name) : virtual_gpu(whole, name);
}

}  // namespace roofline
