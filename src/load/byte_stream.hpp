#pragma once

// The bytes of a file, of standard input or of a text, read once from start to end.

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

/// The first bytes of an input, by which its format is told.
inline constexpr std::size_t head_byte = 65536;

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  /// The input's name, as in errors.
  const std::string& name() const { return name_; }
  /// At least the next `count` bytes, or all that are left, without consuming them. Valid until the
  /// next call. Throws InputError where reading fails, once: after that the stream has ended.
  std::string_view peek(std::size_t count);
  /// As peek(), but only up to the next line break or `most` bytes; more where they are in memory
  /// already.
  std::string_view peek_line(std::size_t most);
  /// Consumes bytes that peek() has shown.
  void skip(std::size_t count);
  /// The next line without its line break; false at the end. Throws as peek does.
  bool read_line(std::string& line);
  /// The next lines, as many as are in memory and at least one, with their line breaks; false at
  /// the end. Throws as peek does.
  bool read_lines(std::string& lines);
  /// Everything from here to the end. Throws as peek does. Like a line, no more than the limits
  /// allow.
  std::string read_rest();
  bool failed() const { return failed_; }
  /// How long it is, where it is a file or a text, in which seek() works.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  /// Goes on at that byte of the file, without reading what is passed over. Throws InputError.
  void seek(std::uint64_t offset);
  const InputLimits& limits() const { return limits_; }
  /// Whether the next line is in memory, or the end known.
  bool has_line() const { return ended_ || buffer_.find('\n', begin_) != std::string::npos; }

 protected:
  ByteStream(std::string name, const InputLimits& limits)
      : name_(std::move(name)), limits_(limits) {}
  /// Up to `count` more bytes; 0 at the end. Throws InputError.
  virtual std::size_t read(char* to, std::size_t count) = 0;
  /// Only where size() says that this works.
  virtual void move_to(std::uint64_t) {}
  /// Throws InputError: there is more than the limits allow.
  [[noreturn]] void fail_limit(const std::string& expected) const;

 private:
  void fill(std::size_t count);
  void check_size(std::size_t held);

  std::string name_;
  std::string buffer_;
  std::size_t begin_ = 0;          ///< where in buffer_ begins what is not consumed yet
  std::size_t chunk_byte_ = 8192;  ///< read at once: little for a small input, then more
  InputLimits limits_;
  bool ended_ = false;
  bool failed_ = false;
};

/// A file, or standard input for "-". Throws InputError where it cannot be opened.
std::unique_ptr<ByteStream> open_stream(const std::string& path, const InputLimits& limits = {});
/// The whole text of a file that another file or a folder names. Pipes and devices, which may never
/// end, are not opened. `is_looked_through`: the run may have no use for it. Throws InputError.
std::string read_regular_file(const std::string& path, bool is_looked_through = false);
/// What stays the same under all names of a file: its device and its number there.
using FileIdentity = std::pair<dev_t, ino_t>;

/// That of the file at the end of a path's links; none where there is no file.
std::optional<FileIdentity> identity_of(const std::string& path);
/// The name under which the process has opened the file at that path to read it, whichever file
/// named it; none where it has not. What is only looked through does not count before a use is
/// found for it.
std::optional<std::string> read_as(const std::string& path);
void note_used(const std::string& path);
/// The error message for a text that begins in UTF-16; none for any other text.
std::optional<std::string> wrong_encoding(std::string_view begin);
/// A text under a name.
std::unique_ptr<ByteStream> text_stream(std::string name, std::string text,
                                        const InputLimits& limits = {});

/// The stream as it is, or what is left of a pipe in a file without a name, which ends with the
/// result: seek() works in it. Throws InputError where that file cannot be written.
std::unique_ptr<ByteStream> seekable(std::unique_ptr<ByteStream> stream);

/// The stream as it is, or where it begins as gzip does, a stream of what its members hold. Reading
/// the result throws InputError where the data are damaged or cut off, or expand more than data do
/// that were not made to.
std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stream);
/// What data inflate to that stand without a header, as in a zip archive. Throws as decompressed.
std::unique_ptr<ByteStream> inflated(std::unique_ptr<ByteStream> stream);

bool looks_like_zip(std::string_view head);

struct ZipEntry {
  std::string name;
  std::string text;
};
/// The entries that are wanted, in the order of the archive's directory, which is read first.
/// Throws InputError where the archive has none (`expected` says what), is damaged or encrypted, or
/// where the texts exceed the limits.
std::vector<ZipEntry> zip_entries(std::unique_ptr<ByteStream> archive,
                                  bool (*is_wanted)(std::string_view name),
                                  const std::string& expected);

}  // namespace roofline
