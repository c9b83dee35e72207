#pragma once

// The language of the formulas of this folder. A formula stands once, as a template:
//
//   template <class Number>
//   Number fall_s(double height_m, const double& gravity, Eval<Number>& eval) {
//     const Number height = eval.named("height", height_m, "m", "layer");
//     return eval.named("fall", sqrt(2 * height / eval(gravity)), "s");
//   }
//
// Planning evaluates it in doubles. Explaining does the same arithmetic in the same order with
// numbers which know their expression and origin, and records a step for each name.

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernel/constants.hpp"
#include "kernel/derivation.hpp"
#include "roofline/kernel.hpp"

namespace roofline {

/// A double with its expression. Factors of 1 and summands of 0 are left out.
class Explained {
 public:
  Explained() = default;    ///< a 0 which no expression shows
  Explained(double value);  ///< implicit, so formulas mix with plain sizes
  Explained(double value, std::string_view origin);

  double value() const { return value_; }
  std::string text() const { return text_.empty() ? "0" : text_; }
  const std::vector<std::string>& origins() const { return origins_; }
  bool is_one_number() const { return binds_ == Binding::number; }

  friend Explained operator+(const Explained& a, const Explained& b);
  friend Explained operator-(const Explained& a, const Explained& b);
  friend Explained operator*(const Explained& a, const Explained& b);
  friend Explained operator/(const Explained& a, const Explained& b);
  friend auto operator<=>(const Explained& a, const Explained& b) { return a.value_ <=> b.value_; }
  friend bool operator==(const Explained& a, const Explained& b) { return a.value_ == b.value_; }

  friend Explained max(std::initializer_list<Explained> numbers);
  friend Explained min(std::initializer_list<Explained> numbers);
  friend Explained clamp(const Explained& x, double least, double most);
  friend Explained ceil(const Explained& x);
  friend Explained floor(const Explained& x);
  friend Explained sqrt(const Explained& x);
  friend Explained hypot(const Explained& a, const Explained& b);

 private:
  /// How tightly an expression binds, weakest first.
  enum class Binding { sum, product, call, number };

  Explained(double value, std::string text, Binding binds, std::vector<std::string> origins);
  bool is_nothing() const { return text_.empty(); }
  bool is_number(double value) const { return value_ == value && is_one_number(); }
  std::string within(Binding least) const;
  static Explained joined(const Explained& a, const char* sign, const Explained& b, double value,
                          Binding binds, Binding right);
  static Explained call(const char* function, std::initializer_list<Explained> arguments,
                        double value);

  double value_ = 0;
  std::string text_;
  Binding binds_ = Binding::number;
  std::vector<std::string> origins_;  ///< of the constants in the expression, each once
};

Explained max(std::initializer_list<Explained> numbers);
Explained min(std::initializer_list<Explained> numbers);

// The same for doubles, so formulas read alike.
inline double max(std::initializer_list<double> numbers) { return std::max(numbers); }
inline double min(std::initializer_list<double> numbers) { return std::min(numbers); }
inline double clamp(double x, double least, double most) { return std::clamp(x, least, most); }
inline double ceil(double x) { return std::ceil(x); }
inline double floor(double x) { return std::floor(x); }
inline double sqrt(double x) { return std::sqrt(x); }
inline double hypot(double a, double b) { return std::hypot(a, b); }
inline double value_of(double x) { return x; }
inline double value_of(const Explained& x) { return x.value(); }

// Whole tiles, steps and waves.
template <class A, class B>
auto divide_up(const A& numerator, const B& denominator) {
  static_assert(!std::is_integral_v<A> || !std::is_integral_v<B>);  // integers divide differently
  return ceil(numerator / denominator);
}
template <class A, class B>
auto round_up(const A& value, const B& unit) {
  return divide_up(value, unit) * unit;
}

template <class Number>
class Eval;

/// Evaluates formulas in doubles.
template <>
class Eval<double> {
 public:
  double operator()(const double& constant) const { return constant; }
  static double sourced(double value, std::string_view) { return value; }
  static double named(std::string_view, double value, const auto&...) { return value; }
  static double once(std::string_view, double value, const auto&...) { return value; }
  static double factor(std::string_view, double value, const auto&...) { return value; }
  static double summand(std::string_view, double value, const auto&...) { return value; }
};

/// Evaluates formulas in Explained numbers, and records a step for each named one.
template <>
class Eval<Explained> {
 public:
  /// `constants`: of the explained model.
  explicit Eval(const ModelConstants& constants) : constants_(constants) {}

