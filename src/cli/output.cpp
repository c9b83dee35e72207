#include "cli/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/errors.hpp"
#include "model/ranges.hpp"
#include "report/text.hpp"
#include "roofline/load.hpp"

namespace roofline {

namespace fs = std::filesystem;

/// An unfinished file. Signal handlers read the list, so entries are never freed; all are made
/// before threads start.
struct OutputFile::Temporary {
  std::string path;
  std::atomic<bool> exists = true;
  Temporary* next = nullptr;

  static inline std::atomic<Temporary*> all = nullptr;
};

void remove_temporaries(int signal) {
  for (const auto* each = OutputFile::Temporary::all.load(); each != nullptr; each = each->next)
    if (each->exists) unlink(each->path.c_str());
  std::raise(signal);  // now with the default action
}

namespace {

/// Writes all bytes; waits if the file is full for now. False on failure.
bool write_whole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // a full pipe that another process made non-blocking
      pollfd ready{file, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

/// On a terminal, writes "?" for all characters that it would act on.
bool write_text(int file, std::string_view text) {
  return write_whole(file, isatty(file) == 1 ? printable_lines(text) : text);
}

winsize terminal_size(int file) {
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 ? size : winsize{};
}

constexpr std::array signals_that_end_nothing{SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP,
                                              SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH};

/// All signals that end a program by default. Ignored ones, as under nohup, stay ignored.
bool handle_signals() {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction action {};
    const bool ends = !contains(signals_that_end_nothing, signal);
    if (!ends || sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = remove_temporaries;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
  return true;
}

/// Without the right to give the file away: its group, and its mode without set-id bits.
void keep_owner_and_mode(int file, const struct stat& old) {
  constexpr mode_t permissions = 0777;
  constexpr mode_t set_on_execution = 07000;
  const bool kept = fchown(file, old.st_uid, old.st_gid) == 0;
  [[maybe_unused]] const int group = fchown(file, static_cast<uid_t>(-1), old.st_gid);
  fchmod(file, old.st_mode & (kept ? permissions | set_on_execution : permissions));
}

/// This process's descriptor for writing to the file, such as standard output, maybe appending.
std::optional<int> open_already(const std::string& path) {
  struct stat wanted {};
  if (stat(path.c_str(), &wanted) != 0) return std::nullopt;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev/fd", error)) {
    const int file = std::atoi(entry.path().filename().c_str());
    struct stat own {};
    if (fstat(file, &own) == 0 && own.st_dev == wanted.st_dev && own.st_ino == wanted.st_ino &&
        (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY)
      return file;
  }
  return std::nullopt;
}

void set_new_mode(int file) {
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(file, 0666 & ~mask);
}

/// Name in messages for a file that the command line does not name.
std::string read_unasked(const std::string& path) { return path + ", which this run reads"; }

/// Device and inode, or the path of a new file. Empty for terminals, /dev/null and sockets.
std::string place_of(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_character_file(status) || fs::is_socket(status)) return "";
  if (const auto identity = identity_of(path))
    return std::to_string(identity->first) + ' ' + std::to_string(identity->second);
  return fs::weakly_canonical(fs::absolute(written_path(path), error), error).string();
}

using FilesOfRun = std::map<std::string, std::string>;

FilesOfRun files_read(const Request& request, std::span<const Expected<std::string>> inputs,
                      const Gpu* gpu) {
  FilesOfRun files;
  const auto add = [&](const std::string& path, const std::string& name) {
    if (identity_of(path)) files.emplace(place_of(path), name);  // built-in networks are no files
  };
  for (const Expected<std::string>& input : inputs) {
    if (!input) continue;  // reported when it is read
    if (*input == "-") add("/dev/stdin", "standard input");
    add(*input, "the input " + *input);
    for (const std::string& beside : read_with(*input)) add(beside, read_unasked(beside));
  }
  for (const std::string& path : request.files)
    if (path == "-")
      add("/dev/stdin", "standard input");
    else
      add(path, read_unasked(path));
  if (gpu != nullptr)
    for (const std::string& path : gpu->files) add(path, read_unasked(path));
  return files;
}

/// Throws UsageError if the run reads or writes the file already.
void add_written(const std::string& path, const std::string& name, FilesOfRun& files) {
  const std::string place = place_of(path);
  if (place.empty()) return;
  const auto [known, is_new] = files.emplace(place, name);
  if (!is_new) throw UsageError(name + ": expected another file than " + known->second);
}

}  // namespace

void reserve_standard_descriptors() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(file, F_GETFD) < 0)  // open() returns the lowest free descriptor
        [[maybe_unused]]
      const int same = open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void write_standard_output(std::string_view text) {
  if (write_text(STDOUT_FILENO, text)) return;
  if (errno == EPIPE) throw OutputClosed{};
  throw OutputError(std::string("cannot write to standard output: ") + std::strerror(errno));
}

void note(const std::string& text) {
  constexpr std::size_t most_columns = 4000;  // longer notes are lists or long file names
  const std::string shown = shortened(printable(text), most_columns);
  const std::size_t columns = terminal_size(STDERR_FILENO).ws_col;
  write_whole(STDERR_FILENO, (columns > 0 ? broken(shown, columns) : shown) + '\n');
}

void note_lines(const std::string& text) { write_whole(STDERR_FILENO, printable_lines(text)); }

void note_success(const std::string& text) {
  if (isatty(STDERR_FILENO) == 1) note(text);
}

Progress::Progress(const char* what)
    : what_(what),
      on_terminal_(isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 0),
      next_(std::chrono::steady_clock::now() + std::chrono::seconds(1)) {}

Progress::~Progress() { erase(); }

void Progress::erase() {
  if (shown_) write_whole(STDERR_FILENO, "\r\x1b[K");
  shown_ = false;
}

void Progress::step(std::size_t count) {
  done_ += count;
  if (!on_terminal_ || std::chrono::steady_clock::now() < next_) return;
  next_ += std::chrono::milliseconds(200);
  shown_ = true;
  write_whole(STDERR_FILENO, '\r' + std::to_string(done_) + ' ' + what_);
}

RenderStyle standard_output_style() {
  constexpr std::size_t least = 80;
  RenderStyle style;
  if (isatty(STDOUT_FILENO) != 1) return style;
  const winsize size = terminal_size(STDOUT_FILENO);
  style.width = std::max<std::size_t>(least, size.ws_col);
  if (size.ws_row > 0) style.height = size.ws_row;
  return style;
}

std::string written_path(const std::string& path) {
  constexpr int most_links = 40;  // Linux's limit
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < most_links && fs::is_symlink(target, error); ++i) {
    const fs::path next = fs::read_symlink(target, error);
    const fs::path folder = fs::weakly_canonical(fs::absolute(target, error).parent_path(), error);
    if (error || folder.native().starts_with("/proc/")) break;
    target = target.parent_path() / next;  // an absolute link replaces the path
  }
  return target.string();
}

