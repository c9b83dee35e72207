// Dense contractions: convolutions of one group, linear layers and matrix products. Chooses
// algorithm and tile; adds overlapping DRAM traffic, copies between layouts and launches.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "kernel/dense/transforms.hpp"
#include "kernel/plans.hpp"
#include "model/layer_kind.hpp"

namespace roofline {
namespace {

/// Types of 32 bits and more without tiles: five and six rows of 4,096^2 take an H100 as long
/// as four, eight a third longer.
constexpr double most_vectors = 6;

struct DenseContext {
  const Layer& layer;
  const ResolvedModel& model;
  const EngineModel& engine;
  LayerProduct x;
};

struct DenseChoice {
  Algorithm algorithm = Algorithm::gemm;
  TileProduct product;
  TileMapping mapping;  ///< of the product; products with a vector have no tiles
  std::optional<Transform> transform;
  bool clears = false;  ///< zeros are written first

  bool tiled() const { return algorithm != Algorithm::gemv; }
  bool staged() const { return transform && !transform->fused(); }
  bool weights_first() const { return transform && transform->weights_first; }
  double kernels() const {
    if (staged()) return transform->kernels();
    return (mapping.split > 1 || product.converts ? 2 : 1) + (clears || weights_first() ? 1 : 0);
  }
};

template <class Number>
DenseRates<Number> dense_rates(const ResolvedModel& model, Eval<Number>& eval) {
  const auto machine = machine_rates(model.machine, eval);
  const auto l2_byte = eval(model.memory.constants->l2_operand_byte_per_clock_per_sm);
  return {machine, dram_byte_per_s(model.memory, eval),
          l2_byte * machine.sm_count * machine.clock_hz};
}

/// In place of a product: every weight is used once, in threads with a few sums each, in the time
/// of its bytes from L2.
template <class Number>
AroundProduct<Number> vector_kernel(const DenseContext& context, const DenseRates<Number>& rates,
                                    Eval<Number>& eval) {
  const MemorySystem& memory = context.model.memory;
  const DenseConstants& constants = *context.engine.constants;
  const LayerProduct& x = context.x;
  const Number l2_s = eval.named(
      "operands through L2",
      (x.read_byte + Number(x.write_byte)) / l2_byte_per_s(memory, rates.machine, eval), "s");
  // Across rows, as in a gradient, or for few results, threads combine sums: two more accesses.
  const Number sums_s = 2 * eval(memory.constants->dram_latency_s);
  const Number start_s =
      eval.named("start of a block",
                 eval(constants.block_latency_clk) / rates.machine.clock_hz +
                     (x.n <= most_vectors || x.role == Pass::dgrad ? sums_s : Number{}),
                 "s");
  AroundProduct<Number> around;
  around.hides_product = true;
  around.parts = {{{Limiter::l2, l2_s}, {Limiter::latency, start_s}}};
  // A GPU of few units in fp64 computes for longer.
  const double flop_s = x.useful_flop / context.engine.peak_flop_per_s;
  if (flop_s > value_of(l2_s)) {
    const Number math_s = eval.named("FLOP at the peak", flop_s, "s", "counted") - l2_s;
    around.parts[2] = {Limiter::math, math_s};
  }
  around.kernels_s = eval.named("kernels", l2_s + start_s + around.parts[2].time_s, "s");
  return around;
}

/// `product_s`: of the choice's product, if it has one. The longer it is, the longer the kernels.
template <class Number>
AroundProduct<Number> around_product(const DenseContext& context, const DenseChoice& choice,
                                     const DenseRates<Number>& rates, const Number& product_s,
                                     Eval<Number>& eval) {
  const MemorySystem& memory = context.model.memory;
  const DenseConstants& constants = *context.engine.constants;
  const LayerProduct& x = context.x;
  if (!choice.tiled()) return vector_kernel(context, rates, eval);
  const TransformConstants& transforms = context.model.constants->values.transforms;
  if (choice.staged())
    return staging(x, *choice.transform, memory, transforms, constants.extra_kernel_s, rates,
                   product_s, eval);
  if (choice.weights_first())
    return fused_weights(*x.problem, *choice.transform, memory, transforms, rates, product_s, eval);
  AroundProduct<Number> around;
  Number clear_s{}, clear_launch_s{};
  if (choice.clears) {
    clear_s = eval.named("writing zeros", x.write_byte / rates.l2_byte_per_s, "s");
    clear_launch_s = eval.named("launch of the kernel that writes zeros",
                                eval.sourced(memory.launch_s, memory.launch_origin) +
                                    context.engine.start_share * eval(constants.library_start_s),
                                "s");
    around.parts = {{{Limiter::l2, clear_s}, {Limiter::launch, clear_launch_s}}};
  }
  around.kernels_s = eval.named("kernels", product_s + clear_launch_s + clear_s, "s");
  return around;
}

template <class Number>
struct DenseKernel {
  GemmTime<Number> gemm;
  AroundProduct<Number> around;  ///< with the time of all kernels
};

template <class Number>
DenseKernel<Number> dense_kernel(const DenseContext& context, const DenseChoice& choice,
                                 const DenseRates<Number>& rates, Eval<Number>& eval) {
  DenseKernel<Number> kernel;
  if (choice.tiled()) {
    const auto product_rate =
        product_rates(choice.product, context.model, context.engine, rates.machine, eval);
    kernel.gemm = gemm_time(choice.product, product_rate, choice.mapping, eval);
  }
  kernel.around = around_product(context, choice, rates, kernel.gemm.schedule.kernel_s, eval);
  return kernel;
}

/// Without a tile, unless the mapping states one. `older`: on kernels for any window.
DenseChoice product_choice(const DenseContext& context, const LayerProduct& x, Algorithm algorithm,
                           bool older = false) {
  const KernelMapping& mapping = *context.layer.mapping;
  const bool on_tensor = is_tensor_engine(context.engine.engine);
  DenseChoice choice;
  choice.algorithm = algorithm;
  choice.product = tile_product(x, context.model, context.engine, older);
  choice.clears = x.leaves_zeros;
  if (!mapping.tile) return choice;
  if (algorithm == Algorithm::direct)
    choice.product.patch_share = patch_share(x, static_cast<double>((*mapping.tile)[0]));
  choice.product.shares_operands = !on_tensor;
  choice.mapping = stated_mapping(mapping, choice.product, context.model, on_tensor);
  return choice;
}

/// `direct`: the contraction's own product.
DenseChoice transformed(const DenseContext& context, const Transform& transform,
                        const TileProduct& direct) {
  DenseChoice choice;
  choice.algorithm = transform.algorithm;
  choice.transform = transform;
  choice.product =
      transformed_product(*context.x.problem, transform, direct, context.engine.features);
  return choice;
}

DenseChoice vector_product() {
  DenseChoice choice;
  choice.algorithm = Algorithm::gemv;
  return choice;
}

/// The fastest of the considered choices, the first of equals. Those which cannot win are dropped
/// before their tiles are searched: choices of few tiles come first.
class Fastest {
 public:
  explicit Fastest(const DenseContext& context)
      : context_(context), rates_(dense_rates(context.model, eval_)) {}

