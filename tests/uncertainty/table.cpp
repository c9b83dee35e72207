#include "uncertainty/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "roofline/catalogue.hpp"

namespace roofline::uncertainty {
namespace {

constexpr const char* runs_label = "runs of networks";

Use& use_for(std::vector<Use>& uses, const Sample& sample) {
  using enum UncertaintyBasis;
  const std::string gpu = sample.set.gpu;
  const auto scope = [&]() -> ErrorScope {
    if (sample.set.basis == measured)
      return {measured, {find_gpu(gpu).value().name}, "errors: " + gpu};
    if (sample.set.basis == datasheet) return {datasheet, {}, "errors: other architectures"};
    if (gpu == "h100") return {architecture, {"Hopper"}, "errors: h100"};
    return {architecture, {"Maxwell", "Pascal", "Volta", "Turing", "GCN"}, "errors: other boards"};
  }();
  const auto found = std::find_if(uses.begin(), uses.end(),
                                  [&](const Use& use) { return use.scope.origin == scope.origin; });
  if (found != uses.end()) return *found;
  const bool is_one_gpu = scope.basis == measured || gpu == "h100";
  uses.push_back({scope, is_one_gpu ? fold_of : gpu_of_sample, {}});
  return uses.back();
}

std::string class_name(const Sample& sample) {
  return std::string(name_of(class_of(sample.row.layer)));
}

}  // namespace

std::string fold_of(const Sample& sample) {
  constexpr int folds = 5;
  return std::to_string(std::accumulate(sample.network.begin(), sample.network.end(), 0) % folds);
}

std::string gpu_of_sample(const Sample& sample) { return sample.set.gpu; }

std::vector<Use> uses_of(const std::vector<Sample>& samples) {
  std::vector<Use> uses;
  for (const Sample& sample : samples) use_for(uses, sample).samples.push_back(&sample);
  return uses;
}

CheckTable check_table(const std::vector<Use>& uses, const std::vector<Run>& runs) {
  CheckTable table;
  for (const Use& use : uses)
    for (const auto& [label, found] : coverage(use.samples, use.scope, use.left_out, class_name))
      table[use.scope.basis][label].add(found);
  for (const Run& run : runs)
    if (const auto& uncertainty = run.result.total.expected_uncertainty)
      table[uncertainty->basis][runs_label].add(run.log_ratio(), *uncertainty);
  return table;
}

std::string text_of(const CheckTable& table) {
  std::string text =
      "| errors | of | how many | stated, mean | within it | within that of 95 % |\n"
      "| --- | --- | ---: | ---: | ---: | ---: |\n";
  for (const auto& [basis, rows] : table)
    for (const auto& [label, coverage] : rows) {
      const auto all = static_cast<double>(coverage.all);
      text += fmt::format("| {} | {} | {} | x{:.2f} | {:.0f}% | {:.0f}% |\n", name_of(basis), label,
                          coverage.all, coverage.mean_factor(),
                          100 * static_cast<double>(coverage.within_68) / all,
                          100 * static_cast<double>(coverage.within_95) / all);
    }
  return text;
}

}  // namespace roofline::uncertainty
