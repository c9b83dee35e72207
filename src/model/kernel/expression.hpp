#pragma once

// Expressions with the numbers put in.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "model/kernel/number_text.hpp"
#include "model/kernel/terms.hpp"

namespace roofline {

inline void append(std::string& text, std::string_view piece) { text += piece; }
inline void append(std::string& text, double number) { text += calculator_text(number); }

/// " x 4", or nothing for a factor of 1.
struct Times {
  double factor;
};
inline void append(std::string& text, Times times) {
  if (times.factor != 1) text += " x " + calculator_text(times.factor);
}

/// " / 4", or nothing for 1.
struct Over {
  double divisor;
};
inline void append(std::string& text, Over over) {
  if (over.divisor != 1) text += " / " + calculator_text(over.divisor);
}

/// " + 4", or nothing for 0.
struct Plus {
  double summand;
};
inline void append(std::string& text, Plus plus) {
  if (plus.summand != 0) text += " + " + calculator_text(plus.summand);
}

/// "2 x 128 x 64" of its pieces, texts and numbers.
template <class... Pieces>
std::string expression(const Pieces&... pieces) {
  std::string text;
  (append(text, pieces), ...);
  return text;
}

/// "max(3, 4)" of those that are not 0; one alone, or "0".
inline std::string maximum(std::initializer_list<double> numbers) {
  std::string text;
  std::size_t listed = 0;
  for (const double number : numbers) {
    if (number == 0) continue;
    text += expression(listed == 0 ? "" : ", ", number);
    ++listed;
  }
  if (listed == 0) return "0";
  return listed == 1 ? text : "max(" + text + ")";
}

/// "1024 x 0.05 + 32 x 158"; "0" where there is no term.
inline std::string expression_of(const Terms& terms) {
  std::string text;
  for (const Term& term : terms)
    text += expression(text.empty() ? "" : " + ", term.count, Times{term.each});
  return text.empty() ? "0" : text;
}

}  // namespace roofline
