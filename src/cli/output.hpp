#pragma once

// Standard output and files take results, standard error all else.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/request.hpp"

namespace roofline {

/// The reader of standard output is gone (`| head`): the program ends quietly.
struct OutputClosed {};

/// Output cannot be written, for example on a full disk (exit code 1).
class OutputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Keeps files opened later off the numbers of closed standard descriptors; using these still
/// fails.
void reserve_standard_descriptors();

/// Writes to standard output. Throws OutputClosed, or OutputError on any other failure.
void write_standard_output(std::string_view text);
void note(const std::string& text);
/// Lines as they are, to be copied.
void note_lines(const std::string& text);
/// Prints only on a terminal.
void note_success(const std::string& text);

/// Tables as wide as the terminal, at least 80 columns.
RenderStyle standard_output_style();

/// Shows a long run's progress on standard error: on a terminal, after one second.
class Progress {
 public:
  /// `what` names the counted work, such as "evaluated".
  explicit Progress(const char* what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void step(std::size_t count);
  /// To be called before results are printed.
  void erase();

 private:
  const char* what_;
  bool on_terminal_;
  std::uint64_t done_ = 0;
  std::chrono::steady_clock::time_point next_;
  bool shown_ = false;
};

// Output files. -o and --to-layers must not name a file that the run reads.

/// The path after its symbolic links. Links in /proc count as files: they lead to open files.
std::string written_path(const std::string& path);

/// False for a pipe, a device, a folder, and a file that this process has open for writing.
bool is_replaceable(const std::string& path);

/// The program that makes pictures of other formats from SVG.
inline constexpr const char* picture_converter = "rsvg-convert";
/// "png", "pdf": the format that the converter makes for a file; empty for other files.
std::string_view converted_format(std::string_view path);
/// Whether a program is on the PATH.
bool is_installed(std::string_view program);

/// Replaces the file at `path` on commit(), with its owner and mode; until then, and if the run
/// fails, the old file stays. What cannot be replaced is written directly: /dev/stdout is standard
/// output itself, which a shell may append to a file.
class OutputFile {
 public:
  /// `converted_to`: the format that picture_converter makes of the SVG that is written. Throws
  /// OutputError.
  explicit OutputFile(const std::string& path, std::string_view converted_to = {});
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
  void convert() const;
  [[noreturn]] void fail(const std::string& what = "") const;

  std::string path_;                ///< as given by the user
  std::string target_;              ///< after symbolic links
  std::string converted_to_;        ///< empty: written as it is
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
