#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roofline/layer.hpp"
#include "roofline/trace.hpp"

namespace roofline {

/// Layers in the order in which they run. Operand::producer always names an earlier layer.
struct Network {
  std::string name;
  std::string source;  ///< the file, "-" or the built-in name it came from
  std::vector<Layer> layers;
  /// The batch of a recording or an engine, where single layers may have others (products of
  /// matrices, copies).
  std::optional<std::uint64_t> batch = {};
  std::optional<DataType> autocast = {};  ///< amp or amp_bf16: its weights are kept in fp32
  /// The number of the record in its source, from 1, where this is a record of a stream: its layers
  /// stand alone, outside any network.
  std::optional<std::size_t> record = {};
  std::size_t item = 0;  ///< which of its source's networks this is, from 0
  /// What was assumed where the source leaves something open, for the user to read.
  std::vector<std::string> assumptions = {};
  /// What a profiler's recording says beside the layers, whose measured times are those of kernels
  /// alone.
  std::shared_ptr<const TraceSummary> recording = nullptr;
  /// Measured times of all layers of a kind together, by the names of NetworkPart
  /// (settings_table.hpp).
  std::map<std::string, double> measured_parts_s = {};
};

}  // namespace roofline
