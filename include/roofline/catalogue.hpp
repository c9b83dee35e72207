#pragma once

// GPUs and networks by name: built-in ones, and GPU files of the user's folder.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

struct OwnGpu;
struct RecordedGpu;

/// GPUs by name or alias, as written by a catalogue, a driver or a person ("NVIDIA A100-SXM4-80GB",
/// "a100 80gb sxm4"). A file in the user's folder (roofline/gpus in $XDG_CONFIG_HOME or ~/.config)
/// is also found by its file name, and precedes a built-in GPU.
class Catalogue {
 public:
  /// Reads the user's folder once.
  Catalogue();

  /// An unknown name is an error with the nearest names.
  Expected<Gpu> find(const std::string& name_or_path) const;

  /// The GPU that an unknown name is most like; nullopt if it is like none.
  std::optional<Gpu> nearest(const std::string& name) const;

  /// The GPUs of a selecting word (model/gpu_selection.hpp), sorted by name: "all", a maker, an
  /// architecture, "nvidia>=48GB". nullopt for a plain name. An error for an empty selection.
  Expected<std::optional<std::vector<Gpu>>> select(const std::string& word) const;

  /// The GPU with this name, else all with its number of SMs and, within 10 %, its memory.
  Expected<std::vector<Gpu>> find_recorded(const RecordedGpu& recorded) const;

  Expected<std::string> text(const std::string& name_or_path) const;

  /// Path of the GPU's file; nullopt for a built-in or unknown GPU.
  std::optional<std::string> path_of(const std::string& name_or_path) const;

  /// Every GPU in the order of names, without faulty files (problems_besides).
  std::vector<Gpu> all() const;

  /// Errors of files in the user's folder, except files meant by one of `names`.
  std::vector<InputError> problems_besides(const std::vector<std::string>& names) const;

 private:
  std::optional<Gpu> try_find(const std::string& name) const;

  std::shared_ptr<const std::vector<OwnGpu>> own_;  ///< sorted by path
};

/// For a single look-up.
Expected<Gpu> find_gpu(const std::string& name_or_path);
std::vector<Gpu> all_gpus();

/// The built-in networks, one name a line.
std::string network_names();

/// Text of a built-in network, in any spelling ("ResNet-50"); nullopt if unknown.
std::optional<std::string_view> find_network(std::string_view name);

}  // namespace roofline
