#include "cli/process.hpp"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "catch.hpp"

Outcome run(const TemporaryFolder& folder, const std::string& shell_line) {
  const TemporaryFolder captured;
  const std::string script = captured.write("script", "cd '" + folder.path() +
                                                          "'\n"
                                                          "PATH='" ROOFLINE_PROGRAM_FOLDER
                                                          "':$PATH\n"
                                                          "XDG_CONFIG_HOME='" +
                                                          captured.path() +
                                                          "'\n"
                                                          "export PATH XDG_CONFIG_HOME\n" +
                                                          shell_line + '\n');
  const std::string command = "/bin/sh '" + script + "' </dev/null >'" + captured / "out" +
                              "' 2>'" + captured / "err" + "'";
  const int status = std::system(command.c_str());
  INFO(shell_line);
  REQUIRE(WIFEXITED(status));
  return {WEXITSTATUS(status), read_file(captured / "out"), read_file(captured / "err")};
}

std::string run_at_terminal(const std::string& folder, const std::string& shell_line, int columns) {
  const std::string script = "cd '" + folder +
                             "' && PATH='" ROOFLINE_PROGRAM_FOLDER
                             "':\"$PATH\" && unset LC_ALL && export LANG=C.UTF-8 && { " +
                             shell_line + "; }";
  winsize size{};
  size.ws_row = 50;
  size.ws_col = static_cast<unsigned short>(columns);
  termios plain{};  // bytes as they are written
  cfmakeraw(&plain);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, &plain, &size);
  REQUIRE(child >= 0);
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", script.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  std::string output;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(terminal, buffer, sizeof buffer)) > 0;)
    output.append(buffer, static_cast<std::size_t>(got));
  close(terminal);
  waitpid(child, nullptr, 0);
  // A line that was erased, such as that of progress, is no longer to be seen.
  const std::string erased = "\r\x1b[K";
  for (std::size_t at = 0; (at = output.find(erased)) != output.npos;) {
    const std::size_t line_break = output.rfind('\n', at);
    const std::size_t begin = line_break == output.npos ? 0 : line_break + 1;
    output.erase(begin, at + erased.size() - begin);
  }
  return output;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}