  /// `tiles`: for a product without a stated tile.
  void consider(DenseChoice choice, std::span<const TileKernel> tiles) {
    const auto rates =
        product_rates(choice.product, context_.model, context_.engine, rates_.machine, eval_);
    if (choice.mapping.stated) {
      choice.mapping.time_s =
          gemm_time(choice.product, rates, choice.mapping, eval_).schedule.kernel_s;
    } else {
      const double least_s = kernels_s(choice, least_product_s(choice.product, rates));
      if (best_ && least_s >= best_s_) return;
      choice.mapping =
          fastest_mapping(choice.product, rates, tiles, context_.model.machine.sm, best_s_);
    }
    take_if_faster(choice);
  }
  void consider(std::span<const Transform> transforms) {
    if (transforms.empty()) return;
    const TileProduct direct = tile_product(context_.x, context_.model, context_.engine);
    for (const Transform& transform : transforms)
      consider(transformed(context_, transform, direct),
               transform_tiles(transform, context_.x.role, *context_.model.constants,
                               context_.engine.engine));
  }
  void consider(const LayerProduct& x, Algorithm algorithm) {
    consider(product_choice(context_, x, algorithm),
             library_tiles(*context_.model.constants, context_.engine.engine, x));
  }
  void consider_vector_product() { take_if_faster(vector_product()); }

  const std::optional<DenseChoice>& best() const { return best_; }

 private:
  double kernels_s(const DenseChoice& choice, double product_s) {
    return around_product(context_, choice, rates_, product_s, eval_).kernels_s;
  }
  void take_if_faster(const DenseChoice& choice) {
    const double own_s = kernels_s(choice, choice.mapping.time_s);
    if (best_ && own_s >= best_s_) return;
    best_ = choice;
    best_s_ = own_s;
  }

