#include "input/folder_walk.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

namespace roofline {
namespace {

namespace fs = std::filesystem;

/// Pipes, sockets and devices.
bool is_no_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && fs::is_other(status);
}

}  // namespace

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

FolderWalk::FolderWalk(const fs::path& folder, bool (*is_input)(const fs::path&))
    : is_input_(is_input) {
  add(folder);
  while (!links_.empty()) add(links_.extract(links_.begin()).value());
  std::ranges::sort(files_);
}

bool FolderWalk::has_folder(const std::string& path) const {
  std::error_code error;
  const auto folder = identity_of(fs::weakly_canonical(path, error).string());
  return folder && folders_.contains(*folder);
}

/// An unreadable folder counts as a file, which fails when opened and costs only itself.
void FolderWalk::add(const fs::path& folder) {
  if (const auto own = identity_of(folder.string()); own && !folders_.insert(*own).second) return;
  std::error_code error;
  std::error_code ignored;  // unreadable files fail later
  auto entries = fs::directory_iterator(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path& path = entries->path();
    if (is_hidden(path)) continue;
    if (!entries->is_directory(ignored)) {
      if (is_input_(path) && !is_no_file(path)) files_.push_back(path.string());
    } else if (entries->is_symlink(ignored)) {
      links_.insert(path);
    } else {
      add(path);
    }
  }
  if (error) files_.push_back(folder.string());
}

}  // namespace roofline
