#include "temporary_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "catch.hpp"

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string path = (fs::temp_directory_path() / "roofline_test_XXXXXX").string();
  REQUIRE(mkdtemp(path.data()) != nullptr);
  path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  const fs::path path = path_ / name;
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  REQUIRE(file.good());
  return path.string();
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  INFO(path);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
