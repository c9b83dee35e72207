// Names in few columns: what tells them apart stays.

#include <set>

#include "catch.hpp"
#include "report/names.hpp"
#include "report/text.hpp"

using namespace roofline;

TEST_CASE("Layers that are alike have one name", "[report/short_names]") {
  struct Case {
    std::vector<std::string> names;
    std::string folded;
  };
  const std::vector<Case> cases{
      {{"conv1"}, "conv1"},
      {{"layer1.0.conv1", "layer1.1.conv1"}, "layer1.{0,1}.conv1"},
      {{"layer1.0.conv1", "layer1.1.conv1", "layer1.2.conv1"}, "layer1.{0-2}.conv1"},
      {{"b.block1.c", "b.block2.c", "b.block3.c", "b.block4.c"}, "b.block{1-4}.c"},
      {{"b.9.c", "b.10.c", "b.11.c"}, "b.{9-11}.c"},
      {{"f.0", "f.3", "f.6", "f.8"}, "f.{0,..,8}"},
      {{"relu 1x8", "relu 1x8#2", "relu 1x8#3"}, "relu 1x8"},
      {{"layer1.0.conv1", "layer2.0.conv2"}, "layer1.0.conv1"},
      {{"a.relu", "relu"}, "a.relu"},
  };
  for (const Case& each : cases) CHECK(folded_name(each.names) == each.folded);
}

TEST_CASE("Short names are short, and differ where names do", "[report/short_names]") {
  CHECK(short_names({"features.denseblock4.denselayer16.norm1"}, 24) ==
        std::vector<std::string>{"f.d4.denselayer16.norm1"});
  CHECK(short_names({"layer3.{1-5}.conv2"}, 18) == std::vector<std::string>{"layer3.{1-5}.conv2"});
  CHECK(short_names({"conv2d 32x3x224x224 to 64 k7 s2"}, 24) ==
        std::vector<std::string>{"conv2d 32x3...o 64 k7 s2"});
  std::vector<std::string> names;
  for (int block = 1; block < 5; ++block)
    for (int layer = 1; layer < 30; ++layer)
      for (const char* part : {"norm1", "relu1", "conv1", "concat"})
        names.push_back("features.denseblock" + std::to_string(block) + ".denselayer" +
                        std::to_string(layer) + "." + part);
  names.push_back(std::string(300, 'x') + "a" + std::string(300, 'x'));
  names.push_back(std::string(300, 'x') + "b" + std::string(300, 'x'));
  names.emplace_back("\xe5\xb1\xa4\xe5\xb1\xa4\xe5\xb1\xa4\xe5\xb1\xa4\xe5\xb1\xa4\xe5\xb1\xa4.a");
  for (const std::size_t width : {12U, 16U, 24U, 40U}) {
    const std::vector<std::string> texts = short_names(names, width);
    CHECK(std::set<std::string>(texts.begin(), texts.end()).size() == names.size());
    for (const std::string& text : texts) CHECK(display_width(text) <= width);
  }
}
