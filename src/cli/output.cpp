#include "cli/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "report/text.hpp"

namespace roofline {
namespace {

winsize terminal_size(int file) {
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 ? size : winsize{};
}

}  // namespace

void reserve_standard_descriptors() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(file, F_GETFD) < 0)  // open() returns the lowest free descriptor
        [[maybe_unused]]
      const int same = open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

bool write_whole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // a full pipe that another process made non-blocking
      pollfd ready{file, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool write_text(int file, std::string_view text) {
  return write_whole(file, isatty(file) == 1 ? printable_lines(text) : text);
}

void write_standard_output(std::string_view text) {
  if (write_text(STDOUT_FILENO, text)) return;
  if (errno == EPIPE) throw OutputClosed{};
  throw OutputError(std::string("cannot write to standard output: ") + std::strerror(errno));
}

void note(const std::string& text) {
  constexpr std::size_t most_columns = 4000;  // longer notes are lists or long file names
  const std::string shown = shortened(printable(text), most_columns);
  const std::size_t columns = terminal_size(STDERR_FILENO).ws_col;
  write_whole(STDERR_FILENO, (columns > 0 ? broken(shown, columns) : shown) + '\n');
}

void note_success(const std::string& text) {
  if (isatty(STDERR_FILENO) == 1) note(text);
}

Progress::Progress(const char* what)
    : what_(what),
      on_terminal_(isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 0),
      next_(std::chrono::steady_clock::now() + std::chrono::seconds(1)) {}

Progress::~Progress() { erase(); }

void Progress::erase() {
  if (shown_) write_whole(STDERR_FILENO, "\r\x1b[K");
  shown_ = false;
}

void Progress::step(std::size_t count) {
  done_ += count;
  if (!on_terminal_ || std::chrono::steady_clock::now() < next_) return;
  next_ += std::chrono::milliseconds(200);
  shown_ = true;
  write_whole(STDERR_FILENO, '\r' + std::to_string(done_) + ' ' + what_);
}

RenderStyle standard_output_style() {
  constexpr std::size_t least = 80;
  RenderStyle style;
  if (isatty(STDOUT_FILENO) != 1) return style;
  const winsize size = terminal_size(STDOUT_FILENO);
  style.width = std::max<std::size_t>(least, size.ws_col);
  if (size.ws_row > 0) style.height = size.ws_row;
  return style;
}

}  // namespace roofline
