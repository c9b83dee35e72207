#pragma once

// Bytes of a file, of standard input or of a text, read once from start to end.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/network.hpp"

namespace roofline {

/// Formats are recognised by these first bytes.
inline constexpr std::size_t head_byte = 65536;

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  const std::string& name() const { return name_; }
  /// The next `count` bytes or more, or all that are left; valid until the next call. Throws
  /// InputError once if reading fails, and then ends.
  std::string_view peek(std::size_t count);
  /// Peeks up to the next line break or `most` bytes, or at all bytes in memory.
  std::string_view peek_line(std::size_t most);
  void skip(std::size_t count);
  /// Reads a line without its break; false at the end. Throws as peek does.
  bool read_line(std::string& line);
  /// Reads all lines in memory, at least one, with breaks; false at the end. Throws as peek does.
  bool read_lines(std::string& lines);
  /// All remaining bytes, up to the limits as for a line. Throws as peek does.
  std::string read_rest();
  bool failed() const { return failed_; }
  /// Size of a file or a text, which seek() works in; nullopt for others.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  /// Jumps to a byte of the file without reading the bytes between. Throws InputError.
  void seek(std::uint64_t offset);
  const InputLimits& limits() const { return limits_; }
  /// Whether the next line or the end is in memory.
  bool has_line() const { return ended_ || buffer_.find('\n', begin_) != std::string::npos; }

 protected:
  ByteStream(std::string name, const InputLimits& limits)
      : name_(std::move(name)), limits_(limits) {}
  /// Up to `count` more bytes; 0 at the end. Throws InputError.
  virtual std::size_t read(char* to, std::size_t count) = 0;
  virtual void move_to(std::uint64_t) {}

 private:
  void fill(std::size_t count);
  void check_size(std::size_t held);

  std::string name_;
  std::string buffer_;
  std::size_t begin_ = 0;          ///< of the unconsumed bytes in buffer_
  std::size_t chunk_byte_ = 8192;  ///< read at once; grows for large inputs
  InputLimits limits_;
  bool ended_ = false;
  bool failed_ = false;
};

/// "-" is standard input. Throws InputError.
std::unique_ptr<ByteStream> open_stream(const std::string& path, const InputLimits& limits = {});
/// For a file that another one or a folder names: no pipe or device, which may never end. Throws
/// InputError.
std::string read_regular_file(const std::string& path);
/// Device and inode, equal for all names of a file.
using FileIdentity = std::pair<dev_t, ino_t>;

/// Identity of the file that `path` resolves to; nullopt if there is none.
std::optional<FileIdentity> identity_of(const std::string& path);
/// Error message for a text in UTF-16; nullopt for any other.
std::optional<std::string> wrong_encoding(std::string_view begin);
std::unique_ptr<ByteStream> text_stream(std::string name, std::string text,
                                        const InputLimits& limits = {});

/// The stream, or a pipe's copy in an unnamed file. Throws InputError if the copy cannot be
/// written.
std::unique_ptr<ByteStream> seekable(std::unique_ptr<ByteStream> stream);

/// The stream, or the content of its gzip members. Reading throws InputError for damaged or
/// truncated data, and for data that expand suspiciously.
std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stream);

bool looks_like_zip(std::string_view head);

struct ZipEntry {
  std::string name;
  std::string text;
};
/// The wanted entries in the order of the archive's directory. Throws InputError if there are none
/// (`expected` describes them), if the archive is damaged or encrypted, or beyond the limits.
std::vector<ZipEntry> zip_entries(std::unique_ptr<ByteStream> archive,
                                  bool (*is_wanted)(std::string_view name),
                                  const std::string& expected);

}  // namespace roofline
