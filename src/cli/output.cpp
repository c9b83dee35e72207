#include "cli/output.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "report/text.hpp"

namespace roofline {

namespace {

constexpr std::size_t least_columns = 80;

constexpr std::size_t default_chart_columns = 80;
constexpr std::size_t least_chart_columns = 40;
constexpr std::size_t most_chart_columns = 400;

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

/// Of the terminal that standard output is; 0 where it does not say.
std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// As the C library would choose the locale of characters.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (is_set(name)) {
      const std::string value = std::getenv(name);
      return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos;
    }
  return false;
}

[[noreturn]] void fail_standard_output() {
  if (errno == EPIPE) throw OutputClosed{};
  throw OutputError(std::string("cannot write to standard output: ") + std::strerror(errno));
}

}  // namespace

void write_standard_output(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_standard_output();
}

void flush_standard_output() {
  if (std::fflush(stdout) != 0) fail_standard_output();
}

void write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw OutputError("cannot write " + path + ": " + std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int write_error = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed)
    throw OutputError("cannot write " + path + ": " + std::strerror(written ? errno : write_error));
}

void note(const std::string& text) { std::fprintf(stderr, "%s\n", printable(text).c_str()); }

Progress::Progress()
    : on_terminal_(isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 0),
      next_(std::chrono::steady_clock::now() + std::chrono::seconds(1)) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::step() {
  ++steps_;
  if (!on_terminal_ || steps_ % 64 != 0 || std::chrono::steady_clock::now() < next_) return;
  next_ += std::chrono::milliseconds(200);
  shown_ = true;
  std::fprintf(stderr, "\r%llu evaluated", static_cast<unsigned long long>(steps_));
}

RenderStyle standard_output_style() {
  RenderStyle style;
  if (isatty(STDOUT_FILENO) != 1) return style;
  style.colour = !is_set("NO_COLOR");
  style.width = std::max(least_columns, terminal_columns());
  style.unicode = !is_set("NO_UNICODE") && locale_is_utf8();
  return style;
}

RenderStyle standard_output_chart_style() {
  RenderStyle style = standard_output_style();
  style.unicode = !is_set("NO_UNICODE") && locale_is_utf8();
  const std::size_t columns =
      is_set("COLUMNS") ? std::strtoul(std::getenv("COLUMNS"), nullptr, 10) : terminal_columns();
  style.width = columns == 0 ? default_chart_columns
                             : std::clamp(columns, least_chart_columns, most_chart_columns);
  return style;
}

}  // namespace roofline
