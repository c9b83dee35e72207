// What makes two layers different, as a text.

#include <utility>

#include "model/layer_fields.hpp"

namespace roofline {
namespace {

/// Values as texts, none of which is the beginning of another.
class IdentityText {
 public:
  explicit IdentityText(const LayerSpec& spec) : spec_(spec) {}

  std::string text() && { return std::move(text_); }

  void operator()(const TextField& field) {
    const auto text = field.get(spec_);
    add(text.has_value());
    if (!text) return;
    add(text->size());
    text_ += *text;
  }
  void operator()(const ChoiceField& field) { add(field.get(spec_)); }
  void operator()(const CountField& field) { add(spec_.*field.member); }
  void operator()(const FlagField& field) { add(spec_.*field.member); }
  void operator()(const SecondsField& field) {
    text_ += std::to_string(((*spec_.measured).*field.member).value_or(0)) + ',';
  }
  void operator()(const AxesField& field) {
    const AxesSpec& axes = spec_.*field.member;
    add(axes.numbers);
    add(axes.is_list);
    add(static_cast<std::uint64_t>(axes.rule));
  }
  void operator()(const AxisField& field) { add(spec_.*field.axes.*field.member); }
  void operator()(const SizesField& field) { add(spec_.*field.member); }
  void operator()(const OperandField& field) {
    if (spec_.*field.member) add(*(spec_.*field.member));
  }
  void operator()(const OperandsField& field) {
    for (const OperandSpec& operand : spec_.*field.member) add(operand);
  }
  void operator()(const KindField&) {
    add(static_cast<std::uint64_t>(spec_.kind));
    add(spec_.rank);
  }
  void operator()(const DataTypeField&) { add(spec_.dtypes.input); }
  void operator()(const DataTypesField&) {
    add(spec_.dtypes.weight);
    add(spec_.dtypes.output);
  }
  void operator()(const MappingField&) {
    if (!spec_.mapping) return;
    add(spec_.mapping->algorithm);
    if (spec_.mapping->tile)
      for (const std::uint64_t size : *spec_.mapping->tile) add(size);
    for (const MappingNumber& number : mapping_numbers) add((*spec_.mapping).*number.member);
  }

  void end_field() { text_ += ';'; }

 private:
  void add(std::uint64_t number) { text_ += std::to_string(number) + ','; }
  template <class T>
  void add(const std::optional<T>& value) {
    text_ += value ? std::to_string(static_cast<std::uint64_t>(*value)) + ',' : std::string("-,");
  }
  void add(const std::vector<std::uint64_t>& numbers) {
    for (const std::uint64_t number : numbers) add(number);
    text_ += '|';
  }
  void add(const OperandSpec& operand) {
    add(operand.sizes);
    add(operand.whole);
    add(operand.is_parameter);
    add(operand.parameters);
    add(operand.layer.size());
    text_ += operand.layer;
  }

  const LayerSpec& spec_;
  std::string text_;
};

}  // namespace

std::string identity(const LayerSpec& layer) {
  IdentityText text(layer);
  for (const LayerField& field : layer_fields()) {
    if (!field.makes_different) continue;
    std::visit(text, field.member);
    text.end_field();
  }
  return std::move(text).text();
}

}  // namespace roofline
