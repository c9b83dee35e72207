#include "load/profiler/kernel_reader.hpp"

#include <string>
#include <utility>

#include "load/json_input.hpp"
#include "load/profiler/kernel_list.hpp"

namespace roofline {
namespace {

class KernelReader : public Reader {
 public:
  KernelReader(std::unique_ptr<ByteStream> stream, ReadKernels read)
      : stream_(std::move(stream)), read_(read) {}

  std::optional<Expected<Item>> next() override {
    if (stream_) {
      const std::unique_ptr<ByteStream> stream = std::move(stream_);
      try {
        return Expected<Item>(fixed_item(spec_of(*stream)));
      } catch (const InputError& error) {
        return Expected<Item>(error);
      }
    }
    const std::optional<InputError> bad = std::exchange(bad_, BadRows()).error();
    if (!bad) return std::nullopt;
    return Expected<Item>(*bad);
  }

 private:
  std::shared_ptr<const NetworkSpec> spec_of(ByteStream& stream) {
    KernelRecording recording = read_(stream, bad_);
    if (recording.kernels.empty()) {
      if (const auto bad = std::exchange(bad_, BadRows()).error()) throw InputError(*bad);
      throw InputError(stream.name(), "", "expected kernels in the recording, got none");
    }
    recording.name = name_of_recording(stream.name());
    recording.source = stream.name();
    NetworkSpec spec;
    spec.name = recording.name;
    spec.source = recording.source;
    spec.kernels = std::make_shared<const KernelRecording>(std::move(recording));
    return std::make_shared<const NetworkSpec>(std::move(spec));
  }

  std::unique_ptr<ByteStream> stream_;  ///< null once it is read
  ReadKernels read_;
  BadRows bad_;
};

}  // namespace

std::optional<InputError> BadRows::error() const {
  if (!first_) return std::nullopt;
  if (count_ == 1) return InputError(first_->source, first_->where, first_->message);
  return InputError(first_->source, first_->where,
                    first_->message + "; so is wrong with " + std::to_string(count_ - 1) +
                        " more rows, which are left out too");
}

std::unique_ptr<Reader> open_kernels(std::unique_ptr<ByteStream> stream, ReadKernels read) {
  return std::make_unique<KernelReader>(std::move(stream), read);
}

}  // namespace roofline
