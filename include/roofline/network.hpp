#pragma once

// A network, from what a source says to layers whose shapes are worked out and checked, and the
// device memory that it needs.

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
#include "roofline/recording.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// Layers in the order in which they run. Operand::producer always names an earlier layer.
struct Network {
  std::string name;
  std::string source;  ///< the file, "-" or the built-in name it came from
  std::vector<Layer> layers;
  /// The batch of a recording or an engine, where single layers may have others (products of
  /// matrices, copies).
  std::optional<std::uint64_t> batch = {};
  RunsAs runs_as = RunsAs::layers;
  /// The file was made on one GPU and does not name it: its times are of the one that is asked for.
  bool measured_on_asked_gpu = false;
  /// What the caller gives and keeps, where the source says so.
  std::optional<std::uint64_t> input_byte = {};
  std::optional<DataType> autocast = {};  ///< amp or amp_bf16: its weights are kept in fp32
  /// The number of the record in its source, from 1, where this is a record of a stream: its layers
  /// stand alone, outside any network.
  std::optional<std::size_t> record = {};
  std::size_t item = 0;  ///< which of its source's networks this is, from 0
  /// What was assumed where the source leaves something open, for the user to read.
  std::vector<std::string> assumptions = {};
  std::uint64_t copies = 0;  ///< that "repeat" added, as InputLimits counts them
  /// What a profiler's recording says beside the layers, whose measured times are those of kernels
  /// alone.
  std::shared_ptr<const TraceSummary> recording = nullptr;
};

/// What one input may ask for, so that a small file can fill neither the memory nor the day.
struct InputLimits {
  std::uint64_t text_mb = 256;  ///< the longest text in one piece, a document or a record
  /// Numbers, texts and lists of one layer, event, row or header; of a document four times as many.
  std::uint64_t values = 1'000'000;
  std::uint64_t expansion = 200;  ///< bytes that one of gzip gives, beyond the first 16 MB
  /// Layers that "repeat" adds, all of an input together, those of long names or many operands as
  /// several.
  std::uint64_t copies = 200'000;
  /// Runs of layers that a log or a recording has beside the first of each, counted likewise.
  std::uint64_t runs = 1'000'000;

  /// All of them so many times.
  InputLimits raised(std::uint64_t factor) const {
    return {text_mb * factor, values * factor, expansion * factor, copies * factor, runs * factor};
  }
};

/// What a copy by "repeat" may hold of its own to count as one.
inline constexpr std::uint64_t copy_byte = 400;

/// What is expected of the layers that "repeat" adds, or of runs.
inline std::string expected_copies(const InputLimits& limits, bool are_runs = false) {
  return "at most " + std::to_string(are_runs ? limits.runs : limits.copies) +
         (are_runs ? " runs of a log's or a recording's layers" : " layers by repeat") +
         " in all, each " + std::to_string(copy_byte) +
         " bytes of names and operands counting as one";
}

/// What is expected of one layer, event, row or header.
inline std::string expected_values(const InputLimits& limits) {
  return "at most " + std::to_string(limits.values) + " values in one layer, event, row or header";
}

/// What to say of something beyond a limit; Remedy::limits would help.
inline std::string beyond_limit(const std::string& expected) {
  return "expected " + expected + ", got more";
}
inline InputError limit_error(std::string source, std::string where, const std::string& expected) {
  InputError error(std::move(source), std::move(where), beyond_limit(expected));
  error.remedy = Remedy::limits;
  return error;
}

/// What is said about layers that do not say it themselves.
struct LayerDefaults {
  DataType dtype = DataType::fp32;
  bool dtype_given = false;  ///< it wins over the types that a model's own tensors have
  /// amp or amp_bf16: what is in fp32 then runs under autocast, casts and all.
  std::optional<DataType> autocast;
  Pass pass = Pass::fwd;
  KernelMapping mapping;                        ///< of contractions of one group that state none
  std::optional<std::uint64_t> batch_override;  ///< wins over the file's batch as well
  /// Of images, in programs that state how their tensors lie; none: as they state it.
  std::optional<Layout> layout;
  /// Values of named dimensions that a model leaves open.
  std::vector<std::pair<std::string, std::uint64_t>> dimensions;
  /// A model in ONNX is what PyTorch ran when it wrote the file, as far as the file says.
  bool as_pytorch_runs = false;
  InputLimits limits;
};

/// What is wrong with asking for a batch of what has its own.
InputError fixed_batch_error(const NetworkSpec& spec, const std::string& wanted);

/// The network's layers with shapes, types, names and every default filled in; repeats expanded.
/// What it returns is valid.
Expected<Network> infer(const NetworkSpec& spec, const LayerDefaults& defaults);

/// Inference keeps the weights and, while a layer runs, its operands, its result and every earlier
/// tensor that a later layer reads. Training keeps the weights, a gradient of each, and every
/// tensor that a backward pass reads again, and what the optimiser remembers of each weight.
/// The kernel with the largest workspace
/// adds that. The allocator's rounding comes on top. A view shares its tensor; an operand given as
/// a shape is there only while its layer runs.
struct Memory {
  std::uint64_t weight_byte = 0;
  std::uint64_t input_byte = 0;  ///< that the caller keeps, where it is known
  std::uint64_t peak_activation_byte = 0;
  std::string peak_layer;                  ///< that runs at the peak
  std::uint64_t training_weight_byte = 0;  ///< with the layers that only training has
  std::uint64_t saved_activation_byte = 0;
  std::uint64_t optimizer_state_byte = 0;
  std::uint64_t workspace_byte = 0;  ///< the largest of any kernel, as they run one after the other

  std::uint64_t inference_byte() const {
    return weight_byte + input_byte + peak_activation_byte + workspace_byte;
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
