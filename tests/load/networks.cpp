// What layers take from each other, from their file and from the command line.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "load/embedded.hpp"
#include "load/loading.hpp"
#include "load/network_reader.hpp"
#include "roofline/catalogue.hpp"

using namespace roofline;

namespace {

Network built_in(const std::string& name) {
  REQUIRE(find_network(name));
  return load_network(*find_network(name), name, {}).value();
}

/// The layers whose output no other layer takes.
std::vector<std::string> results_of(const Network& network) {
  std::vector<bool> taken(network.layers.size(), false);
  for (const Layer& layer : network.layers)
    for (const Operand& operand : layer.inputs)
      if (operand.producer) taken[*operand.producer] = true;
  std::vector<std::string> results;
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (!taken[i]) results.push_back(network.layers[i].name);
  return results;
}

}  // namespace

TEST_CASE("A layer without input takes the one before", "[load/networks]") {
  const Network network = load_text(R"([
      {"input": [2, 3, 32, 32], "out_channels": 8, "kernel_size": 3, "padding": 1},
      {"type": "relu"},
      {"type": "max_pool", "kernel_size": 2},
      {"in_channels": 8, "out_channels": 16, "kernel_size": 3},
      {"type": "global_avg_pool"},
      {"type": "flatten"},
      {"type": "linear", "out_features": 10}])");
  REQUIRE(network.layers.size() == 7);
  CHECK(network.layers[2].output == Shape{2, 8, {1, 16, 16}, 2});
  CHECK(network.layers[3].output == Shape{2, 16, {1, 14, 14}, 2});
  CHECK(network.layers[4].output == Shape{2, 16, {1, 1, 1}, 2});
  CHECK(network.layers[6].output == Shape{2, 10, {1, 1, 1}, 0});
  CHECK_FALSE(network.layers[0].inputs[0].producer);
  for (std::size_t i = 1; i < 7; ++i) CHECK(network.layers[i].inputs[0].producer == i - 1);
}

TEST_CASE("A layer may take an earlier one by name, several times", "[load/networks]") {
  const Network network = load_text(R"([
      {"name": "stem", "input": [3, 8, 8], "out_channels": 4, "kernel_size": 1},
      {"name": "left", "out_channels": 4, "kernel_size": 3, "padding": 1},
      {"name": "right", "input": "stem", "out_channels": 6, "kernel_size": 1},
      {"name": "sum", "type": "add", "inputs": ["left", "stem"]},
      {"name": "all", "type": "concat", "inputs": ["left", "right", "sum"]}])");
  CHECK(network.layers[2].inputs[0].producer == 0U);
  CHECK(network.layers[3].inputs[0].producer == 1U);
  CHECK(network.layers[3].inputs[1].producer == 0U);
  CHECK(network.layers[3].output == Shape{1, 4, {1, 8, 8}, 2});
  CHECK(network.layers[4].output == Shape{1, 14, {1, 8, 8}, 2});
}

TEST_CASE("Layers without a name are called by type and index", "[load/networks]") {
  const Network network = load_text(R"([{"type": "relu", "input": [8]}, {"type": "relu"},
      {"type": "sigmoid", "input": "relu0"}])");
  CHECK(network.layers[1].name == "relu1");
  CHECK(network.layers[2].inputs[0].producer == 0U);
}

TEST_CASE("Shapes broadcast as in NumPy", "[load/networks]") {
  struct Case {
    const char* inputs;
    Shape output;
  };
  const Case table[] = {
      {"[[2, 8, 5, 5], [2, 8, 5, 5]]", {2, 8, {1, 5, 5}, 2}},
      {"[[2, 8, 5, 5], [2, 8, 1, 1]]", {2, 8, {1, 5, 5}, 2}},
      {"[[2, 8, 1, 1], [2, 8, 5, 5]]", {2, 8, {1, 5, 5}, 2}},
      {"[[2, 8, 5, 1], [2, 1, 1, 7]]", {2, 8, {1, 5, 7}, 2}},
      {"[[1, 8, 5, 5], [2, 8, 5, 5]]", {2, 8, {1, 5, 5}, 2}},
      {"[[2, 8, 5, 5], {\"parameter\": [8, 1, 1]}]", {2, 8, {1, 5, 5}, 2}},
      {"[[4], [4], [1]]", {1, 4, {1, 1, 1}, 0}},
  };
  for (const Case& each : table) {
    INFO(each.inputs);
    CHECK(load_layer(R"({"type": "mul", "inputs": )" + std::string(each.inputs) + "}").output ==
          each.output);
  }
}

