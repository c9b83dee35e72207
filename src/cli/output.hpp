#pragma once

// The standard streams. Results go to standard output (or to files, see output_file.hpp), all else
// to standard error.

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "roofline/render.hpp"

namespace roofline {

/// The reader of standard output has gone (`| head`): there is nothing more to do, quietly.
struct OutputClosed {};

/// Output that cannot be written, a full disk say (exit code 1).
class OutputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Keeps the numbers of standard input, output and error from files that are opened later, where
/// the program was started without them: using them still fails.
void reserve_standard_descriptors();

/// Writes all of it at once, and waits where the file takes no more for now. False where that
/// fails.
bool write_whole(int file, std::string_view bytes);
/// The same of what the program prints: on a terminal "?" stands for all that it would act on.
bool write_text(int file, std::string_view text);
/// The same to standard output. Throws OutputClosed, or OutputError where writing fails for any
/// other reason.
void write_standard_output(std::string_view text);
/// A line for the user on standard error, broken between words where that is a terminal.
void note(const std::string& text);
/// A line about what went well, only where a person watches: standard error is a terminal.
void note_success(const std::string& text);

/// How standard output shows tables: in the width of its terminal (80 columns at least).
RenderStyle standard_output_style();

/// Says on standard error how far a long run is: only on a terminal, only after a second.
class Progress {
 public:
  /// `what` is counted: "evaluated".
  explicit Progress(const char* what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void step(std::size_t count);
  /// Takes the line away, before results are written below it.
  void erase();

 private:
  const char* what_;
  bool on_terminal_;
  std::uint64_t done_ = 0;
  std::chrono::steady_clock::time_point next_;
  bool shown_ = false;
};

}  // namespace roofline
