#pragma once

// A network, and the device memory that it needs.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/layer.hpp"
#include "roofline/recording.hpp"

namespace roofline {

/// Layers in the order in which they run. Operand::producer always names an earlier layer.
struct Network {
  std::string name;
  std::string source;  ///< the file, "-" or the built-in name it came from
  std::vector<Layer> layers;
  /// The batch of a recording or an engine, where single layers may have others (products of
  /// matrices, copies).
  std::optional<std::uint64_t> batch = {};
  /// A program of PyTorch's, which runs it where no other framework is asked for.
  bool is_pytorch_program = false;
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

/// Inference keeps the weights and, while a layer runs, its operands, its result and every earlier
/// tensor that a later layer reads. Training keeps the weights, a gradient of each, and every
/// tensor that a backward pass reads again, and what the optimiser remembers of each weight.
/// The kernel with the largest workspace
/// adds that. The allocator's rounding comes on top. A view shares its tensor; an operand given as
/// a shape is there only while its layer runs.
struct Memory {
  std::uint64_t weight_byte = 0;
  std::uint64_t peak_activation_byte = 0;
  std::string peak_layer;                  ///< that runs at the peak
  std::uint64_t training_weight_byte = 0;  ///< with the layers that only training has
  std::uint64_t saved_activation_byte = 0;
  std::uint64_t optimizer_state_byte = 0;
  std::uint64_t workspace_byte = 0;  ///< the largest of any kernel, as they run one after the other

  std::uint64_t inference_byte() const {
    return weight_byte + peak_activation_byte + workspace_byte;
  }
  std::uint64_t training_byte() const {
    return 2 * training_weight_byte + saved_activation_byte + optimizer_state_byte + workspace_byte;
  }
};

/// What updates the weights: by the gradient alone, with its momentum, or with two moments a
/// weight.
enum class Optimizer : std::uint8_t { sgd, momentum, adam };

/// Without the workspace, which depends on the GPU. Throws OverflowError.
Memory memory_of(const Network& network, Optimizer optimizer = Optimizer::sgd);

}  // namespace roofline
