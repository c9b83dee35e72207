// Inflates gzip files and entries of zip archives. Signatures, sizes and offsets of archives follow
// PKWARE's APPNOTE.TXT.

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/byte_stream.hpp"
#include "model/text.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr std::size_t input_chunk_byte = 65536;

/// zlib's window bits: the largest window with a gzip header, and without a header.
enum class Wrapping : int { gzip = 15 + 16, none = -15 };

class InflatingStream : public ByteStream {
 public:
  InflatingStream(std::unique_ptr<ByteStream> compressed, Wrapping wrapping)
      : ByteStream(compressed->name(), compressed->limits()),
        compressed_(std::move(compressed)),
        wrapping_(wrapping) {
    if (inflateInit2(&state_, static_cast<int>(wrapping)) != Z_OK) throw std::bad_alloc();
  }
  ~InflatingStream() override { inflateEnd(&state_); }
  InflatingStream(const InflatingStream&) = delete;
  InflatingStream& operator=(const InflatingStream&) = delete;

 protected:
  std::size_t read(char* to, std::size_t count) override {
    std::size_t made = 0;
    while (made == 0 && !ended_) {
      const std::string_view input = compressed_->peek(input_chunk_byte);
      if (input.empty())
        throw InputError(name(), "",
                         "expected the rest of the " + what() + ", got the end of the file");
      made = inflate_some(input, to, count);
    }
    if (made == 0) check_end();
    return made;
  }

 private:
  std::size_t inflate_some(std::string_view input, char* to, std::size_t count) {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    // zlib does not write to its input; its interface predates const.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    state_.avail_in = static_cast<uInt>(std::min(input.size(), most));
    state_.next_out = reinterpret_cast<Bytef*>(to);
    state_.avail_out = static_cast<uInt>(std::min(count, most));
    const uInt offered = state_.avail_in;
    const uInt room = state_.avail_out;
    const int result = inflate(&state_, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      throw InputError(name(), "",
                       "expected " + what() + ", got damaged ones" +
                           (state_.msg != nullptr ? std::string(": ") + state_.msg : ""));
    compressed_->skip(offered - state_.avail_in);
    if (result == Z_STREAM_END) next_member();
    const uInt made = room - state_.avail_out;
    check_expansion(offered - state_.avail_in, made);
    return made;
  }

  void check_expansion(std::uint64_t used, std::uint64_t made) {
    constexpr std::uint64_t free_byte = 16'000'000;
    used_ += used;
    made_ += made;
    const std::uint64_t most_expansion = limits().expansion;
    if (made_ > free_byte && (made_ - free_byte) / most_expansion > used_)
      throw limit_error(name(), "",
                        concat(what(), " that give at most ", most_expansion, " bytes for each"));
  }

  /// A gzip file may hold several members and zero padding.
  void next_member() {
    ended_ = true;
    if (wrapping_ == Wrapping::none) return;
    for (std::string_view rest; (rest = compressed_->peek(1)).starts_with('\0');)
      compressed_->skip(std::min(rest.find_first_not_of('\0'), rest.size()));
    if (!compressed_->peek(gzip_magic.size()).starts_with(gzip_magic)) return;
    ended_ = false;
    inflateReset(&state_);
  }

  void check_end() {
    if (wrapping_ == Wrapping::gzip && !compressed_->peek(1).empty())
      throw InputError(name(), "",
                       "expected the end of the file behind the gzip data, or more of them, got "
                       "other bytes, which gzip -dc leaves out");
  }

  std::string what() const { return wrapping_ == Wrapping::gzip ? "gzip data" : "deflated data"; }

  std::unique_ptr<ByteStream> compressed_;
  Wrapping wrapping_;
  z_stream state_{};
  std::uint64_t used_ = 0;
  std::uint64_t made_ = 0;
  bool ended_ = false;
};

constexpr std::string_view local_header = "PK\x03\x04";
constexpr std::string_view directory_header = "PK\x01\x02";
constexpr std::string_view directory_end = "PK\x05\x06";
constexpr std::string_view directory_locator64 = "PK\x06\x07";
constexpr std::string_view directory_end64 = "PK\x06\x06";
constexpr std::size_t local_header_byte = 30;
constexpr std::size_t directory_header_byte = 46;
constexpr std::size_t directory_end_byte = 22;
constexpr std::size_t directory_locator64_byte = 20;
constexpr std::size_t directory_end64_byte = 56;
constexpr std::size_t longest_comment_byte = 65535;
constexpr std::uint64_t in_zip64 = 0xffffffff;  ///< the size is in the extra field

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

struct Entry {
  std::string name;
  bool is_encrypted = false;
  std::uint64_t method = 0;
  std::uint64_t crc = 0;
  std::uint64_t packed_byte = 0;
  std::uint64_t whole_byte = 0;
  std::uint64_t offset = 0;  ///< of the local header
};

/// Reads the 64-bit fields from the extra field.
void read_zip64(std::string_view extra, Entry& entry) {
  while (extra.size() >= 4) {
    const std::uint64_t id = number_at(extra, 0, 2);
    const std::size_t size = std::min<std::size_t>(number_at(extra, 2, 2), extra.size() - 4);
    std::string_view field = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (id != 1) continue;
    for (std::uint64_t* each : {&entry.whole_byte, &entry.packed_byte, &entry.offset}) {
      if (*each != in_zip64 || field.size() < 8) continue;
      *each = number_at(field, 0, 8);
      field.remove_prefix(8);
    }
  }
}

class Archive {
 public:
  Archive(std::unique_ptr<ByteStream> stream, bool (*is_wanted)(std::string_view),
          const std::string& expected)
      : stream_(std::move(stream)), is_wanted_(is_wanted), expected_(expected) {}

