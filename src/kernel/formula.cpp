#include "kernel/formula.hpp"

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

Traced::Traced(double value) : value_(value), text_(calculator_text(value)) {}

Traced::Traced(double value, std::string_view origin) : Traced(value) {
  origins_.emplace_back(origin);
}

Traced::Traced(double value, std::string text, Binding binds, Origins origins)
    : value_(value), text_(std::move(text)), binds_(binds), origins_(std::move(origins)) {}

std::string Traced::within(Binding least) const {
  return binds_ < least ? "(" + text_ + ")" : text();
}

Traced Traced::joined(const Traced& a, const char* sign, const Traced& b, double value,
                      Binding binds, Binding right) {
  return {value, a.within(binds) + sign + b.within(right), binds, both(a.origins_, b.origins_)};
}

Traced Traced::call(const char* function, std::initializer_list<Traced> arguments, double value) {
  std::string list;
  Origins origins;
  for (const Traced& argument : arguments) {
    if (argument.is_nothing()) continue;
    list += (list.empty() ? "" : ", ") + argument.text_;
    origins = both(std::move(origins), argument.origins_);
  }
  return {value, std::string(function) + '(' + list + ')', Binding::call, std::move(origins)};
}

Traced operator+(const Traced& a, const Traced& b) {
  if (b.is_number(0)) return a;
  if (a.is_number(0)) return b;
  return Traced::joined(a, " + ", b, a.value_ + b.value_, Traced::Binding::sum,
                        Traced::Binding::sum);
}

Traced operator-(const Traced& a, const Traced& b) {
  if (b.is_number(0)) return a;
  return Traced::joined(a, " - ", b, a.value_ - b.value_, Traced::Binding::sum,
                        Traced::Binding::product);
}

Traced operator*(const Traced& a, const Traced& b) {
  if (a.is_nothing() || b.is_nothing()) return {};
  if (b.is_number(1)) return a;
  if (a.is_number(1)) return b;
  return Traced::joined(a, " x ", b, a.value_ * b.value_, Traced::Binding::product,
                        Traced::Binding::product);
}

Traced operator/(const Traced& a, const Traced& b) {
  if (a.is_nothing() || b.is_number(1)) return a;
  return Traced::joined(a, " / ", b, a.value_ / b.value_, Traced::Binding::product,
                        Traced::Binding::call);
}

Traced max(std::initializer_list<Traced> numbers) {
  const Traced& largest = std::max(numbers);
  std::size_t others = 0;
  for (const Traced& number : numbers) others += number.is_nothing() ? 0 : 1;
  return others < 2 ? largest : Traced::call("max", numbers, largest.value_);
}

Traced min(std::initializer_list<Traced> numbers) {
  const Traced& smallest = std::min(numbers);
  return smallest.is_nothing() ? smallest : Traced::call("min", numbers, smallest.value_);
}

Traced clamp(const Traced& x, double least, double most) {
  const double value = std::clamp(x.value_, least, most);
  return {
      value,
      "max(" + calculator_text(least) + ", min(" + calculator_text(most) + ", " + x.text() + "))",
      Traced::Binding::call, x.origins_};
}

Traced ceil(const Traced& x) { return Traced::call("ceil", {x}, std::ceil(x.value_)); }

Traced floor(const Traced& x) { return Traced::call("floor", {x}, std::floor(x.value_)); }

Traced sqrt(const Traced& x) { return Traced::call("sqrt", {x}, std::sqrt(x.value_)); }

Traced hypot(const Traced& a, const Traced& b) {
  const std::string squares =
      a.within(Traced::Binding::number) + "^2 + " + b.within(Traced::Binding::number) + "^2";
  return {std::hypot(a.value_, b.value_), "sqrt(" + squares + ")", Traced::Binding::call,
          both(a.origins_, b.origins_)};
}

Traced Explaining::operator()(const double& constant) const {
  return {constant, origin_of(constants_, constant)};
}

Traced Explaining::record(std::string_view quantity, const Traced& number, std::string_view unit,
                          std::string stated_origin) {
  Origins origins = number.origins();
  if (!stated_origin.empty()) origins = {std::move(stated_origin)};
  const bool is_given = number.is_one_number() && !origins.empty();
  steps_.push_back({std::string(quantity), is_given ? "" : number.text(), number.value(),
                    std::string(unit), std::move(origins)});
  return {number.value()};
}

}  // namespace roofline
