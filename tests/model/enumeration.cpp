#include "roofline/enumeration.hpp"

#include <set>

#include "catch.hpp"
#include "kernel/architecture.hpp"
#include "kernel/constants.hpp"
#include "kernel/machine.hpp"
#include "model/recording.hpp"
#include "report/chart/chart.hpp"
#include "roofline/context.hpp"
#include "roofline/gpu.hpp"
#include "roofline/render.hpp"
#include "roofline/report.hpp"

using namespace roofline;

namespace {

template <class E>
void check_names(std::size_t count, E last) {
  INFO(name_of(last));
  CHECK(count_of<E> == count);
  CHECK(enumerators<E>.back() == last);
  const std::set<std::string_view> different(names_of<E>.begin(), names_of<E>.end());
  CHECK(different.size() == count);
  for (const E e : enumerators<E>) CHECK(parse<E>(name_of(e)) == e);
  CHECK(!parse<E>(""));
  CHECK(!parse<E>("magic"));
}

}  // namespace

TEST_CASE("Every enumerator has a name of its own, which reads back", "[model/enumeration]") {
  check_names(22, DataType::amp_bf16);
  check_names(17, Engine::fp4);
  check_names(3, Pass::wgrad);
  check_names(3, Layout::blocked);
  check_names(3, Access::transposed);
  check_names(3, AttentionBackend::efficient);
  check_names(3, Interpolation::bicubic);
  check_names(60, Algorithm::group_norm_backward);
  check_names(13, Architecture::xe);
  check_names(2, CacheState::cold);
  check_names(4, LaunchProtocol::eager);
  check_names(10, Limiter::occupancy);
  check_names(5, BelowBound::impossible);
  check_names(5, LayerClass::other);
  check_names(2, CeilingKind::sustained);
  check_names(2, Bound::memory);
  check_names(5, EngineChoice::fp16_accumulate);
  check_names(3, EngineClass::tf32);
  check_names(28, TileList::solver_wave);
  check_names(10, ConvolutionForm::usual);
  check_names(2, HostMemory::pageable);
  check_names(4, FusionKind::eager);
  check_names(4, Framework::deployed);
  check_names(3, Optimizer::adam);
  check_names(3, ChartKind::sweep);
  check_names(12, Colour::paper);
  check_names(7, SortBy::cost);
  check_names(3, RowsBy::gpu);
  check_names(2, BatchGoal::best);
  check_names(14, TransferKind::host_to_host);
  check_names(6, OccupancyLimit::registers_per_thread);
}

TEST_CASE("Data types go by what frameworks call them too", "[model/enumeration]") {
  CHECK(parse<DataType>("float16") == DataType::fp16);
  CHECK(parse<DataType>("half") == DataType::fp16);
  CHECK(parse<DataType>("bfloat16") == DataType::bf16);
  CHECK(parse<DataType>("float") == DataType::fp32);
  CHECK(parse<DataType>("float32") == DataType::fp32);
  CHECK(parse<DataType>("float64") == DataType::fp64);
  CHECK(parse<DataType>("double") == DataType::fp64);
  CHECK(!parse<DataType>("half double"));
  CHECK(!parse<DataType>("doub"));
}

TEST_CASE("A value for each enumerator is found by the enumerator", "[model/enumeration]") {
  EnumArray<Pass, int> values{{1, 2, 3}};
  values[Pass::dgrad] = 5;
  CHECK(values == EnumArray<Pass, int>{{1, 5, 3}});
}
