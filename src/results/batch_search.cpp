#include <map>

#include "model/text.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {
namespace {

/// A network at batches on one GPU.
class Search {
 public:
  Search(const NetworkAtBatch& network_at, const Context& context)
      : network_at_(network_at), context_(context) {
    if (!context.gpu.memory_byte)
      throw InputError(context.gpu.name +
                       " states no memory_gb, which a batch has to fit: give it in a GPU file of "
                       "your own");
  }

  /// Doubles the batch for as long as it fits, then halves what lies between the last two.
  std::uint64_t largest() {
    if (!fits_at(1))
      throw InputError(source_, "",
                       "does not fit: a single image needs " +
                           size_text(*at(1).needed_memory_byte) + ", " + context_.gpu.name +
                           " has " + size_text(*context_.gpu.memory_byte));
    std::uint64_t fitting = 1;
    while (fits_at(2 * fitting)) {
      fitting *= 2;
      if (fitting >= most)
        throw InputError(source_, "",
                         "expected layers that grow with the batch, got some that need the same "
                         "memory at any");
    }
    for (std::uint64_t unfit = 2 * fitting; unfit - fitting > 1;) {
      const std::uint64_t middle = fitting + (unfit - fitting) / 2;
      (fits_at(middle) ? fitting : unfit) = middle;
    }
    return fitting;
  }

  std::uint64_t best() {
    const std::uint64_t most_images = largest();
    SettingsTable table;
    for (std::uint64_t batch = 1; batch < most_images; batch *= 2) table.rows.push_back(at(batch));
    table.rows.push_back(at(most_images));
    find_best_batch(table);
    return *table.rows[*table.near_best_from].batch;
  }

 private:
  /// Beyond the memory of any GPU, where an image takes a byte.
  static constexpr std::uint64_t most = std::uint64_t{1} << 50;

  /// What does not fit 64 bits fits no GPU either.
  const SettingRow& at(std::uint64_t batch) {
    const auto known = rows_.find(batch);
    if (known != rows_.end()) return known->second;
    SettingRow row;
    row.batch = batch;
    row.fits = false;
    const Expected<Network> network = network_at_(batch);
    const Expected<Result> result =
        network ? evaluate(*network, context_) : Expected<Result>(network.error());
    if (!result && batch == 1) throw result.error();
    if (result) {
      row.needed_memory_byte = needed_memory_byte(*result);
      if (!row.needed_memory_byte)
        throw InputError(result->setting.source, "", "expected a network, got layers");
      row.time_per_image_s = result->total.time_s / static_cast<double>(batch);
      row.fits = fits(*result);
      source_ = result->setting.source;
    }
    return rows_.emplace(batch, row).first->second;
  }
  bool fits_at(std::uint64_t batch) { return *at(batch).fits; }

  static std::string size_text(std::uint64_t byte) {
    return number_text(static_cast<double>(byte) * 1e-9, 4) + " GB";
  }

  const NetworkAtBatch& network_at_;
  const Context& context_;
  std::map<std::uint64_t, SettingRow> rows_;  ///< by batch
  std::string source_;
};

}  // namespace

Expected<std::uint64_t> find_batch(BatchGoal goal, const NetworkAtBatch& network_at,
                                   const Context& context) {
  return expected([&] {
    Search search(network_at, context);
    return goal == BatchGoal::max ? search.largest() : search.best();
  });
}

}  // namespace roofline
