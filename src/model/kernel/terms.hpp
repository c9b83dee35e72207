#pragma once

// Sums of counts times what each costs, kept apart so that they can be shown.

#include <array>
#include <cstddef>

namespace roofline {

struct Term {
  const char* what = "";  ///< a literal
  double count = 0;
  double each = 0;
};

class Terms {
 public:
  Terms() = default;
  Terms(const char* what, double count, double each) { add(what, count, each); }

  void add(const char* what, double count, double each) {
    if (count * each != 0) terms_[size_++] = {what, count, each};
  }
  double total() const {
    double sum = 0;
    for (const Term& term : *this) sum += term.count * term.each;
    return sum;
  }
  const Term* begin() const { return terms_.data(); }
  const Term* end() const { return terms_.data() + size_; }

 private:
  std::array<Term, 3> terms_{};
  std::size_t size_ = 0;
};

}  // namespace roofline
