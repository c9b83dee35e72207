#include "load/inputs.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "load/spelling.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/error.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;
using Kind = InputSource::Kind;

std::optional<Kind> kind_of(const fs::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".json") return Kind::json;
  if (extension == ".ndjson" || extension == ".jsonl") return Kind::ndjson;
  if (extension == ".csv") return Kind::csv;
  return std::nullopt;
}

[[noreturn]] void fail_reading(const std::string& path, int error) {
  throw InputError(path, "", std::string("cannot be read: ") + std::strerror(error));
}

std::vector<InputSource> files_under(const std::string& directory) {
  std::vector<InputSource> sources;
  std::error_code error;
  std::error_code ignored;  // a file that cannot be looked at fails when it is read
  auto entries = fs::recursive_directory_iterator(directory, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    const std::optional<Kind> kind = kind_of(entries->path());
    if (kind && !entries->is_directory(ignored))
      sources.push_back({*kind, entries->path().string()});
  }
  if (error) fail_reading(directory, error.value());
  if (sources.empty())
    throw InputError(
        directory, "",
        "expected layer files (.json, .ndjson, .jsonl, .csv), got a directory without any");
  std::sort(sources.begin(), sources.end(),
            [](const InputSource& a, const InputSource& b) { return a.name < b.name; });
  return sources;
}

[[noreturn]] void fail_unknown(const std::string& word) {
  std::vector<std::string_view> names;
  for (const EmbeddedFile& file : embedded_networks()) names.push_back(file.name);
  throw InputError(word, "",
                   "expected a file, a directory or a built-in network, found none of that name" +
                       did_you_mean(word, names) + " (--list-networks lists the networks)");
}

}  // namespace

InputStream::InputStream(const std::string& path) : name_(path), stream_(&std::cin) {
  if (path == "-") return;
  file_.open(path, std::ios::binary);
  if (!file_) fail_reading(path, errno);
  stream_ = &file_;
}

void InputStream::check() {
  failed_ = stream_->bad();
  if (failed_) fail_reading(name_, errno != 0 ? errno : EIO);
}

bool InputStream::read_line(std::string& line) {
  if (failed_) return false;
  errno = 0;
  if (std::getline(*stream_, line)) return true;
  check();
  return false;
}

std::string InputStream::read_rest() {
  std::string text;
  std::array<char, 65536> chunk;
  errno = 0;
  do {
    stream_->read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<std::size_t>(stream_->gcount()));
  } while (*stream_);
  check();
  return text;
}

std::string read_text(const std::string& path) { return InputStream(path).read_rest(); }

std::string built_in_text(const std::string& name) { return std::string(*find_network(name)); }

std::vector<InputSource> resolve_input(const std::string& word) {
  if (word == "-") return {{Kind::standard_input, word}};
  std::error_code error;
  const fs::file_status status = fs::status(word, error);
  if (fs::is_directory(status)) return files_under(word);
  if (fs::exists(status)) return {{kind_of(word).value_or(Kind::json), word}};
  if (find_network(word)) return {{Kind::built_in, word}};
  fail_unknown(word);
}

}  // namespace roofline
