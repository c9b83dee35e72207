#pragma once

// From items of an input to the output: the GPUs to evaluate on, each with the stack that runs the
// layers, made on first use; and the evaluator, which threads may share.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/request.hpp"
#include "model/recording.hpp"
#include "report/formats.hpp"
#include "results/kernel_table.hpp"
#include "results/steps.hpp"
#include "roofline/load.hpp"

namespace roofline {

/// GPUs that --gpu selects by a property and that cannot run an input.
struct SkippedGpus {
  std::string where;        ///< the input or option that the note begins with
  bool of_records = false;  ///< all records have one note, without their first reason
  std::vector<std::string> gpus{};
  std::optional<InputError> first{};  ///< why the first GPU cannot

  void add(const std::string& gpu, const InputError& why);
  std::string text() const;
};

struct OnGpus {
  std::vector<Context> contexts{};
  std::vector<std::string> notes{};
};

/// Thread-safe.
class Contexts {
 public:
  /// Prints the GPUs' assumptions, and which selected GPUs lack a required property. Throws
  /// InputError.
  explicit Contexts(const Request& request);

  /// Whether --gpu selects this GPU by a property instead of its name.
  bool is_selected(const Context& context) const;
  /// The number of the named GPUs, by the framework that runs on most.
  std::size_t count() const;

  /// Sets the GPU of measured times without one; returns a note if it is unknown.
  std::string set_measured_gpu(Network& network, const OnGpus& gpus) const;

  /// The GPUs of --gpu, or else the recording's. Throws UsageError without any, InputError if the
  /// recording does not name its GPU.
  const OnGpus& of(const Network& network, std::size_t framework);
  /// The named GPUs under a framework that the options do not name; `launch`: in place of its own.
  /// Throws InputError.
  const OnGpus& under(Framework framework, std::optional<LaunchProtocol> launch = {});
  /// Whether the input is evaluated on the GPU of this index.
  bool takes(const std::string& input, std::size_t gpu) const;

  /// The GPU that recorded the kernels; no contexts if unknown. Throws InputError if --gpu
  /// disagrees.
  OnGpus of(const KernelRecording& recording);

 private:
  OnGpus named(std::size_t framework) const;
  Expected<Context> context_of(Gpu gpu, bool as_set, const AnalysisOptions& options) const;
  bool names_another(const RecordedGpu& recorded) const;
  void say_assumed() const;
  OnGpus named_for(Framework framework, std::optional<LaunchProtocol> launch) const;
  OnGpus named_under(const AnalysisOptions& options) const;
  OnGpus recorded_on(const RecordedGpu& gpu, const std::string& source,
                     std::size_t framework) const;
  template <class Make>
  const OnGpus& made_once(const std::string& key, const Make& make);

  const Request& request_;
  std::vector<OnGpus> named_;  ///< of --gpu, as stated, by each framework
  std::mutex mutex_;
  std::map<std::string, OnGpus> made_;  ///< all others by key
};

struct Message {
  enum class Kind : std::uint8_t {
    plain,
    once,        ///< printed once a run
    assumption,  ///< printed once a run, and only the first few
  };
  std::string text;
  Kind kind = Kind::plain;
  std::string row_error = "";  ///< of a row: equal for equal errors of an input's rows
};

/// Records with one context and one sum: layers that ran in different ways have their own. The
/// output has them in this order.
struct RecordStream {
  std::size_t setting = 0;  ///< index in Request::settings
  std::size_t gpu = 0;      ///< index of the context
  std::optional<Framework> framework{};
  RunsAs runs_as = RunsAs::layers;

  auto operator<=>(const RecordStream&) const = default;
};

/// The result of one item, or of consecutive records.
struct ItemResult : Evaluated {
  std::optional<RecordStream> stream;  ///< of records
};

/// Everything to write or keep of a part of the inputs, in input order.
struct Evaluation {
  std::string input;               ///< of the records; empty without any
  std::vector<RenderedRows> rows;  ///< one for each of Needs::rows
  std::vector<Message> messages;
  bool failed = false;     ///< an item could not be evaluated
  bool evaluated = false;  ///< an item was evaluated
  std::vector<InputError> errors;
  std::vector<ItemResult> results;
  std::vector<KernelTable> kernels;
  std::vector<Network> networks;  ///< for the layer file
  std::uint64_t copies = 0;       ///< layers that "repeat" added to records
  std::size_t items = 0;          ///< number of items evaluated
  /// Options that a record obeyed (LayerOptions); absent without any record.
  std::optional<unsigned> obeyed;
  bool ends_input = false;  ///< the input ends here
};

/// Work of one thread: consecutive items of an input, then all that `reader` still holds.
struct Chunk {
  std::string input;
  std::vector<Expected<Item>> items;
  std::size_t first = 0;  ///< index in the input of the first good item
  std::shared_ptr<Reader> reader = nullptr;
  std::vector<std::string> notes = {};  ///< of an input whose items came in earlier chunks
  bool ends_input = false;
};

/// Receives results in input order.
using Submit = std::function<void(Evaluation)>;

class Evaluator {
 public:
  /// `times`, if given, restrict the evaluator to one thread.
  Evaluator(const Request& request, Contexts& contexts, MeasuredTimes* times)
      : request_(&request),
        contexts_(&contexts),
        times_(times),
        options_(request),
        parts_(request.needs.report ? RowParts() : parts_shown(request.fields)) {}

  std::size_t rows_a_record() const;
  /// Consumes the chunk.
  Evaluation evaluate(Chunk& chunk, const Submit& submit) const;

 private:
  class ItemEvaluator;

  const Request* request_;
  Contexts* contexts_;
  MeasuredTimes* times_;
  LayerOptions options_;
  RowParts parts_;  ///< of records
};

/// The current exception as an error of this input or record alone. Rethrows wrong usage and failed
/// output, which end the run.
InputError caught_error(const std::string& input, std::optional<std::size_t> line);

}  // namespace roofline
