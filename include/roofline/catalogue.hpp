#pragma once

// The GPUs and networks that can be named: those that come with the program, found without parsing
// the others, and the GPU files of a person's own folder.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/gpu.hpp"
#include "roofline/recording.hpp"

namespace roofline {

/// A file embedded at build time.
struct EmbeddedFile {
  std::string_view name;  ///< file name without extension
  /// The GPU's own name and aliases; the kernel model's own name and what it covers; empty for
  /// others.
  std::span<const std::string_view> names;
  std::string_view text;
};

std::span<const EmbeddedFile> embedded_gpus();
std::span<const EmbeddedFile> embedded_kernel_models();
std::span<const EmbeddedFile> embedded_networks();
/// The files from which `calibrate --script` makes its script.
std::span<const EmbeddedFile> embedded_calibration();

struct OwnGpus;

/// GPUs by name or alias, as a catalogue, a driver or a person writes it ("NVIDIA A100-SXM4-80GB",
/// "a100 80gb sxm4"), and MIG slices of them ("NVIDIA A100-SXM4-40GB MIG 1g.5gb").
/// A file in the person's own folder (roofline/gpus in $XDG_CONFIG_HOME or
/// ~/.config) answers to its own name too, and wins over a built-in part.
class Catalogue {
 public:
  /// Reads the person's own folder, once.
  Catalogue();

  /// A GPU by name or by the path of a file. An error with the nearest names where none answers.
  Expected<Gpu> find(const std::string& name_or_path) const;

  /// The GPUs that a word selects (results/selection.hpp), by name: "all", a maker, an
  /// architecture, "nvidia>=48GB"; none for a word that is to be found. An error where it cannot be
  /// read, and where it selects nothing.
  Expected<std::optional<std::vector<Gpu>>> select(const std::string& word) const;

  /// The GPUs that a recording's may be: the one that its name means; where none is called so, all
  /// that have its SMs and, within a tenth, its memory.
  Expected<std::vector<Gpu>> find_recorded(const RecordedGpu& recorded) const;

  /// The text of the file that answers to a name or a path.
  Expected<std::string> text(const std::string& name_or_path) const;

  /// The file that answers to a name or a path; none for a built-in GPU or an unknown one.
  std::optional<std::string> path_of(const std::string& name_or_path) const;

  /// Every GPU, by name, but those of wrong files (problems_besides).
  std::vector<Gpu> all() const;

  /// What is wrong in the person's own folder, but for files that one of these names means.
  std::vector<InputError> problems_besides(const std::vector<std::string>& names) const;

 private:
  std::optional<Gpu> try_find(const std::string& name) const;
  std::optional<Gpu> try_find_part(const std::string& name) const;

  std::shared_ptr<const OwnGpus> own_;
};

/// Short for a Catalogue that is used once.
Expected<Gpu> find_gpu(const std::string& name_or_path);
std::vector<Gpu> all_gpus();

/// The built-in networks, a name a line.
std::string network_names();

/// Text of a built-in network, however its name is spelled ("ResNet-50"); none where there is no
/// such network.
std::optional<std::string_view> find_network(std::string_view name);

}  // namespace roofline
