#pragma once

// What the formulas of this folder are written in. A formula stands once, as a template over what
// follows it:
//
//   template <class Trace>
//   NumberOf<Trace> fall_s(double height_m, const double& gravity, Trace& trace) {
//     const NumberOf<Trace> height = trace.named("height", height_m, "m", "layer");
//     return trace.named("fall", sqrt(2 * height / trace(gravity)), "s");
//   }
//
// Planning evaluates it in doubles and keeps nothing. Explaining does the same arithmetic in the
// same order with numbers that know their expression and origin, and keeps a step for each name.

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/constants.hpp"
#include "roofline/explanation.hpp"

namespace roofline {

/// A double and how it came about: an expression with the numbers put in. What changes nothing, a
/// factor of 1 or a summand of 0, is left out of it.
class Traced {
 public:
  Traced() = default;    ///< nothing: a 0 of which no expression says a word
  Traced(double value);  ///< implicit, so that formulas mix with plain sizes
  Traced(double value, std::string_view origin);

  double value() const { return value_; }
  std::string text() const { return text_.empty() ? "0" : text_; }
  const std::vector<std::string>& origins() const { return origins_; }
  bool is_one_number() const { return binds_ == Binding::number; }

  friend Traced operator+(const Traced& a, const Traced& b);
  friend Traced operator-(const Traced& a, const Traced& b);
  friend Traced operator*(const Traced& a, const Traced& b);
  friend Traced operator/(const Traced& a, const Traced& b);
  friend auto operator<=>(const Traced& a, const Traced& b) { return a.value_ <=> b.value_; }
  friend bool operator==(const Traced& a, const Traced& b) { return a.value_ == b.value_; }

  friend Traced max(std::initializer_list<Traced> numbers);
  friend Traced min(std::initializer_list<Traced> numbers);
  friend Traced clamp(const Traced& x, double least, double most);
  friend Traced ceil(const Traced& x);
  friend Traced floor(const Traced& x);
  friend Traced sqrt(const Traced& x);
  friend Traced hypot(const Traced& a, const Traced& b);

 private:
  /// How firmly an expression holds together, weakest first.
  enum class Binding { sum, product, call, number };

  Traced(double value, std::string text, Binding binds, std::vector<std::string> origins);
  bool is_nothing() const { return text_.empty(); }
  bool is_number(double value) const { return value_ == value && is_one_number(); }
  std::string within(Binding least) const;
  static Traced joined(const Traced& a, const char* sign, const Traced& b, double value,
                       Binding binds, Binding right);
  static Traced call(const char* function, std::initializer_list<Traced> arguments, double value);

  double value_ = 0;
  std::string text_;
  Binding binds_ = Binding::number;
  std::vector<std::string> origins_;  ///< of the constants in the expression, each once
};

Traced max(std::initializer_list<Traced> numbers);
Traced min(std::initializer_list<Traced> numbers);

// The same for doubles, so that formulas read alike.
inline double max(std::initializer_list<double> numbers) { return std::max(numbers); }
inline double min(std::initializer_list<double> numbers) { return std::min(numbers); }
inline double clamp(double x, double least, double most) { return std::clamp(x, least, most); }
inline double ceil(double x) { return std::ceil(x); }
inline double floor(double x) { return std::floor(x); }
inline double sqrt(double x) { return std::sqrt(x); }
inline double hypot(double a, double b) { return std::hypot(a, b); }
inline double value_of(double x) { return x; }
inline double value_of(const Traced& x) { return x.value(); }

// Whole tiles, steps and waves.
inline double divide_up(double numerator, double denominator) {
  return ceil(numerator / denominator);
}
inline Traced divide_up(const Traced& numerator, const Traced& denominator) {
  return ceil(numerator / denominator);
}
inline double round_up(double value, double unit) { return divide_up(value, unit) * unit; }
inline Traced round_up(const Traced& value, const Traced& unit) {
  return divide_up(value, unit) * unit;
}

/// Doubles, and not a word about them.
struct Planning {
  using Number = double;

  double operator()(const double& constant) const { return constant; }
  static double sourced(double value, std::string_view) { return value; }
  template <class... Origin>
  static double named(std::string_view, double value, std::string_view = {}, const Origin&...) {
    return value;
  }
  template <class... Origin>
  static double factor(std::string_view, double value, std::string_view = {}, const Origin&...) {
    return value;
  }
  template <class... Origin>
  static double summand(std::string_view, double value, std::string_view = {}, const Origin&...) {
    return value;
  }
};

/// Traced numbers, and a step for each that is given a name.
class Explaining {
 public:
  using Number = Traced;

  /// `constants`: what the model that is explained was made of.
  explicit Explaining(const ModelConstants& constants) : constants_(constants) {}

  /// One of the constants, by its place in the set.
  Traced operator()(const double& constant) const;
  /// A number of another origin.
  static Traced sourced(double value, std::string_view origin) { return {value, origin}; }

  /// The number as it is called from here on. The origin, in pieces, is that of the constants in
  /// its expression where it is not given.
  template <class... Origin>
  Traced named(std::string_view quantity, const Traced& number, std::string_view unit = {},
               const Origin&... origin) {
    std::string stated;
    ((stated += origin), ...);
    return record(quantity, number, unit, std::move(stated));
  }
  /// The same of a factor, which is no step where it is 1.
  template <class... Origin>
  Traced factor(std::string_view quantity, const Traced& number, std::string_view unit = {},
                const Origin&... origin) {
    return number == 1 ? Traced(1) : named(quantity, number, unit, origin...);
  }
  /// The same of a summand, which is no step where it is 0.
  template <class... Origin>
  Traced summand(std::string_view quantity, const Traced& number, std::string_view unit = {},
                 const Origin&... origin) {
    return number == 0 ? Traced() : named(quantity, number, unit, origin...);
  }

  std::vector<DerivationStep> take() { return std::move(steps_); }

 private:
  Traced record(std::string_view quantity, const Traced& number, std::string_view unit,
                std::string stated_origin);

  const ModelConstants& constants_;
  std::vector<DerivationStep> steps_;
};

template <class Trace>
using NumberOf = typename Trace::Number;

}  // namespace roofline
