#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "report/text.hpp"
#include "roofline/error.hpp"

namespace roofline {

void write_standard_output(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) throw OutputClosed{};
  throw UsageError(std::string("cannot write to standard output: ") + std::strerror(errno));
}

void write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw UsageError("cannot write " + path + ": " + std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written)
    throw UsageError("cannot write " + path + ": " + std::strerror(errno));
}

void note(const std::string& text) { std::fprintf(stderr, "%s\n", printable(text).c_str()); }

bool standard_output_has_colour() {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
}

}  // namespace roofline
