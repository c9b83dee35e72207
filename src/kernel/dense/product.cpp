#include "kernel/dense/product.hpp"

#include <algorithm>
#include <cmath>

namespace roofline {
Product product_of(const Contraction& x, const ResolvedModel& model, const EngineModel& engine) {
  const double near_dilation = model.constants->values.selection.near_dilation;
  Product p;
  p.m = x.m;
  p.n = x.n;
  p.k = x.issued_k;
  p.m_is = x.m_is;
  p.n_is = x.n_is;
  p.k_is = x.k_is;
  p.count = x.count;
  p.k_runs = x.k_runs;
  p.element_byte = x.element_byte;
  p.result_byte = x.result_byte;
  p.useful_flop = x.useful_flop;
  p.role = x.role;
  p.kernels = !x.is_convolution            ? ProductKernels::gemm_library
              : x.dilation > near_dilation ? ProductKernels::dilated
                                           : ProductKernels::convolution;
  p.follows_window = !x.pointwise;
  p.gather_vector = x.gathered ? x.gather_vector : 0;
  p.first_layer = x.pads_image;
  // One-byte types have tiles of their own for such rows.
  if (!x.is_convolution && is_tensor_engine(engine.engine) && x.element_byte > 1)
    p.row_byte = x.row_byte;
  p.scattered = x.scattered;
  p.persistent = x.by_engine;
  p.may_split = (x.role == Pass::wgrad || engine.features.split_k || !x.is_convolution) &&
                !has_ragged_rows(x);
  if (x.is_convolution && x.role == Pass::wgrad && !x.gathered && is_tensor_engine(engine.engine)) {
    p.most_splits = model.constants->values.selection.wgrad_splits;
    p.converts = engine.features.converts_wgrad;
  }
  // The GEMM library splits a vector-engine product only until every SM has a block.
  if (!x.is_convolution && !is_tensor_engine(engine.engine))
    p.most_split_blocks = model.machine.sm_count;
  return p;
}

double patch_share(const Contraction& x, double outputs) {
  const double columns = std::min(x.out_w, std::ceil(std::sqrt(outputs)));
  const double rows = std::min(x.out_h, std::ceil(outputs / columns));
  const double stride = std::sqrt(x.stride);
  const double patch = ((rows - 1) * stride + (x.kernel_h - 1) * x.dilation + 1) *
                       ((columns - 1) * stride + (x.kernel_w - 1) * x.dilation + 1);
  return std::min(1.0, patch / (rows * columns * x.taps));
}

}  // namespace roofline
