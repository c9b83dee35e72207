#include "report/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/text.hpp"

namespace roofline {
namespace {

std::string name_text(std::string_view name) { return std::string(name); }

template <class T>
Cell cell(const std::optional<T>& value) {
  if (!value) return {};
  return *value;
}

/// Small counts are shown whole.
std::string count_text(std::uint64_t count) {
  return count < 1000 ? fmt::format("{}", count) : si(static_cast<double>(count), "");
}
std::string byte_text(std::uint64_t count) {
  return count < 1000 ? fmt::format("{} B", count) : si(static_cast<double>(count), "B");
}

std::string layer_text(const Row& row) {
  const std::uint64_t repeat = row.layer.layer.repeat;
  const std::string name = row.layer.layer.name;
  const std::string pass = row.result.pass.empty() || row.result.pass == "training"
                               ? fmt::format(" {}", name_of(row.layer.layer.pass))
                               : "";
  return repeat == 1 ? name + pass : fmt::format("{}{} x{}", name, pass, repeat);
}

std::string limiter_text(const Row& row) {
  const std::string& host = row.layer.layer.fused_into;
  if (!host.empty()) return "in " + host.substr(host.find_last_of('.') + 1);
  if (!row.layer.kernel) return "";
  std::string text = name_text(name_of(row.layer.kernel->limiter));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

Cell engine_cell(const Row& row) {
  if (!runs_on_engine(row.layer.layer)) return {};
  return name_text(name_of(row.layer.engine));
}

Cell limiter_cell(const Row& row) {
  if (!row.layer.kernel) return {};
  return name_text(name_of(row.layer.kernel->limiter));
}

std::string time_text(const std::optional<double>& seconds) {
  return seconds ? duration(*seconds) : "";
}

std::string bound_text(const Row& row) {
  const Layer& layer = row.layer.layer;
  if (row.layer.point.roofline_time_s == 0) return "";
  return layer.kind == LayerKind::host_copy ? "host link"
                                            : name_text(name_of(row.layer.point.bound));
}

std::string input_text(const Row& row) {
  std::string text;
  for (const Operand& operand : row.layer.layer.inputs)
    text += (text.empty() ? "" : " ") + shape_text(operand.shape);
  return text;
}

// clang-format off
const Column all_columns[] = {
    {"source", "", true, [](const Row& r) -> Cell { return r.result.source; }},
    {"network", "", true, [](const Row& r) -> Cell { return r.result.network; }},
    {"gpu", "", true, [](const Row& r) -> Cell { return r.result.gpu; }},
    {"batch", "", false, [](const Row& r) -> Cell { return r.layer.layer.output.batch; }},
    {"name", "layer", true, [](const Row& r) -> Cell { return r.layer.layer.name; }, layer_text,
     [](const Total&) { return std::string("total"); }},
    {"type", "", true, [](const Row& r) -> Cell { return name_text(info(r.layer.layer.kind).name); }},
    {"dtype", "", true, [](const Row& r) -> Cell { return name_text(name_of(r.layer.layer.dtypes.input)); }},
    {"pass", "", true, [](const Row& r) -> Cell { return name_text(name_of(r.layer.layer.pass)); }},
    {"engine", "", true, engine_cell},
    {"fused_into", "", true, [](const Row& r) -> Cell { return r.layer.layer.fused_into; }},
    {"repeat", "", false, [](const Row& r) -> Cell { return r.layer.layer.repeat; }},
    {"input", "", true, [](const Row& r) -> Cell { return input_text(r); }},
    {"output", "", true, [](const Row& r) -> Cell { return shape_text(r.layer.layer.output); }},
    {"macs", "MACs", false, [](const Row& r) -> Cell { return r.layer.counts.macs; },
     [](const Row& r) { return count_text(r.layer.counts.macs); },
     [](const Total& t) { return count_text(t.macs); }},
    {"flops", "FLOP", false, [](const Row& r) -> Cell { return r.layer.counts.flops; },
     [](const Row& r) { return count_text(r.layer.counts.flops); },
     [](const Total& t) { return count_text(t.flops); }},
    {"params", "", false, [](const Row& r) -> Cell { return r.layer.counts.params; }},
    {"buffers", "", false, [](const Row& r) -> Cell { return r.layer.counts.buffers; }},
    {"bytes_input", "", false, [](const Row& r) -> Cell { return r.layer.counts.bytes.input; }},
    {"bytes_weight", "", false, [](const Row& r) -> Cell { return r.layer.counts.bytes.weight; }},
    {"bytes_output", "", false, [](const Row& r) -> Cell { return r.layer.counts.bytes.output; }},
    {"bytes_total", "bytes", false, [](const Row& r) -> Cell { return r.layer.counts.bytes.total; },
     [](const Row& r) { return byte_text(r.layer.counts.bytes.total); },
     [](const Total& t) { return byte_text(t.bytes.total); }},
    {"intensity_flop_per_byte", "FLOP/B", false,
     [](const Row& r) { return cell(r.layer.point.intensity_flop_per_byte); },
     [](const Row& r) { return r.layer.point.intensity_flop_per_byte ? plain(*r.layer.point.intensity_flop_per_byte) : ""; }},
    {"bound", "bound", true, [](const Row& r) -> Cell { return name_text(name_of(r.layer.point.bound)); },
     bound_text},
    {"compute_time_s", "", false, [](const Row& r) -> Cell { return r.layer.point.compute_time_s; }},
    {"memory_time_s", "", false, [](const Row& r) -> Cell { return r.layer.point.memory_time_s; }},
    {"roofline_time_s", "roofline", false, [](const Row& r) -> Cell { return r.layer.point.roofline_time_s; },
     [](const Row& r) { return duration(r.layer.point.roofline_time_s); },
     [](const Total& t) { return duration(t.roofline_time_s); }},
    {"attainable_flop_per_s", "", false, [](const Row& r) { return cell(r.layer.point.attainable_flop_per_s); }},
    {"expected_time_s", "expected", false, [](const Row& r) { return cell(r.layer.expected_time_s); },
     [](const Row& r) { return time_text(r.layer.expected_time_s); },
     [](const Total& t) { return time_text(t.expected_time_s); }},
    {"limiter", "limiter", true, limiter_cell, limiter_text},
    {"limiter_share", "", false, [](const Row& r) -> Cell { return r.layer.kernel ? Cell(r.layer.kernel->limiter_share) : Cell(); }},
    {"algorithm", "", true, [](const Row& r) -> Cell { return r.layer.kernel ? Cell(name_text(name_of(r.layer.kernel->algorithm))) : Cell(); }},
    {"time_share", "share", false, [](const Row& r) -> Cell { return r.layer.time_share; },
     [](const Row& r) { return percent(r.layer.time_share); },
     [](const Total&) { return percent(1); }},
    {"measured_time_s", "", false, [](const Row& r) { return cell(r.layer.layer.measured.warm_s); }},
};
// clang-format on

}  // namespace

std::span<const Column> columns() { return all_columns; }

bool runs_on_engine(const Layer& layer) {
  const KindFamily family = info(layer.kind).family;
  return family != KindFamily::transfer && family != KindFamily::free && layer.fused_into.empty();
}

std::string csv_cell(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    if (text->find_first_of(",\"\r\n") == std::string::npos) return *text;
    std::string quoted = "\"";
    for (const char c : *text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
  }
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return fmt::format("{}", *count);
  if (const auto* number = std::get_if<double>(&cell))
    return std::isfinite(*number) ? fmt::format("{}", *number) : "";
  return "";
}

std::string_view name_of(Bound bound) { return bound == Bound::compute ? "compute" : "memory"; }

std::string_view name_of(CeilingKind kind) {
  switch (kind) {
    case CeilingKind::datasheet: return "datasheet";
    case CeilingKind::sustained: return "sustained";
    case CeilingKind::user: return "user";
  }
  return "";
}

}  // namespace roofline
