#include "report/kernel_fields.hpp"

#include "report/version.hpp"

namespace roofline {
namespace {

constexpr KernelField kernel_field_table[] = {
    {"schema_version", [](const KernelTable&, const KernelRow&) { return Cell(schema_version); },
     true},
    {"source",
     [](const KernelTable& table, const KernelRow&) { return Cell(table.recording->source); },
     true},
    {"recording",
     [](const KernelTable& table, const KernelRow&) { return Cell(table.recording->name); }, true},
    {"gpu", [](const KernelTable& table, const KernelRow&) { return text_or_null(table.gpu); },
     true},
    {"name", [](const KernelTable&, const KernelRow& row) { return Cell(row.kernel.name); }},
    {"grid",
     [](const KernelTable&, const KernelRow& row) { return text_or_null(row.kernel.grid); }},
    {"block",
     [](const KernelTable&, const KernelRow& row) { return text_or_null(row.kernel.block); }},
    {"launches",
     [](const KernelTable&, const KernelRow& row) { return Cell(row.kernel.launches); }},
    {"time_s", [](const KernelTable&, const KernelRow& row) { return Cell(row.kernel.time_s); }},
    {"time_share", [](const KernelTable&, const KernelRow& row) { return Cell(row.time_share); }},
    {"mean_time_s",
     [](const KernelTable&, const KernelRow& row) { return Cell(mean_time_s(row.kernel)); }},
    {"registers_per_thread",
     [](const KernelTable&, const KernelRow& row) { return cell(row.kernel.registers); }},
    {"occupancy",
     [](const KernelTable&, const KernelRow& row) { return cell(row.kernel.occupancy); }},
    {"engine", [](const KernelTable&, const KernelRow& row) { return optional_name(row.engine); }},
    {"flops", [](const KernelTable&, const KernelRow& row) { return cell(row.flop); }},
    {"dram_byte",
     [](const KernelTable&, const KernelRow& row) { return cell(row.kernel.counters.dram_byte); }},
    {"l2_byte",
     [](const KernelTable&, const KernelRow& row) { return cell(row.kernel.counters.l2_byte); }},
    {"flop_per_s", [](const KernelTable&, const KernelRow& row) { return cell(row.flop_per_s); }},
    {"dram_byte_per_s",
     [](const KernelTable&, const KernelRow& row) { return cell(row.dram_byte_per_s); }},
    {"l2_byte_per_s",
     [](const KernelTable&, const KernelRow& row) { return cell(row.l2_byte_per_s); }},
    {"intensity_flop_per_byte",
     [](const KernelTable&, const KernelRow& row) { return cell(row.intensity_flop_per_byte); }},
    {"l2_intensity_flop_per_byte",
     [](const KernelTable&, const KernelRow& row) { return cell(row.l2_intensity_flop_per_byte); }},
    {"compute_share",
     [](const KernelTable&, const KernelRow& row) {
       return cell(row.roof_share[KernelRoof::compute]);
     }},
    {"dram_share", [](const KernelTable&,
                      const KernelRow& row) { return cell(row.roof_share[KernelRoof::dram]); }},
    {"l2_share",
     [](const KernelTable&, const KernelRow& row) { return cell(row.roof_share[KernelRoof::l2]); }},
    {"nearest_roof",
     [](const KernelTable&, const KernelRow& row) { return optional_name(row.nearest_roof); }},
};

}  // namespace

std::span<const KernelField> kernel_fields() { return kernel_field_table; }

void write_kernel_fields(JsonWriter& writer, const KernelTable& table, const KernelRow& row,
                         bool with_head) {
  for (const KernelField& field : kernel_field_table)
    if (with_head || !field.is_head) writer.member(field.name, field.value(table, row));
}

}  // namespace roofline
