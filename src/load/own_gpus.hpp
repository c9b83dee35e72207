#pragma once

// The GPU files of a person's own folder. A wrong one is kept, with its names as far as they can be
// read, so that it fails only those who mean it.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

struct OwnGpu {
  std::string path;
  std::vector<std::string> names;  ///< that of the file last
  Expected<Gpu> content;

  const Gpu* gpu() const { return content ? &*content : nullptr; }
  const InputError* error() const { return content ? nullptr : &content.error(); }
  /// Whether the normal form of one of its names is this.
  bool answers_to(const std::string& normal_name) const;
};

struct OwnGpus {
  std::vector<OwnGpu> files;  ///< sorted by path
  std::optional<InputError> folder_error;
};

OwnGpus read_own_gpus();

}  // namespace roofline
