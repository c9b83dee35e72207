// Archives of exported programs: from files and through pipes, whatever form they have.

#include <zlib.h>

#include "catch.hpp"
#include "deflated.hpp"
#include "load/byte_stream.hpp"
#include "load/loading.hpp"
#include "pytorch/program_text.hpp"
#include "temporary_folder.hpp"

using namespace roofline;

namespace {

std::string number(std::uint64_t value, int count) {
  std::string bytes;
  for (; count > 0; --count, value >>= 8) bytes += static_cast<char>(value & 0xffU);
  return bytes;
}

constexpr const char* what = "expected a note";
bool is_note(std::string_view name) { return name == "a/note.txt"; }

std::string from_file(const std::string& bytes) {
  const TemporaryFolder folder;
  return zip_entries(open_stream(folder.write("a.zip", bytes)), is_note, what).front().text;
}

/// Has no size and gives a few bytes at a time, as a pipe does.
class Pipe : public ByteStream {
 public:
  explicit Pipe(std::string bytes, const InputLimits& limits = {})
      : ByteStream("a.zip", limits), bytes_(std::move(bytes)) {}

 protected:
  std::size_t read(char* to, std::size_t count) override {
    const std::size_t got = bytes_.copy(to, std::min<std::size_t>(count, 1000), next_);
    next_ += got;
    return got;
  }

 private:
  std::string bytes_;
  std::size_t next_ = 0;
};

std::string from_pipe(const std::string& bytes, const InputLimits& limits = {}) {
  return zip_entries(std::make_unique<Pipe>(bytes, limits), is_note, what).front().text;
}

/// What both ways fail with, the same but for the file's folder.
std::string failure(const std::string& bytes) {
  const std::string pipe = message_of([&] { from_pipe(bytes); });
  const std::string file = message_of([&] { from_file(bytes); });
  CHECK(file.substr(file.find("a.zip")) == pipe);
  return pipe;
}

const std::string weights(100000, '\x07');
const std::vector<std::pair<std::string, std::string>> entries{
    {"a/weights", weights}, {"a/note.txt", "twelve bytes"}, {"a/more", "PK"}};

}  // namespace

std::string zipped(const std::vector<std::pair<std::string, std::string>>& entries,
                   const ZipForm& form) {
  std::string archive;
  std::string directory;
  for (const auto& [name, text] : entries) {
    const std::string data = form.deflated ? deflated(text, -15) : text;
    const std::uint64_t crc =
        crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
    const std::string sizes = number(data.size(), 4) + number(text.size(), 4);
    const std::string large = number(0xffffffff, 4) + number(0xffffffff, 4);
    const std::string kind = number((form.encrypted ? 1U : 0U) | (form.descriptors ? 8U : 0U), 2) +
                             number(form.deflated ? 8 : 0, 2) + number(0, 4);
    const std::string extra64 =
        form.zip64 ? number(1, 2) + number(16, 2) + number(text.size(), 8) + number(data.size(), 8)
                   : "";
    const std::string stated = form.zip64 ? large : sizes;
    directory += "PK\x01\x02" + number(45, 2) + number(45, 2) + kind + number(crc, 4) + stated +
                 number(name.size(), 2) + number(extra64.size(), 2) + number(0, 10) +
                 number(archive.size(), 4) + name + extra64;
    const bool later = form.descriptors;
    archive += "PK\x03\x04" + number(45, 2) + kind + number(later ? 0 : crc, 4) +
               (later ? number(0, 8) : stated) + number(name.size(), 2) +
               number(later ? 0 : extra64.size(), 2) + name + (later ? "" : extra64) + data;
    if (later) archive += "PK\x07\x08" + number(crc, 4) + sizes;
  }
  const std::uint64_t begin = archive.size();
  archive += directory;
  if (form.zip64)
    archive += "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) +
               number(entries.size(), 8) + number(entries.size(), 8) + number(directory.size(), 8) +
               number(begin, 8) + "PK\x06\x07" + number(0, 4) +
               number(begin + directory.size(), 8) + number(1, 4);
  return archive + "PK\x05\x06" + number(0, 4) + number(entries.size(), 2) +
         number(entries.size(), 2) + number(directory.size(), 4) +
         number(form.zip64 ? 0xffffffff : begin, 4) + number(0, 2);
}

TEST_CASE("An entry of an archive, in every form", "[pytorch/zip_archives]") {
  for (const bool deflated : {false, true})
    for (const bool descriptors : {false, true})
      for (const bool zip64 : {false, true}) {
        const std::string bytes =
            zipped(entries, {.deflated = deflated, .descriptors = descriptors, .zip64 = zip64});
        CHECK(from_file(bytes) == "twelve bytes");
        CHECK(from_pipe(bytes) == "twelve bytes");
      }
}

TEST_CASE("Weights beyond any limit pass through a pipe", "[pytorch/zip_archives]") {
  const std::string bytes = zipped({{"a/weights", std::string(3'000'000, '\x07')}, entries[1]});
  CHECK(from_pipe(bytes, {.text_mb = 1}) == "twelve bytes");
}

TEST_CASE("Archives that hold no such entry, or not all of it", "[pytorch/zip_archives]") {
  CHECK(failure(zipped({{"b/note.txt", "x"}})) ==
        "a.zip: expected a note, got a zip archive without one");
  CHECK(failure(zipped(entries, {.encrypted = true})) ==
        "a.zip: expected an archive without a password, got an encrypted one");
  std::string other_method = zipped({{"a/note.txt", "x"}});
  for (const std::size_t at :
       {other_method.find("PK\x03\x04") + 8, other_method.find("PK\x01\x02") + 10})
    other_method[at] = 12;
  CHECK(failure(other_method) ==
        "a.zip: expected an entry that is stored or deflated, got method 12");
  std::string damaged = zipped(entries);
  damaged[damaged.find("twelve")] = 'T';
  CHECK(failure(damaged) == "a.zip: expected an entry that has its checksum, got a damaged one");
  const std::string whole = zipped(entries);
  const std::string cut = whole.substr(0, whole.find("bytes"));
  CHECK(failure(cut) == "a.zip: expected the rest of the zip archive, got the end of the file");
}

TEST_CASE("An entry that expands without end", "[pytorch/zip_archives]") {
  const std::string zeros(80'000'000, ' ');
  const std::string bytes = zipped({{"a/note.txt", zeros}}, {.deflated = true});
  CHECK(failure(bytes) ==
        "a.zip: expected deflated data that give at most 200 bytes for each, got more");
}
