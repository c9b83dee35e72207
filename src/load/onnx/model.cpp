#include "load/onnx/model.hpp"

#include <algorithm>
#include <utility>

#include "load/onnx/lean_model.hpp"
#include "roofline/error.hpp"

namespace roofline::onnx_graph {
namespace {

constexpr int first_version = 7;

}  // namespace

std::string normal_domain(const std::string& domain) {
  return domain == "ai.onnx" ? std::string() : domain;
}

std::string function_key(const std::string& domain, const std::string& name) {
  return normal_domain(domain) + "::" + name;
}

std::shared_ptr<const Model> read_model(ByteStream& stream) {
  auto model = std::make_shared<Model>();
  model->source = stream.name();
  if (!model->proto.ParseFromString(read_lean_model(stream)))
    throw InputError(model->source, "", "expected an ONNX model, got a damaged one");
  if (!model->proto.has_graph() || model->proto.graph().node().empty())
    throw InputError(model->source, "", "expected an ONNX model with a graph, got none");
  for (const auto& set : model->proto.opset_import())
    model->versions[normal_domain(set.domain())] =
        static_cast<int>(std::min<std::int64_t>(set.version(), 1 << 20));
  const auto own = model->versions.find("");
  if (own != model->versions.end() && own->second < first_version)
    throw InputError(model->source, "",
                     "expected ONNX operator set " + std::to_string(first_version) +
                         " or later, got " + std::to_string(own->second) +
                         "; onnx.version_converter converts older models");
  for (const auto& function : model->proto.functions())
    model->functions[function_key(function.domain(), function.name())] = &function;
  return model;
}

}  // namespace roofline::onnx_graph
