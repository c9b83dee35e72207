#include "report/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "model/joined.hpp"
#include "model/layer_kind.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "report/rows.hpp"
#include "report/sections.hpp"
#include "results/explanation.hpp"
#include "results/kernel_table.hpp"
#include "results/steps.hpp"

namespace roofline {
namespace {

using LayerIn = const LayerLine&;

const Layer& layer_of(LayerIn r) { return r.layer.layer; }
const Counts& counts_of(LayerIn r) { return r.layer.counts; }
const RooflinePoint& point_of(LayerIn r) { return r.layer.point; }

template <auto member>
Cell plan(LayerIn r) {
  return part_of(r.layer.kernel, member);
}

template <Limiter part>
Cell plan_part(LayerIn r) {
  if (!r.layer.kernel) return {};
  return r.layer.kernel->part_s[part];
}

Cell plan_solver(LayerIn r) {
  if (!r.layer.kernel) return {};
  return text_or_null(*r.layer.kernel->solver);
}

Cell plan_tuning(LayerIn r) {
  if (!r.layer.other_tuning_s) return {};
  return layer_of(r).kernels == KernelSource::heuristic ? Tuning::heuristic : Tuning::best;
}

Cell plan_tile(LayerIn r) {
  if (!r.layer.kernel || r.layer.kernel->tile[0] == 0) return {};
  return JsonValue::of<write_counts>(r.layer.kernel->tile);
}

template <auto member>
Cell uncertainty(LayerIn r) {
  return part_of(r.layer.expected_uncertainty, member);
}

Cell achieved(LayerIn r, std::uint64_t amount) {
  if (!r.layer.measured_time_s) return {};
  return static_cast<double>(amount) / *r.layer.measured_time_s;
}

Cell over(const std::optional<double>& measured_s, const std::optional<double>& other_s) {
  if (!measured_s || !other_s || !(*other_s > 0)) return {};
  return *measured_s / *other_s;
}

/// A layer that touched fewer bytes than are counted has no byte rate and is below no bound.
bool is_overcounted(LayerIn r) { return r.layer.below_bound == BelowBound::fewer_bytes; }

Cell achieved_bytes(LayerIn r) {
  return is_overcounted(r) ? Cell() : achieved(r, counts_of(r).bytes.total);
}

Cell over_roofline(LayerIn r) {
  return is_overcounted(r) ? Cell() : over(r.layer.measured_time_s, point_of(r).roofline_time_s);
}

Cell over_expected(LayerIn r) {
  return is_overcounted(r) ? Cell() : over(r.layer.measured_time_s, r.layer.expected_time_s());
}

/// A view that ends with the next call.
Cell next_step(LayerIn r) {
  thread_local std::string text;
  if (!r.layer.measured_time_s || r.setting.runs_as == RunsAs::recording) return {};
  text = joined(next_steps(r.layer), " ");
  return text_or_null(text);
}

/// Unknown above 1: fewer multiply-adds were done than are counted.
Cell share_of_peak(LayerIn r) {
  if (!r.layer.measured_time_s || counts_of(r).flops == 0) return {};
  const double share = point_of(r).compute_time_s / *r.layer.measured_time_s;
  return share > 1 ? Cell() : Cell(share);
}

std::string limiter_text(LayerIn r) {
  const LayerResult& row = r.layer;
  if (!row.fused_into->empty())
    return "in " + row.fused_into->substr(row.fused_into->find_last_of('.') + 1);
  return row.kernel ? words(row.kernel->limiter()) : "";
}

std::string bound_text(LayerIn r) {
  const LayerResult& row = r.layer;
  if (row.point.roofline_time_s == 0) return "";
  if (row.layer.kind == LayerKind::host_copy) return "host link";
  return std::string(name_of(row.point.bound));
}

constexpr std::size_t most_of_kernel_name = 18;

std::string ran_text(LayerIn r) {
  return shortened(printable(r.layer.measured->kernel), most_of_kernel_name);
}

std::string planned_text(LayerIn r) {
  const LayerResult& row = r.layer;
  if (!row.kernel || row.measured->kernel.empty()) return "";
  return shortened(row.kernel->name(), most_of_kernel_name);
}

constexpr std::string_view uncertainty_path = "expected_uncertainty.";

constexpr auto layer_columns_of_work = std::to_array<Column<LayerLine>>({
    {"schema_version", Unit::none, [](LayerIn) -> Cell { return schema_version; }, {}, true},
    {"source", Unit::none, [](LayerIn r) -> Cell { return r.setting.source; }, {}, true},
    {"network", Unit::none, [](LayerIn r) -> Cell { return r.setting.network; }, {}, true},
    {"gpu", Unit::none, [](LayerIn r) -> Cell { return r.setting.gpu; }, {}, true},
    {"framework", Unit::none, [](LayerIn r) -> Cell { return r.setting.framework; }, {}, true},
    {"batch", Unit::count, [](LayerIn r) -> Cell { return layer_of(r).output.batch; }, {}, true},
    {"name", Unit::none, [](LayerIn r) -> Cell { return layer_of(r).name; }, {.header = "layer"}},
    {"",
     Unit::none,
     [](LayerIn) { return Cell(); },
     {.header = "id",
      .text = [](LayerIn r) { return printable(layer_of(r).id->text); },
      .drop_order = {1, 1}}},
    {"type", Unit::none, [](LayerIn r) -> Cell { return info(layer_of(r).kind).name; }},
    {"dtype", Unit::none, [](LayerIn r) -> Cell { return layer_of(r).dtypes.input; }},
    {"pass", Unit::none, [](LayerIn r) -> Cell { return layer_of(r).pass; }},
    {"engine",
     Unit::none,
     [](LayerIn r) { return has_kernel(layer_of(r)) ? Cell(r.layer.engine) : Cell(); },
     {.header = "engine", .hidden = layer_facts::one_engine, .drop_order = {1, 1}}},
    {"fused_into", Unit::none, [](LayerIn r) { return text_or_null(*r.layer.fused_into); }},
    {"input", Unit::none, [](LayerIn r) { return stated_input(layer_of(r)); }},
    {"input_from", Unit::none, [](LayerIn r) { return stated_producers(r.layer); }},
    {"output", Unit::none, [](LayerIn r) { return stated_output(layer_of(r)); }},
    {layer_path, Unit::none, [](LayerIn r) { return stated_layer(r); }},
});

constexpr auto layer_columns_of_bounds = std::to_array<Column<LayerLine>>({
    {"macs",
     Unit::operation,
     [](LayerIn r) -> Cell { return counts_of(r).macs; },
     {.header = "MACs", .hidden = layer_facts::measured, .drop_order = {1}}},
    {"flops",
     Unit::operation,
     [](LayerIn r) -> Cell { return counts_of(r).flops; },
     {.header = "FLOP", .hidden = layer_facts::measured, .drop_order = {4}}},
    {"params", Unit::count, [](LayerIn r) -> Cell { return counts_of(r).params; }},
    {"buffers", Unit::count, [](LayerIn r) -> Cell { return counts_of(r).buffers; }},
    {"bytes.input", Unit::byte, [](LayerIn r) -> Cell { return counts_of(r).bytes.input; }},
    {"bytes.weight", Unit::byte, [](LayerIn r) -> Cell { return counts_of(r).bytes.weight; }},
    {"bytes.output", Unit::byte, [](LayerIn r) -> Cell { return counts_of(r).bytes.output; }},
    {"bytes.total",
     Unit::byte,
     [](LayerIn r) -> Cell { return counts_of(r).bytes.total; },
     {.header = "bytes", .hidden = layer_facts::measured, .drop_order = {3}}},
    {"intensity_flop_per_byte",
     Unit::number,
     [](LayerIn r) -> Cell { return point_of(r).intensity_flop_per_byte; },
     {.header = "FLOP/B", .hidden = layer_facts::measured, .drop_order = {7}}},
    {"ridge_flop_per_byte", Unit::number,
     [](LayerIn r) -> Cell { return point_of(r).ridge_flop_per_byte; }},
    {"bound",
     Unit::none,
     [](LayerIn r) -> Cell { return point_of(r).bound; },
     {.header = "bound", .text = bound_text, .drop_order = {5, 1}}},
    {"crossover_batch", Unit::count, [](LayerIn r) -> Cell { return crossover_batch(r.layer); }},
    {"compute_time_s", Unit::second, [](LayerIn r) -> Cell { return point_of(r).compute_time_s; }},
    {"memory_time_s", Unit::second, [](LayerIn r) -> Cell { return point_of(r).memory_time_s; }},
    {"roofline_time_s",
     Unit::second,
     [](LayerIn r) -> Cell { return point_of(r).roofline_time_s; },
     {.header = "roofline", .drop_order = {0, 4}}},
    {"attainable_flop_per_s", Unit::rate,
     [](LayerIn r) -> Cell { return point_of(r).attainable_flop_per_s; }},
    {"expected_time_s",
     Unit::second,
     [](LayerIn r) -> Cell { return r.layer.expected_time_s(); },
     {.header = "expected"}},
    {"expected_uncertainty.factor",
     Unit::ratio,
     uncertainty<&Uncertainty::factor>,
     {.header = "within", .hidden = layer_facts::measured, .drop_order = {2}}},
    {"expected_uncertainty.factor_95", Unit::ratio, uncertainty<&Uncertainty::factor_95>},
    {"expected_uncertainty.basis", Unit::none, uncertainty<&Uncertainty::basis>},
    {"limiter",
     Unit::none,
     [](LayerIn r) { return r.layer.kernel ? Cell(r.layer.kernel->limiter()) : Cell(); },
     {.header = "limiter", .text = limiter_text, .drop_order = {0, 3}}},
    {"time_share",
     Unit::share,
     [](LayerIn r) { return r.in_stream ? Cell() : Cell(r.layer.time_share); },
     {.header = "share", .hidden = layer_facts::measured | layer_facts::several_results}},
});

constexpr std::string_view tuning_path = "kernel.tuning";
constexpr std::string_view other_tuning_path = "kernel.other_tuning_time_s";

constexpr auto layer_columns_of_kernel = std::to_array<Column<LayerLine>>({
    {"kernel.algorithm",
     Unit::none,
     plan<&KernelPlan::algorithm>,
     {.header = "planned",
      .text = planned_text,
      .hidden = layer_facts::unmeasured | layer_facts::recorded,
      .drop_order = {0, 6}}},
    {"kernel.engine", Unit::none, plan<&KernelPlan::engine>},
    {"kernel.solver", Unit::none, plan_solver},
    {tuning_path, Unit::none, plan_tuning},
    {other_tuning_path, Unit::second, [](LayerIn r) -> Cell { return r.layer.other_tuning_s; }},
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
    {"kernel.in_flight_byte_per_s", Unit::rate, plan<&KernelPlan::in_flight_byte_per_s>},
});

constexpr auto layer_columns_of_kernel_parts = std::to_array<Column<LayerLine>>({
    {"kernel.math_s", Unit::second, plan_part<Limiter::math>},
    {"kernel.instructions_s", Unit::second, plan_part<Limiter::instructions>},
    {"kernel.dram_s", Unit::second, plan_part<Limiter::dram>},
    {"kernel.l2_s", Unit::second, plan_part<Limiter::l2>},
    {"kernel.in_flight_s", Unit::second, plan_part<Limiter::in_flight>},
    {"kernel.tile_padding_s", Unit::second, plan_part<Limiter::tile_padding>},
    {"kernel.last_wave_s", Unit::second, plan_part<Limiter::last_wave>},
    {"kernel.latency_s", Unit::second, plan_part<Limiter::latency>},
    {"kernel.launch_s", Unit::second, plan_part<Limiter::launch>},
    {"kernel.occupancy_s", Unit::second, plan_part<Limiter::occupancy>},
    {"kernel.limiter_share", Unit::share,
     [](LayerIn r) { return r.layer.kernel ? Cell(r.layer.kernel->limiter_share()) : Cell(); }},
});

constexpr auto layer_columns_of_measured = std::to_array<Column<LayerLine>>({
    {"measured.time_s",
     Unit::second,
     [](LayerIn r) -> Cell { return r.layer.measured_time_s; },
     {.header = "measured", .hidden = layer_facts::unmeasured}},
    {"measured.kernel",
     Unit::none,
     [](LayerIn r) { return text_or_null(r.layer.measured->kernel); },
     {.header = "ran",
      .text = ran_text,
      .hidden = layer_facts::unmeasured | layer_facts::recorded,
      .drop_order = {0, 7}}},
    {"measured.other_kernels", Unit::none,
     [](LayerIn r) { return text_or_null(r.layer.measured->other_kernels); }},
    {"measured.better_kernel", Unit::none,
     [](LayerIn r) { return r.layer.better_time_s ? Cell(better_kernel(r.layer)) : Cell(); }},
    {"measured.better_time_s", Unit::second,
     [](LayerIn r) -> Cell { return r.layer.better_time_s; }},
    {"measured.warm_time_s", Unit::second,
     [](LayerIn r) -> Cell { return r.layer.measured->warm_s; }},
    {"measured.cold_time_s", Unit::second,
     [](LayerIn r) -> Cell { return r.layer.measured->cold_s; }},
});

constexpr auto layer_columns_of_achieved = std::to_array<Column<LayerLine>>({
    {"measured.achieved_flop_per_s", Unit::rate,
     [](LayerIn r) { return achieved(r, counts_of(r).flops); }},
    {"measured.achieved_byte_per_s", Unit::rate, achieved_bytes},
    {"measured.share_of_peak", Unit::share, share_of_peak},
    {"measured.lost_s",
     Unit::second,
     [](LayerIn r) -> Cell { return lost_s(r.layer); },
     {.header = "lost", .hidden = layer_facts::unmeasured, .drop_order = {0, 2}}},
    {"measured.over_roofline",
     Unit::ratio,
     over_roofline,
     {.header = "/bound", .hidden = layer_facts::unmeasured, .drop_order = {0, 5}}},
    {"measured.over_expected",
     Unit::ratio,
     over_expected,
     {.header = "/exp.", .hidden = layer_facts::unmeasured}},
    {"measured.below_bound", Unit::none, [](LayerIn r) -> Cell { return r.layer.below_bound; }},
    {"measured.next", Unit::none, next_step},
    {"runs_as", Unit::none, [](LayerIn r) { return runs_as_cell(r.setting.runs_as); }, {}, true},
});

constexpr std::array layer_table =
    joined(layer_columns_of_work, layer_columns_of_bounds, layer_columns_of_kernel,
           layer_columns_of_kernel_parts, layer_columns_of_measured, layer_columns_of_achieved);

// Kernels.

using KernelIn = const KernelLine&;

std::string nearest_text(KernelIn k) {
  constexpr double least_near = 0.1;
  if (!k.row.nearest_roof) return "";
  const double share = *k.row.roof_share[*k.row.nearest_roof];
  const std::string text =
      fmt::format("{} {}", name_of(*k.row.nearest_roof), share_or_ratio(share));
  return share < least_near ? "none (" + text + ')' : text;
}

template <KernelRoof roof>
Cell share_of_roof(KernelIn k) {
  return k.row.roof_share[roof];
}

constexpr std::array kernel_table = std::to_array<Column<KernelLine>>({
    {"schema_version", Unit::none, [](KernelIn) -> Cell { return schema_version; }, {}, true},
    {"source", Unit::none, [](KernelIn k) -> Cell { return k.table.recording->source; }, {}, true},
    {"recording", Unit::none, [](KernelIn k) -> Cell { return k.table.recording->name; }, {}, true},
    {"gpu", Unit::none, [](KernelIn k) { return text_or_null(k.table.gpu); }, {}, true},
    {"name",
     Unit::none,
     [](KernelIn k) -> Cell { return k.row.kernel.name; },
     {.header = "kernel", .text = [](KernelIn k) { return short_name(kernel_label(k.row), 60); }}},
    {"grid", Unit::none, [](KernelIn k) { return text_or_null(k.row.kernel.grid); }},
    {"block", Unit::none, [](KernelIn k) { return text_or_null(k.row.kernel.block); }},
    {"launches",
     Unit::count,
     [](KernelIn k) -> Cell { return k.row.kernel.launches; },
     {.header = "launches", .drop_order = {6}}},
    {"time_s",
     Unit::second,
     [](KernelIn k) -> Cell { return k.row.kernel.time_s; },
     {.header = "time"}},
    {"time_share",
     Unit::share,
     [](KernelIn k) -> Cell { return k.row.time_share; },
     {.header = "share"}},
    {"mean_time_s",
     Unit::second,
     [](KernelIn k) -> Cell { return mean_time_s(k.row.kernel); },
     {.header = "mean",
      .text = [](KernelIn k) { return duration(mean_time_s(k.row.kernel)); },
      .drop_order = {2}}},
    {"registers_per_thread", Unit::count,
     [](KernelIn k) -> Cell { return k.row.kernel.registers; }},
    {"engine",
     Unit::none,
     [](KernelIn k) -> Cell { return k.row.engine; },
     {.header = "engine", .drop_order = {5}}},
    {"flops", Unit::operation, [](KernelIn k) -> Cell { return k.row.flop; }},
    {"dram_byte", Unit::byte, [](KernelIn k) -> Cell { return k.row.kernel.counters.dram_byte; }},
    {"l2_byte", Unit::byte, [](KernelIn k) -> Cell { return k.row.kernel.counters.l2_byte; }},
    {"flop_per_s",
     Unit::rate,
     [](KernelIn k) -> Cell { return k.row.flop_per_s; },
     {.header = "FLOP/s"}},
    {"dram_byte_per_s",
     Unit::rate,
     [](KernelIn k) -> Cell { return k.row.dram_byte_per_s; },
     {.header = "DRAM B/s", .drop_order = {4}}},
    {"l2_byte_per_s",
     Unit::rate,
     [](KernelIn k) -> Cell { return k.row.l2_byte_per_s; },
     {.header = "L2 B/s", .drop_order = {3}}},
    {"intensity_flop_per_byte",
     Unit::number,
     [](KernelIn k) -> Cell { return k.row.intensity_flop_per_byte; },
     {.header = "FLOP/B"}},
    {"l2_intensity_flop_per_byte",
     Unit::number,
     [](KernelIn k) -> Cell { return k.row.l2_intensity_flop_per_byte; },
     {.header = "FLOP/B at L2", .drop_order = {7}}},
    {"occupancy",
     Unit::share,
     [](KernelIn k) -> Cell { return k.row.kernel.occupancy; },
     {.header = "occupancy",
      .text = [](KernelIn k) { return percent(k.row.kernel.occupancy); },
      .drop_order = {1}}},
    {"compute_share", Unit::share, share_of_roof<KernelRoof::compute>},
    {"dram_share", Unit::share, share_of_roof<KernelRoof::dram>},
    {"l2_share", Unit::share, share_of_roof<KernelRoof::l2>},
    {"nearest_roof",
     Unit::none,
     [](KernelIn k) -> Cell { return k.row.nearest_roof; },
     {.header = "nearest roof", .text = nearest_text}},
});

// Settings.

using SettingIn = const SettingLine&;

/// "compute", "memory 80%": the larger share of the bound's time.
std::string bound_share_of(SettingIn s) {
  const double share = s.row.compute_bound_share;
  if (share >= 0.995) return "compute";
  if (share <= 0.005) return "memory";
  return share >= 0.5 ? fmt::format("compute {:.0f}%", 100 * share)
                      : fmt::format("memory {:.0f}%", 100 * (1 - share));
}

/// Likewise; "*" marks a time below the bound, as at a layer.
std::string bound_share_text(SettingIn s) {
  return bound_share_of(s) + (s.row.time_s < s.row.roofline_time_s ? "*" : "");
}

std::string expected_text(SettingIn s) {
  return carried_over_mark(s.row.expected_uncertainty) + duration(s.row.time_s);
}

std::string image_text(SettingIn s) {
  if (!s.row.time_per_image_s) return "";
  return carried_over_mark(s.row.expected_uncertainty) + duration(*s.row.time_per_image_s);
}

std::string power_text(SettingIn s) {
  return s.row.tdp_w ? fmt::format("{:.0f} W", *s.row.tdp_w) : "";
}

/// Whether some rows, not all, have a batch of this goal.
bool tells_apart(const SettingsTable& table, BatchGoal goal) {
  const auto count =
      std::ranges::count_if(table.rows, [&](const SettingRow& row) { return row.is_goal[goal]; });
  return count > 0 && static_cast<std::size_t>(count) < table.rows.size();
}

std::string marks_text(SettingIn s) {
  if (!s.row.qualifies()) return s.row.in_time ? "DOES NOT FIT" : "TOO SLOW";
  if (s.table.ranked_by) return "";
  const auto index = static_cast<std::size_t>(&s.row - s.table.rows.data());
  std::string text;
  const auto mark = [&](bool is_marked, std::string_view what) {
    if (is_marked) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  mark(s.table.best == index, "time");
  mark(s.table.cheapest == index, "cost");
  for (const BatchGoal goal : enumerators<BatchGoal>)
    mark(s.row.is_goal[goal] && tells_apart(s.table, goal), std::string(name_of(goal)) + " batch");
  return text;
}

template <auto member>
Cell uncertainty_of(SettingIn s) {
  return part_of(s.row.expected_uncertainty, member);
}

// Narrow terminals first drop what follows from the rest; a ranking keeps what tells GPUs apart.
constexpr std::array setting_table = std::to_array<Column<SettingLine>>({
    {"schema_version", Unit::none, [](SettingIn) -> Cell { return schema_version; }, {}, true},
    {"network",
     Unit::none,
     [](SettingIn s) -> Cell { return s.table.work; },
     {.header = "network",
      .text = [](SettingIn s) { return std::string(s.work); },
      .hidden = setting_facts::one_work},
     true},
    {"training", Unit::none, [](SettingIn s) -> Cell { return s.table.training; }, {}, true},
    {"rank", Unit::count, [](SettingIn s) -> Cell { return s.row.rank; }, {.header = "rank"}},
    {"tied", Unit::none, [](SettingIn s) { return s.row.rank ? Cell(s.row.tied) : Cell(); }},
    {"gpu",
     Unit::none,
     [](SettingIn s) -> Cell { return s.row.gpu; },
     {.header = "GPU",
      .text = [](SettingIn s) { return std::string(s.gpu); },
      .hidden = setting_facts::one_gpu}},
    {"framework",
     Unit::none,
     [](SettingIn s) -> Cell { return s.row.framework; },
     {.header = "by",
      .text = [](SettingIn s) { return framework_text(s.row); },
      .hidden = setting_facts::one_framework}},
    {"dtype",
     Unit::none,
     [](SettingIn s) -> Cell { return s.row.dtype; },
     {.header = "dtype",
      .text = [](SettingIn s) { return type_text(s.row); },
      .hidden = setting_facts::one_type}},
    {"batch",
     Unit::count,
     [](SettingIn s) -> Cell { return s.row.batch; },
     {.header = "batch",
      .text = [](SettingIn s) { return batch_text(s.row); },
      .hidden = setting_facts::one_batch}},
    {"is_max_batch", Unit::none, [](SettingIn s) -> Cell { return s.row.is_goal[BatchGoal::max]; }},
    {"is_best_batch", Unit::none,
     [](SettingIn s) -> Cell { return s.row.is_goal[BatchGoal::best]; }},
    {"roofline_time_s",
     Unit::second,
     [](SettingIn s) -> Cell { return s.row.roofline_time_s; },
     {.header = "roofline", .drop_order = {3, 2}}},
    {"time_s",
     Unit::second,
     [](SettingIn s) -> Cell { return s.row.time_s; },
     {.header = "expected", .text = expected_text, .drop_order = {10, 7}}},
    {"expected_uncertainty.factor",
     Unit::ratio,
     uncertainty_of<&Uncertainty::factor>,
     {.header = "within", .drop_order = {11}}},
    {"expected_uncertainty.factor_95", Unit::ratio, uncertainty_of<&Uncertainty::factor_95>},
    {"expected_uncertainty.basis", Unit::none, uncertainty_of<&Uncertainty::basis>},
    {"measured_time_s",
     Unit::second,
     [](SettingIn s) -> Cell { return s.row.measured_time_s; },
     {.header = "measured"}},
    {"time_per_image_s",
     Unit::second,
     [](SettingIn s) -> Cell { return s.row.time_per_image_s; },
     {.header = "an image",
      .text = image_text,
      .hidden = setting_facts::batch_of_one | setting_facts::all_tokens,
      .drop_order = {0, 6}}},
    {"images_per_s",
     Unit::number,
     [](SettingIn s) -> Cell { return s.row.images_per_s; },
     {.header = "images/s", .hidden = setting_facts::all_tokens, .drop_order = {9}}},
    {"tokens_per_s",
     Unit::number,
     [](SettingIn s) -> Cell { return s.row.tokens_per_s; },
     {.header = "tokens/s", .hidden = setting_facts::no_tokens, .drop_order = {9}}},
    {"speedup",
     Unit::ratio,
     [](SettingIn s) -> Cell { return s.row.speedup; },
     {.header = "speed-up",
      .text = [](SettingIn s) { return factor(s.row.speedup); },
      .drop_order = {7, 4}}},
    {"tdp_w",
     Unit::number,
     [](SettingIn s) -> Cell { return s.row.tdp_w; },
     {.header = "TDP", .text = power_text, .hidden = setting_facts::one_gpu, .drop_order = {4, 8}}},
    {"compute_bound_share",
     Unit::none,
     [](SettingIn s) -> Cell { return s.row.compute_bound_share; },
     {.header = "bound by", .text = bound_share_text, .drop_order = {8, 5}}},
    {"limiter",
     Unit::none,
     [](SettingIn s) -> Cell { return s.row.limiter; },
     {.header = "limiter",
      .text = [](SettingIn s) { return words(s.row.limiter); },
      .drop_order = {6, 3}}},
    {"limiter_share", Unit::share, [](SettingIn s) -> Cell { return s.row.limiter_share; }},
    {"needed_memory_byte",
     Unit::byte,
     [](SettingIn s) -> Cell { return s.row.needed_memory_byte; },
     {.header = "memory", .drop_order = {1, 1}}},
    {"cost_per_million_images",
     Unit::number,
     [](SettingIn s) -> Cell { return s.row.cost_per_million_images; },
     {.header = million_header, .hidden = setting_facts::all_tokens}},
    {"cost_per_million_tokens",
     Unit::number,
     [](SettingIn s) -> Cell { return s.row.cost_per_million_tokens; },
     {.header = million_tokens_header, .hidden = setting_facts::no_tokens}},
    {"fits", Unit::none, [](SettingIn s) -> Cell { return s.row.fits; }},
    {"in_time", Unit::none, [](SettingIn s) -> Cell { return s.row.in_time; }},
    {"layout", Unit::none, [](SettingIn s) -> Cell { return s.row.layout; }},
    {"", Unit::none, nullptr, {.header = "best in", .text = marks_text}},
});

// Sums of layers: of a type, and of a whole result.

using SumIn = const TypeRow&;

template <auto member>
Cell sum_uncertainty(SumIn t) {
  return part_of(t.total.expected_uncertainty, member);
}

Cell sum_over_roofline(SumIn t) {
  if (t.total.is_overcounted) return {};
  return over(t.total.measured_time_s, t.total.roofline_time_s);
}

Cell sum_over_expected(SumIn t) {
  if (t.total.is_overcounted) return {};
  return over(t.total.measured_time_s, t.total.expected_time_s);
}

constexpr auto sum_columns_of_work = std::to_array<Column<TypeRow>>({
    {"type",
     Unit::none,
     [](SumIn t) -> Cell { return info(t.kind).name; },
     {.header = "type"},
     true},
    {"rows", Unit::count, [](SumIn t) -> Cell { return t.rows; }, {.header = "layers"}, true},
    {"macs", Unit::operation, [](SumIn t) -> Cell { return t.total.macs; }, {.header = "MACs"}},
    {"flops", Unit::operation, [](SumIn t) -> Cell { return t.total.flops; }, {.header = "FLOP"}},
    {"params", Unit::count, [](SumIn t) -> Cell { return t.total.params; }},
    {"buffers", Unit::count, [](SumIn t) -> Cell { return t.total.buffers; }},
    {"bytes.input", Unit::byte, [](SumIn t) -> Cell { return t.total.bytes.input; }},
    {"bytes.weight", Unit::byte, [](SumIn t) -> Cell { return t.total.bytes.weight; }},
    {"bytes.output", Unit::byte, [](SumIn t) -> Cell { return t.total.bytes.output; }},
    {"bytes.total",
     Unit::byte,
     [](SumIn t) -> Cell { return t.total.bytes.total; },
     {.header = "bytes"}},
});

constexpr auto sum_columns_of_times = std::to_array<Column<TypeRow>>({
    {"compute_time_s", Unit::second, [](SumIn t) -> Cell { return t.total.compute_time_s; }},
    {"memory_time_s", Unit::second, [](SumIn t) -> Cell { return t.total.memory_time_s; }},
    {"roofline_time_s",
     Unit::second,
     [](SumIn t) -> Cell { return t.total.roofline_time_s; },
     {.header = "roofline"}},
    {"expected_time_s",
     Unit::second,
     [](SumIn t) -> Cell { return t.total.expected_time_s; },
     {.header = "expected"}},
    {"expected_uncertainty.factor",
     Unit::ratio,
     sum_uncertainty<&Uncertainty::factor>,
     {.header = "within", .hidden = of_types}},
    {"expected_uncertainty.factor_95", Unit::ratio, sum_uncertainty<&Uncertainty::factor_95>},
    {"expected_uncertainty.basis", Unit::none, sum_uncertainty<&Uncertainty::basis>},
    {"time_share",
     Unit::share,
     [](SumIn t) -> Cell { return t.time_share; },
     {.header = "share"},
     true},
});

constexpr auto sum_columns_of_measured = std::to_array<Column<TypeRow>>({
    {"measured_time_s",
     Unit::second,
     [](SumIn t) -> Cell { return t.total.measured_time_s; },
     {.header = "measured"}},
    {"",
     Unit::second,
     [](SumIn t) { return t.total.measured_time_s ? Cell(t.total.lost_s) : Cell(); },
     {.header = "lost", .hidden = of_types}},
    {"", Unit::ratio, sum_over_roofline, {.header = "/bound"}},
    {"", Unit::ratio, sum_over_expected, {.header = "/exp."}},
});

constexpr std::array sum_table =
    joined(sum_columns_of_work, sum_columns_of_times, sum_columns_of_measured);

constexpr std::string_view error_column = "error";
/// Columns of layers beside their table: rare, so JSON has those that the source states.
constexpr std::string_view id_column = "id";
constexpr std::string_view source_line_column = "source_line";

template <class Line>
constexpr const auto& table_of() {
  if constexpr (std::is_same_v<Line, LayerLine>)
    return layer_table;
  else if constexpr (std::is_same_v<Line, KernelLine>)
    return kernel_table;
  else if constexpr (std::is_same_v<Line, SettingLine>)
    return setting_table;
  else
    return sum_table;
}

/// A row's layer has a column for each of its fields.
template <class Line>
void append_csv_cells(TextBuffer& out, const Line& line) {
  bool is_first = true;
  for (const Column<Line>& column : table_of<Line>()) {
    if (column.path.empty()) continue;
    if (!std::exchange(is_first, false)) out.add(',');
    if constexpr (std::is_same_v<Line, LayerLine>)
      if (column.path == layer_path) {
        append_stated_cells(out, line);
        continue;
      }
    append_csv(out, column.value(line));
  }
  out.add(',');  // no error
}

std::string amount_text(double amount, std::string_view unit) {
  if (amount >= 1000) return si(amount, unit);
  return fmt::format("{}{}{}", amount, unit.empty() ? "" : " ", unit);
}

std::string number_text(Unit unit, double value) {
  switch (unit) {
    case Unit::count: return fmt::format("{:.0f}", value);
    case Unit::operation: return amount_text(value, "");
    case Unit::byte: return amount_text(value, "B");
    case Unit::second: return duration(value);
    case Unit::share: return percent(value);
    case Unit::ratio: return ratio_text(value);
    case Unit::rate: return si(value, "");
    case Unit::number:
    case Unit::none: return plain(value);
  }
  return "";
}

}  // namespace

std::span<const Column<LayerLine>> layer_columns() { return layer_table; }
std::span<const Column<KernelLine>> kernel_columns() { return kernel_table; }
std::span<const Column<SettingLine>> setting_columns() { return setting_table; }
std::span<const Column<TypeRow>> sum_columns() { return sum_table; }

template <class Line>
void write_fields(JsonWriter& writer, const Line& line, bool with_head) {
  write_columns<table_of<Line>()>(writer, line, with_head);
  // Rare: what the source says of the layer beside its work.
  if constexpr (std::is_same_v<Line, LayerLine>) {
    if (const Cell id = id_cell(*layer_of(line).id); is_known(id)) writer.member("id", id);
    if (const std::string& said = *layer_of(line).source_line; !said.empty())
      writer.member("source_line", said);
  }
}

template <class Line>
RowKind empty_kind() {
  if constexpr (std::is_same_v<Line, LayerLine>)
    return {"layers", "layers", {}, {}};
  else if constexpr (std::is_same_v<Line, KernelLine>)
    return {"kernels", "kernels", {}, {}};
  else
    return {"a ranking", "points", {}, {}};
}

template <class Line>
const RowKind& row_kind() {
  static const RowKind kind = [] {
    RowKind all = empty_kind<Line>();
    for (const Column<Line>& column : table_of<Line>()) {
      if (column.path.empty()) continue;
      all.columns.push_back(column_of(column.path));
      if (column.path == layer_path)
        std::ranges::move(stated_columns(), std::back_inserter(all.in_csv));
      else
        all.in_csv.push_back(all.columns.back());
    }
    if constexpr (std::is_same_v<Line, LayerLine>) {
      all.columns.insert(all.columns.end(),
                         {std::string(id_column), std::string(source_line_column)});
      std::ranges::move(stated_columns(), std::back_inserter(all.columns));
    }
    for (FieldNames* names : {&all.columns, &all.in_csv}) names->emplace_back(error_column);
    return all;
  }();
  return kind;
}

namespace {

struct NamedColumn {
  std::string name;
  double unit = 1;  ///< in base units
};

/// A column by its name, or by that of a condition of --fail-if: "expected_ms" is expected_time_s
/// in milliseconds, "lost_us" measured_lost_s in microseconds, "bytes" bytes_total, "memory_gb"
/// needed_memory_byte. A ranking's time_s is an expected one.
std::optional<NamedColumn> column_meant(const FieldNames& columns, std::string_view name) {
  constexpr std::pair<std::string_view, double> times[] = {{"_ms", 1e-3}, {"_us", 1e-6}, {"_s", 1}};
  constexpr std::pair<std::string_view, double> sizes[] = {{"_mb", 1e6}, {"_gb", 1e9}};
  const std::string own(name);
  std::vector<NamedColumn> meant{{own}, {"measured_" + own}, {own + "_total"}, {"needed_" + own}};
  for (const auto& [suffix, unit] : times) {
    if (!name.ends_with(suffix)) continue;
    std::string base(name.substr(0, name.size() - suffix.size()));
    if (base.ends_with("_time")) base.resize(base.size() - std::size("_time") + 1);
    for (const std::string& each : {base + "_time_s", base + "_s", "measured_" + base + "_s"})
      meant.push_back({each, unit});
    if (base == "expected") meant.push_back({"time_s", unit});
  }
  for (const auto& [suffix, unit] : sizes)
    if (name.ends_with(suffix))
      meant.push_back({"needed_" + own.substr(0, own.size() - suffix.size()) + "_byte", unit});
  for (const NamedColumn& each : meant)
    if (contains(columns, each.name)) return each;
  return std::nullopt;
}

}  // namespace

void RowKind::check(const FieldNames& chosen) const {
  constexpr std::size_t most_named = 12;
  for (const std::string& name : chosen)
    if (!column_meant(columns, name))
      throw InputError(fmt::format("rows of {} have no column {}: expected {}", of, in_quotes(name),
                                   some_of(columns, most_named)));
}

// Places behind the table of layers.
constexpr std::size_t id_place = std::size(layer_table);
constexpr std::size_t source_line_place = id_place + 1;
constexpr std::size_t first_stated_place = id_place + 2;

std::size_t place_beside_table(std::string_view name) {
  if (name == id_column) return id_place;
  if (name == source_line_column) return source_line_place;
  const std::size_t place = stated_place(name);
  return place == name.npos ? place : first_stated_place + place;
}

template <class Line>
FieldPlaces places_of(const FieldNames& fields) {
  return each_of(fields, [](std::string_view asked) -> FieldPlace {
    const auto meant = column_meant(row_kind<Line>().columns, asked);
    if (!meant) return {};
    const std::string_view name = meant->name;
    const auto& table = table_of<Line>();
    const auto found = std::ranges::find_if(table, [name](const Column<Line>& column) {
      return std::ranges::equal(column.path, name,
                                [](char a, char b) { return a == b || (a == '.' && b == '_'); });
    });
    if (found != table.end()) return {static_cast<std::size_t>(found - table.begin()), meant->unit};
    return {std::is_same_v<Line, LayerLine> ? place_beside_table(name) : std::string::npos};
  });
}

/// The cell at a place of places_of().
template <class Line>
Cell value_at(const FieldPlace& field, const Line& line) {
  const auto& table = table_of<Line>();
  const std::size_t place = field.place;
  if (place < table.size()) {
    const Cell value = table[place].value(line);
    const auto number = field.unit == 1 ? std::nullopt : number_of(value);
    return number ? Cell(*number / field.unit) : value;
  }
  if constexpr (std::is_same_v<Line, LayerLine>) {
    if (place == id_place) return id_cell(*layer_of(line).id);
    if (place == source_line_place) return text_or_null(*layer_of(line).source_line);
    if (place != std::string::npos) return stated_cell(line, place - first_stated_place);
  }
  return {};
}

template <class Line>
void append_row(std::string& text, RowFormat format, const Line& line, const FieldNames& fields,
                const FieldPlaces& places) {
  if (has_columns(format)) {
    TextBuffer out(text);
    if (fields.empty()) append_csv_cells(out, line);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i > 0) out.add(',');
      append_csv(out, value_at(places[i], line));
    }
    out.flush();
  } else {
    JsonWriter writer(text, false);
    writer.begin_object();
    if (fields.empty()) write_fields(writer, line, true);
    for (std::size_t i = 0; i < fields.size(); ++i)
      writer.member(fields[i], value_at(places[i], line));
    writer.end_object();
  }
  text += '\n';
}

