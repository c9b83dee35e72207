// What no size of a layer can break, on layers of all sizes, on every GPU of the catalogue. A
// library may always run the kernel of a larger layer, and an engine that of a wider type; where
// libraries do not, a measurement says so, and stands beside the limit.

#include <algorithm>
#include <array>
#include <optional>
#include <random>

#include "catch.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/kernel.hpp"
#include "roofline/roofline_point.hpp"

// Names of a unity build's files may meet.
namespace generated_physics {

using namespace roofline;

namespace {

enum class Sized : std::uint8_t {
  pointwise,
  window3,
  window5,
  window7,
  strided,
  dilated,
  transposed,
  grouped,
  depthwise,
  linear,
  matmul,
};

constexpr std::string_view name_of(Sized kind) {
  switch (kind) {
    case Sized::pointwise: return "1x1";
    case Sized::window3: return "3x3";
    case Sized::window5: return "5x5";
    case Sized::window7: return "7x7";
    case Sized::strided: return "strided";
    case Sized::dilated: return "dilated";
    case Sized::transposed: return "transposed";
    case Sized::grouped: return "grouped";
    case Sized::depthwise: return "depthwise";
    case Sized::linear: return "linear";
    case Sized::matmul: return "matmul";
  }
  return {};
}

constexpr std::array every_kind{Sized::pointwise, Sized::window3, Sized::window5,    Sized::window7,
                                Sized::strided,   Sized::dilated, Sized::transposed, Sized::grouped,
                                Sized::depthwise, Sized::linear,  Sized::matmul};

constexpr std::array every_pass{Pass::fwd, Pass::dgrad, Pass::wgrad};

/// The sizes that a layer is made of.
struct Sizes {
  Sized kind = Sized::pointwise;
  std::uint64_t batch = 1, in = 1, out = 1, size = 1, kernel = 1, stride = 1, dilation = 1,
                groups = 1;

  bool is_product() const { return kind == Sized::linear || kind == Sized::matmul; }
  bool is_grouped() const { return kind == Sized::grouped || kind == Sized::depthwise; }
};

/// Numbers that are the same everywhere: distributions of the standard library are not.
class Draw {
 public:
  explicit Draw(std::uint32_t seed) : engine_(seed) {}

  std::uint64_t below(std::uint64_t end) { return engine_() % end; }
  template <std::size_t N>
  std::uint64_t of(const std::array<std::uint64_t, N>& choices) {
    return choices[below(N)];
  }
  /// Powers of two, multiples of 8 and of 16, and any.
  std::uint64_t channels() {
    switch (below(4)) {
      case 0: return std::uint64_t{8} << below(8);
      case 1: return 8 * (1 + below(128));
      case 2: return 16 * (1 + below(40));
      default: return 1 + below(700);
    }
  }

