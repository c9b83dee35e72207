#include <algorithm>
#include <map>
#include <tuple>

#include "roofline/summary.hpp"

namespace roofline {
namespace {

/// In which way work was evaluated, of a point or of a result's setting.
template <class Evaluated>
auto way_of(const Evaluated& each) {
  return std::tie(each.gpu, each.dtype, each.batch);
}

/// The largest part of the network's expected time, the sum of its layers' parts.
void set_limiter(const Result& result, OperatingPoint& point) {
  const EnumArray<Limiter, double>& part_s = result.total.part_s;
  const auto largest = std::max_element(part_s.begin(), part_s.end());
  if (*largest <= 0 || point.time_s <= 0) return;
  point.limiter = static_cast<Limiter>(largest - part_s.begin());
  point.limiter_share = *largest / point.time_s;
}

OperatingPoint point_of(const Result& result, const Prices& price_per_hour) {
  constexpr double s_per_hour = 3600;
  constexpr double million = 1e6;
  OperatingPoint point;
  point.gpu = result.setting.gpu;
  point.dtype = result.setting.dtype;
  point.batch = result.setting.batch;
  point.time_s = result.total.time_s;
  point.expected_uncertainty = result.total.expected_uncertainty;
  point.roofline_time_s = result.total.roofline_time_s;
  point.measured_time_s = result.total.measured_time_s;
  point.compute_bound_share = compute_bound_share(result);
  point.needed_memory_byte = needed_memory_byte(result);
  point.fits = fits(result);
  point.tdp_w = result.setting.tdp_w;
  if (result.setting.batch_goal) point.is_goal[*result.setting.batch_goal] = true;
  set_limiter(result, point);
  if (!result.setting.batch || point.time_s <= 0) return point;
  const auto batch = static_cast<double>(*result.setting.batch);
  point.time_per_image_s = point.time_s / batch;
  point.images_per_s = batch / point.time_s;
  if (point.tdp_w) point.energy_per_image_j = *point.time_per_image_s * *point.tdp_w;
  if (const auto price = price_per_hour.find(result.setting.gpu); price != price_per_hour.end())
    point.cost_per_million_images = million * *point.time_per_image_s / s_per_hour * price->second;
  return point;
}

/// The point with the least of a quantity among those that fit.
template <class Quantity>
std::optional<std::size_t> least(const std::vector<OperatingPoint>& points,
                                 const Quantity& quantity) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].fits.value_or(true) && quantity(points[i]) &&
        (!best || *quantity(points[i]) < *quantity(points[*best])))
      best = i;
  return best;
}

/// For each GPU and type, whose points stand together by batch: the smallest batch from which on
/// most of the bound's time is in layers that are bound by compute.
void find_crossovers(PointTable& table) {
  const std::vector<OperatingPoint>& points = table.points;
  for (std::size_t end = 0, begin = 0; begin < points.size(); begin = end) {
    while (end < points.size() && points[end].gpu == points[begin].gpu &&
           points[end].dtype == points[begin].dtype)
      ++end;
    if (end - begin < 2 || !points[begin].batch) continue;
    std::optional<std::uint64_t> from;
    for (std::size_t i = end; i-- > begin && points[i].compute_bound_share >= 0.5;)
      from = points[i].batch;
    table.compute_bound_from.push_back({points[begin].gpu, points[begin].dtype, from});
  }
}

/// By GPU and type, each in the order in which they first come, then by batch.
void sort_points(std::vector<OperatingPoint>& points) {
  std::map<std::string, std::size_t> gpus;
  std::map<std::optional<DataType>, std::size_t> types;
  for (const OperatingPoint& point : points) {
    gpus.try_emplace(point.gpu, gpus.size());
    types.try_emplace(point.dtype, types.size());
  }
  const auto key_of = [&](const OperatingPoint& point) {
    return std::tuple(gpus[point.gpu], types[point.dtype], point.batch);
  };
  std::stable_sort(
      points.begin(), points.end(),
      [&](const OperatingPoint& a, const OperatingPoint& b) { return key_of(a) < key_of(b); });
}

std::optional<double> ranked_quantity(const OperatingPoint& point, SortBy by) {
  if (by == SortBy::energy) return point.energy_per_image_j;
  if (by == SortBy::cost) return point.cost_per_million_images;
  return point.time_per_image_s;
}

/// The least first, then what does not know the quantity, then what does not fit; equals by time.
auto rank_of(const OperatingPoint& point, SortBy by) {
  const std::optional<double> quantity = ranked_quantity(point, by);
  return std::tuple(!point.fits.value_or(true), !quantity, quantity.value_or(0),
                    point.time_per_image_s.value_or(point.time_s));
}

void finish(PointTable& table) {
  sort_points(table.points);
  find_crossovers(table);
  if (table.ranked_by)
    std::stable_sort(table.points.begin(), table.points.end(),
                     [by = *table.ranked_by](const OperatingPoint& a, const OperatingPoint& b) {
                       return rank_of(a, by) < rank_of(b, by);
                     });
  table.best = least(table.points, [](const OperatingPoint& p) { return p.time_per_image_s; });
  table.fewest_joules =
      least(table.points, [](const OperatingPoint& p) { return p.energy_per_image_j; });
  table.cheapest =
      least(table.points, [](const OperatingPoint& p) { return p.cost_per_million_images; });
  const OperatingPoint& first = table.points.front();
  for (OperatingPoint& point : table.points) {
    const bool by_image = point.time_per_image_s && first.time_per_image_s;
    const double reference = by_image ? *first.time_per_image_s : first.time_s;
    const double own = by_image ? *point.time_per_image_s : point.time_s;
    point.speedup = own > 0 ? reference / own : 1;
  }
}

}  // namespace

bool is_same_point(const Result& a, const Result& b) {
  return way_of(a.setting) == way_of(b.setting);
}

bool is_ranked_before(const Result& a, const Result& b, const Prices& prices, SortBy by) {
  return rank_of(point_of(a, prices), by) < rank_of(point_of(b, prices), by);
}

std::vector<PointTable> points_of(const std::vector<Result>& results, const Prices& prices,
                                  std::optional<SortBy> rank_by) {
  std::vector<PointTable> tables;
  const auto key_of = [](const Result& result) {
    return std::tie(result.setting.source, result.setting.network, result.setting.item,
                    result.setting.training, result.setting.pass);
  };
  std::map<decltype(key_of(results.front())), std::size_t> table_of;
  for (const Result& result : results) {
    const auto [entry, is_new] = table_of.try_emplace(key_of(result), tables.size());
    if (is_new)
      tables.push_back(
          {result.setting.label, result.setting.training, {}, rank_by, {}, {}, {}, {}});
    std::vector<OperatingPoint>& points = tables[entry->second].points;
    const auto known = std::find_if(points.begin(), points.end(), [&](const OperatingPoint& point) {
      return way_of(point) == way_of(result.setting);
    });
    if (known == points.end())
      points.push_back(point_of(result, prices));
    else if (const auto goal = result.setting.batch_goal)
      known->is_goal[*goal] = true;
  }
  if (prices.empty() && !rank_by)
    std::erase_if(tables, [](const PointTable& table) { return table.points.size() < 2; });
  for (PointTable& table : tables) finish(table);
  return tables;
}

}  // namespace roofline