void append_error_row(std::string& text, const InputError& error, const FieldNames& columns) {
  if (!contains(columns, error_column)) return;
  TextBuffer out(text);
  const std::string line = error.what();
  const LayerId id{error.id_text, error.id_is_string};
  for (const std::string& column : columns) {
    if (&column != columns.data()) out.add(',');
    append_csv(out, column == error_column                        ? Cell(line)
                    : column == "source"                          ? Cell(error.source)
                    : column == id_column || column == "layer_id" ? id_cell(id)
                                                                  : Cell());
  }
  out.add('\n');
  out.flush();
}

template void write_fields(JsonWriter&, const LayerLine&, bool);
template void write_fields(JsonWriter&, const KernelLine&, bool);
template void write_fields(JsonWriter&, const SettingLine&, bool);
template void write_fields(JsonWriter&, const TypeRow&, bool);
template const RowKind& row_kind<LayerLine>();
template const RowKind& row_kind<KernelLine>();
template const RowKind& row_kind<SettingLine>();
template FieldPlaces places_of<LayerLine>(const FieldNames&);
template FieldPlaces places_of<KernelLine>(const FieldNames&);
template FieldPlaces places_of<SettingLine>(const FieldNames&);
template void append_row(std::string&, RowFormat, const LayerLine&, const FieldNames&,
                         const FieldPlaces&);
