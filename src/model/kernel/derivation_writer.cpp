#include "model/kernel/derivation_writer.hpp"

namespace roofline {

void DerivationWriter::given(std::string_view quantity, double value, std::string_view unit,
                             std::string_view origin) {
  step(quantity, "", value, unit, origin);
}

void DerivationWriter::step(std::string_view quantity, std::string text, double value,
                            std::string_view unit, std::string_view origin) {
  steps_.push_back(
      {std::string(quantity), std::move(text), value, std::string(unit), std::string(origin)});
}

void DerivationWriter::parts(const ExplainedParts& parts, const KernelPlan& plan) {
  std::string sum;
  for (const Limiter limiter : enumerators<Limiter>) {
    const double part_s = plan.part_s[limiter];
    if (part_s == 0) continue;
    step(name_of(limiter), parts.text[limiter], part_s, "s");
    sum += expression(sum.empty() ? "" : " + ", part_s);
  }
  step("expected time", sum, plan.expected_time_s, "s");
}

}  // namespace roofline
