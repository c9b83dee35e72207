#pragma once

// GPUs that were selected and not named, and that cannot do what is asked.

#include <optional>
#include <string>
#include <vector>

#include "roofline/error.hpp"

namespace roofline {

class LeftOut {
 public:
  /// `where` the note begins: an input or an option.
  explicit LeftOut(std::string where) : where_(std::move(where)) {}

  void add(const std::string& gpu, const InputError& why);
  /// Why the first of them cannot.
  const std::optional<InputError>& first() const { return first_; }
  /// All of them in one note.
  std::string text() const;

 private:
  std::string where_;
  std::vector<std::string> gpus_;
  std::optional<InputError> first_;
};

}  // namespace roofline
