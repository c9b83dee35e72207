#pragma once

// Layers of all kinds and sizes, the same on every machine, and their times on a GPU.

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/catalogue.hpp"
#include "roofline/kernel.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline::sized {

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

inline constexpr std::array every_kind{Sized::pointwise,  Sized::window3, Sized::window5,
                                       Sized::window7,    Sized::strided, Sized::dilated,
                                       Sized::transposed, Sized::grouped, Sized::depthwise,
                                       Sized::linear,     Sized::matmul};

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

inline Sizes draw(Sized kind, Draw& from) {
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

inline Layer layer_of(const Sizes& s, DataType type, Pass pass) {
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
    in.spatial_rank = out.spatial_rank = 2;
  }
  layer.inputs = {{in, std::nullopt, false}};
  if (s.kind == Sized::matmul)
    layer.inputs.push_back({{s.batch, s.out, {1, 1, s.in}, 1}, std::nullopt, false});
  layer.output = out;
  return layer;
}

inline std::string text(const Sizes& s) {
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
  Part(Gpu gpu, std::uint32_t seed, int layers_of_a_kind)
      : gpu_(std::move(gpu)), model_(kernel_model_of(gpu_).value()) {
    Draw from(seed);
    for (int i = 0; i < layers_of_a_kind; ++i)
      for (const Sized kind : every_kind) layers_.push_back(draw(kind, from));
  }

  const Gpu& gpu() const { return gpu_; }
  const std::vector<Sizes>& layers() const { return layers_; }

  std::optional<KernelPlan> plan(const Layer& layer, EngineChoice choice = EngineChoice::automatic,
                                 CacheState cache = CacheState::warm) const {
    const auto engine = select_engine(layer, gpu_.peak_flop_per_s, choice);
    if (!engine) return std::nullopt;
    return plan_kernel(layer, count(layer), *engine, model_, cache).value();
  }

  std::optional<double> seconds(const Sizes& sizes, DataType type, Pass pass) const {
    const auto found = plan(layer_of(sizes, type, pass));
    return found ? std::optional(found->expected_time_s()) : std::nullopt;
  }

  double peak_flop_per_s(DataType type) const {
    const auto engine =
        select_engine(layer_of({}, type, Pass::fwd), gpu_.peak_flop_per_s, EngineChoice::automatic);
    return engine ? *rate_of(gpu_.peak_flop_per_s, *engine) : 0;
  }

 private:
  Gpu gpu_;
  KernelModel model_;
  std::vector<Sizes> layers_;
};

/// A hash of a GPU's name (FNV-1a), so that a new GPU changes no other's layers.
inline std::uint32_t seed_of(const std::string& name) {
  std::uint32_t seed = 2166136261U;
  for (const char letter : name) seed = (seed ^ static_cast<unsigned char>(letter)) * 16777619U;
  return seed;
}

}  // namespace roofline::sized
