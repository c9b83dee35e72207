// What layers take from each other, from their file and from the command line.

#include "load/loading.hpp"

using namespace roofline;

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

TEST_CASE("Copies are told by repeat", "[load/networks]") {
  CHECK(load_layer(R"({"type": "relu", "input": [8]})").repeat == 1);
  CHECK(load_layer(R"({"type": "relu", "input": [8], "repeat": 12})").repeat == 12);
}
