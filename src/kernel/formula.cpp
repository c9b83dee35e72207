#include "kernel/formula.hpp"

#include <cstddef>

#include "model/text.hpp"

namespace roofline {
namespace {

using Origins = std::vector<std::string>;

Origins both(Origins one, const Origins& other) {
  for (const std::string& origin : other)
    if (std::ranges::find(one, origin) == one.end()) one.push_back(origin);
  return one;
}

}  // namespace

Explained::Explained(double value) : value_(value), text_(calculator_text(value)) {}

Explained::Explained(double value, std::string_view origin) : Explained(value) {
  origins_.emplace_back(origin);
}

Explained::Explained(double value, std::string text, Binding binds, Origins origins)
    : value_(value), text_(std::move(text)), binds_(binds), origins_(std::move(origins)) {}

std::string Explained::within(Binding least) const {
  return binds_ < least ? "(" + text_ + ")" : text();
}

Explained Explained::joined(const Explained& a, const char* sign, const Explained& b, double value,
                            Binding binds, Binding right) {
  return {value, a.within(binds) + sign + b.within(right), binds, both(a.origins_, b.origins_)};
}

Explained Explained::call(const char* function, std::initializer_list<Explained> arguments,
                          double value) {
  std::string list;
  Origins origins;
  for (const Explained& argument : arguments) {
    if (argument.is_nothing()) continue;
    list += (list.empty() ? "" : ", ") + argument.text_;
    origins = both(std::move(origins), argument.origins_);
  }
  return {value, std::string(function) + '(' + list + ')', Binding::call, std::move(origins)};
}

Explained operator+(const Explained& a, const Explained& b) {
  if (b.is_number(0)) return a;
  if (a.is_number(0)) return b;
  return Explained::joined(a, " + ", b, a.value_ + b.value_, Explained::Binding::sum,
                           Explained::Binding::sum);
}

Explained operator-(const Explained& a, const Explained& b) {
  if (b.is_number(0)) return a;
  return Explained::joined(a, " - ", b, a.value_ - b.value_, Explained::Binding::sum,
                           Explained::Binding::product);
}

Explained operator*(const Explained& a, const Explained& b) {
  if (a.is_nothing() || b.is_nothing()) return {};
  if (b.is_number(1)) return a;
  if (a.is_number(1)) return b;
  return Explained::joined(a, " x ", b, a.value_ * b.value_, Explained::Binding::product,
                           Explained::Binding::product);
}

Explained operator/(const Explained& a, const Explained& b) {
  if (a.is_nothing() || b.is_number(1)) return a;
  return Explained::joined(a, " / ", b, a.value_ / b.value_, Explained::Binding::product,
                           Explained::Binding::call);
}

Explained max(std::initializer_list<Explained> numbers) {
  const Explained& largest = std::max(numbers);
  std::size_t others = 0;
  for (const Explained& number : numbers) others += number.is_nothing() ? 0 : 1;
  return others < 2 ? largest : Explained::call("max", numbers, largest.value_);
}

Explained min(std::initializer_list<Explained> numbers) {
  const Explained& smallest = std::min(numbers);
  return smallest.is_nothing() ? smallest : Explained::call("min", numbers, smallest.value_);
}

Explained clamp(const Explained& x, double least, double most) {
  const double value = std::clamp(x.value_, least, most);
  return {
      value,
      "max(" + calculator_text(least) + ", min(" + calculator_text(most) + ", " + x.text() + "))",
      Explained::Binding::call, x.origins_};
}

Explained ceil(const Explained& x) { return Explained::call("ceil", {x}, std::ceil(x.value_)); }

Explained floor(const Explained& x) { return Explained::call("floor", {x}, std::floor(x.value_)); }

Explained sqrt(const Explained& x) { return Explained::call("sqrt", {x}, std::sqrt(x.value_)); }

Explained hypot(const Explained& a, const Explained& b) {
  const std::string squares =
      a.within(Explained::Binding::number) + "^2 + " + b.within(Explained::Binding::number) + "^2";
  return {std::hypot(a.value_, b.value_), "sqrt(" + squares + ")", Explained::Binding::call,
          both(a.origins_, b.origins_)};
}

Explained Explaining::operator()(const double& constant) const {
  return {constant, origin_of(constants_, constant)};
}

Explained Explaining::record(std::string_view quantity, const Explained& number,
                             std::string_view unit, std::string stated_origin) {
  Origins origins = number.origins();
  if (!stated_origin.empty()) origins = {std::move(stated_origin)};
  const bool is_given = number.is_one_number() && !origins.empty();
  steps_.push_back({std::string(quantity), is_given ? "" : number.text(), number.value(),
                    std::string(unit), std::move(origins)});
  return {number.value()};
}

}  // namespace roofline
