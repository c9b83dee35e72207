// images OUTPUT: writes what our own readers make of the built-in GPUs and kernel models as C++, so
// that a start parses none. A file with a fault ends it with the readers' message.

#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "load/embedded.hpp"
#include "load/image.hpp"
#include "load/kernel_model.hpp"
#include "model/gpu_names.hpp"
#include "model/text.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"

namespace roofline {

// This program makes them and has none: its readers parse the texts.
std::span<const std::string_view> gpu_images() { return {}; }
std::span<const std::string_view> gpu_normal_names() { return {}; }
std::span<const std::string_view> kernel_model_images() { return {}; }

}  // namespace roofline

namespace {

using namespace roofline;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The body of a literal: bytes in octal, without leading zeros unless a digit follows.
std::string escaped(std::string_view bytes) {
  constexpr std::size_t line_byte = 4096;
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool is_before_digit = i + 1 < bytes.size() && is_digit(bytes[i + 1]);
    if (byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\' && byte != '?') {
      text += bytes[i];
    } else {
      text += '\\';
      if (byte >= 0100 || is_before_digit) text += static_cast<char>('0' + byte / 0100);
      if (byte >= 010 || is_before_digit) text += static_cast<char>('0' + byte / 010 % 010);
      text += static_cast<char>('0' + byte % 010);
    }
    if (i % line_byte == line_byte - 1) text += "\"\n\"";
  }
  return text;
}

/// A function that returns the bytes that `bytes_of` makes of each file.
void write_function(std::ostream& out, const std::string& function,
                    std::span<const EmbeddedFile> files, const auto& bytes_of) {
  std::string rows;
  for (const EmbeddedFile& file : files) {
    // An array of its own: as a literal it would lie among those that every start reads.
    const std::string name = function + std::to_string(&file - files.data());
    out << "constexpr char " << name << "[] =\n\"" << escaped(bytes_of(file)) << "\";\n";
    rows.append("    {").append(name).append(", sizeof ").append(name).append(" - 1},\n");
  }
  out << "constexpr std::string_view all_" << function << "[] = {\n"
      << rows << "};\nstd::span<const std::string_view> " << function << "() { return all_"
      << function << "; }\n\n";
}

std::string source_of(const EmbeddedFile& file) { return "built-in " + std::string(file.name); }

}  // namespace

int main(int, char** arguments) try {
  std::ofstream out(arguments[1]);
  // Every compiler takes more than the 65,536 bytes of a literal that C++ demands.
  out << "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
         "#include \"load/image.hpp\"\n\nnamespace roofline {\n\n";
  write_function(out, "gpu_images", embedded_gpus(), [](const EmbeddedFile& file) {
    return image_of(load_gpu(file.text, source_of(file)).value());
  });
  write_function(out, "gpu_normal_names", embedded_gpus(), [](const EmbeddedFile& file) {
    return joined(normal_gpu_names(load_gpu(file.text, source_of(file)).value()), " ");
  });
  write_function(out, "kernel_model_images", embedded_kernel_models(),
                 [](const EmbeddedFile& file) {
                   return image_of(*load_constants(file.text, source_of(file)));
                 });
  out << "}  // namespace roofline\n";
  return out.flush() ? 0 : 1;
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
