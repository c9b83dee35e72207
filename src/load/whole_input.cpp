#include "load/whole_input.hpp"

#include <string>
#include <utility>

#include "load/json_input.hpp"

namespace roofline {
namespace {

class WholeReader : public Reader {
 public:
  WholeReader(std::unique_ptr<ByteStream> stream, ReadWhole read)
      : stream_(std::move(stream)), read_(read) {}

  std::optional<Expected<Item>> next() override {
    try {
      if (const auto stream = std::exchange(stream_, nullptr)) specs_ = read_(*stream, bad_);
    } catch (const InputError& error) {
      const std::optional<InputError> bad = std::exchange(bad_, BadRows()).error();
      return Expected<Item>(bad.value_or(error));  // nothing was left, because of these rows
    }
    if (next_ < specs_.size()) return Expected<Item>(fixed_item(specs_[next_++]));
    const std::optional<InputError> bad = std::exchange(bad_, BadRows()).error();
    if (!bad) return std::nullopt;
    return Expected<Item>(*bad);
  }

 private:
  std::unique_ptr<ByteStream> stream_;  ///< null once it is read
  ReadWhole read_;
  BadRows bad_;
  NetworkSpecs specs_;
  std::size_t next_ = 0;
};

}  // namespace

std::optional<InputError> BadRows::error() const {
  if (!first_ || count_ == 1) return first_;
  const std::string more = std::to_string(count_ - 1) + (count_ == 2 ? " more row" : " more rows");
  return InputError(first_->source, first_->where,
                    first_->message + "; left out with " + more + " that cannot be read");
}

std::unique_ptr<Reader> open_whole(std::unique_ptr<ByteStream> stream, ReadWhole read) {
  return std::make_unique<WholeReader>(std::move(stream), read);
}

}  // namespace roofline
