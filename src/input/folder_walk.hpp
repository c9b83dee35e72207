#pragma once

// The inputs below a folder.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "load/byte_stream.hpp"

namespace roofline {

/// A folder counts once, under its own path if that is below, so that circular links end. Hidden
/// files, pipes and devices, which may never end, are left out.
class FolderWalk {
 public:
  /// `is_input`: whether a file's name is that of an input.
  FolderWalk(const std::filesystem::path& folder, bool (*is_input)(const std::filesystem::path&));

  /// By path.
  const std::vector<std::string>& files() const { return files_; }
  bool has_folder(const std::string& path) const;

 private:
  void add(const std::filesystem::path& folder);

  bool (*is_input_)(const std::filesystem::path&);
  std::vector<std::string> files_;
  std::set<FileIdentity> folders_;
  std::set<std::filesystem::path> links_;  ///< not followed yet
};

bool is_hidden(const std::filesystem::path& path);

}  // namespace roofline
