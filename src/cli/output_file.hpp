#pragma once

// Files that the program writes, all of them.

#include <sys/types.h>

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/temporary_name.hpp"
#include "roofline/render.hpp"

namespace roofline {

/// The file that writing to a path writes: the end of its symbolic links.
std::string written_path(const std::string& path);

/// Whether a whole file can take the place of what has this path: anything but a pipe or a device.
bool is_replaceable(const std::string& path);

/// A file that takes the place of the one at `path` when it is whole, with that one's owner and
/// mode; until then, and where the run ends before, what was there stays as it was. A pipe or a
/// device is written directly.
class OutputFile {
 public:
  /// Throws OutputError where no such file can be written. Waits for the reader of a pipe.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws OutputError.
  void write(std::string_view text);
  /// To be called when all is written. Throws OutputError.
  void commit();

 private:
  /// Nothing is open yet. What the other constructor opens is closed also where it throws, since
  /// this one has ended.
  OutputFile(const std::string& path, std::string target);
  void make_replacement();
  int make_unnamed(mode_t mode) const;
  void open_directly();
  void link_unnamed();
  [[noreturn]] void fail(const std::string& what = "") const;

  std::string path_;    ///< as the user names it
  std::string target_;  ///< where its links end
  int folder_ = -1;     ///< of the target, where that is replaced
  std::optional<TemporaryName> name_;
  std::FILE* file_ = nullptr;
};

/// Throws OutputError where writing to the path could not begin, before any work is done. Opens
/// neither pipes nor devices.
void check_writable(const std::string& path);

void write_file(const std::string& path, const std::function<void(const Sink&)>& write);
void write_file(const std::string& path, std::string_view text);

}  // namespace roofline
