#include "cli/program.hpp"

#include <csignal>
#include <exception>
#include <new>

#include "cli/errors.hpp"
#include "cli/output.hpp"
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace roofline {
namespace {

/// Keeps freed memory: pages returned to the system come back one by one, each cleared again, an
/// eighth of the time of a stream of layers.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
#endif
}

}  // namespace

int run_program(const std::string& name, const std::function<int()>& run) {
  keep_freed_memory();
  // Closed output pipes and size limits show as failing writes; earlier errors take precedence.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  reserve_standard_descriptors();
  try {
    return run();
  } catch (const OutputClosed&) {
    return 0;
  } catch (const InputError& error) {
    note(hinted(error).what());
    return 1;
  } catch (const UsageError& error) {
    note(name + ": " + error.what());
    note_lines(error.ways);
    return 2;
  } catch (const std::bad_alloc&) {
    note(name + ": out of memory");
    return 1;
  } catch (const std::exception& error) {  // OutputError, or an error of the system
    note(name + ": " + error.what());
    return 1;
  }
}

}  // namespace roofline
