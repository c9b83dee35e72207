#pragma once

// From results to all computed contents of an output, which render.hpp turns into bytes.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/context.hpp"
#include "roofline/error.hpp"
#include "roofline/network.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {

/// The shown part of the results: rows, rankings, changes, explanations.
struct Report;

/// A table's row: a layer, all layers of a type, or, ranked, a whole network in one setting.
enum class RowsBy : std::uint8_t { layer, type, gpu };

/// Default: all rows, in the network's order.
struct RowFilter {
  std::optional<SortBy> sort;         ///< default for cut or ranked rows: time
  std::optional<std::uint64_t> top;   ///< at most this many rows
  std::optional<double> cover_share;  ///< the fewest rows with this share of the time
  std::optional<RowsBy> by;           ///< default: layer
  bool all = false;                   ///< every row, even on a terminal

  bool selects() const { return sort || top || cover_share; }
  bool is_default() const { return !selects() && !by && !all; }
  bool ranks_gpus() const { return by == RowsBy::gpu; }
  /// Whether it asks for layers, or sums of them, of work evaluated in several settings.
  bool asks_for_layers() const { return !is_default() && !ranks_gpus(); }
};

/// A result and its context, which must outlive make_report.
struct Evaluated {
  Result result;
  const Context* context;
  std::shared_ptr<const Network> network = nullptr;
};

struct ReportOptions {
  RowFilter filter;
  bool compare = false;  ///< two results
  Prices price_per_hour;
  std::optional<double> max_time_s;  ///< of a run, for a ranking and BatchGoal::best
  std::string currency;              ///< may be empty
  /// A layer's name, or a pattern with * and ?; empty: no layer.
  std::string explain;
  bool explain_networks = false;
};

/// Errors: a result without a context, `explain` matches no layer (with the nearest name), or
/// `compare` without two results.
Expected<std::shared_ptr<const Report>> make_report(std::vector<Evaluated> evaluated,
                                                    std::vector<InputError> errors,
                                                    const ReportOptions& options);

}  // namespace roofline
