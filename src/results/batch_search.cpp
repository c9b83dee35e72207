#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "model/requests.hpp"
#include "results/steps.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {
namespace {

class Search {
 public:
  Search(const NetworkAtBatch& network_at, const Context& context, std::optional<double> max_time_s)
      : network_at_(network_at), context_(context), max_time_s_(max_time_s) {
    if (!context.gpu.memory_byte)
      throw InputError(context.gpu.name +
                       " states no memory_gb, which a batch has to fit: give it in a GPU file of "
                       "your own");
    free_byte_ = static_cast<double>(*context.gpu.memory_byte) -
                 static_cast<double>(reserved_memory_byte(context.gpu));
  }

  /// The largest that fits and, if a time is given, takes no longer; 1 if even that is too slow.
  std::uint64_t largest() { return largest_in_time(largest_that_fits()); }

  std::uint64_t best() {
    const std::uint64_t most_images = largest();
    SettingsTable table;
    for (std::uint64_t batch = 1; batch < most_images; batch *= 2) table.rows.push_back(at(batch));
    table.rows.push_back(at(most_images));
    find_best_batch(table);
    return table.near_best_from ? *table.rows[*table.near_best_from].batch : 1;
  }

 private:
  /// Doubles the batch while it fits, then searches between the last two.
  std::uint64_t largest_that_fits() {
    if (needed_byte(1) > free_byte_)
      throw InputError(source_, "",
                       "does not fit: a single image needs " + size_text(needed_byte(1)) + ", " +
                           context_.gpu.name + " has " + size_text(free_byte_) + " beside " +
                           size_text(static_cast<double>(reserved_memory_byte(context_.gpu))) +
                           " for its driver and libraries");
    std::uint64_t fitting = 1;
    while (needed_byte(2 * fitting) <= free_byte_) {
      fitting *= 2;
      if (fitting >= most)
        throw InputError(source_, "",
                         "expected layers that grow with the batch, got some that need the same "
                         "memory at any");
    }
    return largest_between(fitting, 2 * fitting);
  }

  /// Time grows with the batch: doubles while it is in time, then halves the gap.
  std::uint64_t largest_in_time(std::uint64_t fitting) {
    if (at(fitting).in_time) return fitting;
    std::uint64_t in_time = 1;
    while (2 * in_time < fitting && at(2 * in_time).in_time) in_time *= 2;
    for (std::uint64_t late = std::min(2 * in_time, fitting); late - in_time > 1;) {
      const std::uint64_t batch = in_time + (late - in_time) / 2;
      (at(batch).in_time ? in_time : late) = batch;
    }
    return in_time;
  }

  /// Beyond any GPU's memory, even at one byte per image.
  static constexpr std::uint64_t most = std::uint64_t{1} << 50;

  /// A batch beyond 64-bit counts does not fit.
  const SettingRow& at(std::uint64_t batch) {
    const auto known = rows_.find(batch);
    if (known != rows_.end()) return known->second;
    SettingRow row;
    row.batch = batch;
    row.fits = false;
    Expected<Network> network = network_at_(batch);
    const Expected<Result> result =
        network ? evaluate_total(*std::move(network), context_) : Expected<Result>(network.error());
    if (!result && batch == 1) throw result.error();
    if (result) {
      row.needed_memory_byte = needed_memory_byte(*result);
      if (!row.needed_memory_byte)
        throw InputError(result->setting.source, "", "expected a network, got layers");
      row.time_per_image_s = result->total.time_s / static_cast<double>(batch);
      row.fits = fits(*result);
      row.in_time = result->total.time_s <= max_time_s_.value_or(result->total.time_s);
      source_ = result->setting.source;
    }
    return rows_.emplace(batch, row).first->second;
  }
  double needed_byte(std::uint64_t batch) {
    constexpr double too_much = 1e300;
    const auto& byte = at(batch).needed_memory_byte;
    return byte ? static_cast<double>(*byte) : too_much;
  }

  /// Memory is nearly proportional to the batch, so interpolation hits; halving bounds the steps.
  std::uint64_t largest_between(std::uint64_t fitting, std::uint64_t unfit) {
    for (bool interpolates = true; unfit - fitting > 1; interpolates = !interpolates) {
      const double gap = needed_byte(unfit) - needed_byte(fitting);
      const double share =
          interpolates && gap > 0 ? (free_byte_ - needed_byte(fitting)) / gap : 0.5;
      const auto width = static_cast<double>(unfit - fitting);
      const std::uint64_t batch =
          std::clamp(fitting + static_cast<std::uint64_t>(share * width), fitting + 1, unfit - 1);
      (needed_byte(batch) <= free_byte_ ? fitting : unfit) = batch;
    }
    return fitting;
  }

  static std::string size_text(double byte) {
    const bool is_large = byte >= 1e9;
    const std::string text = std::to_string(byte * (is_large ? 1e-9 : 1e-6));
    return text.substr(0, text.find('.') + 3) + (is_large ? " GB" : " MB");
  }

  const NetworkAtBatch& network_at_;
  const Context& context_;
  std::optional<double> max_time_s_;
  double free_byte_ = 0;
  std::map<std::uint64_t, SettingRow> rows_;
  std::string source_;
};

}  // namespace

Expected<std::uint64_t> find_batch(BatchGoal goal, const NetworkAtBatch& network_at,
                                   const Context& context, std::optional<double> max_time_s) {
  return expected([&] {
    check_enumerator("BatchGoal", goal);
    if (!network_at) throw InputError("expected a function from a batch to a network, got none");
    Search search(network_at, context, max_time_s);
    return goal == BatchGoal::max ? search.largest() : search.best();
  });
}

}  // namespace roofline