  const DenseContext& context_;
  Planning eval_;
  DenseRates<double> rates_;
  std::optional<DenseChoice> best_;
  double best_s_ = std::numeric_limits<double>::infinity();
};

/// cuBLAS runs half-precision rows on tiled kernels, but not single columns.
bool is_vector_product(const LayerProduct& x) {
  if (x.is_convolution) return false;
  return x.element_byte >= 4 ? std::min(x.m, x.n) <= most_vectors : x.element_byte == 2 && x.n == 1;
}

void consider_plain_product(Fastest& fastest, const DenseContext& context, Algorithm algorithm) {
  const LayerProduct& x = context.x;
  const Engine engine = context.engine.engine;
  const auto older = older_tiles(*context.model.constants, engine, x);
  if (!older.empty()) fastest.consider(product_choice(context, x, algorithm, true), older);
  if (older.empty() || fits_newest(x, context.model, is_tensor_engine(engine)))
    fastest.consider(x, algorithm);
}

bool scatters(const DenseContext& context) {
  const LayerProduct& x = context.x;
  return context.engine.features[LibraryFeature::scatter] && x.role == Pass::dgrad &&
         x.is_convolution && !x.pointwise;
}

Algorithm usual_product(const LayerProduct& x) {
  return x.pointwise ? Algorithm::gemm : Algorithm::implicit_gemm;
}

void consider_library(Fastest& fastest, const DenseContext& context) {
  const LayerProduct& x = context.x;
  fastest.consider(transforms_of(*x.problem, context.engine.features));
  consider_plain_product(fastest, context, usual_product(x));
  if (scatters(context)) fastest.consider(scattered(x), Algorithm::scatter_gemm);
  if (is_vector_product(x)) fastest.consider_vector_product();
}

/// Even if it is not the fastest.
void consider_stated(Fastest& fastest, const DenseContext& context, Algorithm algorithm) {
  const LayerProduct& x = context.x;
  const bool direct = algorithm == Algorithm::direct && x.role == Pass::fwd && x.is_convolution &&
                      context.layer.mapping->tile;
  if (algorithm == Algorithm::implicit_gemm || algorithm == Algorithm::gemm)
    return consider_plain_product(fastest, context, algorithm);
  if (direct) return fastest.consider(x, algorithm);
  if (algorithm == Algorithm::scatter_gemm && x.role == Pass::dgrad && x.is_convolution)
    return fastest.consider(scattered(x), algorithm);
  if (algorithm == Algorithm::gemv && std::min(x.m, x.n) <= most_vectors)
    return fastest.consider_vector_product();
  fastest.consider(transforms_of(*x.problem, context.engine.features, algorithm));
}

/// nullopt if the layer has no kernel of the stated algorithm.
std::optional<DenseChoice> choice_of(const DenseContext& context) {
  const KernelMapping& mapping = *context.layer.mapping;
  Fastest fastest(context);
  if (mapping.algorithm)
    consider_stated(fastest, context, *mapping.algorithm);
  else if (mapping.tile)
    consider_plain_product(fastest, context, usual_product(context.x));
  else
    consider_library(fastest, context);
  return fastest.best();
}

/// Whether consider_library() considers it.
bool is_in_library(const DenseContext& context) {
  const KernelMapping& mapping = *context.layer.mapping;
  const LayerProduct& x = context.x;
  if (mapping.tile) return false;
  if (!mapping.algorithm) return true;
  switch (*mapping.algorithm) {
    case Algorithm::gemm:
    case Algorithm::implicit_gemm: return true;
    case Algorithm::scatter_gemm: return scatters(context);
    case Algorithm::gemv: return is_vector_product(x);
    default: break;
  }
  const auto transforms = transforms_of(*x.problem, context.engine.features);
  return std::ranges::any_of(transforms, [&](const Transform& transform) {
    return transform.algorithm == *mapping.algorithm;
  });
}

/// Data gradients of windows as large as their strides, by cuDNN on tensor cores.
bool may_fold(const DenseContext& context) {
  const LayerProduct& x = context.x;
  return has_cudnn(context.model.machine) && is_tensor_engine(context.engine.engine) &&
         x.element_byte > 1 && x.strided_dgrad() && x.problem->rank == 2 &&
         context.layer.window->kernel == context.layer.window->stride;
}

std::uint64_t to_count(double value) { return static_cast<std::uint64_t>(std::round(value)); }

/// Copies around a kernel.
struct Copies {
  double kernels = 0;
  double moved = 0;    ///< elements between NCHW and NHWC, in blocks of 32 channels x 32 positions
  double padded = 0;   ///< elements read and written to pad channels
  double element = 0;  ///< of the copied tensors
  bool reorders = false;
};

/// Tensor-core kernels need channels last; cuDNN's on vector units channels first, but for weight
/// gradients of images.
bool reorders(const DenseContext& context) {
  const LayerProduct& x = context.x;
  if (is_tensor_engine(context.engine.engine)) return x.channels_first;
  return x.problem->nhwc && has_cudnn(context.model.machine) &&
         (x.role != Pass::wgrad || x.problem->rank == 3);
}

Copies copies_of(const DenseContext& context) {
  const LayerProduct& x = context.x;
  const Problem& problem = *x.problem;
  Copies copies;
  if (!x.is_convolution) return copies;
  const auto move = [&copies](double rows, double channels, double positions) {
    copies.moved += rows * round_up(channels, 32) * round_up(positions, 32);
  };
  copies.reorders = reorders(context);
  if (copies.reorders) {
    copies.element = (x.read_byte + x.write_byte) / x.element_byte;
    move(problem.batch, problem.in_channels, problem.input_positions);
    move(problem.batch, problem.out_channels, problem.output_positions);
    if (problem.taps > 1) move(problem.out_channels, problem.in_channels, problem.taps);
  } else if (x.pads_image) {
    copies.element =
        4 * (problem.batch * problem.in_h * problem.in_w + problem.out_channels * problem.taps);
    copies.moved = copies.element;
  }
  // In a gradient one of two tensors is padded on its way to the other layout.
  const double apart = copies.reorders && x.role != Pass::fwd ? 0.5 : 1;
  copies.kernels = (copies.moved > 0 ? 2 : 0) + apart * x.padded_tensors;
  copies.padded = apart * x.pad_element;
  copies.element += copies.padded;
  return copies;
}

template <class Number>
void describe_tile(KernelPlan& plan, const DenseChoice& choice, const GemmTime<Number>& gemm,
                   double sm_count) {
  const TileMapping& mapping = choice.mapping;
  const TileKernel& tile = mapping.tile;
  const TileProduct& product = choice.product;
  const double resident = resident_blocks(mapping);
  const double blocks = value_of(gemm.schedule.blocks);
  plan.tile = {tile.m, tile.n, tile.k};
  plan.split_k = to_count(mapping.split);
  plan.threads = tile.threads;
  plan.stages = tile.stages;
  plan.registers = tile.registers;
  plan.shared_memory_byte = mapping.shared_byte;
  plan.blocks = to_count(blocks);
  plan.resident_blocks_per_sm = mapping.occupancy.blocks;
  plan.occupancy = mapping.occupancy.share;
  plan.tile_utilization = value_of(gemm.useful_share);
  plan.wave_utilization = blocks / (sm_count * (value_of(gemm.schedule.full_waves) * resident +
                                                value_of(gemm.schedule.last_blocks)));
  plan.waves = blocks / (sm_count * resident);
  // Only existing operands and results: partly filled tiles fetch and write no others.
  const double tiles_m = divide_up(product.m, tile.m);
  const double tiles_n = divide_up(product.n, tile.n);
  const double operands =
      (product.m * product.patch_share * tiles_n + product.n * tiles_m) * product.k;
  plan.l2_byte = product.count * (operands * product.element_byte +
                                  product.m * product.n * mapping.split * product.result_byte);
}

/// nullopt if the layer has no kernel of the stated algorithm.
template <class Number>
std::optional<KernelPlan> plan_of(const DenseContext& context, const PlanRequest& request,
                                  Eval<Number>& eval) {
  const EngineModel& engine = context.engine;
  const ResolvedModel& model = context.model;
  const LayerProduct& x = context.x;
  const MemorySystem& memory = model.memory;
  const DenseConstants& constants = *engine.constants;
  const std::optional<DenseChoice> chosen = choice_of(context);
  if (!chosen) return std::nullopt;
  const DenseChoice& choice = *chosen;

  const Number flop_s = practical_flop_s(request.counts, &engine, eval);
  const auto rates = dense_rates(model, eval);
  const auto kernel = dense_kernel(context, choice, rates, eval);
  const auto traffic =
      memory_traffic({x.read_byte, x.write_byte}, Number{}, memory, request.cache, eval);
  const Number dram_s = eval.named("DRAM", traffic.timed_dram_byte / rates.dram_byte_per_s, "s");

  TimeParts<Number> parts;
  if (!kernel.around.hides_product)
    add_product(parts, kernel.gemm, rates.machine.sm_count, resident_blocks(choice.mapping), flop_s,
                eval);
  for (const auto& [limiter, time_s] : kernel.around.parts) parts.add(limiter, time_s);
  // The GEMM library's constants hold the way of its bytes through L2.
  const Number l2_s = x.is_convolution
                          ? l2_request_s({x.read_byte, x.write_byte}, traffic,
                                         l2_byte_per_s(memory, rates.machine, eval), memory, eval)
                          : Number{};
  add_overlapped(parts, kernel.around.kernels_s, dram_s < l2_s ? Limiter::l2 : Limiter::dram,
                 max({dram_s, l2_s}), eval);
  const Number launch_s = eval.sourced(memory.launch_s, memory.launch_origin);
  const Copies copies = copies_of(context);
  if (copies.kernels > 0) {
    const CopyConstants& copying = model.constants->values.copies;
    const Number clock_per_s = rates.machine.clock_hz * rates.machine.sm_count;
    // The part of tensors beyond the L2 is read and written once more.
    const double copied_again = copies.reorders ? 2 : 0;
    const Number moved_s = copies.moved / (eval(copying.transpose_per_clk_per_sm) * clock_per_s);
    parts.add(Limiter::instructions,
              eval.named("copies between layouts", hypot(moved_s, copied_again * dram_s), "s"));
    parts.add(Limiter::instructions,
              eval.summand("copies that pad channels",
                           copies.padded / (eval(copying.pad_per_clk_per_sm) * clock_per_s), "s"));
    parts.add(Limiter::launch,
              eval.named("launches of the copies",
                         copies.kernels * (launch_s + eval(constants.copy_start_s)), "s"));
  }
  const Number start_s =
      choice.mapping.stated
          ? Number{}
          : engine.start_share *
                eval(x.is_convolution ? constants.start_s : constants.library_start_s);
  parts.add(Limiter::launch, eval.named("first launch", launch_s + start_s, "s"));

  KernelPlan plan;
  plan.algorithm = choice.algorithm;
  plan.in_library = is_in_library(context);
  plan.engine = engine.engine;
  plan.kernels = to_count(choice.kernels() + copies.kernels);
  plan.l2_byte = x.read_byte + x.write_byte;
  if (choice.tiled()) describe_tile(plan, choice, kernel.gemm, model.machine.sm_count);
  plan.workspace_byte =
      to_count(value_of(kernel.gemm.schedule.partial_byte) +
               value_of(kernel.around.workspace_byte) + copies.element * x.element_byte);
  plan.dram_read_byte = value_of(traffic.dram_read_byte);
  plan.dram_write_byte = value_of(traffic.dram_write_byte);
  set_time(plan, parts, eval);
  return plan;
}

/// As the library finds by timing: operands where they lie or copies of them.
template <class Number>
std::optional<KernelPlan> fastest_plan_of(const PlanRequest& request, const EngineModel& engine,
                                          Eval<Number>& eval) {
  const Layer& layer = request.layer;
  const auto context_with = [&](Operands operands) {
    return DenseContext{layer, request.model, engine,
                        layer_product(request.problem, engine, operands)};
  };
  const DenseContext own = context_with(Operands::as_they_are);
  const bool may_copy = own.x.is_convolution && !layer.mapping->tile;
  const bool copies = may_copy && (own.x.gathered || own.x.row_byte < 16 || own.x.sums_products);
  const bool folds = may_copy && may_fold(own);
  if (!copies && !folds) return plan_of(own, request, eval);
  Planning planning;
  Operands best = Operands::as_they_are;
  std::optional<KernelPlan> plan = plan_of(own, request, planning);
  const auto consider = [&](Operands operands) {
    std::optional<KernelPlan> other = plan_of(context_with(operands), request, planning);
    if (!other || (plan && !(other->expected_time_s() < plan->expected_time_s()))) return;
    plan = std::move(other);
    best = operands;
  };
  if (copies) consider(Operands::copied);
  if (folds) consider(Operands::folded);
  if constexpr (std::is_same_v<Number, double>) return plan;
  return plan_of(context_with(best), request, eval);
}

}  // namespace

template <class Number>
std::optional<KernelPlan> dense_plan(const PlanRequest& request, Eval<Number>& eval) {
  const Layer& layer = request.layer;
  const EngineModel& library = *request.own_engine();
  std::optional<EngineModel> built;  // with the rates of kernels picked by a builder
  if (layer.kernels == KernelSource::inference_engine &&
      library.built_math_share != library.math_share) {
    built = library;
    built->math_share = library.built_math_share;
    built->math_origin = library.built_math_origin;
  }
  const EngineModel& engine = built ? *built : library;
  return fastest_plan_of(request, engine, eval);
}

template std::optional<KernelPlan> dense_plan(const PlanRequest&, Planning&);
template std::optional<KernelPlan> dense_plan(const PlanRequest&, Explaining&);

}  // namespace roofline
