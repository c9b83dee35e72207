#pragma once

// The one table of element types, with each format's names of them.

#include <cstdint>
#include <optional>
#include <string_view>

#include "roofline/data_type.hpp"

namespace roofline {

enum class Elements : std::uint8_t {
  numbers,    ///< floats, whose type --dtype replaces
  quantised,  ///< integers and floats of 8 bits or fewer, possibly weights
  others,     ///< indices, masks, complex numbers, block scales
};

struct ElementType {
  std::string_view name;  ///< "fp16", "uint8"
  DataType type = DataType::fp32;
  Elements elements = Elements::others;
  /// Between commas, in lower case: C++ types in recordings, ScalarType's names in messages.
  std::string_view pytorch = "";
  std::uint8_t program = 0;        ///< ScalarType in torch/_export/serde/schema.py; 0: none
  std::uint8_t onnx = 0;           ///< TensorProto.DataType in onnx.proto; 0: none
  std::string_view tensorrt = "";  ///< words of TensorRT 8's formats and 10's types, between commas
};

// Null for an unknown type.
/// By our name, or PyTorch's of tensors ("c10::Half") or messages ("Half").
const ElementType* find_element_type(std::string_view name);
const ElementType* element_type_in_program(std::uint64_t number);
const ElementType* element_type_in_onnx(std::int64_t number);
/// "Channel major FP16 format where channel % 8 == 0" and "Half" are fp16.
const ElementType* element_type_in_tensorrt(std::string_view format);

/// The type of a C++ kernel over lists of tensors, by its template arguments; `half`: of two bytes.
std::optional<DataType> element_type_of_kernel(std::string_view name, DataType half);

}  // namespace roofline