  std::vector<ZipEntry> entries() && {
    stream_ = seekable(std::move(stream_));
    std::vector<ZipEntry> read;
    std::uint64_t all_byte = 0;
    for (const Entry& entry : find_all(*stream_->size())) {
      read.push_back({entry.name, text_of(entry)});
      all_byte += read.back().text.size();
      if (const auto most_mb = stream_->limits().text_mb; all_byte / 1'000'000 >= most_mb)
        throw limit_error(stream_->name(), "",
                          concat("at most ", most_mb, " MB of text in its entries together"));
    }
    return read;
  }

 private:
  std::string text_of(const Entry& entry) {
    go_to(entry);
    if (entry.is_encrypted) fail("expected an archive without a password, got an encrypted one");
    if (entry.method != 0 && entry.method != 8)
      fail(concat("expected an entry that is stored or deflated, got method ", entry.method));
    std::string text(require(entry.method == 8 ? entry.packed_byte : entry.whole_byte));
    if (entry.method == 8)
      text = InflatingStream(text_stream(stream_->name(), std::move(text), stream_->limits()),
                             Wrapping::none)
                 .read_rest();
    if (entry.crc != crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()))
      fail("expected an entry that has its checksum, got a damaged one");
    return text;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(stream_->name(), "", message);
  }
  [[noreturn]] void fail_cut_off() const {
    fail("expected the rest of the zip archive, got the end of the file");
  }

  std::string_view require(std::size_t count) {
    const std::string_view bytes = stream_->peek(count);
    if (bytes.size() < count) fail_cut_off();
    return bytes.substr(0, count);
  }

  /// Found from the archive's last bytes.
  std::uint64_t directory_offset(std::uint64_t size) {
    const std::uint64_t tail = std::min<std::uint64_t>(
        size, directory_end_byte + longest_comment_byte + directory_locator64_byte);
    stream_->seek(size - tail);
    const std::string last(stream_->peek(tail));
    const std::size_t end = last.rfind(directory_end);
    if (end == last.npos || last.size() - end < directory_end_byte) fail_cut_off();
    const std::uint64_t offset = number_at(last, end + 16, 4);
    if (offset != in_zip64) return offset;
    if (end < directory_locator64_byte || !std::string_view(last)
                                               .substr(end - directory_locator64_byte)
                                               .starts_with(directory_locator64))
      fail_cut_off();
    stream_->seek(number_at(last, end - directory_locator64_byte + 8, 8));
    const std::string_view end64 = require(directory_end64_byte);
    if (!end64.starts_with(directory_end64)) fail_cut_off();
    return number_at(end64, 48, 8);
  }

  std::vector<Entry> find_all(std::uint64_t size) {
    std::vector<Entry> all;
    stream_->seek(directory_offset(size));
    while (require(4).starts_with(directory_header)) {
      const std::string header(require(directory_header_byte));
      const std::size_t name_byte = number_at(header, 28, 2);
      const std::size_t extra_byte = number_at(header, 30, 2);
      const std::size_t comment_byte = number_at(header, 32, 2);
      const std::size_t entry_byte = directory_header_byte + name_byte + extra_byte + comment_byte;
      const std::string_view whole = require(entry_byte);
      Entry entry{std::string(whole.substr(directory_header_byte, name_byte)),
                  (number_at(header, 8, 2) & 1U) != 0,
                  number_at(header, 10, 2),
                  number_at(header, 16, 4),
                  number_at(header, 20, 4),
                  number_at(header, 24, 4),
                  number_at(header, 42, 4)};
      read_zip64(whole.substr(directory_header_byte + name_byte, extra_byte), entry);
      if (is_wanted_(entry.name)) all.push_back(std::move(entry));
      stream_->skip(entry_byte);
    }
    if (all.empty()) fail(expected_ + ", got a zip archive without one");
    return all;
  }

  void go_to(const Entry& entry) {
    stream_->seek(entry.offset);
    const std::string_view local = require(local_header_byte);
    if (!local.starts_with(local_header))
      fail("expected an entry where the directory says, got something else");
    const std::size_t skipped =
        local_header_byte + number_at(local, 26, 2) + number_at(local, 28, 2);
    require(skipped);
    stream_->skip(skipped);
  }

  std::unique_ptr<ByteStream> stream_;
  bool (*is_wanted_)(std::string_view);
  const std::string& expected_;
};

}  // namespace

std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stream) {
  if (!stream->peek(gzip_magic.size()).starts_with(gzip_magic)) return stream;
  return std::make_unique<InflatingStream>(std::move(stream), Wrapping::gzip);
}

bool looks_like_zip(std::string_view head) { return head.starts_with(local_header); }

std::vector<ZipEntry> zip_entries(std::unique_ptr<ByteStream> archive,
                                  bool (*is_wanted)(std::string_view name),
                                  const std::string& expected) {
  return Archive(std::move(archive), is_wanted, expected).entries();
}

}  // namespace roofline
