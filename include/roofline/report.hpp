#pragma once

// All that any format shows, computed: results with their sums, what of them is shown, comparisons,
// sweeps and derivations. Rendering it (render.hpp) works nothing out.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/changes.hpp"
#include "roofline/error.hpp"
#include "roofline/explanation.hpp"
#include "roofline/kernel_table.hpp"
#include "roofline/row_filter.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {

/// The derivation of one layer's numbers.
struct Explanation {
  std::size_t result = 0;             ///< index in Report::results
  std::size_t row = 0;                ///< index in its layers
  std::vector<DerivationStep> steps;  ///< to the expected time; empty where no kernel runs
  std::vector<Advice> advice;
};

struct Report {
  RowFilter filter;
  std::vector<Result> results;
  std::vector<Selection> selections;  ///< one for each result
  std::vector<SettingsTable> comparisons;
  std::vector<KernelTable> kernels;                ///< recordings without layers
  std::vector<KernelSelection> kernel_selections;  ///< one for each of them
  std::vector<SettingsTable> sweeps;
  std::vector<SettingsTable> points;
  std::vector<PointSelection> point_selections;          ///< one for each of them
  std::optional<Changes> changes;                        ///< between two results, where asked for
  std::vector<Explanation> explanations;                 ///< of the layers that were asked for
  std::vector<NetworkExplanation> network_explanations;  ///< of the networks that were asked for
  std::vector<Explanation> derivations;  ///< every row that tables show, for pages that have all
  std::vector<Gpu> gpus;                 ///< that results are on, each once
  std::vector<InputError> errors;
};

/// A result and what it was evaluated in, which must outlive make_report.
struct Evaluated {
  Result result;
  const Context* context;
  std::shared_ptr<const Network> network = nullptr;  ///< to explain it as a whole
};

struct ReportOptions {
  RowFilter filter;
  bool compare = false;     ///< two results
  bool derive_all = false;  ///< fill in Report::derivations
  Prices price_per_hour;
  /// A layer's name, a pattern of them with * and ?, or a network's name; empty: nothing of that.
  std::string explain;
  bool explain_networks = false;  ///< each as a whole
};

/// An error, with the nearest name, where `explain` fits no layer of any result, and where
/// `compare` finds other than two results.
Expected<Report> make_report(std::vector<Evaluated> evaluated, std::vector<InputError> errors,
                             const ReportOptions& options, std::vector<KernelTable> kernels = {});

}  // namespace roofline
