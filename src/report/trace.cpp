// A run as a trace that timeline viewers open, by the JSON object format of Chrome's trace events:
// a process is a result, its threads are the expected and the measured run, a slice is a layer.
// Timelines show nothing but times in order, so layers stand one after the other without gaps.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/layer_kind.hpp"
#include "model/recording.hpp"
#include "report/formats.hpp"
#include "report/rows.hpp"
#include "report/text.hpp"
#include "report/writer.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"

namespace roofline {
namespace {

using W = JsonWriter;

enum class Track : std::uint8_t { expected, measured };

std::uint64_t thread_of(Track track) { return index_of(track) + 1; }

constexpr double us_per_s = 1e6;

/// A name of a process or a thread.
void write_name(W& writer, std::string_view what, std::uint64_t process, std::uint64_t thread,
                std::string_view name) {
  writer.begin_object()
      .members({{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}})
      .key("args")
      .object({{"name", name}})
      .end_object();
}

void write_arguments(W& writer, const LayerResult& row) {
  writer.key("args").begin_object();
  writer.members({{"type", info(row.layer.kind).name},
                  {"bound", row.point.bound},
                  {"intensity_flop_per_byte", row.point.intensity_flop_per_byte},
                  {"flops", row.counts.flops},
                  {"bytes", row.counts.bytes.total},
                  {"roofline_us", row.point.roofline_time_s * us_per_s}});
  if (const auto expected_s = row.expected_time_s()) {
    writer.member("expected_us", *expected_s * us_per_s);
    if (const auto& range = row.expected_uncertainty)
      writer.members({{"expected_low_us", *expected_s / range->factor * us_per_s},
                      {"expected_high_us", *expected_s * range->factor * us_per_s}});
  }
  if (row.measured_time_s) writer.member("measured_us", *row.measured_time_s * us_per_s);
  if (row.kernel)
    writer.members({{"limiter", row.kernel->limiter()},
                    {"algorithm", row.kernel->algorithm},
                    {"engine", row.kernel->engine}});
  writer.end_object();
}

struct Slice {
  std::uint64_t process;
  Track track;
  double begin_s;
  double time_s;
};

/// Begins the object, whose arguments are still to be written.
void begin_slice(W& writer, std::string_view name, const Slice& slice) {
  writer.begin_object().members({{"name", name},
                                 {"ph", "X"},
                                 {"pid", slice.process},
                                 {"tid", thread_of(slice.track)},
                                 {"ts", slice.begin_s * us_per_s},
                                 {"dur", slice.time_s * us_per_s}});
}

void write_slice(W& writer, const LayerResult& row, const Slice& slice) {
  begin_slice(writer, row.layer.name, slice);
  writer.member("cat", info(row.layer.kind).name);
  write_arguments(writer, row);
  writer.end_object();
}

/// Layers with a measured time begin on both tracks at once, so that a reader compares them.
void write_result(W& writer, const Result& result, std::uint64_t process) {
  const bool has_measured = std::ranges::any_of(
      result.layers, [](const LayerResult& row) { return row.measured_time_s.has_value(); });
  write_name(writer, "process_name", process, 0, stack_title(result, true));
  write_name(writer, "thread_name", process, thread_of(Track::expected), "expected");
  if (has_measured)
    write_name(writer, "thread_name", process, thread_of(Track::measured), "measured");
  double begin_s = 0;
  for (const LayerResult& row : result.layers) {
    const double expected_s = time_s(row);
    if (expected_s > 0) write_slice(writer, row, {process, Track::expected, begin_s, expected_s});
    if (row.measured_time_s)
      write_slice(writer, row, {process, Track::measured, begin_s, *row.measured_time_s});
    begin_s += std::max(expected_s, row.measured_time_s.value_or(0));
  }
}

/// Kernels without layers, each kernel's launches as one slice, in the order of their time.
void write_kernels(W& writer, const KernelTable& table, std::uint64_t process) {
  write_name(writer, "process_name", process, 0, table.recording->name);
  write_name(writer, "thread_name", process, thread_of(Track::measured), "measured");
  double begin_s = 0;
  for (const KernelRow& row : table.rows) {
    begin_slice(writer, row.kernel.name, {process, Track::measured, begin_s, row.kernel.time_s});
    writer.key("args").object({{"launches", row.kernel.launches}}).end_object();
    begin_s += row.kernel.time_s;
  }
}

}  // namespace

void write_trace(const Report& report, const RenderStyle&, const Sink& sink) {
  std::string text;
  W writer(text, false);
  writer.begin_object().member("displayTimeUnit", "ns");
  writer.key("otherData").object({{"program", "roofline " ROOFLINE_VERSION}});
  writer.key("traceEvents").begin_array();
  std::uint64_t process = 0;
  for (const Result& result : report.results) write_result(writer, result, ++process);
  for (const KernelTable& table : report.kernels) write_kernels(writer, table, ++process);
  writer.end_array().end_object();
  sink(text + '\n');
}

}  // namespace roofline
