#include "report/point_fields.hpp"

#include "report/fields.hpp"

namespace roofline {
namespace {

Cell uncertainty(const OperatingPoint& point, double Uncertainty::*factor) {
  if (!point.expected_uncertainty) return {};
  return (*point.expected_uncertainty).*factor;
}
Cell uncertainty(const OperatingPoint& point, UncertaintyBasis Uncertainty::*basis) {
  if (!point.expected_uncertainty) return {};
  return Cell((*point.expected_uncertainty).*basis);
}

constexpr PointField point_field_table[] = {
    {"schema_version",
     [](const PointTable&, const OperatingPoint&) { return Cell(schema_version); }, true},
    {"network", [](const PointTable& table, const OperatingPoint&) { return Cell(table.network); },
     true},
    {"training",
     [](const PointTable& table, const OperatingPoint&) { return Cell(table.training); }, true},
    {"gpu", [](const PointTable&, const OperatingPoint& point) { return Cell(point.gpu); }},
    {"dtype", [](const PointTable&, const OperatingPoint& point) { return Cell(point.dtype); }},
    {"batch", [](const PointTable&, const OperatingPoint& point) { return Cell(point.batch); }},
    {"is_max_batch",
     [](const PointTable&, const OperatingPoint& point) {
       return Cell(point.is_goal[BatchGoal::max]);
     }},
    {"is_best_batch",
     [](const PointTable&, const OperatingPoint& point) {
       return Cell(point.is_goal[BatchGoal::best]);
     }},
    {"time_s", [](const PointTable&, const OperatingPoint& point) { return Cell(point.time_s); }},
    {"expected_uncertainty.factor",
     [](const PointTable&, const OperatingPoint& point) {
       return uncertainty(point, &Uncertainty::factor);
     }},
    {"expected_uncertainty.factor_95",
     [](const PointTable&, const OperatingPoint& point) {
       return uncertainty(point, &Uncertainty::factor_95);
     }},
    {"expected_uncertainty.basis",
     [](const PointTable&, const OperatingPoint& point) {
       return uncertainty(point, &Uncertainty::basis);
     }},
    {"roofline_time_s",
     [](const PointTable&, const OperatingPoint& point) { return Cell(point.roofline_time_s); }},
    {"measured_time_s",
     [](const PointTable&, const OperatingPoint& point) { return Cell(point.measured_time_s); }},
    {"compute_bound_share",
     [](const PointTable&, const OperatingPoint& point) {
       return Cell(point.compute_bound_share);
     }},
    {"limiter", [](const PointTable&, const OperatingPoint& point) { return Cell(point.limiter); }},
    {"limiter_share",
     [](const PointTable&, const OperatingPoint& point) { return Cell(point.limiter_share); }},
    {"speedup", [](const PointTable&, const OperatingPoint& point) { return Cell(point.speedup); }},
    {"time_per_image_s",
     [](const PointTable&, const OperatingPoint& point) { return Cell(point.time_per_image_s); }},
    {"images_per_s",
     [](const PointTable&, const OperatingPoint& point) { return Cell(point.images_per_s); }},
    {"tdp_w", [](const PointTable&, const OperatingPoint& point) { return Cell(point.tdp_w); }},
    {"energy_per_image_j",
     [](const PointTable&, const OperatingPoint& point) { return Cell(point.energy_per_image_j); }},
    {"cost_per_million_images",
     [](const PointTable&, const OperatingPoint& point) {
       return Cell(point.cost_per_million_images);
     }},
    {"needed_memory_byte",
     [](const PointTable&, const OperatingPoint& point) { return Cell(point.needed_memory_byte); }},
    {"fits", [](const PointTable&, const OperatingPoint& point) { return Cell(point.fits); }},
};

}  // namespace

std::span<const PointField> point_fields() { return point_field_table; }

void write_point_fields(JsonWriter& writer, const PointTable& table, const OperatingPoint& point,
                        bool with_head) {
  write_nested<point_field_table>(writer, with_head, table, point);
}

}  // namespace roofline
