// The "accuracy" of a file of constants.

#include <algorithm>

#include "load/kernel_model.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

/// Each type stands for all of its width.
constexpr std::array<std::string_view, 4> error_type_names{
    name_of(DataType::fp32), name_of(DataType::tf32), name_of(DataType::fp16),
    name_of(DataType::int8)};

double factor_of(const Value& object, std::string_view key) {
  return number_within(object.require(key, "a factor of at least 1"), 1, most_error_factor);
}

UncertaintyBasis basis_in(const Value& object) {
  return choice_of<UncertaintyBasis>(
      object.require("basis", "measured, architecture or datasheet"));
}

void read_basis(const Value& object, LayerErrors& errors) {
  errors.basis = basis_in(object);
  if (const auto names = object.get("applies_to")) errors.applies_to = names->texts();
  if (errors.applies_to.empty() != (errors.basis == UncertaintyBasis::datasheet))
    object.fail_at("applies_to",
                   "expected names of GPUs (measured) or architectures (architecture), and none "
                   "where the basis is datasheet");
}

LayerErrors layer_errors_in(const Value& value, const SharedTexts& origins) {
  value.check_keys("errors of layers", {"basis", "applies_to", "class", "costs", "form", "dtype",
                                        "pass", "layers", "factor", "factor_95", "origin"});
  LayerErrors errors;
  read_basis(value, errors);
  if (const auto name = value.get("class")) errors.layer_class = choice_of<LayerClass>(*name);
  if (const auto list = value.get("costs")) {
    if (!list->is_array()) list->fail_expected("a list of costs");
    for (const Value cost : *list) errors.costs.push_back(choice_of<ElementCost>(cost));
  }
  if (const auto name = value.get("form")) errors.form = choice_of<ConvolutionForm>(*name);
  if (const auto name = value.get("dtype"))
    errors.dtype = parse<DataType>(error_type_names[name->choice(error_type_names)]);
  if (const auto name = value.get("pass")) errors.pass = choice_of<Pass>(*name);
  errors.layers = value.require("layers", "how many were measured").integer(1);
  errors.factor = factor_of(value, "factor");
  errors.factor_95 = factor_of(value, "factor_95");
  errors.origin = origin_in(value, origins);
  return errors;
}

TotalErrors total_errors_in(const Value& value, const SharedTexts& origins) {
  value.check_keys("errors of totals", {"basis", "applies_to", "common_share", "run_factor",
                                        "run_factor_95", "runs", "origin"});
  TotalErrors errors;
  errors.basis = basis_in(value);
  errors.common_share = number_within(value.require("common_share", "a share from 0 to 1"), 0, 1);
  errors.run_factor = factor_of(value, "run_factor");
  errors.run_factor_95 = factor_of(value, "run_factor_95");
  errors.runs = value.require("runs", "how many were measured").integer(1);
  errors.origin = origin_in(value, origins);
  return errors;
}

WayErrors way_errors_in(const Value& value, const SharedTexts& origins) {
  value.check_keys("errors of a way", {"way", "run_factor", "run_factor_95", "runs", "origin"});
  WayErrors errors;
  errors.way = choice_of<RunWay>(value.require("way", "program or compiled"));
  errors.run_factor = factor_of(value, "run_factor");
  errors.run_factor_95 = factor_of(value, "run_factor_95");
  errors.runs = value.require("runs", "how many were measured").integer(1);
  errors.origin = origin_in(value, origins);
  return errors;
}

template <class Read>
auto list_in(const Value& object, std::string_view key, const SharedTexts& origins, Read read) {
  std::vector<decltype(read(object, origins))> list;
  const auto value = object.get(key);
  if (!value) return list;
  if (!value->is_array()) value->fail_expected("a list of errors");
  for (const Value each : *value) list.push_back(read(each, origins));
  return list;
}

int keys_of(const LayerErrors& errors) {
  return int{errors.layer_class.has_value()} + 3 * int{errors.form.has_value()} +
         int{errors.dtype.has_value()} + int{errors.pass.has_value()};
}

}  // namespace

double number_within(const Value& value, double least, double most) {
  const double number = value.is_number() ? value.number() : least - 1;
  if (number < least || number > most)
    value.fail_expected("a number from " + number_text(least) + " to " + number_text(most));
  return number;
}

std::string origin_in(const Value& object, const SharedTexts& origins) {
  const std::string origin = object.require("origin", "where it comes from").text();
  const auto found = origins.find(origin);
  return found == origins.end() ? origin : found->second;
}

MeasuredErrors read_measured_errors(const Value& value, const SharedTexts& origins,
                                    const MeasuredErrors& inherited) {
  value.check_keys("the accuracy of a kernel model", {"layers", "totals", "ways"});
  MeasuredErrors errors;
  errors.layers = list_in(value, "layers", origins, layer_errors_in);
  errors.totals = list_in(value, "totals", origins, total_errors_in);
  errors.ways = list_in(value, "ways", origins, way_errors_in);
  errors.layers.insert(errors.layers.end(), inherited.layers.begin(), inherited.layers.end());
  errors.totals.insert(errors.totals.end(), inherited.totals.begin(), inherited.totals.end());
  errors.ways.insert(errors.ways.end(), inherited.ways.begin(), inherited.ways.end());
  std::ranges::stable_sort(errors.layers, std::greater(), keys_of);
  return errors;
}

}  // namespace roofline
