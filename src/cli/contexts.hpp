#pragma once

// The GPUs to evaluate on: those of --gpu, or without it that of a profiler's recording.

#include <algorithm>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "cli/left_out.hpp"
#include "cli/options.hpp"
#include "roofline/context.hpp"
#include "roofline/kernel_recording.hpp"
#include "roofline/network.hpp"

namespace roofline {

/// The GPUs of these names. What is wrong with other files in the person's own folder is said on
/// standard error. Throws as Catalogue::find does.
/// With `kernel_model`, the path of a file, they take its constants.
std::vector<Gpu> named_gpus(const std::vector<std::string>& names, const std::string& kernel_model);

/// Every GPU that can be named. Says on standard error which files of a person's own are wrong.
std::vector<Gpu> listed_gpus();

/// Several threads may ask.
class Contexts {
 public:
  /// Says what is assumed of the GPUs on standard error, and which of those that --gpu selects
  /// lack what the options ask of them. Throws as named_gpus.
  explicit Contexts(const Options& options);

  const std::vector<Context>& named() const { return named_; }
  bool has_selected() const {
    return std::find(selected_.begin(), selected_.end(), true) != selected_.end();
  }
  /// Whether --gpu does not name that GPU but selects it, for what it can do.
  bool is_selected(const Context& context) const;
  /// Those to evaluate a network on, and what is to be said of them where it was not yet. Throws
  /// UsageError where there are none, InputError where a recording does not tell its GPU, else as
  /// named_gpus.
  struct Found {
    std::span<const Context> contexts;
    std::span<const std::string> notes;
  };
  Found of(const Network& network);

  /// The GPU that kernels were recorded on, null where it is not known, and why.
  struct FoundOne {
    const Context* context = nullptr;
    std::vector<std::string> notes;
  };
  /// Throws InputError where --gpu names several.
  FoundOne of(const KernelRecording& recording);

 private:
  struct Recorded {
    Context context;
    std::vector<std::string> notes;
  };
  void add_named(Gpu gpu, bool is_selected, LeftOut& left_out);
  void say_assumed() const;
  const Recorded& recorded_on(const RecordedGpu& gpu, const std::string& source);

  const Options& options_;
  std::vector<Context> named_;
  std::vector<bool> selected_;                ///< by a word that selects several, of each of them
  std::mutex mutex_;                          ///< of recorded_
  std::map<std::string, Recorded> recorded_;  ///< by what the recording says of its GPU
};

}  // namespace roofline
