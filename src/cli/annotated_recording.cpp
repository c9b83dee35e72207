#include "cli/annotated_recording.hpp"

#include <map>

#include "cli/errors.hpp"
#include "load/gzip_writer.hpp"
#include "pytorch/formats.hpp"
#include "report/writer.hpp"

namespace roofline {
namespace {

constexpr double us_per_s = 1e6;

/// A run of the layer against what is expected of it.
std::string annotation(const LayerResult& layer, double measured_s) {
  const auto in_us = [](const std::optional<double>& time_s) {
    return time_s ? std::optional(*time_s * us_per_s) : std::nullopt;
  };
  const std::optional<double> expected_s = layer.expected_time_s;
  std::string text;
  JsonWriter(text, false)
      .object({{"layer", layer.layer.name},
               {"bound", layer.point.bound},
               {"roofline_us", in_us(layer.point.roofline_time_s)},
               {"expected_us", in_us(expected_s)},
               {"measured_us", measured_s * us_per_s},
               {"measured_over_expected",
                expected_s ? std::optional(measured_s / *expected_s) : std::nullopt}});
  return text;
}

/// The one result, of a trace in a file.
const Result& recorded_result(const Report& report, const std::string& path) {
  const bool is_one = report.results.size() == 1 && report.kernels.empty();
  const auto& recording = is_one ? report.results.front().measured.recording : nullptr;
  if (recording == nullptr || recording->recorder != "PyTorch profiler")
    throw InputError(path, "",
                     "expected one recording of PyTorch's profiler with layers on one GPU, which "
                     "such a file shows again");
  return report.results.front();
}

}  // namespace

void write_annotated(const Report& report, const std::string& path, const InputLimits& limits,
                     const Sink& sink) {
  const Result& result = recorded_result(report, path);
  const std::string& source = result.setting.source;
  const auto open = [&] {
    std::unique_ptr<ByteStream> stream = open_stream(source, limits);
    if (source == "-" || !stream->size())
      throw InputError(source, "", "expected a file, which can be read twice, got a pipe");
    return decompressed(std::move(stream));
  };
  const LayerRuns known = layer_runs(*open());
  std::map<std::string_view, const LayerResult*> layers;
  for (const LayerResult& layer : result.layers) layers.emplace(layer.layer.name, &layer);
  GzipWriter gzip(sink);
  annotate_trace(
      *open(),
      [&](std::size_t n) {
        const LayerRun run = n < known.runs.size() ? known.runs[n] : LayerRun();
        const auto layer = layers.find(run.layer);
        return layer == layers.end() ? "" : annotation(*layer->second, run.time_s);
      },
      [&](std::string_view text) { gzip.add(text); });
  gzip.finish();
}

}  // namespace roofline
