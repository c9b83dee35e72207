#include "cli/output.hpp"

#include <fcntl.h>
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

void reserve_standard_descriptors() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(file, F_GETFD) < 0)  // the lowest that is free is the one that open() gives
        [[maybe_unused]]
      const int same = open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void write_standard_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_standard_output();
}

void flush_standard_output() {
  if (std::fflush(stdout) != 0) fail_standard_output();
}

void note(const std::string& text) { std::fprintf(stderr, "%s\n", printable(text).c_str()); }

void note_success(const std::string& text) {
  if (isatty(STDERR_FILENO) == 1) note(text);
}

Progress::Progress()
    : on_terminal_(isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 0),
      next_(std::chrono::steady_clock::now() + std::chrono::seconds(1)) {}

Progress::~Progress() { erase(); }

void Progress::erase() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

void Progress::step(std::size_t count) {
  done_ += count;
  if (!on_terminal_ || std::chrono::steady_clock::now() < next_) return;
  next_ += std::chrono::milliseconds(200);
  shown_ = true;
  std::fprintf(stderr, "\r%llu evaluated", static_cast<unsigned long long>(done_));
}

void Progress::share(double done) {
  if (!on_terminal_ || std::chrono::steady_clock::now() < next_) return;
  next_ += std::chrono::milliseconds(200);
  shown_ = true;
  constexpr int width = 40;
  const int filled = static_cast<int>(done * width);
  std::fprintf(stderr, "\r[%.*s%*s] %3d%%", filled, "########################################",
               width - filled, "", static_cast<int>(done * 100));
}

}  // namespace roofline
