#include "report/point_fields.hpp"

#include <utility>

#include "report/version.hpp"

namespace roofline {
namespace {

Cell uncertainty(const OperatingPoint& point, double Uncertainty::*factor) {
  if (!point.expected_uncertainty) return {};
  return (*point.expected_uncertainty).*factor;
}
Cell uncertainty(const OperatingPoint& point, UncertaintyBasis Uncertainty::*basis) {
  if (!point.expected_uncertainty) return {};
  return cell(name_of((*point.expected_uncertainty).*basis));
}

constexpr PointField point_field_table[] = {
    {"schema_version",
     [](const PointTable&, const OperatingPoint&) { return Cell(schema_version); }, true},
    {"network", [](const PointTable& table, const OperatingPoint&) { return Cell(table.network); },
     true},
    {"training",
     [](const PointTable& table, const OperatingPoint&) { return Cell(table.training); }, true},
    {"gpu", [](const PointTable&, const OperatingPoint& point) { return Cell(point.gpu); }},
    {"dtype",
     [](const PointTable&, const OperatingPoint& point) { return optional_name(point.dtype); }},
    {"batch", [](const PointTable&, const OperatingPoint& point) { return cell(point.batch); }},
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
     [](const PointTable&, const OperatingPoint& point) { return cell(point.measured_time_s); }},
    {"compute_bound_share",
     [](const PointTable&, const OperatingPoint& point) {
       return Cell(point.compute_bound_share);
     }},
    {"limiter",
     [](const PointTable&, const OperatingPoint& point) { return optional_name(point.limiter); }},
    {"limiter_share",
     [](const PointTable&, const OperatingPoint& point) { return Cell(point.limiter_share); }},
    {"speedup", [](const PointTable&, const OperatingPoint& point) { return Cell(point.speedup); }},
    {"time_per_image_s",
     [](const PointTable&, const OperatingPoint& point) { return cell(point.time_per_image_s); }},
    {"images_per_s",
     [](const PointTable&, const OperatingPoint& point) { return cell(point.images_per_s); }},
    {"tdp_w", [](const PointTable&, const OperatingPoint& point) { return cell(point.tdp_w); }},
    {"energy_per_image_j",
     [](const PointTable&, const OperatingPoint& point) { return cell(point.energy_per_image_j); }},
    {"cost_per_million_images",
     [](const PointTable&, const OperatingPoint& point) {
       return cell(point.cost_per_million_images);
     }},
    {"needed_memory_byte",
     [](const PointTable&, const OperatingPoint& point) { return cell(point.needed_memory_byte); }},
    {"fits", [](const PointTable&, const OperatingPoint& point) { return cell(point.fits); }},
};

}  // namespace

std::span<const PointField> point_fields() { return point_field_table; }

void write_point_fields(JsonWriter& writer, const PointTable& table, const OperatingPoint& point,
                        bool with_head) {
  std::string_view group;  // of the field before
  bool is_open = false;    // as an object, which is null where its fields are not known
  for (const PointField& field : point_field_table) {
    if (field.is_head && !with_head) continue;
    const Cell value = field.value(table, point);
    const std::size_t dot = field.path.find('.');
    if (dot == field.path.npos || field.path.substr(0, dot) != group) {
      if (std::exchange(is_open, false)) writer.end_object();
      group = dot == field.path.npos ? std::string_view() : field.path.substr(0, dot);
      is_open = !group.empty() && is_known(value);
      if (is_open) writer.key(group).begin_object();
      if (!group.empty() && !is_open) writer.member(group, {});
    }
    if (group.empty())
      writer.member(field.path, value);
    else if (is_open)
      writer.member(field.path.substr(dot + 1), value);
  }
}

}  // namespace roofline
