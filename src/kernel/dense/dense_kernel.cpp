// Dense contractions: convolutions of one group, linear layers and matrix products. Chooses
// algorithm and tile; adds overlapping DRAM traffic, copies between layouts and launches.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernel/dense/transforms.hpp"
#include "kernel/plans.hpp"
#include "model/text.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

/// Types of 32 bits and more without tiles: five and six rows of 4,096^2 take an H100 as long
/// as four, eight a third longer.
constexpr double most_vectors = 6;

struct DenseContext {
  const Layer& layer;
  const ResolvedModel& model;
  const EngineModel& engine;
  Contraction x;
};

struct DenseChoice {
  Algorithm algorithm = Algorithm::gemm;
  Product product;
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

template <class Number>
struct DenseKernel {
  GemmTime<Number> gemm;
  AroundProduct<Number> around;  ///< with the time of all kernels
};

template <class Number>
DenseKernel<Number> dense_kernel(const DenseContext& context, const DenseChoice& choice,
                                 const DenseRates<Number>& rates, Eval<Number>& eval) {
  const MemorySystem& memory = context.model.memory;
  const DenseConstants& constants = *context.engine.constants;
  const Contraction& x = context.x;
  DenseKernel<Number> kernel;
  AroundProduct<Number>& around = kernel.around;
  if (!choice.tiled()) {
    // Every weight is used once, in threads with a few sums each: the time of its bytes from L2.
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
    around.hides_product = true;
    around.parts = {{{Limiter::l2, l2_s}, {Limiter::latency, start_s}}};
    // A GPU of few units in fp64 computes for longer.
    const double flop_s = x.useful_flop / context.engine.peak_flop_per_s;
    if (flop_s > value_of(l2_s)) {
      const Number math_s = eval.named("FLOP at the peak", flop_s, "s", "counted") - l2_s;
      around.parts[2] = {Limiter::math, math_s};
    }
    around.kernels_s = eval.named("kernels", l2_s + start_s + around.parts[2].time_s, "s");
    return kernel;
  }
  const auto product_rate =
      product_rates(choice.product, context.model, context.engine, rates.machine, eval);
  kernel.gemm = gemm_time(choice.product, product_rate, choice.mapping, eval);
  const Number& product_s = kernel.gemm.schedule.kernel_s;
  if (choice.staged() || choice.weights_first()) {
    const auto around_of = choice.staged() ? staging<Number> : fused_weights<Number>;
    around = around_of(x, *choice.transform, memory, constants, rates, product_s, eval);
    return kernel;
  }
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
  return kernel;
}

void map(DenseChoice& choice, const DenseContext& context, std::span<const TileKernel> tiles) {
  Planning eval;
  const auto machine = machine_rates(context.model.machine, eval);
  choice.mapping = fastest_mapping(
      choice.product, product_rates(choice.product, context.model, context.engine, machine, eval),
      tiles, context.model.machine.sm);
}

DenseChoice product_choice(const DenseContext& context, const Contraction& x, Algorithm algorithm,
                           std::span<const TileKernel> older = {}) {
  const KernelMapping& mapping = *context.layer.mapping;
  const ResolvedModel& model = context.model;
  const Engine engine = context.engine.engine;
  DenseChoice choice;
  choice.algorithm = algorithm;
  choice.product = product_of(x, model, context.engine, !older.empty());
  choice.clears = x.leaves_zeros;
  if (!mapping.tile) {
    map(choice, context, older.empty() ? library_tiles(*model.constants, engine, x) : older);
    return choice;
  }
  if (algorithm == Algorithm::direct)
    choice.product.patch_share = patch_share(x, static_cast<double>((*mapping.tile)[0]));
  choice.product.shares_operands = !is_tensor_engine(engine);
  choice.mapping = stated_mapping(mapping, choice.product, model, is_tensor_engine(engine));
  return choice;
}

DenseChoice transformed(const DenseContext& context, const Transform& transform) {
  const EngineModel& engine = context.engine;
  DenseChoice choice;
  choice.algorithm = transform.algorithm;
  choice.transform = transform;
  choice.product = transformed_product(
      context.x, transform, product_of(context.x, context.model, engine), engine.features);
  map(choice, context,
      transform_tiles(transform, context.x.role, *context.model.constants, engine.engine));
  return choice;
}

DenseChoice vector_product() {
  DenseChoice choice;
  choice.algorithm = Algorithm::gemv;
  return choice;
}

class Fastest {
 public:
  explicit Fastest(const DenseContext& context)
      : context_(context), rates_(dense_rates(context.model, trace_)) {}

  void consider(const DenseChoice& choice) {
    const double kernel_s = dense_kernel(context_, choice, rates_, trace_).around.kernels_s;
    if (best_ && kernel_s >= best_s_) return;
    best_ = choice;
    best_s_ = kernel_s;
  }
  const std::optional<DenseChoice>& best() const { return best_; }

