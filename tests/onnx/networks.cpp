// Exports of torchvision's networks, by PyTorch 2.11, against our own files of them.

#include "catch.hpp"
#include "onnx/onnx_reading.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

namespace {

/// Published: 11,689,512 and 3,504,872 parameters. Exporters fold batch norms: their two vectors
/// (9,600 and 34,112 numbers) become biases of the convolutions (4,800 and 17,056). The second
/// exporter leaves out biases that are all zero, which these are before training.
struct Export {
  const char* name;
  const char* network;
  std::uint64_t params;
  std::uint64_t macs;
};
const Export exports[] = {
    {"resnet18.script", "resnet18", 11'689'512 - 9'600 + 4'800, 1'814'073'344},
    {"resnet18.dynamo", "resnet18", 11'689'512 - 9'600, 1'814'073'344},
    {"mobilenet_v2.script", "mobilenet_v2", 3'504'872 - 34'112 + 17'056, 300'774'272},
};

bool is_product(const Layer& layer) {
  return layer.kind == LayerKind::conv || layer.kind == LayerKind::linear;
}

std::vector<Layer> products_of(const Network& network) {
  std::vector<Layer> products;
  for (const Layer& layer : network.layers)
    if (is_product(layer)) products.push_back(layer);
  return products;
}

Network own_network(const std::string& name, const LayerDefaults& defaults) {
  return load_network(*find_network(name), name, defaults).value();
}

double time_without_batch_norms_s(const Network& network, const std::string& gpu) {
  double time_s = 0;
  for (const LayerResult& row : analyze(network, find_gpu(gpu).value()).layers)
    if (row.layer.kind != LayerKind::batch_norm) time_s += row.expected_time_s().value();
  return time_s;
}

}  // namespace

TEST_CASE("Exports have the parameters and MACs that are published", "[onnx/networks]") {
  for (const Export& each : exports) {
    INFO(each.name);
    std::uint64_t params = 0;
    std::uint64_t macs = 0;
    for (const Layer& layer : infer_onnx(model_path(each.name)).layers) {
      params += count(layer).params;
      macs += count(layer).macs;
    }
    CHECK(params == each.params);
    CHECK(macs == each.macs);
  }
}

TEST_CASE("Exports have our files' convolutions and linear layers", "[onnx/networks]") {
  for (const Export& each : exports) {
    INFO(each.name);
    const auto theirs = products_of(infer_onnx(model_path(each.name), at_batch(4)));
    const auto ours = products_of(own_network(each.network, at_batch(4)));
    REQUIRE(theirs.size() == ours.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      INFO(ours[i].name);
      CHECK(theirs[i].name == ours[i].name);
      CHECK(theirs[i].inputs.front().shape == ours[i].inputs.front().shape);
      CHECK(theirs[i].output == ours[i].output);
      CHECK(theirs[i].window->kernel == ours[i].window->kernel);
      CHECK(theirs[i].window->stride == ours[i].window->stride);
      CHECK(theirs[i].window->pad_begin == ours[i].window->pad_begin);
      CHECK(theirs[i].window->pad_end == ours[i].window->pad_end);
      CHECK(theirs[i].groups == ours[i].groups);
      CHECK(count(theirs[i]).macs == count(ours[i]).macs);
    }
  }
}

TEST_CASE("Exports are expected to take as long as our files without batch norms",
          "[onnx/networks]") {
  for (const Export& each : exports)
    for (const auto& [gpu, dtype, batch] :
         {std::tuple{"h200", DataType::fp16, 32U}, std::tuple{"v100", DataType::fp32, 1U}}) {
      INFO(each.name << " on " << gpu);
      LayerDefaults defaults = at_batch(batch);
      defaults.dtype = dtype;
      defaults.dtype_given = true;
      const double theirs =
          time_without_batch_norms_s(infer_onnx(model_path(each.name), defaults), gpu);
      const double ours = time_without_batch_norms_s(own_network(each.network, defaults), gpu);
      CHECK(theirs / ours == Approx(1).margin(0.02));
    }
}
