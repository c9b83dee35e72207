#include "load/byte_stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "roofline/load.hpp"

namespace roofline {
namespace {

constexpr std::size_t most_chunk_byte = 65536;

[[noreturn]] void fail_reading(const std::string& path, int error) {
  throw InputError(path, "", std::string("cannot be read: ") + std::strerror(error));
}

/// Reads what is available, so that a pipe's first lines are seen before its end.
class FileStream : public ByteStream {
 public:
  FileStream(std::string name, int file, const InputLimits& limits)
      : ByteStream(std::move(name), limits), file_(file) {
    if (file_ < 0) fail_reading(this->name(), errno);
  }
  ~FileStream() override {
    if (file_ != STDIN_FILENO) ::close(file_);
  }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  std::optional<std::uint64_t> size() const override {
    struct stat file {};
    if (::fstat(file_, &file) != 0 || !S_ISREG(file.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(file.st_size);
  }

 protected:
  std::size_t read(char* to, std::size_t count) override {
    while (true) {
      const ssize_t got = ::read(file_, to, count);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno == EAGAIN) {  // another process made the pipe non-blocking
        pollfd ready{file_, POLLIN, 0};
        ::poll(&ready, 1, -1);
      } else if (errno != EINTR) {
        fail_reading(name(), errno);
      }
    }
  }
  void move_to(std::uint64_t offset) override {
    if (::lseek(file_, static_cast<off_t>(offset), SEEK_SET) < 0) fail_reading(name(), errno);
  }

 private:
  int file_;
};

class TextStream : public ByteStream {
 public:
  TextStream(std::string name, std::string text, const InputLimits& limits)
      : ByteStream(std::move(name), limits), text_(std::move(text)) {}

  std::optional<std::uint64_t> size() const override { return text_.size(); }

 protected:
  std::size_t read(char* to, std::size_t count) override {
    const std::size_t got = std::min(count, text_.size() - next_);
    std::memcpy(to, text_.data() + next_, got);
    next_ += got;
    return got;
  }
  void move_to(std::uint64_t offset) override {
    next_ = std::min<std::uint64_t>(offset, text_.size());
  }

 private:
  std::string text_;
  std::size_t next_ = 0;
};

}  // namespace

void ByteStream::fill(std::size_t count) {
  if (begin_ > 0 && begin_ >= buffer_.size() / 2) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  while (!ended_ && buffer_.size() - begin_ < count) {
    check_size(buffer_.size() - begin_);
    const std::size_t old_size = buffer_.size();
    buffer_.resize(old_size + chunk_byte_);
    std::size_t got = 0;
    try {
      got = read(buffer_.data() + old_size, chunk_byte_);
    } catch (const InputError&) {
      buffer_.resize(old_size);
      ended_ = failed_ = true;
      throw;
    }
    buffer_.resize(old_size + got);
    ended_ = got == 0;
    if (got == chunk_byte_) chunk_byte_ = std::min(2 * chunk_byte_, most_chunk_byte);
  }
}

/// Frees the bytes and throws if they exceed the limit.
void ByteStream::check_size(std::size_t held) {
  constexpr std::size_t mb = 1'000'000;
  if (held / mb < limits_.text_mb) return;
  ended_ = failed_ = true;
  buffer_.clear();
  buffer_.shrink_to_fit();
  begin_ = 0;
  throw limit_error(name_, "",
                    "at most " + std::to_string(limits_.text_mb) + " MB of text in one piece");
}

std::string_view ByteStream::peek(std::size_t count) {
  fill(count);
  return std::string_view(buffer_).substr(begin_);
}

void ByteStream::skip(std::size_t count) { begin_ += count; }

void ByteStream::seek(std::uint64_t offset) {
  move_to(offset);
  buffer_.clear();
  begin_ = 0;
  ended_ = false;
}

bool ByteStream::read_line(std::string& line) {
  const std::string_view seen = peek_line(std::string_view::npos);
  if (seen.empty()) return false;
  line.assign(seen.substr(0, seen.find('\n')));
  skip(std::min(line.size() + 1, seen.size()));  // the last line may lack its break
  return true;
}

bool ByteStream::read_lines(std::string& lines) {
  const std::string_view seen = peek_line(std::string_view::npos);
  const std::size_t last_break = seen.rfind('\n');
  lines.assign(seen.substr(0, last_break == seen.npos ? seen.npos : last_break + 1));
  skip(lines.size());
  return !lines.empty();
}

std::string_view ByteStream::peek_line(std::size_t most) {
  std::string_view seen = peek(1);
  std::size_t searched = 0;
  while (seen.size() < most && seen.find('\n', searched) == seen.npos) {
    searched = seen.size();
    seen = peek(searched + 1);
    if (seen.size() == searched) break;
  }
  return seen;
}

std::string ByteStream::read_rest() {
  std::string text(peek(0));
  skip(text.size());
  while (true) {
    const std::string_view more = peek(most_chunk_byte);
    if (more.empty()) return text;
    text.append(more);
    skip(more.size());
    check_size(text.size());
  }
}

std::unique_ptr<ByteStream> open_stream(const std::string& path, const InputLimits& limits) {
  const int file = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY);
  return std::make_unique<FileStream>(path, file, limits);
}

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return std::nullopt;
  return FileIdentity(file.st_dev, file.st_ino);
}

std::optional<std::string> wrong_encoding(std::string_view begin) {
  const bool is_utf16 = begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF");
  return is_utf16 ? std::optional<std::string>("expected UTF-8, got UTF-16") : std::nullopt;
}

Expected<std::string> read_text(const std::string& path) {
  return expected([&] { return open_stream(path)->read_rest(); });
}

std::string read_regular_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_other(status))
    throw InputError(path, "", "expected a file, got a pipe or a device");
  return open_stream(path)->read_rest();
}

std::unique_ptr<ByteStream> seekable(std::unique_ptr<ByteStream> stream) {
  if (stream->size()) return stream;
  const auto fail = [&]() {
    throw InputError(stream->name(), "",
                     std::string("cannot be kept in a temporary file: ") + std::strerror(errno));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> kept(std::tmpfile(), std::fclose);
  if (!kept) fail();
  while (true) {
    const std::string_view bytes = stream->peek(1);
    if (bytes.empty()) break;
    if (std::fwrite(bytes.data(), 1, bytes.size(), kept.get()) < bytes.size()) fail();
    stream->skip(bytes.size());
  }
  if (std::fflush(kept.get()) != 0 || std::fseek(kept.get(), 0, SEEK_SET) != 0) fail();
  return std::make_unique<FileStream>(stream->name(), ::dup(::fileno(kept.get())),
                                      stream->limits());
}

std::unique_ptr<ByteStream> text_stream(std::string name, std::string text,
                                        const InputLimits& limits) {
  return std::make_unique<TextStream>(std::move(name), std::move(text), limits);
}

}  // namespace roofline
