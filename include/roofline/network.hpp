#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/error.hpp"
#include "roofline/layer.hpp"
#include "roofline/spec.hpp"

namespace roofline {

struct TraceSummary;

/// Layers in execution order. Operand::producer always names an earlier layer.
struct Network : NetworkTraits {
  std::vector<Layer> layers;
  std::size_t item = 0;      ///< index in its source
  std::uint64_t copies = 0;  ///< layers added by "repeat", as InputLimits counts them
  bool states_type = true;   ///< the source or the request states a layer's type: it is no default
  /// A profiler's, whose layer times are those of kernels alone.
  std::shared_ptr<const TraceSummary> recording = nullptr;
};

/// Limits of one input: a small file cannot use up memory or hours.
struct InputLimits {
  std::uint64_t text_mb = 256;  ///< longest text in one piece, a document or a record
  /// Numbers, texts and lists of one layer, event, row or header; four times as many of a document.
  std::uint64_t values = 1'000'000;
  std::uint64_t expansion = 200;  ///< bytes from one byte of gzip, beyond the first 16 MB
  /// Layers added by "repeat"; layers with long names or many operands count several times.
  std::uint64_t copies = 200'000;
  /// Runs of a layer in a log or a recording after its first, counted likewise.
  std::uint64_t runs = 1'000'000;

  InputLimits raised(std::uint64_t factor) const {
    return {text_mb * factor, values * factor, expansion * factor, copies * factor, runs * factor};
  }
};

/// Bytes of names and operands in a copy by "repeat" which counts as one.
inline constexpr std::uint64_t copy_byte = 400;

inline std::string expected_copies(const InputLimits& limits, bool are_runs = false) {
  return "at most " + std::to_string(are_runs ? limits.runs : limits.copies) +
         (are_runs ? " runs of a log's or a recording's layers" : " layers by repeat") +
         " in all, each " + std::to_string(copy_byte) +
         " bytes of names and operands counting as one";
}

inline std::string expected_values(const InputLimits& limits) {
  return "at most " + std::to_string(limits.values) + " values in one layer, event, row or header";
}

/// Message for an input beyond a limit; Remedy::limits would help.
inline std::string beyond_limit(const std::string& expected) {
  return "expected " + expected + ", got more";
}
inline InputError limit_error(std::string source, std::string where, const std::string& expected) {
  InputError error(std::move(source), std::move(where), beyond_limit(expected));
  error.remedy = Remedy::limits;
  return error;
}

struct LayerDefaults {
  DataType dtype = DataType::fp32;
  bool dtype_given = false;  ///< it precedes the types of a model's own tensors
  /// amp or amp_bf16: fp32 layers then run under autocast, with casts.
  std::optional<DataType> autocast;
  Pass pass = Pass::fwd;
  KernelMapping mapping;                        ///< of one-group contractions without one
  std::optional<std::uint64_t> batch_override;  ///< precedes the file's batch as well
  /// Images', in programs which state their tensors' layout; nullopt: as stated.
  std::optional<Layout> layout;
  /// Values of a model's open dimensions.
  std::vector<std::pair<std::string, std::uint64_t>> dimensions;
  /// The run is PyTorch's: an ONNX model is read as the program that it was exported from.
  bool as_pytorch_runs = false;
  InputLimits limits;
};

/// A batch was requested for a network with a fixed one.
InputError fixed_batch_error(const NetworkSpec& spec, const std::string& wanted);

/// Layers with shapes, types, names and defaults filled in, repeats expanded. The result is valid.
Expected<Network> infer(const NetworkSpec& spec, const LayerDefaults& defaults);

/// Inference keeps the weights and, while a layer runs, its operands, its result and every earlier
/// tensor with a later reader. Training keeps the weights, a gradient and the optimiser's state for
/// each, and every tensor read by a backward pass. The largest workspace of a kernel is added; the
/// allocator's rounding is not. A view shares its tensor; an operand given as a shape exists only
/// while its layer runs.
struct Memory {
  std::uint64_t weight_byte = 0;
  std::uint64_t input_byte = 0;  ///< kept by the caller; 0 if unknown
  std::uint64_t peak_activation_byte = 0;
  std::string peak_layer;                  ///< the layer running at the peak
  std::uint64_t training_weight_byte = 0;  ///< with training-only layers
  std::uint64_t saved_activation_byte = 0;
  std::uint64_t optimizer_state_byte = 0;
  std::uint64_t workspace_byte = 0;  ///< the largest of all kernels, which run one after the other

  std::uint64_t inference_byte() const {
    return weight_byte + input_byte + peak_activation_byte + workspace_byte;
  }
  std::uint64_t training_byte() const {
    return 2 * training_weight_byte + saved_activation_byte + optimizer_state_byte + workspace_byte;
  }
};

/// State for updating weights: none (sgd), momentum, or two moments per weight (adam).
enum class Optimizer : std::uint8_t { sgd, momentum, adam };

/// Without the workspace, which depends on the GPU. Throws OverflowError.
Memory memory_of(const Network& network, Optimizer optimizer = Optimizer::sgd);

}  // namespace roofline