TEST_CASE("Linear layers flatten images and keep positions", "[load/networks]") {
  const Network flattened = load_text(R"([
      {"type": "relu", "input": [2, 6, 4, 4]},
      {"type": "linear", "in_features": 96, "out_features": 10}])");
  CHECK(flattened.layers[1].output == Shape{2, 10, {1, 1, 1}, 0});
  const Layer positions =
      load_layer(R"({"type": "linear", "input": [2, 50, 96], "out_features": 10})");
  CHECK(positions.output.batch == 2);
  CHECK(positions.output.channels == 10);
  CHECK(positions.output.spatial == Axes{1, 1, 50});
}

TEST_CASE("A network object gives its layers defaults", "[load/networks]") {
  const Network network = load_text(R"({"name": "mine", "dtype": "fp16", "batch": 7, "layers": [
      {"type": "relu", "input": [8]},
      {"type": "relu", "input": [8], "dtype": "fp64", "batch": 2},
      {"type": "relu", "input": [3, 8]}]})");
  CHECK(network.name == "mine");
  CHECK(network.layers[0].dtypes.input == DataType::fp16);
  CHECK(network.layers[0].output.batch == 7);
  CHECK(network.layers[1].dtypes.input == DataType::fp64);
  CHECK(network.layers[1].output.batch == 2);
  CHECK(network.layers[2].output.batch == 3);
}

TEST_CASE("A file without a name is called by its path", "[load/networks]") {
  CHECK(network_name("some.dir/my.net.json") == "my.net");
  CHECK(network_name("net") == "net");
  CHECK(network_name("-") == "stdin");
  CHECK(network_name("dir/.hidden") == ".hidden");
  CHECK(load_text(R"({"type": "relu", "input": [8]})").name == "conv");
}

TEST_CASE("The command line's type and pass are defaults, its batch wins", "[load/networks]") {
  LayerDefaults defaults = at_batch(9);
  defaults.dtype = DataType::bf16;
  defaults.pass = Pass::wgrad;
  const Network network = load_text(R"({"batch": 7, "layers": [
      {"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3},
      {"input": [2, 3, 8, 8], "out_channels": 4, "kernel_size": 3, "dtype": "fp64"},
      {"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3, "batch": 2, "pass": "fwd"},
      {"type": "linear", "in_features": 8, "out_features": 4, "batch": 5},
      {"type": "matmul", "m": 2, "n": 3, "k": 4, "batch": 5},
      {"type": "matmul", "m": 2, "n": 3, "k": 4}]})",
                                    defaults);
  CHECK(network.layers[0].dtypes.input == DataType::bf16);
  CHECK(network.layers[1].dtypes.input == DataType::fp64);
  CHECK(network.layers[0].pass == Pass::wgrad);
  CHECK(network.layers[2].pass == Pass::fwd);
  for (const std::size_t i : {0U, 1U, 2U, 3U, 5U}) CHECK(network.layers[i].output.batch == 9);
  CHECK(network.layers[4].output.batch == 5);  // a matmul's stated products stay
  CHECK(load_text(R"({"dtype": "fp64", "layers": [{"type": "relu", "input": [8]}]})", defaults)
            .layers[0]
            .dtypes.input == DataType::fp64);
}

TEST_CASE("A stated output stays right under another batch", "[load/networks]") {
  const std::string text =
      R"({"input": [2, 3, 8, 8], "out_channels": 4, "kernel_size": 3, "output": [2, 4, 6, 6]})";
  CHECK(load_layer(text).output.batch == 2);
  CHECK(load_layer(text, at_batch(9)).output.batch == 9);
}

TEST_CASE("Copies told by repeat are layers of their own", "[load/networks]") {
  const Network network = load_text(R"([
      {"name": "a", "input": [4, 8, 8], "out_channels": 4, "kernel_size": 1, "repeat": 3},
      {"name": "b", "type": "relu", "repeat": 3},
      {"name": "c", "type": "add", "inputs": ["b", "a"]},
      {"name": "b", "type": "relu", "input": [8]}])");
  std::string names;
  for (const Layer& layer : network.layers) names += layer.name + ' ';
  CHECK(names == "a a#2 a#3 b b#2 b#3 c b#4 ");
  // A copy reads the same copy of a layer repeated as often; any other layer reads the last one.
  for (const std::size_t i : {3U, 4U, 5U}) CHECK(network.layers[i].inputs[0].producer == i - 3);
  CHECK(network.layers[6].inputs[0].producer == 5U);
  CHECK(network.layers[6].inputs[1].producer == 2U);
}

TEST_CASE("Built-in networks list every layer under a name of its own", "[load/networks]") {
  for (const EmbeddedFile& file : embedded_networks()) {
    INFO(file.name);
    CHECK(file.text.find("\"repeat\"") == std::string_view::npos);
    std::set<std::string> names;
    for (const Layer& layer : built_in(std::string(file.name)).layers) {
      INFO(layer.name);
      CHECK(names.insert(layer.name).second);
    }
  }
}

