// Elements of the tensors that a file holds.

#include <bit>
#include <cmath>
#include <cstring>

#include "load/onnx/fold.hpp"

namespace roofline::onnx_graph {
namespace {

using Tensor = ::onnx::TensorProto;

double from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int fraction = bits & 0x3FF;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double from_bfloat(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

/// Little-endian elements one after the other, as TensorProto.raw_data has them.
template <class Stored, class Convert>
bool read_raw(const std::string& bytes, std::size_t count, Numbers& out, Convert convert) {
  if (bytes.size() != count * sizeof(Stored)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    Stored element;
    std::memcpy(&element, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    out.push_back(convert(element));
  }
  return true;
}

template <class Stored>
bool read_raw(const std::string& bytes, std::size_t count, Numbers& out) {
  return read_raw<Stored>(bytes, count, out, [](Stored x) { return static_cast<double>(x); });
}

bool read_raw_data(const Tensor& tensor, std::size_t count, Numbers& out) {
  const std::string& bytes = tensor.raw_data();
  switch (tensor.data_type()) {
    case Tensor::FLOAT: return read_raw<float>(bytes, count, out);
    case Tensor::DOUBLE: return read_raw<double>(bytes, count, out);
    case Tensor::FLOAT16: return read_raw<std::uint16_t>(bytes, count, out, from_half);
    case Tensor::BFLOAT16: return read_raw<std::uint16_t>(bytes, count, out, from_bfloat);
    case Tensor::INT64: return read_raw<std::int64_t>(bytes, count, out);
    case Tensor::UINT64: return read_raw<std::uint64_t>(bytes, count, out);
    case Tensor::INT32: return read_raw<std::int32_t>(bytes, count, out);
    case Tensor::UINT32: return read_raw<std::uint32_t>(bytes, count, out);
    case Tensor::INT16: return read_raw<std::int16_t>(bytes, count, out);
    case Tensor::UINT16: return read_raw<std::uint16_t>(bytes, count, out);
    case Tensor::INT8: return read_raw<std::int8_t>(bytes, count, out);
    case Tensor::UINT8:
    case Tensor::BOOL: return read_raw<std::uint8_t>(bytes, count, out);
    default: return false;
  }
}

template <class Field>
bool read_field(const Field& field, std::size_t count, Numbers& out) {
  if (static_cast<std::size_t>(field.size()) != count) return false;
  for (const auto element : field) out.push_back(static_cast<double>(element));
  return true;
}

/// The fields that hold elements where raw_data does not; the half types stand in int32_data by
/// their bits.
bool read_typed_data(const Tensor& tensor, std::size_t count, Numbers& out) {
  switch (tensor.data_type()) {
    case Tensor::FLOAT: return read_field(tensor.float_data(), count, out);
    case Tensor::DOUBLE: return read_field(tensor.double_data(), count, out);
    case Tensor::INT64: return read_field(tensor.int64_data(), count, out);
    case Tensor::UINT32:
    case Tensor::UINT64: return read_field(tensor.uint64_data(), count, out);
    case Tensor::INT32:
    case Tensor::INT16:
    case Tensor::UINT16:
    case Tensor::INT8:
    case Tensor::UINT8:
    case Tensor::BOOL: return read_field(tensor.int32_data(), count, out);
    case Tensor::FLOAT16:
    case Tensor::BFLOAT16:
      if (!read_field(tensor.int32_data(), count, out)) return false;
      for (double& element : out) {
        const auto bits = static_cast<std::uint16_t>(static_cast<std::int64_t>(element) & 0xFFFF);
        element = tensor.data_type() == Tensor::FLOAT16 ? from_half(bits) : from_bfloat(bits);
      }
      return true;
    default: return false;
  }
}

}  // namespace

std::optional<Numbers> read_numbers(const Tensor& tensor) {
  if (tensor.data_location() == Tensor::EXTERNAL) return std::nullopt;
  const auto count = product(Sizes(tensor.dims().begin(), tensor.dims().end()));
  if (!count || *count > most_numbers) return std::nullopt;
  Numbers out;
  const auto elements = static_cast<std::size_t>(*count);
  const bool complete = tensor.has_raw_data() ? read_raw_data(tensor, elements, out)
                                              : read_typed_data(tensor, elements, out);
  if (!complete) return std::nullopt;
  return out;
}

}  // namespace roofline::onnx_graph
