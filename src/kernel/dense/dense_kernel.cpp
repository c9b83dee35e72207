#include "kernel/dense/dense_kernel.hpp"

#include <algorithm>
#include <limits>

namespace roofline {
namespace {

DenseChoice product(const DenseContext& context, const Contraction& x, Algorithm algorithm) {
  const KernelMapping& mapping = *context.layer.mapping;
  const ResolvedModel& model = context.model;
  const bool tensor = is_tensor_engine(context.engine.engine);
  DenseChoice choice;
  choice.algorithm = algorithm;
  choice.product = product_of(x, model, context.engine);
  choice.clears = x.leaves_zeros;
  if (mapping.tile) {
    if (algorithm == Algorithm::direct)
      choice.product.patch_share = patch_share(x, static_cast<double>((*mapping.tile)[0]));
    choice.product.shares_operands = !tensor;
    choice.mapping = stated_mapping(mapping, choice.product, model.machine.sm, tensor);
    return choice;
  }
  Planning trace;
  const auto machine = machine_rates(model.machine, trace);
  choice.mapping = fastest_mapping(
      choice.product, product_rates(choice.product, model, context.engine, machine, trace),
      library_tiles(*model.constants, context.engine.engine, x), model.machine.sm);
  return choice;
}

DenseChoice transformed(const DenseContext& context, const Transform& transform) {
  const ResolvedModel& model = context.model;
  DenseChoice choice;
  choice.algorithm = transform.algorithm;
  choice.transform = transform;
  choice.product = transformed_product(
      context.x, transform, product_of(context.x, model, context.engine), context.engine.features);
  Planning trace;
  const auto machine = machine_rates(model.machine, trace);
  choice.mapping = fastest_mapping(
      choice.product, product_rates(choice.product, model, context.engine, machine, trace),
      transform_tiles(transform, context.x.role, *model.constants, context.engine.engine),
      model.machine.sm);
  return choice;
}

DenseChoice vector_product() {
  DenseChoice choice;
  choice.algorithm = Algorithm::gemv;
  return choice;
}

bool may_stream(const DenseContext& context) {
  const Contraction& x = context.x;
  // Half-precision vectors go to the tiled kernels in cuBLAS.
  return !x.is_convolution && std::min(x.m, x.n) <= 4 && x.element_byte >= 4;
}

bool may_scatter(const DenseContext& context) {
  const Contraction& x = context.x;
  return context.engine.features.scatter && x.role == Pass::dgrad && x.is_convolution &&
         !x.pointwise;
}

/// Keeps the fastest of the choices that it is shown.
class Fastest {
 public:
  explicit Fastest(const DenseContext& context)
      : context_(context), rates_(dense_rates(context.model, trace_)) {}

  void consider(const DenseChoice& choice) {
    const double kernel_s = dense_kernel(context_, choice, rates_, trace_).kernel_s;
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

/// The plain product, by the name that its layer gives it.
DenseChoice plain_product(const DenseContext& context) {
  const Contraction& x = context.x;
  return product(context, x, x.pointwise ? Algorithm::gemm : Algorithm::implicit_gemm);
}

/// The fastest that the library has.
DenseChoice library_choice(const DenseContext& context) {
  const Contraction& x = context.x;
  Fastest fastest(context);
  fastest.consider(plain_product(context));
  if (may_scatter(context))
    fastest.consider(product(context, scattered(x), Algorithm::scatter_gemm));
  if (may_stream(context)) fastest.consider(vector_product());
  for (const Transform& transform : transforms_of(x, context.engine.features))
    fastest.consider(transformed(context, transform));
  return *fastest.best();
}

/// The algorithm that the layer states, whether or not it is the fastest.
DenseChoice stated_choice(const DenseContext& context, Algorithm algorithm) {
  const Contraction& x = context.x;
  const bool direct = algorithm == Algorithm::direct && x.role == Pass::fwd && x.is_convolution &&
                      context.layer.mapping->tile;
  if (algorithm == Algorithm::implicit_gemm || algorithm == Algorithm::gemm || direct)
    return product(context, x, algorithm);
  if (algorithm == Algorithm::scatter_gemm && x.role == Pass::dgrad && x.is_convolution)
    return product(context, scattered(x), algorithm);
  if (algorithm == Algorithm::gemv && std::min(x.m, x.n) <= 4) return vector_product();
  Fastest fastest(context);
  for (const Transform& transform : transforms_of(x, context.engine.features, algorithm))
    fastest.consider(transformed(context, transform));
  if (!fastest.best()) throw UnsuitedAlgorithm{algorithm};
  return *fastest.best();
}

}  // namespace

DenseChoice choose_dense_kernel(const DenseContext& context) {
  const KernelMapping& mapping = *context.layer.mapping;
  if (mapping.algorithm) return stated_choice(context, *mapping.algorithm);
  return mapping.tile ? plain_product(context) : library_choice(context);
}

}  // namespace roofline