 private:
  const DenseContext& context_;
  Planning trace_;
  DenseRates<double> rates_;
  std::optional<DenseChoice> best_;
  double best_s_ = 0;
};

DenseChoice plain_product(const DenseContext& context) {
  const Contraction& x = context.x;
  const Algorithm algorithm = x.pointwise ? Algorithm::gemm : Algorithm::implicit_gemm;
  const auto older = older_tiles(*context.model.constants, context.engine.engine, x);
  Fastest fastest(context);
  if (!older.empty()) fastest.consider(product_choice(context, x, algorithm, older));
  if (older.empty() || fits_newest(x, context.model, is_tensor_engine(context.engine.engine)))
    fastest.consider(product_choice(context, x, algorithm));
  return *fastest.best();
}

DenseChoice library_choice(const DenseContext& context) {
  const Contraction& x = context.x;
  Fastest fastest(context);
  fastest.consider(plain_product(context));
  if (context.engine.features[LibraryFeature::scatter] && x.role == Pass::dgrad &&
      x.is_convolution && !x.pointwise)
    fastest.consider(product_choice(context, scattered(x), Algorithm::scatter_gemm));
  // cuBLAS runs half-precision rows on tiled kernels, but not single columns.
  if (!x.is_convolution &&
      (x.element_byte >= 4 ? std::min(x.m, x.n) <= most_vectors : x.element_byte == 2 && x.n == 1))
    fastest.consider(vector_product());
  for (const Transform& transform : transforms_of(x, context.engine.features))
    fastest.consider(transformed(context, transform));
  return *fastest.best();
}

/// Even if it is not the fastest.
DenseChoice stated_choice(const DenseContext& context, Algorithm algorithm) {
  const Contraction& x = context.x;
  const bool direct = algorithm == Algorithm::direct && x.role == Pass::fwd && x.is_convolution &&
                      context.layer.mapping->tile;
  if (algorithm == Algorithm::implicit_gemm || algorithm == Algorithm::gemm || direct)
    return product_choice(context, x, algorithm);
  if (algorithm == Algorithm::scatter_gemm && x.role == Pass::dgrad && x.is_convolution)
    return product_choice(context, scattered(x), algorithm);
  if (algorithm == Algorithm::gemv && std::min(x.m, x.n) <= most_vectors) return vector_product();
  Fastest fastest(context);
  for (const Transform& transform : transforms_of(x, context.engine.features, algorithm))
    fastest.consider(transformed(context, transform));
  if (!fastest.best())
    throw InputError("expected an algorithm that " + context.model.gpu +
                     " has for this layer, got " + in_quotes(name_of(algorithm)));
  return *fastest.best();
}

/// Data gradients of windows as large as their strides, by cuDNN on tensor cores.
bool may_fold(const DenseContext& context) {
  const Contraction& x = context.x;
  return has_cudnn(context.model.machine) && is_tensor_engine(context.engine.engine) &&
         x.element_byte > 1 && x.strided_dgrad() && x.rank == 2 &&
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
  const Contraction& x = context.x;
  if (is_tensor_engine(context.engine.engine))
    return x.channels_first || (x.rank == 1 && !x.pointwise);
  return x.channels_last && has_cudnn(context.model.machine) &&
         (x.role != Pass::wgrad || x.rank == 3);
}

Copies copies_of(const DenseContext& context) {
  const Contraction& x = context.x;
  Copies copies;
  if (!x.is_convolution) return copies;
  const auto move = [&copies](double rows, double channels, double positions) {
    copies.moved += rows * round_up(channels, 32) * round_up(positions, 32);
  };
  copies.reorders = reorders(context);
  if (copies.reorders) {
    copies.element = (x.read_byte + x.write_byte) / x.element_byte;
    move(x.batch, x.in_channels, x.in_positions / x.batch);
    move(x.batch, x.out_channels, x.out_positions / x.batch);
    if (x.taps > 1) move(x.out_channels, x.in_channels, x.taps);
  } else if (x.pads_image) {
    copies.element = 4 * (x.batch * x.in_h * x.in_w + x.out_channels * x.taps);
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
  const Product& product = choice.product;
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

template <class Number>
KernelPlan plan_of(const DenseContext& context, const PlanRequest& request, Eval<Number>& eval) {
  const EngineModel& engine = context.engine;
  const ResolvedModel& model = context.model;
  const Contraction& x = context.x;
  const MemorySystem& memory = model.memory;
  const DenseConstants& constants = *engine.constants;
  const KernelMapping& mapping = *context.layer.mapping;
  const DenseChoice choice = mapping.algorithm ? stated_choice(context, *mapping.algorithm)
                             : mapping.tile    ? plain_product(context)
                                               : library_choice(context);

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
    const Number clock_per_s = rates.machine.clock_hz * rates.machine.sm_count;
    // The part of tensors beyond the L2 is read and written once more.
    const double copied_again = copies.reorders ? 2 : 0;
    const Number moved_s = copies.moved / (eval(constants.transpose_per_clk_per_sm) * clock_per_s);
    parts.add(Limiter::instructions,
              eval.named("copies between layouts", hypot(moved_s, copied_again * dram_s), "s"));
    parts.add(
        Limiter::instructions,
        eval.summand("copies that pad channels",
                     copies.padded / (eval(constants.pad_per_clk_per_sm) * clock_per_s), "s"));
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
DenseContext fastest_context(const PlanRequest& request, const EngineModel& engine) {
  const Layer& layer = request.layer;
  std::vector<DenseContext> all;
  const auto add = [&](Operands operands) {
    all.push_back(
        {layer, request.model, engine, contraction_of(layer, request.counts, engine, operands)});
  };
  add(Operands::as_they_are);
  const Contraction own = all.front().x;
  if (!own.is_convolution || layer.mapping != KernelMapping{}) return all.front();
  if (own.gathered || own.row_byte < 16 || own.sums_products) add(Operands::copied);
  if (may_fold(all.front())) add(Operands::folded);
  if (all.size() == 1) return all.front();
  Planning eval;
  return *std::ranges::min_element(all, {}, [&](const DenseContext& context) {
    return plan_of(context, request, eval).expected_time_s();
  });
}

}  // namespace

template <class Number>
KernelPlan dense_plan(const PlanRequest& request, Eval<Number>& eval) {
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
  return plan_of(fastest_context(request, engine), request, eval);
}

template KernelPlan dense_plan(const PlanRequest&, Planning&);
template KernelPlan dense_plan(const PlanRequest&, Explaining&);

}  // namespace roofline
