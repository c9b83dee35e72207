#include "report/fields.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "report/text.hpp"

namespace roofline {
namespace {

using R = const Row&;
using T = const Total&;

const Layer& layer_of(R r) { return r.layer.layer; }
const Counts& counts_of(R r) { return r.layer.counts; }
const RooflinePoint& point_of(R r) { return r.layer.point; }

/// A member of what may not be there.
template <class Whole, class Member>
Cell part_of(const std::optional<Whole>& whole, Member Whole::*member) {
  return whole ? Cell((*whole).*member) : Cell();
}

template <auto member>
Cell plan(R r) {
  return part_of(r.layer.kernel, member);
}

template <Limiter part>
Cell plan_part(R r) {
  if (!r.layer.kernel) return {};
  return r.layer.kernel->part_s[part];
}

Cell plan_solver(R r) {
  if (!r.layer.kernel) return {};
  return text_or_null(*r.layer.kernel->solver);
}

Cell plan_tile(R r) {
  if (!r.layer.kernel || r.layer.kernel->tile[0] == 0) return {};
  return JsonValue::of<write_counts>(r.layer.kernel->tile);
}

template <auto member>
Cell uncertainty(R r) {
  return part_of(r.layer.expected_uncertainty, member);
}

/// What the measured time achieves, as `amount` a second.
Cell achieved(R r, std::uint64_t amount) {
  if (!r.layer.measured_time_s) return {};
  return static_cast<double>(amount) / *r.layer.measured_time_s;
}

/// A measured time over another one.
Cell over(const std::optional<double>& measured_s, const std::optional<double>& other_s) {
  if (!measured_s || !other_s || !(*other_s > 0)) return {};
  return *measured_s / *other_s;
}

/// The measured time's rate as a share of the peak under which the row was placed.
Cell share_of_peak(R r) {
  if (!r.layer.measured_time_s || counts_of(r).flops == 0) return {};
  return point_of(r).compute_time_s / *r.layer.measured_time_s;
}

std::string limiter_text(const LayerResult& row) {
  if (!row.fused_into->empty())
    return "in " + row.fused_into->substr(row.fused_into->find_last_of('.') + 1);
  return row.kernel ? words(row.kernel->limiter) : "";
}

std::string bound_text(const LayerResult& row) {
  if (row.point.roofline_time_s == 0) return "";
  if (row.layer.kind == LayerKind::host_copy) return "host link";
  return std::string(name_of(row.point.bound));
}

// clang-format off
constexpr std::array layer_field_table = std::to_array<OutputField>({
    {"schema_version", Unit::none, [](R) -> Cell { return schema_version; }, {}, true},
    {"source", Unit::none, [](R r) -> Cell { return r.source; }, {}, true},
    {"network", Unit::none, [](R r) -> Cell { return r.network; }, {}, true},
    {"gpu", Unit::none, [](R r) -> Cell { return r.gpu; }, {}, true},
    {"batch", Unit::count, [](R r) -> Cell { return layer_of(r).output.batch; }, {}, true},
    {"name", Unit::none, [](R r) -> Cell { return layer_of(r).name; }, {"layer", Shown::always, [](T) -> Cell { return "total"; }}},
    {"type", Unit::none, [](R r) -> Cell { return info(layer_of(r).kind).name; }},
    {"dtype", Unit::none, [](R r) -> Cell { return layer_of(r).dtypes.input; }},
    {"pass", Unit::none, [](R r) -> Cell { return layer_of(r).pass; }},
    {"engine", Unit::none, [](R r) { return runs_on_engine(layer_of(r)) ? Cell(r.layer.engine) : Cell(); }},
    {"fused_into", Unit::none, [](R r) { return text_or_null(*r.layer.fused_into); }},
    {"input", Unit::none, [](R r) { return stated_input(layer_of(r)); }},
    {"input_from", Unit::none, [](R r) { return stated_producers(r.layer); }},
    {"output", Unit::none, [](R r) { return stated_output(layer_of(r)); }},
    {layer_path, Unit::none, [](R r) { return stated_layer(r); }},
    {"macs", Unit::operation, [](R r) -> Cell { return counts_of(r).macs; }, {"MACs", Shown::unmeasured, [](T t) -> Cell { return t.macs; }}},
    {"flops", Unit::operation, [](R r) -> Cell { return counts_of(r).flops; }, {"FLOP", Shown::unmeasured, [](T t) -> Cell { return t.flops; }}},
    {"params", Unit::count, [](R r) -> Cell { return counts_of(r).params; }},
    {"buffers", Unit::count, [](R r) -> Cell { return counts_of(r).buffers; }},
    {"bytes.input", Unit::byte, [](R r) -> Cell { return counts_of(r).bytes.input; }},
    {"bytes.weight", Unit::byte, [](R r) -> Cell { return counts_of(r).bytes.weight; }},
    {"bytes.output", Unit::byte, [](R r) -> Cell { return counts_of(r).bytes.output; }},
    {"bytes.total", Unit::byte, [](R r) -> Cell { return counts_of(r).bytes.total; }, {"bytes", Shown::unmeasured, [](T t) -> Cell { return t.bytes.total; }}},
    {"intensity_flop_per_byte", Unit::flop_per_byte, [](R r) -> Cell { return point_of(r).intensity_flop_per_byte; }, {"FLOP/B", Shown::unmeasured}},
    {"ridge_flop_per_byte", Unit::flop_per_byte, [](R r) -> Cell { return point_of(r).ridge_flop_per_byte; }},
    {"bound", Unit::none, [](R r) -> Cell { return point_of(r).bound; }, {"bound", Shown::always, nullptr, bound_text}},
    {"crossover_batch", Unit::count, [](R r) -> Cell { return crossover_batch(r.layer); }},
    {"compute_time_s", Unit::second, [](R r) -> Cell { return point_of(r).compute_time_s; }},
    {"memory_time_s", Unit::second, [](R r) -> Cell { return point_of(r).memory_time_s; }},
    {"roofline_time_s", Unit::second, [](R r) -> Cell { return point_of(r).roofline_time_s; }, {"roofline", Shown::always, [](T t) -> Cell { return t.roofline_time_s; }}},
    {"attainable_flop_per_s", Unit::flop_per_second, [](R r) -> Cell { return point_of(r).attainable_flop_per_s; }},
    {"expected_time_s", Unit::second, [](R r) -> Cell { return r.layer.expected_time_s; }, {"expected", Shown::always, [](T t) -> Cell { return t.expected_time_s; }}},
    {"expected_uncertainty.factor", Unit::ratio, uncertainty<&Uncertainty::factor>, {"within", Shown::unmeasured, [](T t) { return part_of(t.expected_uncertainty, &Uncertainty::factor); }}},
    {"expected_uncertainty.factor_95", Unit::ratio, uncertainty<&Uncertainty::factor_95>},
    {"expected_uncertainty.basis", Unit::none, uncertainty<&Uncertainty::basis>},
    {"limiter", Unit::none, plan<&KernelPlan::limiter>, {"limiter", Shown::always, nullptr, limiter_text}},
    {"time_share", Unit::share, [](R r) { return r.in_stream ? Cell() : Cell(r.layer.time_share); }, {"share", Shown::unmeasured, [](T) -> Cell { return 1.0; }}},
    {"kernel.algorithm", Unit::none, plan<&KernelPlan::algorithm>},
    {"kernel.solver", Unit::none, plan_solver},
    {"kernel.tile", Unit::none, plan_tile},
    {"kernel.split_k", Unit::count, plan<&KernelPlan::split_k>},
    {"kernel.threads", Unit::count, plan<&KernelPlan::threads>},
    {"kernel.stages", Unit::count, plan<&KernelPlan::stages>},
    {"kernel.registers", Unit::count, plan<&KernelPlan::registers>},
    {"kernel.shared_memory_byte", Unit::byte, plan<&KernelPlan::shared_memory_byte>},
    {"kernel.kernels", Unit::count, plan<&KernelPlan::kernels>},
    {"kernel.workspace_byte", Unit::byte, plan<&KernelPlan::workspace_byte>},
    {"kernel.blocks", Unit::count, plan<&KernelPlan::blocks>},
    {"kernel.resident_blocks_per_sm", Unit::count, plan<&KernelPlan::resident_blocks_per_sm>},
    {"kernel.waves", Unit::none, plan<&KernelPlan::waves>},
    {"kernel.occupancy", Unit::share, plan<&KernelPlan::occupancy>},
    {"kernel.tile_utilization", Unit::share, plan<&KernelPlan::tile_utilization>},
    {"kernel.wave_utilization", Unit::share, plan<&KernelPlan::wave_utilization>},
    {"kernel.l2_byte", Unit::byte, plan<&KernelPlan::l2_byte>},
    {"kernel.dram_read_byte", Unit::byte, plan<&KernelPlan::dram_read_byte>},
    {"kernel.dram_write_byte", Unit::byte, plan<&KernelPlan::dram_write_byte>},
    {"kernel.math_s", Unit::second, plan_part<Limiter::math>},
    {"kernel.instructions_s", Unit::second, plan_part<Limiter::instructions>},
    {"kernel.dram_s", Unit::second, plan_part<Limiter::dram>},
    {"kernel.l2_s", Unit::second, plan_part<Limiter::l2>},
    {"kernel.tile_padding_s", Unit::second, plan_part<Limiter::tile_padding>},
    {"kernel.last_wave_s", Unit::second, plan_part<Limiter::last_wave>},
    {"kernel.latency_s", Unit::second, plan_part<Limiter::latency>},
    {"kernel.launch_s", Unit::second, plan_part<Limiter::launch>},
    {"kernel.occupancy_s", Unit::second, plan_part<Limiter::occupancy>},
    {"kernel.limiter_share", Unit::share, plan<&KernelPlan::limiter_share>},
    {"measured.time_s", Unit::second, [](R r) -> Cell { return r.layer.measured_time_s; }, {"measured", Shown::measured, [](T t) -> Cell { return t.measured_time_s; }}},
    {"measured.warm_time_s", Unit::second, [](R r) -> Cell { return layer_of(r).measured->warm_s; }},
    {"measured.cold_time_s", Unit::second, [](R r) -> Cell { return layer_of(r).measured->cold_s; }},
    {"measured.achieved_flop_per_s", Unit::flop_per_second, [](R r) { return achieved(r, counts_of(r).flops); }},
    {"measured.achieved_byte_per_s", Unit::byte_per_second, [](R r) { return achieved(r, counts_of(r).bytes.total); }},
    {"measured.share_of_peak", Unit::share, share_of_peak},
    {"measured.lost_s", Unit::second, [](R r) -> Cell { return lost_s(r.layer); }, {"lost", Shown::measured, [](T t) -> Cell { return t.measured_time_s ? Cell(*t.measured_time_s - t.roofline_time_s) : Cell(); }}},
    {"measured.over_roofline", Unit::ratio, [](R r) { return over(r.layer.measured_time_s, point_of(r).roofline_time_s); }, {"/bound", Shown::measured, [](T t) { return over(t.measured_time_s, t.roofline_time_s); }}},
    {"measured.over_expected", Unit::ratio, [](R r) { return over(r.layer.measured_time_s, r.layer.expected_time_s); }, {"/exp.", Shown::measured, [](T t) { return over(t.measured_time_s, t.expected_time_s); }}},
    {"measured.below_bound", Unit::none, [](R r) -> Cell { return r.layer.below_bound; }},
});
// clang-format on

using Kernels = const KernelTable&;
using Kernel = const KernelRow&;

constexpr KernelField kernel_field_table[] = {
    {"schema_version", [](Kernels, Kernel) -> Cell { return schema_version; }, true},
    {"source", [](Kernels table, Kernel) -> Cell { return table.recording->source; }, true},
    {"recording", [](Kernels table, Kernel) -> Cell { return table.recording->name; }, true},
    {"gpu", [](Kernels table, Kernel) { return text_or_null(table.gpu); }, true},
    {"name", [](Kernels, Kernel row) { return Cell(row.kernel.name); }},
    {"grid", [](Kernels, Kernel row) { return text_or_null(row.kernel.grid); }},
    {"block", [](Kernels, Kernel row) { return text_or_null(row.kernel.block); }},
    {"launches", [](Kernels, Kernel row) { return Cell(row.kernel.launches); }},
    {"time_s", [](Kernels, Kernel row) { return Cell(row.kernel.time_s); }},
    {"time_share", [](Kernels, Kernel row) { return Cell(row.time_share); }},
    {"mean_time_s", [](Kernels, Kernel row) -> Cell { return mean_time_s(row.kernel); }},
    {"registers_per_thread", [](Kernels, Kernel row) { return Cell(row.kernel.registers); }},
    {"occupancy", [](Kernels, Kernel row) { return Cell(row.kernel.occupancy); }},
    {"engine", [](Kernels, Kernel row) { return Cell(row.engine); }},
    {"flops", [](Kernels, Kernel row) { return Cell(row.flop); }},
    {"dram_byte", [](Kernels, Kernel row) { return Cell(row.kernel.counters.dram_byte); }},
    {"l2_byte", [](Kernels, Kernel row) { return Cell(row.kernel.counters.l2_byte); }},
    {"flop_per_s", [](Kernels, Kernel row) { return Cell(row.flop_per_s); }},
    {"dram_byte_per_s", [](Kernels, Kernel row) { return Cell(row.dram_byte_per_s); }},
    {"l2_byte_per_s", [](Kernels, Kernel row) { return Cell(row.l2_byte_per_s); }},
    {"intensity_flop_per_byte",
     [](Kernels, Kernel row) { return Cell(row.intensity_flop_per_byte); }},
    {"l2_intensity_flop_per_byte",
     [](Kernels, Kernel row) { return Cell(row.l2_intensity_flop_per_byte); }},
    {"compute_share",
     [](Kernels, Kernel row) { return Cell(row.roof_share[KernelRoof::compute]); }},
    {"dram_share", [](Kernels, Kernel row) { return Cell(row.roof_share[KernelRoof::dram]); }},
    {"l2_share", [](Kernels, Kernel row) { return Cell(row.roof_share[KernelRoof::l2]); }},
    {"nearest_roof", [](Kernels, Kernel row) { return Cell(row.nearest_roof); }},
};

using Table = const SettingsTable&;
using Of = const SettingRow&;

constexpr SettingField setting_field_table[] = {
    {"schema_version", [](Table, Of) { return Cell(schema_version); }, true},
    {"network", [](Table table, Of) { return Cell(table.work); }, true},
    {"training", [](Table table, Of) { return Cell(table.training); }, true},
    {"gpu", [](Table, Of row) { return Cell(row.gpu); }},
    {"dtype", [](Table, Of row) { return Cell(row.dtype); }},
    {"batch", [](Table, Of row) { return Cell(row.batch); }},
    {"is_max_batch", [](Table, Of row) { return Cell(row.is_goal[BatchGoal::max]); }},
    {"is_best_batch", [](Table, Of row) { return Cell(row.is_goal[BatchGoal::best]); }},
    {"time_s", [](Table, Of row) { return Cell(row.time_s); }},
    {"expected_uncertainty.factor",
     [](Table, Of row) { return part_of(row.expected_uncertainty, &Uncertainty::factor); }},
    {"expected_uncertainty.factor_95",
     [](Table, Of row) { return part_of(row.expected_uncertainty, &Uncertainty::factor_95); }},
    {"expected_uncertainty.basis",
     [](Table, Of row) { return part_of(row.expected_uncertainty, &Uncertainty::basis); }},
    {"roofline_time_s", [](Table, Of row) { return Cell(row.roofline_time_s); }},
    {"measured_time_s", [](Table, Of row) { return Cell(row.measured_time_s); }},
    {"compute_bound_share", [](Table, Of row) { return Cell(row.compute_bound_share); }},
    {"limiter", [](Table, Of row) { return Cell(row.limiter); }},
    {"limiter_share", [](Table, Of row) { return Cell(row.limiter_share); }},
    {"speedup", [](Table, Of row) { return Cell(row.speedup); }},
    {"time_per_image_s", [](Table, Of row) { return Cell(row.time_per_image_s); }},
    {"images_per_s", [](Table, Of row) { return Cell(row.images_per_s); }},
    {"tdp_w", [](Table, Of row) { return Cell(row.tdp_w); }},
    {"energy_per_image_j", [](Table, Of row) { return Cell(row.energy_per_image_j); }},
    {"cost_per_million_images", [](Table, Of row) { return Cell(row.cost_per_million_images); }},
    {"needed_memory_byte", [](Table, Of row) { return Cell(row.needed_memory_byte); }},
    {"fits", [](Table, Of row) { return Cell(row.fits); }},
};

/// "bytes." of "bytes.total": what the paths of fields of one group begin with; else nothing.
constexpr std::string_view group_of(std::string_view path) {
  return path.substr(0, path.find('.') + 1);
}

/// How many fields from `begin` on are of one group; a field without one is alone.
template <const auto& table>
consteval std::size_t size_of_group(std::size_t begin) {
  const std::string_view group = group_of(table[begin].path);
  std::size_t end = begin + 1;
  while (!group.empty() && end < std::size(table) && group_of(table[end].path) == group) ++end;
  return end - begin;
}

/// The key of a field in the object that it stands in, and of that object.
template <const auto& table, std::size_t i>
inline constexpr JsonKey own_key(table[i].path.substr(group_of(table[i].path).size()));
template <const auto& table, std::size_t i>
inline constexpr JsonKey group_key(table[i].path.substr(0, table[i].path.find('.')));

/// Writes the fields of one group, from the table's row i on, as an object.
template <const auto& table, std::size_t i, std::size_t... n, class... Of>
void write_group(std::index_sequence<n...>, JsonWriter& writer, const Of&... of) {
  if (!(is_known(table[i + n].value(of...)) || ...)) {
    writer.member(group_key<table, i>, {});
    return;
  }
  writer.key(group_key<table, i>).begin_object();
  (writer.member(own_key<table, i + n>, table[i + n].value(of...)), ...);
  writer.end_object();
}

/// Writes the fields of what they are `of` into the open object, nested by their paths; `with_head`
/// those that say what a row is of, too. A group of fields that are all unknown is null as a whole.
/// The table is known as this is compiled: each field becomes the code that writes it, which writes
/// rows a fifth faster than calls through its pointers.
template <const auto& table, std::size_t i = 0, class... Of>
void write_nested(JsonWriter& writer, bool with_head, const Of&... of) {
  constexpr std::size_t end = i + size_of_group<table>(i);
  if constexpr (group_of(table[i].path).empty()) {
    if (with_head || !table[i].is_head) writer.member(own_key<table, i>, table[i].value(of...));
  } else {
    write_group<table, i>(std::make_index_sequence<end - i>(), writer, of...);
  }
  if constexpr (end < std::size(table)) write_nested<table, end>(writer, with_head, of...);
}

/// Not of each row's fields, but of few rows: how a profiler or a file said the layer.
void write_source_line(JsonWriter& writer, const Row& row) {
  if (const std::string& line = *layer_of(row).source_line; !line.empty())
    writer.member("source_line", line);
}

template <class Fields>
std::string header_of(const Fields& fields) {
  std::string out;
  for (const auto& field : fields)
    out += (out.empty() ? "" : ",") +
           (field.path == layer_path ? layer_columns() : column_of(field.path));
  return out + '\n';
}

/// A line of CSV; a row's layer has a column for each of its fields.
template <class Fields, class... Of>
void append_cells(std::string& text, const Fields& fields, const Of&... of) {
  TextBuffer out(text);
  for (const auto& field : fields) {
    if (&field != std::data(fields)) out.add(',');
    if constexpr (sizeof...(of) == 1)
      if (field.path == layer_path) {
        append_layer_cells(out, of...);
        continue;
      }
    append_csv(out, field.value(of...));
  }
  out.add('\n');
  out.flush();
}

template <class Fields, class... Of>
void append_line(std::string& text, RowFormat format, const Fields& fields, const Of&... of) {
  switch (format) {
    case RowFormat::csv: return append_cells(text, fields, of...);
    case RowFormat::ndjson: break;
  }
  JsonWriter writer(text, false);
  writer.begin_object();
  write_fields(writer, true, of...);
  writer.end_object();
  text += '\n';
}

}  // namespace

std::span<const OutputField> output_fields() { return layer_field_table; }
std::span<const KernelField> kernel_fields() { return kernel_field_table; }

void write_fields(JsonWriter& writer, bool with_head, const Row& row) {
  write_nested<layer_field_table>(writer, with_head, row);
  write_source_line(writer, row);
}

void write_fields(JsonWriter& writer, bool with_head, const KernelTable& table,
                  const KernelRow& row) {
  write_nested<kernel_field_table>(writer, with_head, table, row);
}

void write_fields(JsonWriter& writer, bool with_head, const SettingsTable& table,
                  const SettingRow& row) {
  write_nested<setting_field_table>(writer, with_head, table, row);
}

std::string csv_header(RowsOf what) {
  switch (what) {
    case RowsOf::layers: return header_of(layer_field_table);
    case RowsOf::kernels: return header_of(kernel_field_table);
    case RowsOf::points: return header_of(setting_field_table);
  }
  return "";
}

void append_row(std::string& text, RowFormat format, const Row& row) {
  append_line(text, format, layer_field_table, row);
}

void append_row(std::string& text, RowFormat format, const KernelTable& table,
                const KernelRow& row) {
  append_line(text, format, kernel_field_table, table, row);
}

void append_row(std::string& text, RowFormat format, const SettingsTable& table,
                const SettingRow& row) {
  append_line(text, format, setting_field_table, table, row);
}

std::string column_of(std::string_view path) {
  std::string column(path);
  std::ranges::replace(column, '.', '_');
  return column;
}

bool runs_on_engine(const Layer& layer) {
  const KindFamily family = info(layer.kind).family;
  return family != KindFamily::transfer && family != KindFamily::free && !layer.fused_into;
}

}  // namespace roofline
