#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "cli/output.hpp"
#include "cli/results.hpp"
#include "pytorch/formats.hpp"
#include "report/writer.hpp"

namespace roofline {
namespace {

std::string annotation(const LayerResult& layer, double measured_s) {
  constexpr double us_per_s = 1e6;
  const auto& expected_s = layer.expected_time_s();
  const bool has_bound = layer.below_bound != BelowBound::fewer_bytes;
  std::string text;
  JsonWriter(text, false)
      .object({{"layer", layer.layer.name},
               {"bound", has_bound ? Cell(layer.point.bound) : Cell()},
               {"roofline_us", has_bound ? Cell(layer.point.roofline_time_s * us_per_s) : Cell()},
               {"expected_us", expected_s ? Cell(*expected_s * us_per_s) : Cell()},
               {"measured_us", measured_s * us_per_s},
               {"measured_over_expected", expected_s ? Cell(measured_s / *expected_s) : Cell()}});
  return text;
}

}  // namespace

void write_annotated(const Report& report, const std::string& path, int file,
                     const InputLimits& limits) {
  const Result* result = report.results.size() == 1 ? &report.results.front() : nullptr;
  if (result == nullptr || result->measured.recording == nullptr ||
      result->measured.recording->recorder != Recorder::pytorch_profiler)
    throw InputError(path, "",
                     "expected one recording of PyTorch's profiler with layers on one GPU, which "
                     "such a file shows again");
  const std::string& source = result->setting.source;
  const auto open = [&] {
    std::unique_ptr<ByteStream> stream = open_stream(source, limits);
    if (source == "-" || !stream->size())
      throw InputError(source, "", "expected a file, which can be read twice, got a pipe");
    return decompressed(std::move(stream));
  };
  std::map<std::string_view, const LayerResult*> layers;
  for (const LayerResult& layer : result->layers) layers.emplace(layer.layer.name, &layer);
  std::unique_ptr<gzFile_s, int (*)(gzFile)> gzip(gzdopen(file, "wb"), gzclose);
  bool fits = true;
  annotate_trace(
      open()->read_rest(), layer_runs(*open()),
      [&](const LayerRun& run) {
        const auto layer = layers.find(run.layer);
        return layer == layers.end() ? "" : annotation(*layer->second, run.time_s);
      },
      [&](std::string_view text) {
        const auto size = static_cast<unsigned>(text.size());
        fits = fits && (text.empty() || gzwrite(gzip.get(), text.data(), size) > 0);
      });
  if (gzclose(gzip.release()) != Z_OK || !fits)
    throw OutputError("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace roofline
