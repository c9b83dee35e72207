#pragma once

// All computed contents of an output. Rendering (render.hpp) computes nothing.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernel/derivation.hpp"
#include "results/changes.hpp"
#include "results/explanation.hpp"
#include "results/kernel_table.hpp"
#include "results/selection.hpp"
#include "roofline/analysis.hpp"
#include "roofline/error.hpp"
#include "roofline/gpu.hpp"
#include "roofline/library.hpp"
#include "roofline/report.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {

struct Explanation {
  std::size_t result = 0;
  std::size_t row = 0;
  std::vector<DerivationStep> steps;  ///< up to the expected time; empty if no kernel runs
  std::vector<Advice> advice;
  LibraryRelease library{};  ///< whose kernels are assumed
};

/// A table with those of its rows that are shown.
template <class Whole>
struct Shown : Whole {
  Selection selection;
};

struct ShownResult : Shown<Result> {
  Selection shown_types;  ///< rows of Result::types
};

struct Report {
  RowFilter filter;
  std::vector<ShownResult> results;
  std::vector<Shown<KernelTable>> kernels;  ///< recordings without layers
  std::vector<SettingsTable> sweeps;
  std::vector<Shown<SettingsTable>> points;
  std::optional<Changes> changes;         ///< between two results, if asked for
  std::vector<Explanation> explanations;  ///< of the requested layers
  std::vector<NetworkExplanation> network_explanations;
  std::vector<Gpu> gpus;  ///< GPUs of the results, each once
  std::string currency;   ///< of prices; empty if unnamed
  std::vector<InputError> errors;
};

/// The contents of make_report(), with recordings without layers. Errors also: kernels without a
/// recording.
Expected<Report> report_of(std::vector<Evaluated> evaluated, std::vector<InputError> errors,
                           const ReportOptions& options, std::vector<KernelTable> kernels = {});

}  // namespace roofline
