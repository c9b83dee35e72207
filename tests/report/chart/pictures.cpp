// The approved pictures as a reader gets them: each text as it stands in the file.

#include <filesystem>
#include <regex>

#include "catch.hpp"
#include "cli/process.hpp"
#include "report/chart/chart.hpp"
#include "report/golden.hpp"

using namespace roofline;

namespace {

struct ReadPicture {
  Box page;
  std::vector<Text> texts;
};

std::string decoded(const std::string& text) {
  return std::regex_replace(text, std::regex("&(#?[a-z0-9]+);"), "&");
}

ReadPicture read_picture(const std::string& svg) {
  ReadPicture picture;
  std::smatch box;
  REQUIRE(std::regex_search(svg, box, std::regex("viewBox=\"0 0 ([0-9.]+) ([0-9.]+)\"")));
  picture.page = {0, 0, std::stod(box[1]), std::stod(box[2])};
  const std::regex element(
      "<text class=\"[^\"]*\" x=\"([^\"]*)\" y=\"([^\"]*)\" font-size=\"([^\"]*)\" "
      "text-anchor=\"([^\"]*)\">([^<]*)</text>");
  for (std::sregex_iterator it(svg.begin(), svg.end(), element), end; it != end; ++it) {
    const std::string anchor = (*it)[4];
    picture.texts.push_back({std::stod((*it)[1]), std::stod((*it)[2]), decoded((*it)[5]),
                             anchor == "start"    ? Anchor::start
                             : anchor == "middle" ? Anchor::middle
                                                  : Anchor::end,
                             "", std::stod((*it)[3])});
  }
  return picture;
}

}  // namespace

TEST_CASE("In no approved picture is a text small, on another or outside",
          "[report/chart/pictures]") {
  std::size_t pictures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder)) {
    if (entry.path().extension() != ".svg") continue;
    ++pictures;
    INFO(entry.path().filename());
    const std::string svg = read_file(entry.path().string());
    const ReadPicture picture = read_picture(svg);
    CHECK(picture.page.width == 800);
    const std::regex any_text("<text ");
    CHECK(static_cast<std::size_t>(std::distance(
              std::sregex_iterator(svg.begin(), svg.end(), any_text), {})) == picture.texts.size());
    for (const Text& text : picture.texts) {
      INFO(text.text);
      CHECK(text.size >= 11);
      CHECK(contains(picture.page, box_of(text)));
      for (const Text& other : picture.texts)
        if (&other != &text && overlap(box_of(text), box_of(other))) FAIL_CHECK(other.text);
    }
  }
  CHECK(pictures >= 10);
}
