#pragma once

// The GPUs to evaluate on, each with the stack that runs the layers; made on first use.

#include <mutex>

#include "cli/request.hpp"

namespace roofline {

/// GPUs that --gpu selects by a property and that cannot run an input.
struct SkippedGpus {
  std::string where;  ///< the input or option that the note begins with
  std::vector<std::string> gpus{};
  std::optional<InputError> first{};  ///< why the first GPU cannot

  void add(const std::string& gpu, const InputError& why);
  /// Of records without their first reason, so that all have one note.
  std::string text(bool of_records = false) const;
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
  std::size_t count() const { return named_.contexts.size(); }

  /// Sets the GPU of measured times without one; returns a note if it is unknown.
  std::string set_measured_gpu(Network& network, const OnGpus& gpus) const;

  /// The GPUs of --gpu, or else the recording's. Throws UsageError without any, InputError if the
  /// recording does not name its GPU.
  const OnGpus& of(const Network& network);
  /// Whether the input is evaluated on the GPU of this index.
  bool takes(const std::string& input, std::size_t gpu) const;

  /// The GPU that recorded the kernels; no contexts if unknown. Throws InputError if --gpu
  /// disagrees.
  OnGpus of(const KernelRecording& recording);

 private:
  Expected<Context> context_of(Gpu gpu, bool as_set, Stack stack) const;
  bool names_another(const RecordedGpu& recorded) const;
  void say_assumed() const;
  OnGpus named_for_programs() const;
  OnGpus recorded_on(const RecordedGpu& gpu, const std::string& source) const;
  template <class Make>
  const OnGpus& made_once(const std::string& key, const Make& make);

  const Request& request_;
  OnGpus named_;  ///< of --gpu, as stated
  std::mutex mutex_;
  std::map<std::string, OnGpus> made_;  ///< all others by key
};

}  // namespace roofline
