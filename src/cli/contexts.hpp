#pragma once

// The GPUs to evaluate on: those of --gpu, or without it that of a profiler's recording.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/context.hpp"
#include "roofline/network.hpp"
#include "roofline/recording.hpp"

namespace roofline {

/// The GPU of this name, with the constants of `kernel_model` where that is the path of a file.
/// Says on standard error what is wrong with other files in the person's own folder. Throws as
/// Catalogue::find does.
Gpu named_gpu(const Catalogue& catalogue, const std::string& name, const std::string& kernel_model);

/// GPUs that were selected and not named, and that cannot do what is asked.
struct SkippedGpus {
  std::string where;  ///< an input or an option, with which the note begins
  std::vector<std::string> gpus{};
  std::optional<InputError> first{};  ///< why the first of them cannot

  void add(const std::string& gpu, const InputError& why);
  /// All of them in one note.
  std::string text() const;
};

/// Several threads may ask.
class Contexts {
 public:
  /// Says what is assumed of the GPUs on standard error, and which of those that --gpu selects
  /// lack what the options ask of them. Throws as named_gpu.
  Contexts(const Options& options, const Catalogue& catalogue);

  const std::vector<Context>& named() const { return named_; }
  bool has_selected() const { return !selected_.empty(); }
  /// Whether --gpu does not name that GPU but selects it, for what it can do.
  bool is_selected(const Context& context) const { return selected_.contains(context.gpu.name); }

  /// What the times of --measured were measured on that name no GPU: --measured-gpu, or the one GPU
  /// of --gpu; empty where neither says it.
  const std::string& measured_gpu() const { return measured_gpu_; }
  /// Says of times that name no GPU what they were measured on, as far as that is known, and
  /// returns a note where it is not. `gpus`: those that the network is evaluated on.
  std::string set_measured_gpu(Network& network, std::span<const Context> gpus) const;

  /// The GPUs to evaluate a network on, and what is to be said about them.
  struct Found {
    std::span<const Context> contexts;
    std::span<const std::string> notes;
  };
  /// Where GPUs are ranked or batches searched for, and nothing is said of how networks run, they
  /// run as people deploy them: fused, by what the GPU's maker has (TensorRT, else torch.compile).
  /// Throws UsageError where there are none, InputError where a recording does not tell its GPU,
  /// else as named_gpu.
  Found of(const Network& network);
  /// Whether that input stands on the named GPU of that index. Two inputs that are compared on two
  /// GPUs stand on one each, in their order.
  bool takes(const std::string& input, std::size_t gpu) const;

  /// The GPU of a context that `of` found so, under PyTorch operator by operator; null for others.
  const Context* eager_of(const Context& deployed);

  /// The GPU that kernels were recorded on, null where it is not known, and why.
  struct FoundOne {
    const Context* context = nullptr;
    std::vector<std::string> notes;
  };
  /// Throws InputError where --gpu names several, or another one.
  FoundOne of(const KernelRecording& recording);

 private:
  struct Recorded {
    Context context;
    std::vector<std::string> notes;
  };
  Expected<Context> context_of(Gpu gpu, std::span<const GpuSetting> settings) const;
  bool names_another(const RecordedGpu& recorded) const;
  void say_assumed() const;
  /// The same GPUs under other options.
  struct Others {
    std::vector<Context> contexts;
    std::vector<std::string> notes;
  };
  template <class OptionsFor>
  Found named_under(Others& others, const OptionsFor& options_for);
  const Recorded& recorded_on(const RecordedGpu& gpu, const std::string& source);

  const Options& options_;
  const Catalogue& catalogue_;
  std::shared_ptr<const ModelConstants> constants_;  ///< from --kernel-model; null without one
  std::vector<Context> named_;
  bool pairs_;                      ///< the inputs with the GPUs
  std::set<std::string> selected_;  ///< names of those that are selected and not named
  std::string only_named_;          ///< the one GPU of --gpu
  std::string measured_gpu_;
  Others programs_;                           ///< for programs of PyTorch's
  Others deployed_;                           ///< for networks that are ranked as they are deployed
  Others eager_;                              ///< beside those
  std::mutex mutex_;                          ///< guards recorded_ and the others
  std::map<std::string, Recorded> recorded_;  ///< the key is what the recording says
};

}  // namespace roofline