bool is_replaceable(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return !fs::exists(status) || (fs::is_regular_file(status) && !open_already(path) &&
                                 !fs::is_symlink(written_path(path), error));
}

std::string_view converted_format(std::string_view path) {
  for (const std::string_view format : {"png", "pdf"})
    if (path.ends_with(format) && path.substr(0, path.size() - format.size()).ends_with('.'))
      return format;
  return {};
}

bool is_installed(std::string_view program) {
  const char* const path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const fs::path folder(take(rest, ':'));
    if (access((folder / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

OutputFile::OutputFile(const std::string& path, std::string_view converted_to)
    : path_(path), target_(written_path(path)), converted_to_(converted_to) {
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  if (is_folder) errno = EISDIR;
  if (is_replaceable(path))
    make_temporary();
  else if (const std::optional<int> own = open_already(path))
    file_ = dup(*own);
  else if (is_folder || access(path.c_str(), W_OK) != 0)
    fail();
}

OutputFile::~OutputFile() {
  if (temporary_ != nullptr && temporary_->exists.exchange(false)) unlink(temporary_->path.c_str());
  if (file_ >= 0) close(file_);
}

void OutputFile::fail(const std::string& what) const {
  const int error = errno;
  throw OutputError("cannot write " + path_ + ": " + what + std::strerror(error));
}

void OutputFile::make_temporary() {
  struct stat old {};
  const bool replaces = stat(target_.c_str(), &old) == 0;
  if (!replaces && errno != ENOENT) fail();
  if (replaces && faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail();
  [[maybe_unused]] static const bool handled = handle_signals();
  temporary_ = new Temporary{(fs::path(target_).parent_path() / ".roofline-XXXXXX").string()};
  temporary_->next = Temporary::all;
  Temporary::all = temporary_;
  file_ = mkstemp(temporary_->path.data());
  if (file_ < 0) {
    temporary_->exists = false;
    fail(errno == ENOENT ? "" : "no file can be made in its folder: ");
  }
  if (replaces)
    keep_owner_and_mode(file_, old);
  else
    set_new_mode(file_);
}

void OutputFile::open_directly() {
  if (file_ < 0) file_ = open(path_.c_str(), O_WRONLY | O_APPEND);
  if (file_ < 0) fail();
}

void OutputFile::write(std::string_view text) {
  open_directly();
  if (!write_text(file_, text)) fail();
}

void OutputFile::commit() {
  open_directly();
  // Some file systems report a full disk only on close.
  if (close(std::exchange(file_, -1)) != 0) fail();
  if (temporary_ == nullptr) return;
  if (!converted_to_.empty()) return convert();
  if (std::rename(temporary_->path.c_str(), target_.c_str()) != 0) fail();
  temporary_->exists = false;
}

void OutputFile::convert() const {
  OutputFile picture(path_);
  picture.open_directly();
  const std::string format = "--format=" + converted_to_;
  std::array arguments{const_cast<char*>(picture_converter), const_cast<char*>(format.c_str()),
                       static_cast<char*>(nullptr)};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, temporary_->path.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, picture.file_, STDOUT_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, picture_converter, &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  int status = error;
  if (error == 0) waitpid(child, &status, 0);
  if (status != 0)
    throw OutputError("cannot write " + path_ + ": " + picture_converter + " failed");
  picture.commit();
}

std::vector<Expected<std::string>> resolve_inputs(const std::vector<std::string>& words) {
  std::vector<Expected<std::string>> inputs;
  for (const std::string& word : words) {
    const auto names = resolve_input(word);
    if (!names) inputs.emplace_back(names.error());
    if (names) inputs.insert(inputs.end(), names->begin(), names->end());
  }
  return inputs;
}

std::map<std::string, OutputFile> open_outputs(const Request& request,
                                               std::span<const Expected<std::string>> inputs,
                                               const Gpu* gpu) {
  std::vector<std::pair<std::string, std::string>> written;  // path and its name in messages
  bool prints = false;
  for (const Output& output : request.outputs) {
    prints = prints || output.path.empty();
    if (!output.path.empty())
      written.emplace_back(output.path,
                           (output.holds_layers() ? "--to-layers " : "-o ") + output.path);
  }
  std::map<std::string, OutputFile> outputs;
  std::error_code error;
  if (written.empty() && !(prints && fs::is_regular_file("/dev/stdout", error))) return outputs;
  FilesOfRun files = files_read(request, inputs, gpu);
  if (prints) add_written("/dev/stdout", "standard output", files);
  for (const auto& [path, name] : written) {
    add_written(path, name, files);
    for (const std::string& word : request.inputs)
      if (would_read(word, written_path(path)))  // lets the same command run twice
        throw UsageError(std::string(name) + ": expected a file that the input " + word +
                         " does not hold");
    outputs.try_emplace(path, path, converted_format(path));
  }
  return outputs;
}

}  // namespace roofline
