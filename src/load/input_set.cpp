#include <map>
#include <mutex>
#include <utility>

#include "roofline/load.hpp"

namespace roofline {

struct InputSet::Kept {
  struct Finding {
    std::once_flag is_looked_for;
    std::shared_ptr<const void> found;
  };

  std::vector<std::string> names;
  std::mutex mutex;  ///< guards findings, not their contents
  std::map<std::pair<std::type_index, std::string>, Finding> findings;
};

InputSet::InputSet(std::vector<std::string> names) : kept_(std::make_shared<Kept>()) {
  kept_->names = std::move(names);
}

std::span<const std::string> InputSet::names() const { return kept_->names; }

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
