#pragma once

// The kinds of layers; the properties of each kind are one row in src/model/layer_kind.cpp.

#include <cstdint>

namespace roofline {

enum class LayerKind : std::uint8_t {
  conv,
  conv_transpose,
  deform_conv,
  linear,
  matmul,
  attention,
  lstm,
  gru,
  rnn,
  batch_norm,
  layer_norm,
  rms_norm,
  group_norm,
  instance_norm,
  local_response_norm,
  relu,
  relu6,
  leaky_relu,
  prelu,
  elu,
  sigmoid,
  hardsigmoid,
  tanh,
  silu,
  hardswish,
  gelu,
  softmax,
  glu,
  elementwise,
  rowwise,
  add,
  sub,
  mul,
  div,
  concat,
  max_pool,
  avg_pool,
  global_avg_pool,
  reduce,
  upsample,
  copy,
  embedding,
  gather,
  scatter,
  im2col,
  col2im,
  other,
  flatten,
  identity,
  host_copy,
};

}  // namespace roofline
