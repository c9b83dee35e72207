#include "cli/left_out.hpp"

#include "cli/required.hpp"
#include "model/spelling.hpp"

namespace roofline {

void LeftOut::add(const std::string& gpu, const InputError& why) {
  gpus_.push_back(gpu);
  if (!first_) first_ = hinted(why);
}

std::string LeftOut::text() const {
  constexpr std::size_t most_named = 8;
  const std::string count =
      gpus_.size() == 1 ? "1 GPU is" : std::to_string(gpus_.size()) + " GPUs are";
  return where_ + ": " + count + " left out: " + some_of(gpus_, most_named) +
         (gpus_.size() == 1 ? ": " : "; of the first: ") + first_->message;
}

}  // namespace roofline
