// A step of the build: writes the built-in kernel models as a source of plain arrays.
//
//   roofline_constant_tables OUTPUT

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

#include "load/kernel_model.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/error.hpp"

namespace roofline {

std::span<const ConstantTable> constant_tables() { return {}; }

namespace {

/// The shortest that reads back as the same number.
std::string literal(double number) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
}

/// With a NUL at its end.
std::string literal(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\\0\"";
}

template <class Items>
std::string literals(const Items& items, const char* separator) {
  std::string all;
  for (const auto& item : items) all += literal(item) + separator;
  return all;
}

std::string tables_source() {
  std::string arrays;
  std::string rows;
  for (const EmbeddedFile& file : embedded_kernel_models()) {
    const std::string source = "built-in " + std::string(file.name);
    const PackedConstants set = packed(*load_constants(file.text, source));
    const auto id = &file - embedded_kernel_models().data();
    arrays += fmt::format(
        "constexpr double numbers_{0}[] = {{\n{1}}};\nconstexpr char texts_{0}[] =\n{2};\n", id,
        literals(set.numbers, ",\n"), literals(set.texts, "\n"));
    rows += fmt::format("    {{\"{0}\", numbers_{1}, {{texts_{1}, sizeof texts_{1} - 1}}}},\n",
                        file.name, id);
  }
  return fmt::format(
      "#include \"load/kernel_model.hpp\"\n\nnamespace roofline {{\nnamespace {{\n\n{}"
      "constexpr ConstantTable all_constant_tables[] = {{\n{}}};\n\n}}  // namespace\n\n"
      "std::span<const ConstantTable> constant_tables() {{ return all_constant_tables; }}\n\n"
      "}}  // namespace roofline\n",
      arrays, rows);
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text << std::flush)) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace
}  // namespace roofline

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: roofline_constant_tables OUTPUT\n");
    return 2;
  }
  try {
    roofline::write(argv[1], roofline::tables_source());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
