#pragma once

// Texts as zlib packs them, for tests of archives and gzip files.

#include <zlib.h>

#include <string>

#include "catch.hpp"

/// Deflated in zlib's form of these window bits: 15 + 16 with gzip's header, -15 without any.
inline std::string deflated(std::string text, int window_bits) {
  z_stream state{};
  REQUIRE(deflateInit2(&state, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(text.size() + 200, '\0');
  state.next_in = reinterpret_cast<Bytef*>(text.data());
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&state, Z_FINISH) == Z_STREAM_END);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}
