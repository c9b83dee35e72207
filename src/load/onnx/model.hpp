#pragma once

// A model as its file has it, without the weights' data.

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "load/byte_stream.hpp"
#include "load/onnx/onnx_library.hpp"

namespace roofline::onnx_graph {

struct Model {
  std::string source;  ///< the input's name, as in errors
  ::onnx::ModelProto proto;
  std::unordered_map<std::string, int> versions;  ///< of operator sets, by domain
  std::unordered_map<std::string, const ::onnx::FunctionProto*> functions;  ///< by function_key
};

/// "" is ONNX's own domain, which may also be written "ai.onnx".
std::string normal_domain(const std::string& domain);
std::string function_key(const std::string& domain, const std::string& name);

/// Throws InputError where the input is no ONNX model, or a damaged one.
std::shared_ptr<const Model> read_model(ByteStream& stream);

}  // namespace roofline::onnx_graph
