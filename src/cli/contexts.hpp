#pragma once

// The GPUs to evaluate on, each under what runs the layers: made where they are first asked for.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/request.hpp"
#include "roofline/context.hpp"
#include "roofline/network.hpp"
#include "roofline/recording.hpp"

namespace roofline {

/// GPUs that were selected and not named, and that cannot do what is asked.
struct SkippedGpus {
  std::string where;  ///< an input or an option, with which the note begins
  std::vector<std::string> gpus{};
  std::optional<InputError> first{};  ///< why the first of them cannot

  void add(const std::string& gpu, const InputError& why);
  /// All of them in one note.
  std::string text() const;
};

/// GPUs under one stack, and what is to be said about them.
struct OnGpus {
  std::vector<Context> contexts{};
  /// Of networks that run as people deploy them: the same GPUs under PyTorch, operator by operator.
  std::vector<Context> eager{};
  std::vector<std::string> notes{};
};

/// Several threads may ask.
class Contexts {
 public:
  /// Says what is assumed of the GPUs on standard error, and which of those that --gpu selects lack
  /// what is asked of them. Throws InputError.
  explicit Contexts(const Request& request);

  /// Whether --gpu does not name that GPU but selects it, for what it can do.
  bool is_selected(const Context& context) const;
  /// How many GPUs --gpu asks for.
  std::size_t count() const { return named_.contexts.size(); }

  /// Says of times that name no GPU what they were measured on, as far as that is known, and
  /// returns a note where it is not. `gpus`: those that the network is evaluated on.
  std::string set_measured_gpu(Network& network, const OnGpus& gpus) const;

  /// The GPUs to evaluate a network on: those of --gpu, or without it that of a recording. Throws
  /// UsageError where there are none, InputError where a recording does not tell its GPU.
  const OnGpus& of(const Network& network);
  /// Whether that input stands on the named GPU of that index.
  bool takes(const std::string& input, std::size_t gpu) const;

  /// The GPU that kernels were recorded on, without contexts where it is not known. Throws
  /// InputError where --gpu names several, or another one.
  OnGpus of(const KernelRecording& recording);

 private:
  Expected<Context> context_of(Gpu gpu, bool as_set, Stack stack) const;
  bool names_another(const RecordedGpu& recorded) const;
  void say_assumed() const;
  /// Those of --gpu under programs' stack or, without one, as people deploy networks.
  OnGpus named_under(std::optional<Stack> stack) const;
  OnGpus recorded_on(const RecordedGpu& gpu, const std::string& source) const;
  template <class Make>
  const OnGpus& made_once(const std::string& key, const Make& make);

  const Request& request_;
  OnGpus named_;  ///< those of --gpu, as stated
  std::mutex mutex_;
  std::map<std::string, OnGpus> made_;  ///< all others, by what they are
};

}  // namespace roofline