  /// One of the constants, by its address in the set.
  Explained operator()(const double& constant) const;
  /// A number of another origin.
  static Explained sourced(double value, std::string_view origin) { return {value, origin}; }

  /// Records a step and returns its number under this name. The origin, in pieces, defaults to
  /// those of the constants in its expression.
  Explained named(std::string_view quantity, const Explained& number, std::string_view unit = {},
                  const auto&... origin) {
    std::string stated;
    ((stated += origin), ...);
    return record(quantity, number, unit, std::move(stated));
  }
  /// The same for a rate that several formulas ask for: its first step serves all.
  Explained once(std::string_view quantity, const Explained& number, std::string_view unit,
                 const auto&... origin) {
    const bool stands = std::ranges::any_of(steps_, [&](const DerivationStep& step) {
      return step.quantity == quantity && step.value == number.value();
    });
    return stands ? Explained(number.value()) : named(quantity, number, unit, origin...);
  }
  /// The same as named() for a factor; 1 is no step.
  Explained factor(std::string_view quantity, const Explained& number, std::string_view unit = {},
                   const auto&... origin) {
    return number == 1 ? Explained(1) : named(quantity, number, unit, origin...);
  }
  /// The same for a summand; 0 is no step.
  Explained summand(std::string_view quantity, const Explained& number, std::string_view unit = {},
                    const auto&... origin) {
    return number == 0 ? Explained() : named(quantity, number, unit, origin...);
  }

  std::vector<DerivationStep> take() { return std::move(steps_); }

 private:
  Explained record(std::string_view quantity, const Explained& number, std::string_view unit,
                   std::string stated_origin);

  const ModelConstants& constants_;
  std::vector<DerivationStep> steps_;
};

using Planning = Eval<double>;
using Explaining = Eval<Explained>;

/// A time divided by limiter: the common account of all kernels.
template <class Number>
class TimeParts {
 public:
  /// Rounding may leave a difference of equal times below 0: no part.
  void add(Limiter limiter, const Number& part_s) {
    if (!(value_of(part_s) > 0)) return;
    parts_s_[limiter] = parts_s_[limiter] + part_s;
  }
  void scale(const Number& factor) {
    for (Number& part_s : parts_s_) part_s = factor * part_s;
  }
  void add(const TimeParts& others) {
    for (const Limiter limiter : enumerators<Limiter>) add(limiter, others[limiter]);
  }
  const Number& operator[](Limiter limiter) const { return parts_s_[limiter]; }

 private:
  EnumArray<Limiter, Number> parts_s_{};
};

/// Divides the time of arithmetic units, `issue_s`: the layer's own FLOP take `flop_s` at the
/// engine's practical rate, other instructions the rest; 1 - `useful_share` goes to padding.
template <class Number>
void add_issue(TimeParts<Number>& parts, const Number& issue_s, const Number& useful_share,
               const Number& flop_s, Eval<Number>& eval) {
  const auto useful_s =
      useful_share == 1 ? issue_s : eval.named("useful arithmetic", issue_s * useful_share, "s");
  const auto math_s = min({useful_s, flop_s});
  parts.add(Limiter::math, math_s);
  parts.add(Limiter::instructions, useful_s - math_s);
  parts.add(Limiter::tile_padding, issue_s - useful_s);
}

template <class Number>
void set_time(KernelPlan& plan, const TimeParts<Number>& parts, Eval<Number>& eval) {
  Number sum_s{};
  for (const Limiter limiter : enumerators<Limiter>) {
    const auto part_s = eval.summand(name_of(limiter), parts[limiter], "s");
    plan.part_s[limiter] = value_of(part_s);
    sum_s = sum_s + part_s;
  }
  eval.named("expected time", sum_s, "s");
}

}  // namespace roofline
