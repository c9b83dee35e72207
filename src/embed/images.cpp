// images OUTPUT: writes what our own readers make of the built-in GPUs and kernel models as C++, so
// that a start parses none. A file with a fault ends it with the readers' message.

#include <cstdio>
#include <fstream>

#include "load/image.hpp"
#include "load/kernel_model.hpp"
#include "model/gpu_names.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"

namespace roofline {

// This program makes them and has none.
std::span<const std::string_view> gpu_images() { return {}; }
std::span<const std::string_view> kernel_model_images() { return {}; }

}  // namespace roofline

namespace {

using namespace roofline;

/// Each is an array of its own: as a literal it would lie among those that every start reads.
void write_table(std::ostream& out, const std::string& function,
                 std::span<const EmbeddedFile> files, const auto& read) {
  std::string rows;
  for (const EmbeddedFile& file : files) {
    const std::string name = function + std::to_string(&file - files.data());
    out << "constexpr char " << name << "[] = \"" << std::oct;
    for (const char byte : image_of(read(file.text, "built-in " + std::string(file.name))))
      out << '\\' << unsigned{static_cast<unsigned char>(byte)};
    out << "\";\n";
    rows.append("    {").append(name).append(", sizeof ").append(name).append(" - 1},\n");
  }
  out << "constexpr std::string_view all_" << function << "[] = {\n"
      << rows << "};\nstd::span<const std::string_view> " << function << "() { return all_"
      << function << "; }\n\n";
}

}  // namespace

int main(int, char** arguments) try {
  std::ofstream out(arguments[1]);
  // Every compiler takes more than the 65,536 bytes of a literal that C++ demands.
  out << "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
         "#include \"load/image.hpp\"\n\nnamespace roofline {\n\n";
  write_table(out, "gpu_images", embedded_gpus(), [](auto... file) {
    const Gpu gpu = load_gpu(file...).value();
    return BuiltInGpu{normal_gpu_names(gpu), gpu};
  });
  write_table(out, "kernel_model_images", embedded_kernel_models(),
              [](auto... file) { return *load_constants(file...); });
  out << "}  // namespace roofline\n";
  return out.flush() ? 0 : 1;
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
