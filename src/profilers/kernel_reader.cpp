#include "profilers/kernel_reader.hpp"

#include <utility>

#include "profilers/kernel_list.hpp"

namespace roofline {

NetworkSpecs specs_of(KernelRecording recording, const ByteStream& stream) {
  if (recording.kernels.empty())
    throw InputError(stream.name(), "", "expected kernels in the recording, got none");
  if (recording.name.empty()) recording.name = name_of_recording(stream.name());
  recording.source = stream.name();
  NetworkSpec spec;
  spec.name = recording.name;
  spec.source = recording.source;
  spec.kernels = std::make_shared<const KernelRecording>(std::move(recording));
  return {std::make_shared<const NetworkSpec>(std::move(spec))};
}

}  // namespace roofline
