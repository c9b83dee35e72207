#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "model/infer/shapes.hpp"
#include "model/layer_fields.hpp"
#include "model/layer_kind.hpp"
#include "model/requests.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

template <Enumeration E>
void check_choice(std::string_view field, E e) {
  if (!is_enumerator(e)) fail(field, expected_enumerator(e));
}

void check_type(std::string_view field, const std::optional<DataType>& type) {
  if (!type) return;
  check_choice(field, *type);
  if (!is_tensor_type(*type)) fail(field, concat("expected a type of tensors, got ", *type));
}

/// The fields with a list of names to choose from.
std::vector<const LayerField*> fields_of_choice() {
  std::vector<const LayerField*> fields;
  for (const LayerField& field : layer_fields())
    if (std::holds_alternative<ChoiceField>(field.member)) fields.push_back(&field);
  return fields;
}

void check_time(const std::optional<double>& time_s) {
  if (time_s && !(*time_s >= 0 && std::isfinite(*time_s)))
    fail("measured_us", concat("expected a time >= 0, got ", number_text(*time_s * 1e6)));
}

void check_operands(std::string_view field, const std::vector<OperandSpec>& operands) {
  for (const OperandSpec& operand : operands) check_type(field, operand.type);
}

}  // namespace

void check_stated(const LayerSpec& spec) {
  static const std::vector<const LayerField*> fields = fields_of_choice();
  check_choice("type", spec.kind);
  if (!is_input_kind(spec.kind))
    fail("type", concat("expected a kind that a network may state, got ", spec.kind));
  if (spec.rank && (*spec.rank < 1 || *spec.rank > std::tuple_size_v<Axes>))
    fail("type", concat("expected 1 to 3 axes, got ", *spec.rank));
  for (const LayerField* field : fields) {
    const auto& choice = std::get<ChoiceField>(field->member);
    const std::size_t chosen = choice.get(spec).value_or(0);
    if (chosen >= choice.names.size())
      fail(field->key,
           concat("expected an enumerator from 0 to ", choice.names.size() - 1, ", got ", chosen));
  }
  check_type("dtype", spec.dtypes.input);
  check_type("dtype", spec.dtypes.weight);
  check_type("dtype", spec.dtypes.output);
  if (spec.input) check_type("input", spec.input->type);
  check_operands("inputs", spec.inputs);
  check_operands("fused", spec.fused);
  check_choice("padding", spec.padding.rule);
  check_time(spec.measured->warm_s);
  check_time(spec.measured->cold_s);
  if (!spec.mapping) return;
  if (const std::string wrong = wrong_in_mapping(**spec.mapping); !wrong.empty())
    fail("kernel", wrong);
}

}  // namespace roofline
