#pragma once

// What may stand next on the command line, for the shells' completion scripts (src/packaging).

#include <string>

namespace CLI {
class App;
}

namespace roofline {

/// After `previous`, a word of the command line, or the part of a word up to and with its "=": the
/// candidates, one a line, each with its description after a tab; a last line ":files" where a path
/// may stand too.
std::string completions(CLI::App& app, const std::string& previous);

}  // namespace roofline
