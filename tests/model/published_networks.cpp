// The built-in networks against published parameters and multiply-adds at batch 1: torchvision's
// figures, and the paper's AlexNet. They count convolutions and linear layers only.

#include <cstdio>

#include "load/embedded.hpp"
#include "load/loading.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

namespace {

struct Published {
  const char* network;
  std::uint64_t params;
  const char* gmacs;  ///< to its last published digit
};

const Published table[] = {
    {"alexnet", 61'100'840, "0.714"},
    {"alexnet_original", 60'965'224, "0.724"},
    {"vgg11", 132'863'336, "7.609"},
    {"vgg16", 138'357'544, "15.47"},
    {"resnet18", 11'689'512, "1.814"},
    {"resnet50", 25'557'032, "4.089"},
    {"resnet101", 44'549'160, "7.801"},
    {"resnext50_32x4d", 25'028'904, "4.23"},
    {"wide_resnet50_2", 68'883'240, "11.398"},
    {"googlenet", 6'624'904, "1.498"},
    {"inception_v3", 23'834'568, "5.713"},
    {"densenet121", 7'978'856, "2.834"},
    {"squeezenet1_0", 1'248'424, "0.819"},
    {"mobilenet_v2", 3'504'872, "0.301"},
    {"mobilenet_v3_large", 5'483'032, "0.217"},
    {"shufflenet_v2_x1_0", 2'278'604, "0.145"},
    {"efficientnet_b0", 5'288'548, "0.386"},
    {"mnasnet1_0", 4'383'312, "0.314"},
    {"regnet_y_400mf", 4'344'144, "0.402"},
    {"convnext_tiny", 28'589'128, "4.456"},
    {"yolov5s", 7'235'389, "8.2"},  // its repository: 16.5 GFLOP with what is no product
};

struct Sums {
  std::uint64_t params = 0;
  std::uint64_t macs = 0;  ///< of convolutions and linear layers
};

Sums sums_of(const std::string& name, bool with_training_only) {
  Sums sums;
  INFO(name);
  REQUIRE(find_network(name));
  for (const Layer& layer : load_network(*find_network(name), name, {}).value().layers) {
    if (layer.training_only && !with_training_only) continue;
    const Counts counts = count(layer);
    sums.params += counts.params;
    if (layer.kind == LayerKind::conv || layer.kind == LayerKind::linear) sums.macs += counts.macs;
  }
  return sums;
}

/// In units of 10^9, with as many digits after the point as `like`.
std::string giga(std::uint64_t count, const std::string& like) {
  const int digits = static_cast<int>(like.size() - like.find('.') - 1);
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, static_cast<double>(count) / 1e9);
  return text;
}

}  // namespace

TEST_CASE("Networks have their published parameters and multiply-adds",
          "[model/published_networks]") {
  for (const Published& published : table) {
    INFO(published.network);
    const Sums sums = sums_of(published.network, false);
    CHECK(sums.params == published.params);
    CHECK(giga(sums.macs, published.gmacs) == published.gmacs);
  }
}

TEST_CASE("Three networks are exact to the last multiply-add", "[model/published_networks]") {
  CHECK(sums_of("alexnet", false).macs == 714'188'480);
  CHECK(sums_of("vgg16", false).macs == 15'470'264'320);
  CHECK(sums_of("resnet50", false).macs == 4'089'184'256);
}

TEST_CASE("Inception's auxiliary head counts in training only", "[model/published_networks]") {
  CHECK(sums_of("inception_v3", true).params == 27'161'264);
}

TEST_CASE("LeNet-5 and the 3-D ResNet have their published parameters",
          "[model/published_networks]") {
  CHECK(sums_of("lenet5", false).params == 61'706);      // LeCun et al. 1998, full connections
  CHECK(sums_of("r3d_18", false).params == 33'371'472);  // torchvision
  CHECK(giga(sums_of("r3d_18", false).macs, "40.697") == "40.697");
}

TEST_CASE("Networks of other fields have their published parameters",
          "[model/published_networks]") {
  // Its public implementation has a pooler of 768 x 768 and a bias besides.
  CHECK(sums_of("bert_base", false).params == 109'482'240 - 768 * 768 - 768);
  CHECK(sums_of("hifigan", false).params == 13'926'017);  // the paper says 13.92 M
  CHECK(sums_of("edsr", false).params == 1'369'859);      // the paper says 1.37 M
  // 49,490,179 of the decoder and 20 of the convolution before it, in its public implementation.
  CHECK(sums_of("sd_vae_decoder", false).params == 49'490'199);
  // Two embeddings of 32,000 tokens and a norm are beside the 32 blocks of 6,738,415,616.
  CHECK(sums_of("llama_block", false).params == (6'738'415'616 - 2 * 32'000 * 4'096 - 4'096) / 32);
  // 2,048 tokens through four products of 4,096 x 4,096 and three of 4,096 x 11,008.
  CHECK(sums_of("llama_block", false).macs == 2'048ULL * (4 * 4'096 * 4'096 + 3 * 4'096 * 11'008));
}

TEST_CASE("EDSR has the multiply-adds that the sizes of its layers give",
          "[model/published_networks]") {
  // A head, 33 convolutions of the body and the one before the shuffle at 128x128, the tail at
  // 256x256.
  constexpr std::uint64_t small = 3 * 64 + 33 * 64 * 64 + 64 * 256;
  constexpr std::uint64_t large = 64 * 3;
  CHECK(sums_of("edsr", false).macs == 9 * (128 * 128 * small + 256 * 256 * large));
}

TEST_CASE("Every built-in network loads and counts at any batch", "[model/published_networks]") {
  for (const EmbeddedFile& file : embedded_networks()) {
    INFO(file.name);
    const std::string name(file.name);
    const Network one = load_network(file.text, name, {}).value();
    const Network three = load_network(file.text, name, at_batch(3)).value();
    REQUIRE(one.layers.size() == three.layers.size());
    for (std::size_t i = 0; i < one.layers.size(); ++i) {
      INFO(one.layers[i].name);
      const Counts a = count(one.layers[i]), b = count(three.layers[i]);
      CHECK(a.params == b.params);
      // A batched product states its number of products itself.
      if (one.layers[i].kind != LayerKind::matmul)
        CHECK(a.macs * three.layers[i].output.batch == b.macs * one.layers[i].output.batch);
    }
  }
}

// A batch took the place of the tokens, and a sum grew to tokens x tokens x features.
TEST_CASE("No layer of a block of Llama works on more than its tokens",
          "[model/published_networks]") {
  for (const std::uint64_t batch : {1U, 3U}) {
    LayerDefaults defaults;
    defaults.batch_override = batch;
    const Network network =
        load_network(*find_network("llama_block"), "llama_block", defaults).value();
    for (const Layer& layer : network.layers) {
      INFO(layer.name);
      const std::uint64_t read_byte = count(layer).bytes.input;
      CHECK(read_byte <= batch * 2 * 4 * 2'048 * 11'008);  // two operands in fp32
    }
  }
}
