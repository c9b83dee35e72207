#include "pytorch/trace_input.hpp"

#include <utility>

#include "load/whole_input.hpp"
#include "profilers/kernel_reader.hpp"
#include "pytorch/scanner.hpp"
#include "pytorch/trace_kernels.hpp"
#include "pytorch/trace_network.hpp"

namespace roofline {
namespace {

/// The file's name without folder and the endings that profilers give their files.
std::string name_of_trace(const std::string& source) {
  std::string name = source.substr(source.find_last_of('/') + 1);
  for (const std::string_view ending : {".gz", ".json", ".trace", ".pt"})
    if (name.size() > ending.size() && name.ends_with(ending))
      name.resize(name.size() - ending.size());
  return name;
}

class TraceReader : public Reader {
 public:
  explicit TraceReader(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}

  std::optional<Expected<Item>> next() override {
    if (!stream_) return std::nullopt;
    const std::unique_ptr<ByteStream> stream = std::move(stream_);
    try {
      return Expected<Item>(fixed_item(read(*stream)));
    } catch (const InputError& error) {
      return Expected<Item>(error);
    }
  }

 private:
  static std::shared_ptr<const NetworkSpec> read(ByteStream& stream) {
    Recording recording = scan_trace(stream);
    if (auto kernels = kernels_without_layers(recording)) {
      kernels->name = name_of_trace(stream.name());
      return specs_of(*std::move(kernels), stream).front();
    }
    TraceNetwork trace = network_of(std::move(recording), stream.name());
    trace.network.name = name_of_trace(stream.name());
    trace.network.summary = std::make_shared<const TraceSummary>(std::move(trace.summary));
    return std::make_shared<const NetworkSpec>(std::move(trace.network));
  }

  std::unique_ptr<ByteStream> stream_;  ///< null once it is read
};

}  // namespace

/// Profilers write these keys before the events or around them; no layer file has them.
bool looks_like_trace(std::string_view head) {
  return head.find("\"traceEvents\"") != std::string_view::npos ||
         head.find("\"deviceProperties\"") != std::string_view::npos;
}

std::unique_ptr<Reader> open_trace(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<TraceReader>(std::move(stream));
}

}  // namespace roofline
