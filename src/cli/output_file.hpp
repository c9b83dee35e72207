#pragma once

// Files that the program writes, all of them: those of -o and --to-layers are refused where the run
// reads them.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/request.hpp"

namespace roofline {

/// The file that writing to a path writes: the end of its symbolic links. Those of /proc are no
/// names: they lead to what a process has open.
std::string written_path(const std::string& path);

/// Whether a whole file can take the place of what has this path: anything but a pipe, a device, a
/// folder, or what a process has open for writing.
bool is_replaceable(const std::string& path);

/// A file that takes the place of the one at `path` when it is whole, with that one's owner and
/// mode; until then, and where the run ends before, what was there stays as it was. What cannot be
/// replaced is written directly: /dev/stdout is standard output itself, which a shell may append.
class OutputFile {
 public:
  /// Throws OutputError where no such file can be written.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws OutputError. The first text for a pipe waits for its reader.
  void write(std::string_view text);
  /// The same file, open once more, for whoever writes to it by other means.
  int descriptor();
  /// To be called when all is written. Throws as write does, and where this run has read the file.
  void commit();

 private:
  struct Temporary;
  friend void remove_temporaries(int signal);

  void make_temporary();
  void open_directly();
  [[noreturn]] void fail(const std::string& what = "") const;

  std::string path_;                ///< as the user names it
  std::string target_;              ///< where its links end
  Temporary* temporary_ = nullptr;  ///< what will take its place; null where it is written directly
  int file_ = -1;
};

/// The inputs that the words of the command line stand for, or why a word stands for none.
std::vector<Expected<std::string>> resolve_inputs(const std::vector<std::string>& words);

/// By their paths. To be called once what the request names is read, and before the inputs are:
/// none of these is written, and no file is written twice. Throws UsageError that names both, or
/// OutputError.
std::map<std::string, OutputFile> open_outputs(const Request& request,
                                               std::span<const Expected<std::string>> inputs);

}  // namespace roofline
