#pragma once

// Tensors of an engine's layers: sizes, and the type that their format names.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/json.hpp"
#include "load/shape_parts.hpp"
#include "roofline/data_type.hpp"
#include "roofline/layer.hpp"

namespace roofline {

struct EngineTensor {
  Sizes sizes;
  std::optional<DataType> type;
  std::optional<Layout> layout;
};

/// "Channel major FP16 format where channel % 8 == 0" and "Half" are fp16.
std::optional<DataType> type_of_format(std::string_view format);

/// The layout of that sentence is NHWC; "Row major linear" is NCHW, "vectorized row major" blocked.
std::optional<Layout> layout_of_format(std::string_view format);

/// Of the member "Inputs" or "Outputs"; empty where there is none.
std::vector<EngineTensor> read_engine_tensors(const Value& layer, std::string_view member);

/// "fp16 32x64x56x56".
std::string text_of(const EngineTensor& tensor);

}  // namespace roofline
