#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "report/text.hpp"

namespace roofline {

namespace {

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

}  // namespace roofline
