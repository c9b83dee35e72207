#include <csignal>
#include <exception>
#include <new>
#include <string>

#include "cli/calibrate.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/required.hpp"
#include "cli/run.hpp"

namespace {
using namespace roofline;

int run(const Options& options) {
  if (options.action == Options::Action::evaluate) return evaluate_inputs(options);
  if (options.action == Options::Action::calibrate) return calibrate_inputs(options);
  write_standard_output(printed_text(options));
  flush_standard_output();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader of the output that leaves, and a file that may not grow, are seen where writing fails,
  // and what failed before counts.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  reserve_standard_descriptors();
  try {
    return run(parse_options(argc, argv));
  } catch (const OutputClosed&) {
    return 0;
  } catch (const InputError& error) {
    note(hinted(error).what());
    return 1;
  } catch (const UsageError& error) {
    note(std::string("roofline: ") + error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    note("roofline: out of memory");
    return 1;
  } catch (const std::exception& error) {  // OutputError, or what the system refused
    note(std::string("roofline: ") + error.what());
    return 1;
  }
}
