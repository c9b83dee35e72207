// Inflates gzip files and entries of zip archives as a stream.

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "load/byte_stream.hpp"
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
      throw limit_error(
          name(), "",
          what() + " that give at most " + std::to_string(most_expansion) + " bytes for each");
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

}  // namespace

std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stream) {
  if (!stream->peek(gzip_magic.size()).starts_with(gzip_magic)) return stream;
  return std::make_unique<InflatingStream>(std::move(stream), Wrapping::gzip);
}

std::unique_ptr<ByteStream> inflated(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<InflatingStream>(std::move(stream), Wrapping::none);
}

}  // namespace roofline
