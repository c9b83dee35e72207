#include "load/zip_entry.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "roofline/error.hpp"

// Signatures, sizes and places are those of PKWARE's APPNOTE.TXT.

namespace roofline {
namespace {

constexpr std::string_view local_header = "PK\x03\x04";
constexpr std::string_view directory_header = "PK\x01\x02";
constexpr std::string_view directory_end = "PK\x05\x06";
constexpr std::string_view directory_locator64 = "PK\x06\x07";
constexpr std::string_view directory_end64 = "PK\x06\x06";
constexpr std::string_view data_descriptor = "PK\x07\x08";
constexpr std::size_t local_header_byte = 30;
constexpr std::size_t directory_header_byte = 46;
constexpr std::size_t directory_end_byte = 22;
constexpr std::size_t directory_locator64_byte = 20;
constexpr std::size_t directory_end64_byte = 56;
constexpr std::size_t longest_comment_byte = 65535;
constexpr std::uint64_t in_zip64 = 0xffffffff;  ///< a size that stands in the extra field

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

struct Entry {
  bool is_encrypted = false;
  bool has_descriptor = false;  ///< sizes follow the data
  std::uint64_t method = 0;
  std::optional<std::uint64_t> crc;  ///< none: it follows the data
  std::uint64_t packed_byte = 0;
  std::uint64_t whole_byte = 0;
  std::uint64_t offset = 0;  ///< of the local header, in the directory
};

/// What both kinds of headers state; `at`: where the flags stand.
Entry entry_at(std::string_view header, std::size_t at) {
  Entry entry;
  const std::uint64_t flags = number_at(header, at, 2);
  entry.is_encrypted = (flags & 1U) != 0;
  entry.has_descriptor = (flags & 8U) != 0;
  entry.method = number_at(header, at + 2, 2);
  entry.crc = number_at(header, at + 8, 4);
  entry.packed_byte = number_at(header, at + 12, 4);
  entry.whole_byte = number_at(header, at + 16, 4);
  return entry;
}

/// Takes from the extra field what does not fit 32 bits.
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

  std::string text() && {
    const Entry entry = stream_->size() ? find_in_directory(*stream_->size()) : find_in_pipe();
    if (entry.is_encrypted) fail("expected an archive without a password, got an encrypted one");
    std::string text;
    const std::string name = stream_->name();
    if (entry.method == 8)
      text = inflated(std::move(stream_))->read_rest();
    else if (entry.method == 0)
      text = stored(entry);
    else
      fail("expected an entry that is stored or deflated, got method " +
           std::to_string(entry.method));
    const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
    if (entry.crc && *entry.crc != crc)
      throw InputError(name, "", "expected an entry that has its checksum, got a damaged one");
    return text;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(stream_->name(), "", message);
  }
  [[noreturn]] void fail_cut_off() const {
    fail("expected the rest of the zip archive, got the end of the file");
  }

  std::string_view require(std::size_t count) {
    const std::string_view bytes = stream_->peek(count);
    if (bytes.size() < count) fail_cut_off();
    return bytes;
  }

  /// Where the directory begins, from the archive's last bytes.
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

  /// Goes to the data of the entry.
  Entry find_in_directory(std::uint64_t size) {
    stream_->seek(directory_offset(size));
    while (require(4).starts_with(directory_header)) {
      Entry entry = entry_at(require(directory_header_byte), 8);
      const std::string_view header = require(directory_header_byte);
      const std::size_t name_byte = number_at(header, 28, 2);
      const std::size_t extra_byte = number_at(header, 30, 2);
      const std::size_t comment_byte = number_at(header, 32, 2);
      entry.offset = number_at(header, 42, 4);
      const std::size_t all = directory_header_byte + name_byte + extra_byte + comment_byte;
      const std::string_view whole = require(all);
      if (is_wanted_(whole.substr(directory_header_byte, name_byte))) {
        read_zip64(whole.substr(directory_header_byte + name_byte, extra_byte), entry);
        entry.has_descriptor = false;  // the directory has the sizes
        stream_->seek(entry.offset);
        const std::string_view local = require(local_header_byte);
        if (!local.starts_with(local_header))
          fail("expected an entry where the directory says, got something else");
        const std::size_t skipped =
            local_header_byte + number_at(local, 26, 2) + number_at(local, 28, 2);
        require(skipped);
        stream_->skip(skipped);
        return entry;
      }
      stream_->skip(all);
    }
    fail(expected_ + ", got a zip archive without one");
  }

  /// The same without the directory, which stands at the end: entries before it are passed over
  /// unread, as their sizes may follow their data.
  Entry find_in_pipe() {
    constexpr std::size_t longest_name_byte = 1024;
    while (true) {
      const std::string_view bytes = stream_->peek(head_byte);
      const std::size_t begin = bytes.find(local_header);
      if (bytes.size() < local_header_byte || (begin == bytes.npos && bytes.size() < head_byte))
        fail(expected_ + ", got a zip archive without one");
      if (begin == bytes.npos) {
        stream_->skip(bytes.size() - local_header.size() + 1);
        continue;
      }
      stream_->skip(begin);
      const std::string_view header = stream_->peek(local_header_byte + longest_name_byte);
      if (header.size() < local_header_byte) fail(expected_ + ", got a zip archive without one");
      const std::size_t name_byte = number_at(header, 26, 2);
      if (is_wanted_(header.substr(local_header_byte, name_byte))) {
        Entry entry = entry_at(header, 6);
        const std::size_t extra_byte = number_at(header, 28, 2);
        const std::string_view whole = require(local_header_byte + name_byte + extra_byte);
        read_zip64(whole.substr(local_header_byte + name_byte, extra_byte), entry);
        if (entry.has_descriptor) entry.crc.reset();
        stream_->skip(local_header_byte + name_byte + extra_byte);
        return entry;
      }
      stream_->skip(local_header.size());
    }
  }

  /// As many bytes as the entry has, or up to the descriptor, whose first bytes no text has.
  std::string stored(const Entry& entry) {
    std::string text;
    const std::uint64_t most =
        entry.has_descriptor ? std::numeric_limits<std::uint64_t>::max() : entry.whole_byte;
    const std::uint64_t most_mb = stream_->limits().text_mb;
    while (text.size() < most) {
      const std::string_view bytes = stream_->peek(head_byte);
      const std::size_t end = entry.has_descriptor ? bytes.find(data_descriptor) : bytes.npos;
      if (end != bytes.npos) return text.append(bytes.substr(0, end));
      const std::size_t kept = entry.has_descriptor ? data_descriptor.size() - 1 : 0;
      if (bytes.size() <= kept) fail_cut_off();
      const std::uint64_t taken = std::min<std::uint64_t>(bytes.size() - kept, most - text.size());
      text.append(bytes.substr(0, taken));
      stream_->skip(taken);
      if (text.size() / 1'000'000 >= most_mb) {
        InputError error(
            stream_->name(), "",
            beyond_limit("at most " + std::to_string(most_mb) + " MB of text in one piece"));
        error.remedy = Remedy::limits;
        throw error;
      }
    }
    return text;
  }

  std::unique_ptr<ByteStream> stream_;
  bool (*is_wanted_)(std::string_view);
  const std::string& expected_;
};

}  // namespace

bool looks_like_zip(std::string_view head) { return head.starts_with(local_header); }

std::string zip_entry_text(std::unique_ptr<ByteStream> archive,
                           bool (*is_wanted)(std::string_view name), const std::string& expected) {
  return Archive(std::move(archive), is_wanted, expected).text();
}

}  // namespace roofline
