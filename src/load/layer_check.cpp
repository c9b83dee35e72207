#include "load/layer_check.hpp"

#include "roofline/infer.hpp"

namespace roofline {

std::optional<InputError> failure_of(const LayerSpec& layer) {
  NetworkSpec alone;
  alone.layers = {layer};
  alone.layers.front().repeat.reset();
  try {
    infer(alone, {}).value();
    return std::nullopt;
  } catch (const InputError& error) {
    return error;
  }
}

std::optional<std::string> refusal(const LayerSpec& layer) {
  const std::optional<InputError> failure = failure_of(layer);
  return failure ? std::optional(failure->message) : std::nullopt;
}

}  // namespace roofline
