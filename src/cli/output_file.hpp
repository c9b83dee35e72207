#pragma once

// Output files. -o and --to-layers must not name a file that the run reads.

#include "cli/request.hpp"

namespace roofline {

/// The path after its symbolic links. Links in /proc count as files: they lead to open files.
std::string written_path(const std::string& path);

/// False for a pipe, a device, a folder, and a file that this process has open for writing.
bool is_replaceable(const std::string& path);

/// Replaces the file at `path` on commit(), with its owner and mode; until then, and if the run
/// fails, the old file stays. What cannot be replaced is written directly: /dev/stdout is standard
/// output itself, which a shell may append to a file.
class OutputFile {
 public:
  /// Throws OutputError.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws OutputError. The first write to a pipe waits for its reader.
  void write(std::string_view text);
  /// To be called when all is written. Throws as write does.
  void commit();

 private:
  struct Temporary;
  friend void remove_temporaries(int signal);

  void make_temporary();
  void open_directly();
  [[noreturn]] void fail(const std::string& what = "") const;

  std::string path_;                ///< as given by the user
  std::string target_;              ///< after symbolic links
  Temporary* temporary_ = nullptr;  ///< null: written directly
  int file_ = -1;
};

/// The inputs that the words name; an error for each word that names none.
std::vector<Expected<std::string>> resolve_inputs(const std::vector<std::string>& words);

/// Opens files by path. Rejects files that the run reads and files named twice, so call it after
/// the options are read and before the inputs are. `gpu`: one beside the options', which it reads.
/// Throws UsageError with both names, OutputError.
std::map<std::string, OutputFile> open_outputs(const Request& request,
                                               std::span<const Expected<std::string>> inputs,
                                               const Gpu* gpu = nullptr);

}  // namespace roofline
