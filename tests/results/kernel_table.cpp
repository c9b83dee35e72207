// Kernels under the roofs of a GPU, by arithmetic of the rule.

#include "results/kernel_table.hpp"

#include "catch.hpp"
#include "model/recording.hpp"
#include "results/selection.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/report.hpp"

using namespace roofline;

namespace {

RecordedKernel kernel(const std::string& name, double time_s) {
  RecordedKernel each;
  each.name = name;
  each.time_s = time_s;
  return each;
}

std::shared_ptr<const KernelRecording> recording(std::vector<RecordedKernel> kernels) {
  KernelRecording all;
  all.kernels = std::move(kernels);
  return std::make_shared<const KernelRecording>(std::move(all));
}

}  // namespace

TEST_CASE("A counted kernel stands at its share of each roof", "[results/kernel_table]") {
  const Context context = make_context(find_gpu("v100").value(), {}).value();
  // 15.7 TFLOP/s of fp32, 125 of fp16_tensor, 900 GB/s.
  RecordedKernel fp32 = kernel("fp32", 1e-3);
  fp32.counters.flop[Engine::fp32] = 7.85e9;
  fp32.counters.dram_byte = 0.09e9;
  fp32.counters.l2_byte = 0.2e9;
  RecordedKernel mixed = kernel("mixed", 1e-3);
  mixed.counters.flop[Engine::fp32] = 1.57e9;
  mixed.counters.flop[Engine::fp16_tensor] = 6.25e9;
  mixed.counters.dram_byte = 0.45e9;
  RecordedKernel uncounted = kernel("uncounted", 2e-3);
  const KernelTable table = place_kernels(recording({uncounted, fp32, mixed}), &context).value();
  REQUIRE(table.bounds);
  CHECK(table.time_s == Approx(4e-3));
  const KernelRow& first = table.rows[1];
  CHECK(first.engine == Engine::fp32);
  CHECK(*first.flop_per_s == Approx(7.85e12));
  CHECK(*first.intensity_flop_per_byte == Approx(7.85e9 / 0.09e9));
  CHECK(*first.l2_intensity_flop_per_byte == Approx(39.25));
  CHECK(*first.roof_share[KernelRoof::compute] == Approx(0.5));
  CHECK(*first.roof_share[KernelRoof::dram] == Approx(0.1));
  CHECK(first.nearest_roof == KernelRoof::compute);
  // Its vector units are busy for 0.1 ms, its tensor cores for 0.05 ms, memory for 0.5 ms.
  const KernelRow& second = table.rows[2];
  CHECK(second.engine == Engine::fp32);
  CHECK(*second.roof_share[KernelRoof::compute] == Approx(0.1));
  CHECK(second.nearest_roof == KernelRoof::dram);
  CHECK(*second.flop == Approx(7.82e9));
  CHECK(table.rows[0].time_share == Approx(0.5));
  CHECK_FALSE(table.rows[0].flop);
  CHECK_FALSE(table.rows[0].nearest_roof);
}

TEST_CASE("Without counters or a GPU there are no roofs", "[results/kernel_table]") {
  const Context context = make_context(find_gpu("v100").value(), {}).value();
  RecordedKernel counted = kernel("f", 1e-3);
  counted.counters.flop[Engine::fp16_tensor] = 1e9;
  const KernelTable no_gpu = place_kernels(recording({counted}), nullptr).value();
  CHECK_FALSE(no_gpu.bounds);
  CHECK(no_gpu.rows[0].engine == Engine::fp16_tensor);
  CHECK_FALSE(no_gpu.rows[0].roof_share[KernelRoof::compute]);
  CHECK_FALSE(place_kernels(recording({kernel("f", 1)}), &context)->bounds);
}

TEST_CASE("A view chooses kernels as it chooses layers", "[results/kernel_table]") {
  std::vector<RecordedKernel> kernels;
  for (int i = 0; i < 30; ++i) {
    kernels.push_back(kernel("k" + std::to_string(i), 30.0 - i));
    kernels.back().counters.dram_byte = i;
  }
  const KernelTable table = place_kernels(recording(kernels), nullptr).value();
  const Selection all = select(table, {});
  CHECK(all.rows.size() == 30);
  CHECK(all.main_groups.size() + all.rest.size() == 30);
  // 30 + 29 + ... + 10 are 420 of 465, the first sum of 90 %.
  CHECK(all.main_groups.size() == 21);
  RowFilter top;
  top.top = 2;
  top.sort = SortBy::bytes;
  CHECK(select(table, top).rows == std::vector<std::size_t>{29, 28});
}