 private:
  std::mt19937 engine_;
};

Sizes draw(Sized kind, Draw& from) {
  Sizes s;
  s.kind = kind;
  s.batch = from.of(std::array<std::uint64_t, 6>{1, 2, 8, 32, 64, 128});
  s.in = from.channels();
  s.out = from.channels();
  s.size = from.of(std::array<std::uint64_t, 6>{7, 14, 28, 56, 57, 112});
  const auto strides = [&] { return from.of(std::array<std::uint64_t, 3>{1, 1, 2}); };
  switch (kind) {
    case Sized::pointwise: break;
    case Sized::window3: s.kernel = 3; break;
    case Sized::window5: s.kernel = 5; break;
    case Sized::window7: s.kernel = 7; break;
    case Sized::strided:
      s.kernel = from.of(std::array<std::uint64_t, 4>{1, 3, 5, 7});
      s.stride = 2;
      break;
    case Sized::dilated:
      s.kernel = 3;
      s.dilation = from.of(std::array<std::uint64_t, 3>{2, 6, 12});
      break;
    case Sized::transposed:
      s.kernel = from.of(std::array<std::uint64_t, 3>{2, 3, 4});
      s.stride = from.of(std::array<std::uint64_t, 2>{1, 2});
      break;
    case Sized::grouped:
      s.groups = from.of(std::array<std::uint64_t, 4>{2, 4, 8, 32});
      s.in = s.groups * from.of(std::array<std::uint64_t, 10>{1, 2, 3, 4, 8, 16, 17, 32, 64, 100});
      s.out =
          from.below(3) == 0 ? s.groups * from.of(std::array<std::uint64_t, 4>{1, 4, 8, 20}) : s.in;
      s.kernel = from.of(std::array<std::uint64_t, 3>{1, 3, 5});
      s.stride = strides();
      break;
    case Sized::depthwise:
      s.groups = s.out = s.in;
      s.kernel = from.of(std::array<std::uint64_t, 3>{3, 5, 7});
      s.stride = strides();
      break;
    case Sized::linear:
      s.batch = from.of(std::array<std::uint64_t, 6>{1, 3, 16, 64, 512, 4096});
      s.in *= from.of(std::array<std::uint64_t, 2>{1, 4});
      s.out *= from.of(std::array<std::uint64_t, 2>{1, 4});
      break;
    case Sized::matmul:
      s.batch = from.of(std::array<std::uint64_t, 3>{1, 12, 96});
      s.size = from.of(std::array<std::uint64_t, 4>{1, 64, 197, 1024});
      break;
  }
  return s;
}

Layer layer_of(const Sizes& s, DataType type, Pass pass) {
  Layer layer;
  layer.dtypes = {type, type, type};
  layer.pass = pass;
  Shape in, out;
  in.batch = out.batch = s.batch;
  in.channels = s.in;
  out.channels = s.out;
  if (s.is_product()) {
    layer.kind = s.kind == Sized::linear ? LayerKind::linear : LayerKind::matmul;
    if (s.kind == Sized::matmul) in.spatial[2] = out.spatial[2] = s.size;
  } else {
    const std::uint64_t reach = s.dilation * (s.kernel - 1), pad = reach / 2;
    const bool transposed = s.kind == Sized::transposed;
    layer.kind = transposed ? LayerKind::conv_transpose : LayerKind::conv;
    layer.groups = s.groups;
    Window window;
    window.rank = 2;
    for (const std::size_t axis : {1U, 2U}) {
      window.kernel[axis] = s.kernel;
      window.stride[axis] = s.stride;
      window.dilation[axis] = s.dilation;
      window.pad_begin[axis] = window.pad_end[axis] = pad;
      in.spatial[axis] = s.size;
      out.spatial[axis] = transposed ? (s.size - 1) * s.stride + reach + 1 - 2 * pad
                                     : (s.size + 2 * pad - reach - 1) / s.stride + 1;
    }
    layer.window = window;
  }
  layer.inputs = {{in, std::nullopt, false}};
  if (s.kind == Sized::matmul)
    layer.inputs.push_back({{s.batch, s.out, {1, 1, s.in}, 1}, std::nullopt, false});
  layer.output = out;
  return layer;
}

std::string text(const Sizes& s) {
  std::string all(name_of(s.kind));
  const auto add = [&](const char* what, std::uint64_t value) {
    all += std::string(" ") + what + ' ' + std::to_string(value);
  };
  add("batch", s.batch);
  add("in", s.in);
  add("out", s.out);
  add("size", s.size);
  add("kernel", s.kernel);
  add("stride", s.stride);
  add("dilation", s.dilation);
  add("groups", s.groups);
  return all;
}

/// A GPU with its model, and layers of its own.
class Part {
 public:
  Part(const Gpu& gpu, std::uint32_t seed, int layers_of_a_kind)
      : gpu_(&gpu), model_(kernel_model_of(gpu).value()) {
    Draw from(seed);
    for (int i = 0; i < layers_of_a_kind; ++i)
      for (const Sized kind : every_kind) layers_.push_back(draw(kind, from));
  }

  const Gpu& gpu() const { return *gpu_; }
  const std::vector<Sizes>& layers() const { return layers_; }

  std::optional<double> seconds(const Sizes& sizes, DataType type, Pass pass) const {
    const Layer layer = layer_of(sizes, type, pass);
    const auto engine = select_engine(layer, gpu_->peak_flop_per_s, EngineChoice::automatic);
    if (!engine) return std::nullopt;
    const auto plan = plan_kernel(layer, count(layer), *engine, model_, CacheState::warm).value();
    return plan ? std::optional(plan->expected_time_s()) : std::nullopt;
  }

  double peak_flop_per_s(DataType type) const {
    const auto engine = select_engine(layer_of({}, type, Pass::fwd), gpu_->peak_flop_per_s,
                                      EngineChoice::automatic);
    return engine ? *rate_of(gpu_->peak_flop_per_s, *engine) : 0;
  }

 private:
  const Gpu* gpu_;
  KernelModel model_;
  std::vector<Sizes> layers_;
};

/// A hash of a GPU's name (FNV-1a), so that a new GPU changes no other's layers.
std::uint32_t seed_of(const std::string& name) {
  std::uint32_t seed = 2166136261U;
  for (const char letter : name) seed = (seed ^ static_cast<unsigned char>(letter)) * 16777619U;
  return seed;
}

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
        for (const Pass pass : every_pass) {
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
