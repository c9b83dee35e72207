#pragma once

// ONNX models as bytes, for those that no library would write. Field numbers are onnx.proto's.

#include <cstdint>
#include <string>
#include <vector>

namespace onnx_bytes {

inline std::string number(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

inline std::string integer(std::uint64_t field, std::uint64_t value) {
  return number(field << 3) + number(value);
}

inline std::string text(std::uint64_t field, const std::string& content) {
  return number(field << 3 | 2) + number(content.size()) + content;
}

using Names = std::vector<std::string>;

/// A NodeProto, with attributes as bytes.
inline std::string node(const std::string& op, const Names& inputs, const Names& outputs,
                        const std::string& more = "") {
  std::string bytes;
  for (const std::string& name : inputs) bytes += text(1, name);
  for (const std::string& name : outputs) bytes += text(2, name);
  return bytes + text(4, op) + more;
}

inline std::string attribute(const std::string& name, std::int64_t value) {
  return text(5, text(1, name) + integer(3, static_cast<std::uint64_t>(value)) + integer(20, 2));
}

inline std::string integers_attribute(const std::string& name,
                                      const std::vector<std::int64_t>& values) {
  std::string bytes = text(1, name);
  for (const std::int64_t value : values) bytes += integer(8, static_cast<std::uint64_t>(value));
  return text(5, bytes + integer(20, 7));
}

inline std::string text_attribute(const std::string& name, const std::string& value) {
  return text(5, text(1, name) + text(4, value) + integer(20, 3));
}

inline std::string graph_attribute(const std::string& name, const std::string& graph) {
  return text(5, text(1, name) + text(6, graph) + integer(20, 5));
}

/// A constant of 64-bit integers, among a graph's fields.
inline std::string constant(const std::string& name, const std::vector<std::int64_t>& values) {
  std::string bytes = integer(1, values.size()) + integer(2, 7) + text(8, name);
  for (const std::int64_t value : values) bytes += integer(7, static_cast<std::uint64_t>(value));
  return text(5, bytes);
}

/// TensorProto.DataType.
enum Type : std::uint64_t { of_float32 = 1, of_uint8 = 2, of_int32 = 6, of_int64 = 7 };

/// An open size is called N.
constexpr std::int64_t open_size = -1;

/// Among a graph's fields.
inline std::string tensor(std::uint64_t field, const std::string& name,
                          const std::vector<std::int64_t>& sizes, Type type) {
  std::string shape;
  for (const std::int64_t size : sizes)
    shape +=
        text(1, size == open_size ? text(2, "N") : integer(1, static_cast<std::uint64_t>(size)));
  return text(field, text(1, name) + text(2, text(1, integer(1, type) + text(2, shape))));
}

inline std::string input(const std::string& name, const std::vector<std::int64_t>& sizes,
                         Type type = of_float32) {
  return tensor(11, name, sizes, type);
}

/// The file states the sizes of a tensor within the graph.
inline std::string stated(const std::string& name, const std::vector<std::int64_t>& sizes) {
  return tensor(13, name, sizes, of_float32);
}

/// Weights without their numbers, among a graph's fields.
inline std::string weights(const std::string& name, const std::vector<std::int64_t>& sizes,
                           Type type = of_float32) {
  std::string bytes = integer(2, type) + text(8, name);
  for (const std::int64_t size : sizes) bytes += integer(1, static_cast<std::uint64_t>(size));
  return text(5, bytes);
}

inline std::string output(const std::string& name) { return text(12, text(1, name)); }

/// A FunctionProto of domain "own" from "a" to "b".
inline std::string function(const std::string& name, const std::vector<std::string>& nodes) {
  std::string bytes = text(1, name) + text(4, "a") + text(5, "b") + text(10, "own");
  for (const std::string& each : nodes) bytes += text(7, each);
  return text(25, bytes);
}

inline std::string call(const std::string& function, const std::string& from,
                        const std::string& to) {
  return node(function, {from}, {to}, text(7, "own"));
}

inline std::string model(const std::string& graph, const std::string& functions = "",
                         std::uint64_t set = 17) {
  return integer(1, 8) + text(7, graph) + functions + text(8, integer(2, set)) +
         text(8, text(1, "own") + integer(2, 1));
}

/// One node from "x" of [1, 8, 4, 4], and a constant "k", to "y".
inline std::string model_of(const std::string& op, const Names& inputs,
                            const std::vector<std::int64_t>& numbers,
                            const std::string& attributes = "") {
  return model(text(1, node(op, inputs, {"t"}, attributes)) + text(1, node("Relu", {"t"}, {"y"})) +
               input("x", {1, 8, 4, 4}) + constant("k", numbers) + output("y"));
}

}  // namespace onnx_bytes
