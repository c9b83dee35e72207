// Paths that lead to no text.

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <thread>

#include "load/loading.hpp"
#include "roofline/catalogue.hpp"
#include "temporary_folder.hpp"

using namespace roofline;
namespace fs = std::filesystem;

namespace {

std::string resolve_message(const std::string& word) {
  return message_of([&] { resolve_input(word).value(); });
}

std::string open_message(const std::string& path) {
  return message_of([&] { open_input(resolve_input(path).value().front()).value(); });
}

constexpr const char* no_such =
    ": expected a file, a directory or a built-in network, found none of that name";

}  // namespace

TEST_CASE("A word that is no file, directory or network", "[load/bad_files]") {
  CHECK(resolve_message("nothing_here.json") == std::string("nothing_here.json") + no_such);
  CHECK(resolve_message("resnet5") ==
        std::string("resnet5") + no_such + "; did you mean \"resnet50\"?");
  CHECK(resolve_message("") == std::string("\"\"") + no_such);
  const std::string long_word(100000, 'x');
  CHECK(resolve_message(long_word) == long_word + no_such);
}

TEST_CASE("A directory without layer files", "[load/bad_files]") {
  const TemporaryFolder folder;
  const std::string message =
      ": expected layer files (.json, .csv, .ndjson, .jsonl, .fdb.txt, .ufdb.txt, .pt2, .onnx), "
      "got "
      "a directory without any";
  CHECK(resolve_message(folder.path()) == folder.path() + message);
  folder.write("readme.txt", "nothing");
  fs::create_directories(folder / "x.json");
  CHECK(resolve_message(folder.path()) == folder.path() + message);
  CHECK(resolve_message(folder / "x.json") == folder / "x.json" + message);
}

TEST_CASE("A directory named x.json is a directory", "[load/bad_files]") {
  const TemporaryFolder folder;
  const std::string inner = folder.write("x.json/y.json", "{}");
  CHECK(resolve_input(folder.path()).value() == std::vector<std::string>{inner});
}

TEST_CASE("A file that cannot be read", "[load/bad_files]") {
  // Every user, root too, may open this one and may not read it.
  CHECK(open_message("/proc/self/mem") == "/proc/self/mem: cannot be read: Input/output error");
  const TemporaryFolder folder;
  fs::create_symlink("nowhere.json", folder / "dangling.json");
  CHECK(open_message(folder.path()) ==
        folder / "dangling.json" + ": cannot be read: No such file or directory");
}

TEST_CASE("A link to itself costs only itself", "[load/bad_files]") {
  const TemporaryFolder folder;
  const std::string good = folder.write("good.json", "{}");
  fs::create_symlink("loop.json", folder / "loop.json");
  CHECK(resolve_input(folder.path()).value() ==
        std::vector<std::string>{good, folder / "loop.json"});
  CHECK(message_of([&] { open_input(folder / "loop.json").value(); }) ==
        folder / "loop.json" + ": cannot be read: Too many levels of symbolic links");
}

TEST_CASE("An empty file", "[load/bad_files]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("empty.json", "");
  const auto item = open_input(path).value()->next();
  REQUIRE(item);
  REQUIRE_FALSE(item->has_value());
  CHECK(item->error().what() == path + ":1:1: expected JSON, got an empty text");
}

TEST_CASE("A GPU path that leads to no file", "[load/bad_files]") {
  const TemporaryFolder folder;
  CHECK(message_of([&] { find_gpu(folder / "none.json").value(); }) ==
        folder / "none.json" + ": cannot be read: No such file or directory");
  CHECK(message_of([&] { find_gpu(folder.path()).value(); }) ==
        folder.path() + ": cannot be read: Is a directory");
}

TEST_CASE("A pipe that does not block is waited for", "[load/bad_files]") {
  std::array<int, 2> pipe_ends{};
  REQUIRE(pipe(pipe_ends.data()) == 0);
  REQUIRE(fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK) == 0);
  const int standard_input = dup(STDIN_FILENO);
  dup2(pipe_ends[0], STDIN_FILENO);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const ssize_t written = write(pipe_ends[1], "late", 4);
    close(pipe_ends[1]);
    CHECK(written == 4);
  });
  const std::string text = read_text("-").value();
  writer.join();
  dup2(standard_input, STDIN_FILENO);
  close(standard_input);
  close(pipe_ends[0]);
  CHECK(text == "late");
}
