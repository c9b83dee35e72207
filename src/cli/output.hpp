#pragma once

// Standard output takes results (or files: output_file.hpp), standard error all else.

#include <chrono>

#include "roofline/render.hpp"

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

/// Writes all bytes; waits if the file is full for now. False on failure.
bool write_whole(int file, std::string_view bytes);
/// On a terminal, writes "?" for all characters that it would act on.
bool write_text(int file, std::string_view text);
/// Writes to standard output. Throws OutputClosed, or OutputError on any other failure.
void write_standard_output(std::string_view text);
void note(const std::string& text);
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

}  // namespace roofline
