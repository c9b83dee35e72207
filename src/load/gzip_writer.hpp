#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace roofline {

/// Packs what it is given, and hands on the bytes of a gzip file as they come. The same text gives
/// the same bytes.
class GzipWriter {
 public:
  explicit GzipWriter(std::function<void(std::string_view)> take);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void add(std::string_view text);
  /// Must be called at the end.
  void finish();

 private:
  struct State;

  void run(std::string_view text, int flush);

  std::unique_ptr<State> state_;
  std::function<void(std::string_view)> take_;
};

}  // namespace roofline
