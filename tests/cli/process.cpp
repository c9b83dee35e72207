#include "cli/process.hpp"

#include <sys/wait.h>

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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}
