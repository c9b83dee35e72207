#include "report/json_kernels.hpp"

#include "report/json_measured.hpp"
#include "report/kernel_fields.hpp"

namespace roofline {
namespace {

Cell idle_s(const KernelRecording& recording) {
  if (!recording.span_s || !recording.busy_s) return {};
  return *recording.span_s - *recording.busy_s;
}

void write_roofs(JsonWriter& w, const std::optional<Bounds>& bounds) {
  w.key("ceilings");
  if (!bounds) {
    w.value({});
    return;
  }
  w.begin_object().key("peak_flop_per_s");
  write_rates(w, bounds->ceilings.peak_flop_per_s);
  w.member("bandwidth_byte_per_s", bounds->ceilings.bandwidth_byte_per_s)
      .member("l2_byte_per_s", bounds->roofs.l2_byte_per_s)
      .member("engine", cell(name_of(bounds->main_engine)))
      .member("kind", cell(name_of(bounds->ceilings.kind)))
      .end_object();
}

void write_kernel(JsonWriter& w, const KernelTable& table, const KernelRow& row) {
  w.begin_object();
  write_kernel_fields(w, table, row, false);
  w.key("flops_by_engine");
  write_rates(w, row.kernel.counters.flop);
  w.end_object();
}

void write_table(JsonWriter& w, const KernelTable& table, const KernelSelection& selection) {
  const KernelRecording& recording = *table.recording;
  w.begin_object()
      .member("source", recording.source)
      .member("recording", recording.name)
      .member("gpu", text_or_null(table.gpu))
      .member("recorder", recording.recorder)
      .member("device", text_or_null(recording.gpu.name))
      .member("span_s", cell(recording.span_s))
      .member("busy_s", cell(recording.busy_s))
      .member("idle_s", idle_s(recording))
      .member("time_s", table.time_s)
      .member("launches", table.launches);
  write_roofs(w, table.bounds);
  w.key("kernels").begin_array();
  for (const std::size_t row : selection.rows) write_kernel(w, table, table.rows[row]);
  w.end_array().member("kernels_in_all", std::uint64_t{table.rows.size()});
  w.key("notes").begin_array();
  for (const std::string& note : recording.notes) w.value(note);
  w.end_array().end_object();
}

}  // namespace

void write_kernel_tables(JsonWriter& w, const Report& report) {
  w.key("kernel_tables").begin_array();
  for (std::size_t i = 0; i < report.kernels.size(); ++i)
    write_table(w, report.kernels[i], report.kernel_selections[i]);
  w.end_array();
}

}  // namespace roofline