template void append_row(std::string&, RowFormat, const KernelLine&, const FieldNames&,
                         const FieldPlaces&);
template void append_row(std::string&, RowFormat, const SettingLine&, const FieldNames&,
                         const FieldPlaces&);

namespace {

std::array<const RowKind*, 3> row_kinds() {
  return {&row_kind<LayerLine>(), &row_kind<KernelLine>(), &row_kind<SettingLine>()};
}

}  // namespace

bool is_column(std::string_view name) {
  return std::ranges::any_of(row_kinds(), [&](const RowKind* kind) {
    return column_meant(kind->columns, name).has_value();
  });
}

FieldNames column_names() {
  FieldNames names;
  for (const RowKind* kind : row_kinds())
    names.insert(names.end(), kind->columns.begin(), kind->columns.end());
  return names;
}

std::string columns_text(std::size_t width) {
  std::string text;
  for (const RowKind* kind : row_kinds())
    text += fmt::format("{}rows of {}\n{}\n", text.empty() ? "" : "\n", kind->of,
                        broken("  " + joined(kind->columns, " "), width));
  return text;
}

std::string columns_json() {
  std::string text;
  JsonWriter writer(text, true);
  writer.begin_object();
  for (const RowKind* kind : row_kinds())
    writer.list(kind->key, kind->columns,
                [&](const std::string& name) { writer.value(std::string_view(name)); });
  writer.end_object();
  return text + '\n';
}

RowParts parts_shown(const FieldNames& chosen) {
  if (chosen.empty()) return {};
  RowParts parts{false, false};
  for (const Column<LayerLine>& column : layer_table) {
    if (column.path.empty() || !contains(chosen, column_of(column.path))) continue;
    if (column.path == tuning_path || column.path == other_tuning_path) parts.other_tuning = true;
    if (column.path.starts_with(uncertainty_path)) parts.uncertainty = true;
  }
  return parts;
}

std::string column_of(std::string_view path) {
  std::string column(path);
  std::ranges::replace(column, '.', '_');
  return column;
}

std::optional<double> number_of(const Cell& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
  return std::nullopt;
}

std::string value_text(Unit unit, const Cell& value) {
  if (const auto number = number_of(value)) return number_text(unit, *number);
  const auto* text = std::get_if<std::string_view>(&value);
  return text != nullptr ? std::string(*text) : "";
}

bool adds_up(Unit unit) {
  return unit == Unit::count || unit == Unit::operation || unit == Unit::byte ||
         unit == Unit::second || unit == Unit::share;
}

}  // namespace roofline
