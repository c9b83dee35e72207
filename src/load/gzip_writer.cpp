#include "load/gzip_writer.hpp"

#include <zlib.h>

#include <array>
#include <limits>
#include <new>
#include <utility>

namespace roofline {

struct GzipWriter::State {
  z_stream stream{};
  std::array<char, 65536> packed{};
};

GzipWriter::GzipWriter(std::function<void(std::string_view)> take)
    : state_(std::make_unique<State>()), take_(std::move(take)) {
  constexpr int largest_window_with_header = 15 + 16;
  constexpr int usual_memory = 8;
  if (deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, largest_window_with_header,
                   usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

GzipWriter::~GzipWriter() { deflateEnd(&state_->stream); }

void GzipWriter::add(std::string_view text) {
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), most)))
    run(text.substr(0, most), Z_NO_FLUSH);
}

void GzipWriter::finish() { run({}, Z_FINISH); }

void GzipWriter::run(std::string_view text, int flush) {
  auto& [stream, packed] = *state_;
  // zlib does not write to its input; its interface is older than const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, flush);
    take_({packed.data(), packed.size() - stream.avail_out});
  } while (stream.avail_out == 0);
}

}  // namespace roofline
