#include "cli/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cli/output.hpp"
#include "load/byte_stream.hpp"

namespace roofline {

namespace fs = std::filesystem;

namespace {

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

std::string name_in_folder(const std::string& path) { return fs::path(path).filename().string(); }

std::string descriptor_path(int file) { return "/proc/self/fd/" + std::to_string(file); }

/// Not everyone may give a file away; then at least its group stays, and its mode without the
/// rights of an owner that it no longer has.
void keep_owner_and_mode(int file, const struct stat& old) {
  constexpr mode_t permissions = 0777;
  constexpr mode_t set_on_execution = 07000;
  const bool kept = fchown(file, old.st_uid, old.st_gid) == 0;
  [[maybe_unused]] const int group = fchown(file, static_cast<uid_t>(-1), old.st_gid);
  fchmod(file, old.st_mode & (kept ? permissions | set_on_execution : permissions));
}

}  // namespace

std::string written_path(const std::string& path) {
  constexpr int most_links = 40;  // as many as Linux follows
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < most_links && fs::is_symlink(target, error); ++i) {
    const fs::path next = fs::read_symlink(target, error);
    if (error) break;
    target = target.parent_path() / next;  // an absolute one stands alone
  }
  return target.string();
}

bool is_replaceable(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return !fs::exists(status) || fs::is_regular_file(status);
}

OutputFile::OutputFile(const std::string& path, std::string target)
    : path_(path), target_(std::move(target)) {}

OutputFile::OutputFile(const std::string& path) : OutputFile(path, written_path(path)) {
  if (is_replaceable(path))
    make_replacement();
  else
    open_directly();
}

OutputFile::~OutputFile() {
  name_.reset();
  if (file_ != nullptr) std::fclose(file_);
  if (folder_ >= 0) close(folder_);
}

void OutputFile::fail(const std::string& what) const {
  const int error = errno;
  throw OutputError("cannot write " + path_ + ": " + what + std::strerror(error));
}

void OutputFile::make_replacement() {
  folder_ = open(folder_of(target_).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) fail();
  struct stat old {};
  const std::string name = name_in_folder(target_);
  const bool replaces = fstatat(folder_, name.c_str(), &old, 0) == 0;
  if (!replaces && errno != ENOENT) fail();
  if (replaces && faccessat(folder_, name.c_str(), W_OK, AT_EACCESS) != 0) fail();
  const mode_t mode = replaces ? 0600 : 0666;  // until it has that of the old one
  int file = make_unnamed(mode);
  if (file < 0) {
    name_.emplace(folder_);
    file = openat(folder_, name_->c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
  }
  if (file < 0) fail("no file can be made in its folder: ");
  if (replaces) keep_owner_and_mode(file, old);
  file_ = fdopen(file, "wb");
  if (file_ == nullptr) {
    close(file);
    fail();
  }
}

/// A file that no kill and no crash leaves behind; -1 where the system cannot make one and later
/// give it a name.
int OutputFile::make_unnamed(mode_t mode) const {
#ifdef O_TMPFILE
  const int file = openat(folder_, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  if (file < 0 || access(descriptor_path(file).c_str(), F_OK) == 0) return file;
  close(file);
#else
  (void)mode;
#endif
  return -1;
}

void OutputFile::open_directly() {
  std::error_code error;
  int file = -1;
  if (fs::is_fifo(path_, error)) {
    file = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 && errno == ENXIO) note("roofline: waiting for a reader of the pipe " + path_);
    if (file >= 0) fcntl(file, F_SETFL, O_WRONLY);
  }
  if (file < 0) file = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) fail();
  file_ = fdopen(file, "wb");
  if (file_ == nullptr) fail();
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void OutputFile::commit() {
  if (folder_ >= 0 && read_as(target_))
    throw OutputError("cannot write " + path_ + ": this run has read it; give another file");
  if (std::fflush(file_) != 0) fail();
  if (folder_ >= 0 && !name_) link_unnamed();
  // Some file systems say only now that they are full.
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
  if (!name_) return;
  if (renameat(folder_, name_->c_str(), folder_, name_in_folder(target_).c_str()) != 0) fail();
  name_->release();
}

void OutputFile::link_unnamed() {
  name_.emplace(folder_);
  const std::string unnamed = descriptor_path(fileno(file_));
  if (linkat(AT_FDCWD, unnamed.c_str(), folder_, name_->c_str(), AT_SYMLINK_FOLLOW) != 0) fail();
}

void check_writable(const std::string& path) {
  if (is_replaceable(path)) {
    const OutputFile begun(path);
    return;
  }
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  if (!is_folder && access(path.c_str(), W_OK) == 0) return;
  throw OutputError("cannot write " + path + ": " + std::strerror(is_folder ? EISDIR : errno));
}

void write_file(const std::string& path, const std::function<void(const Sink&)>& write) {
  OutputFile file(path);
  write([&file](std::string_view piece) { file.write(piece); });
  file.commit();
}

void write_file(const std::string& path, std::string_view text) {
  write_file(path, [text](const Sink& sink) { sink(text); });
}

}  // namespace roofline
