#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "report/text.hpp"

namespace roofline {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_standard_output() {
  if (errno == EPIPE) throw OutputClosed{};
  throw OutputError(std::string("cannot write to standard output: ") + std::strerror(errno));
}

}  // namespace

void write_standard_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_standard_output();
}

void flush_standard_output() {
  if (std::fflush(stdout) != 0) fail_standard_output();
}

namespace {

/// Whether a whole file can take this one's place: anything but a pipe or a device.
bool is_replaceable(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return !fs::exists(status) || fs::is_regular_file(status);
}

std::string file_beside(const std::string& path) { return path + ".part"; }

[[noreturn]] void fail_file(const std::string& path, int error) {
  throw OutputError("cannot write " + path + ": " + std::strerror(error));
}

}  // namespace

void check_writable(const std::string& path) {
  if (!is_replaceable(path)) return;
  const std::string part = file_beside(path);
  std::FILE* file = std::fopen(part.c_str(), "wb");
  if (file == nullptr) fail_file(path, errno);
  std::fclose(file);
  std::remove(part.c_str());
}

void write_file(const std::string& path, std::string_view text) {
  write_file(path, [text](const Sink& sink) { sink(text); });
}

void write_file(const std::string& path, const std::function<void(const Sink&)>& write) {
  const bool replaces = is_replaceable(path);
  const std::string written = replaces ? file_beside(path) : path;
  std::FILE* file = std::fopen(written.c_str(), "wb");
  if (file == nullptr) fail_file(path, errno);
  int error = 0;
  write([&](std::string_view piece) {
    if (error == 0 && std::fwrite(piece.data(), 1, piece.size(), file) != piece.size())
      error = errno;
  });
  if (std::fclose(file) != 0 && error == 0) error = errno;
  if (error == 0 && replaces && std::rename(written.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return;
  if (replaces) std::remove(written.c_str());
  fail_file(path, error);
}

void note(const std::string& text) { std::fprintf(stderr, "%s\n", printable(text).c_str()); }

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
