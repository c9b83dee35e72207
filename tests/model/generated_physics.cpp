// What no size of a layer can break, on layers of all sizes, on every GPU of the catalogue. A
// library may always run the kernel of a larger layer, and an engine that of a wider type; where
// libraries do not, a measurement says so, and stands beside the limit.

#include <algorithm>
#include <initializer_list>
#include <string>

#include "catch.hpp"
#include "model/sized_layers.hpp"

// Names of a unity build's files may meet.
namespace generated_physics {

using namespace roofline;
using namespace roofline::sized;

namespace {

/// How often a law is broken, and where by most.
struct Broken {
  std::size_t checked = 0;
  std::size_t count = 0;
  double most = 1;
  std::string where{};

  double share() const { return static_cast<double>(count) / static_cast<double>(checked); }
};

/// For each GPU its layers in each type and pass: `ratio(part, sizes, type, pass, its seconds)` is
/// at most 1 where the law holds, and 0 where it says nothing.
template <class Ratio>
Broken broken(std::initializer_list<DataType> types, Ratio ratio) {
  Broken all;
  for (const Gpu& gpu : all_gpus()) {
    const Part part(gpu, seed_of(gpu.name), 4);
    for (const Sizes& sizes : part.layers())
      for (const DataType type : types)
        for (const Pass pass : enumerators<Pass>) {
          const bool trains = type != DataType::int8 && type != DataType::fp8;
          if (pass != Pass::fwd && !trains) continue;
          const auto time_s = part.seconds(sizes, type, pass);
          if (!time_s) continue;
          const double own = ratio(part, sizes, type, pass, *time_s);
          all.checked += own > 0 ? 1 : 0;
          all.count += own > 1 ? 1 : 0;
          if (own <= all.most) continue;
          all.most = own;
          all.where = gpu.name + ' ' + std::string(roofline::name_of(type)) + ' ' +
                      std::string(roofline::name_of(pass)) + ' ' + text(sizes);
        }
  }
  return all;
}

/// Channels that vectors of tensor cores hold.
std::uint64_t vector_of(DataType type, const Part& part) {
  switch (type) {
    case DataType::fp32: return part.gpu().peak_flop_per_s[Engine::fp32_tensor] ? 4 : 1;
    case DataType::int8:
    case DataType::fp8: return 16;
    case DataType::fp16:
    case DataType::bf16: return 8;
    case DataType::tf32: return 4;
    default: return 1;
  }
}

bool in_whole_vectors(const Sizes& s, DataType type, const Part& part) {
  const std::uint64_t vector = vector_of(type, part);
  return s.in % vector == 0 && s.out % vector == 0;
}

std::uint64_t round_up(std::uint64_t number, std::uint64_t step) {
  return (number + step - 1) / step * step;
}

// V100 and B300 multiply int8 more slowly than fp16. Their roofline is that of int8, and so is
// their expected time.
bool is_worth(DataType narrow, const Part& part) {
  return part.peak_flop_per_s(narrow) >= part.peak_flop_per_s(DataType::fp16);
}

}  // namespace

TEST_CASE("A narrower type is no slower than 16 bits", "[model/generated_physics]") {
  const auto ratio = [](const Part& part, const Sizes& sizes, DataType type, Pass pass,
                        double time_s) {
    if (!is_worth(type, part)) return 0.0;
    return time_s / (1.05 * part.seconds(sizes, DataType::fp16, pass).value());
  };
  const Broken law = broken({DataType::int8, DataType::fp8}, ratio);
  INFO(law.where << ": x" << law.most << ", " << law.count << " of " << law.checked);
  CHECK(law.count == 0);
}

TEST_CASE("Padding channels of a narrow type by hand saves nothing that an engine does not pad",
          "[model/generated_physics]") {
  const auto ratio = [](const Part& part, const Sizes& sizes, DataType type, Pass pass,
                        double time_s) {
    if (sizes.is_grouped() || !is_worth(type, part)) return 0.0;
    Sizes padded = sizes;
    padded.in = round_up(sizes.in, vector_of(type, part));
    padded.out = round_up(sizes.out, vector_of(type, part));
    // Results in int32 whose rows are no whole 16 byte: 64 x 2048 x 1000 takes 15.2 us on an H200,
    // 64 x 1024 x 4096 with twice the multiply-adds 5.8 us (tests/measured/h200_gemms.ndjson).
    const double most = sizes.is_product() ? 3.1 : 1.25;
    return time_s / (most * part.seconds(padded, type, pass).value());
  };
  const Broken law = broken({DataType::int8, DataType::fp8}, ratio);
  INFO(law.where << ": x" << law.most << ", " << law.count << " of " << law.checked);
  CHECK(law.count == 0);
}

constexpr std::initializer_list<DataType> every_type{DataType::fp32, DataType::tf32, DataType::fp16,
                                                     DataType::bf16, DataType::int8, DataType::fp8};

// Channels that are no whole vectors may be slower than twice as many that are: 36 of them take
// an H200 41.5 us where 64 take 11.6 us (tests/measured/h200_unaligned.ndjson, 1x1, dgrad).
TEST_CASE("Half the channels take no longer than all of them", "[model/generated_physics]") {
  const auto ratio = [](const Part& part, const Sizes& sizes, DataType type, Pass pass,
                        double time_s) {
    if (sizes.is_grouped() || !in_whole_vectors(sizes, type, part)) return 0.0;
    Sizes in = sizes, out = sizes;
    in.in *= 2;
    out.out *= 2;
    return time_s / (1.25 * std::min(part.seconds(in, type, pass).value(),
                                     part.seconds(out, type, pass).value()));
  };
  const Broken law = broken(every_type, ratio);
  INFO(law.where << ": x" << law.most << ", " << law.count << " of " << law.checked);
  // Few channels in fp32 on MI50 and MI60.
  CHECK(law.share() <= 2e-4);
  CHECK(law.most <= 2.8);
}

// Groups of other widths have other kernels: on an H100, 32 groups of 4 -> 8 channels take TF32
// 32.9 us and of 8 -> 8 7.7 us, groups of 100 fp16 152 us and of 128 13.4 us
// (tests/measured/h100_cliffs.ndjson).
TEST_CASE("Half the groups take no longer than all of them", "[model/generated_physics]") {
  const auto ratio = [](const Part& part, const Sizes& sizes, DataType type, Pass pass,
                        double time_s) {
    // TF32 has no fast weight gradient of channels off four (names of measured kernels).
    const bool off_four = type == DataType::tf32 && sizes.groups % 4 != 0;
    if (!sizes.is_grouped() || sizes.groups < 2 || (off_four && pass == Pass::wgrad)) return 0.0;
    Sizes twice = sizes;
    twice.groups *= 2;
    twice.in *= 2;
    twice.out *= 2;
    return time_s / (1.25 * part.seconds(twice, type, pass).value());
  };
  const Broken law = broken(every_type, ratio);
  INFO(law.where << ": x" << law.most << ", " << law.count << " of " << law.checked);
  CHECK(law.count == 0);
}

// Windows of 5 and more are where FFT and Winograd save the most: 256 images of 26 x 26 with 320
// channels and a window of 7 run at 9.2 times the peak of an H100
// (tests/measured/h100_cliffs.ndjson).
TEST_CASE("No rate is beyond what transforms save", "[model/generated_physics]") {
  const auto ratio = [](const Part& part, const Sizes& sizes, DataType type, Pass pass,
                        double time_s) {
    const Layer layer = layer_of(sizes, type, pass);
    const auto engine = select_engine(layer, part.gpu().peak_flop_per_s, EngineChoice::automatic);
    const double peak_flop_per_s = *rate_of(part.gpu().peak_flop_per_s, *engine);
    const double most = sizes.kernel < 5 ? 4 : 10;
    return static_cast<double>(count(layer).flops) / time_s / (most * peak_flop_per_s);
  };
  const Broken law = broken(every_type, ratio);
  INFO(law.where << ": x" << law.most << ", " << law.count << " of " << law.checked);
  // FFT of a window of 4.
  CHECK(law.share() <= 2e-5);
  CHECK(law.most <= 1.03);
}

}  // namespace generated_physics
