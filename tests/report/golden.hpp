#pragma once

// Approved outputs, the wish to approve others, and the GPU that they are drawn from.

#include <cstdlib>
#include <string>

#include "roofline/context.hpp"
#include "roofline/load.hpp"
#include "temporary_folder.hpp"

constexpr const char* golden_folder = ROOFLINE_SOURCE_FOLDER "/tests/golden/";

/// Whether the approved files are to be written rather than compared.
inline bool updating() {
  const char* update = std::getenv("ROOFLINE_UPDATE_GOLDEN");
  return update != nullptr && std::string(update) == "1";
}

/// A GPU of the tests' own, whose kernel model no change of configs moves.
inline roofline::Context frozen_context(const roofline::AnalysisOptions& options = {}) {
  const std::string path = golden_folder + std::string("gpus/frozen100.json");
  return roofline::make_context(roofline::load_gpu(read_file(path), path).value(), options).value();
}
