#include "load/layer_check.hpp"

#include "roofline/error.hpp"
#include "roofline/infer.hpp"

namespace roofline {

std::optional<std::string> refusal(const LayerSpec& layer) {
  NetworkSpec alone;
  alone.layers = {layer};
  alone.layers.front().repeat.reset();
  try {
    infer(alone, {}).value();
    return std::nullopt;
  } catch (const InputError& error) {
    return error.message;
  }
}

}  // namespace roofline
