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
  for (std::size_t i = 0; i < limiter_count; ++i) {
    if (plan.part_s[i] == 0) continue;
    step(limiter_names[i], parts.text[i], plan.part_s[i], "s");
    sum += expression(sum.empty() ? "" : " + ", plan.part_s[i]);
  }
  step("expected time", sum, plan.expected_time_s, "s");
}

}  // namespace roofline