TEST_CASE("A built-in network ends in its last layer", "[load/networks]") {
  for (const EmbeddedFile& file : embedded_networks()) {
    INFO(file.name);
    const Network network = built_in(std::string(file.name));
    std::vector<std::string> expected{network.layers.back().name};
    if (file.name == "inception_v3") expected = {"AuxLogits.fc", "fc"};
    if (file.name == "yolov5s") expected = {"24.m0", "24.m1", "24.m2"};  // one a size of objects
    std::vector<std::string> results = results_of(network);
    // ShuffleNet's blocks take halves of the shuffle before them, which are written as shapes.
    if (file.name == "shufflenet_v2_x1_0")
      std::erase_if(results, [](const std::string& name) { return name.ends_with(".shuffle"); });
    CHECK(results == expected);
  }
}

TEST_CASE("H and W are the size of the image with which a network begins", "[load/networks]") {
  const auto resized = [](const std::string& name,
                          std::vector<std::pair<std::string, std::uint64_t>> dimensions) {
    LayerDefaults defaults;
    defaults.dimensions = std::move(dimensions);
    return load_network(*find_network(name), name, defaults);
  };
  struct Case {
    const char* network;
    const char* layer;
    Axes output;  ///< depth, height, width
  };
  for (const auto& [network, layer, output] :
       {Case{"resnet50", "layer4.2.relu3", {1, 16, 16}}, Case{"resnet50", "avgpool", {1, 1, 1}},
        Case{"unet", "enc1.conv1", {1, 512, 512}},
        Case{"densenet121", "features.norm5", {1, 16, 16}}}) {
    INFO(network << ' ' << layer);
    const Network read = resized(network, {{"H", 512}, {"W", 512}}).value();
    const auto found = std::ranges::find(read.layers, layer, &Layer::name);
    REQUIRE(found != read.layers.end());
    CHECK(found->output.spatial == output);
    CHECK(read.assumptions.empty());
  }
  CHECK(resized("resnet50", {{"H", 512}}).value().layers.front().output.spatial ==
        Axes{1, 256, 112});
  CHECK(resized("resnet50", {{"depth", 3}}).error().what() ==
        std::string("resnet50: --dim: expected an open size of the input, H, W, got \"depth\""));
  // Its layers state sizes of slices.
  CHECK(
      resized("shufflenet_v2_x1_0", {{"H", 512}}).error().what() ==
      std::string("shufflenet_v2_x1_0: --dim: expected an input with open sizes, got \"H\" for one "
                  "without"));
  CHECK(resized("vgg16", {{"H", 512}, {"W", 512}}).error().what() ==
        std::string("vgg16: /layers/32/in_features: expected 131072, the elements of the input "
                    "[1, 512, 16, 16], or 512, its features a position, got 25088"));
}

TEST_CASE("The last blocks of a stage have torchvision's names", "[load/networks]") {
  struct Case {
    const char* network;
    std::size_t layers;  ///< calls of modules and functions, without dropout and views
    std::vector<std::string> names;
  };
  const Case table[] = {
      {"convnext_tiny", 137, {"features.1.2.block.5", "features.5.8.block.5"}},
      {"efficientnet_b0", 238, {"features.4.2.block.3.1", "features.6.3.block.2.fc2"}},
      {"inception_v3", 321, {"Mixed_6d.branch7x7dbl_5.bn", "Mixed_7c.branch3x3dbl_3b.conv"}},
      {"mnasnet1_0", 151, {"layers.8.2.layers.7", "layers.12.3.layers.6"}},
      {"mobilenet_v2", 151, {"features.6.conv.1.0", "features.10.conv.2", "features.16.conv.3"}},
      {"mobilenet_v3_large", 185, {"features.6.block.2.fc1", "features.15.block.3.0"}},
      {"r3d_18", 67, {"layer1.1.conv2.0", "layer4.1.conv1.1"}},
      {"regnet_y_400mf",
       269,
       {"trunk_output.block2.block2-2.f.c.1", "trunk_output.block4.block4-5.f.se.fc2"}},
      {"resnet101", 344, {"layer1.2.conv3", "layer3.22.bn2", "layer4.2.conv1"}},
      {"resnet18", 68, {"layer1.1.conv2", "layer4.1.bn2"}},
      {"resnet50", 174, {"layer2.3.conv2", "layer3.5.bn3"}},
      {"resnext50_32x4d", 174, {"layer2.3.conv2", "layer3.5.bn3"}},
      {"shufflenet_v2_x1_0", 184, {"stage2.3.branch2.3", "stage3.7.branch2.7"}},
      {"wide_resnet50_2", 174, {"layer2.3.conv2", "layer3.5.bn3"}},
  };
  for (const Case& each : table) {
    INFO(each.network);
    const Network network = built_in(each.network);
    CHECK(network.layers.size() == each.layers);
    for (const std::string& name : each.names) {
      INFO(name);
      CHECK(std::any_of(network.layers.begin(), network.layers.end(),
                        [&](const Layer& layer) { return layer.name == name; }));
    }
  }
}
