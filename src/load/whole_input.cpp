#include "load/whole_input.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace roofline {
namespace {

class WholeReader : public Reader {
 public:
  WholeReader(std::unique_ptr<ByteStream> stream, ReadWhole read)
      : stream_(std::move(stream)), read_(std::move(read)) {}

  std::optional<Expected<Item>> next() override {
    try {
      if (stream_) items_ = read_(std::move(stream_), bad_);
    } catch (const InputError& error) {
      return bad_.take().value_or(error);  // the input is empty because of these rows
    }
    if (next_ < items_.size()) return std::move(items_[next_++]);
    if (const std::optional<InputError> bad = bad_.take()) return *bad;
    return std::nullopt;
  }

 private:
  std::unique_ptr<ByteStream> stream_;  ///< null after reading
  ReadWhole read_;
  BadRows bad_;
  Items items_;
  std::size_t next_ = 0;
};

}  // namespace

Expected<std::shared_ptr<const NetworkSpec>> Item::spec(const LayerDefaults& defaults) const {
  if (!read) return InputError("expected an item of an input, got none");
  return expected([&] { return read(defaults); });
}

Items items_of(const NetworkSpecs& specs) {
  Items items;
  for (const auto& spec : specs) items.push_back({[spec](const LayerDefaults&) { return spec; }});
  return items;
}

std::optional<InputError> BadRows::take() {
  if (next_ == named_.size()) return std::nullopt;
  const InputError& error = named_[next_++];
  if (next_ < named_.size() || others_ == 0) return error;
  const std::string more = std::to_string(others_) + (others_ == 1 ? " more row" : " more rows");
  return InputError(error.source, error.where,
                    error.message + "; left out with " + more + " that cannot be read");
}

std::unique_ptr<Reader> open_whole(std::unique_ptr<ByteStream> stream, ReadWhole read) {
  return std::make_unique<WholeReader>(std::move(stream), std::move(read));
}

struct InputSet::Kept {
  struct Finding {
    std::once_flag is_looked_for;
    std::shared_ptr<const void> found;
  };

  std::vector<std::string> names;
  bool apart = false;
  std::mutex mutex;  ///< guards findings, not their contents
  std::map<std::pair<std::type_index, std::string>, Finding> findings;
};

InputSet::InputSet(std::vector<std::string> names, bool apart) : kept_(std::make_shared<Kept>()) {
  kept_->names = std::move(names);
  kept_->apart = apart;
}

std::span<const std::string> InputSet::names() const { return kept_->names; }
bool InputSet::apart() const { return kept_->apart; }

std::shared_ptr<const void> InputSet::find_once(const std::string& name, std::type_index type,
                                                const Find& find) const {
  std::unique_lock lock(kept_->mutex);
  Kept::Finding& finding = kept_->findings[{type, name}];
  lock.unlock();
  std::call_once(finding.is_looked_for, [&] {
    try {
      finding.found = find();
    } catch (const InputError&) {
      finding.found = nullptr;
    }
  });
  return finding.found;
}

}  // namespace roofline
