#pragma once

// ONNX's own headers, in the one place that knows about them.

#include <onnx/onnx_pb.h>
