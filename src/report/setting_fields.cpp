#include "report/setting_fields.hpp"

#include "report/fields.hpp"

namespace roofline {
namespace {

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
     [](Table, Of row) {
       return row.expected_uncertainty ? Cell(row.expected_uncertainty->factor) : Cell();
     }},
    {"expected_uncertainty.factor_95",
     [](Table, Of row) {
       return row.expected_uncertainty ? Cell(row.expected_uncertainty->factor_95) : Cell();
     }},
    {"expected_uncertainty.basis",
     [](Table, Of row) {
       return row.expected_uncertainty ? Cell(row.expected_uncertainty->basis) : Cell();
     }},
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

}  // namespace

std::span<const SettingField> setting_fields() { return setting_field_table; }

void write_setting_fields(JsonWriter& writer, const SettingsTable& table, const SettingRow& row,
                          bool with_head) {
  write_nested<setting_field_table>(writer, with_head, table, row);
}

}  // namespace roofline
