#include <csignal>
#include <exception>
#include <new>

#include "cli/errors.hpp"
#include "cli/output.hpp"
#include "cli/request.hpp"
#include "cli/run.hpp"
#ifdef __GLIBC__
#include <malloc.h>

#include <string>
#endif

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

int main(int argc, char** argv) {
  using namespace roofline;
  keep_freed_memory();
  // Closed output pipes and size limits show as failing writes; earlier errors take precedence.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  reserve_standard_descriptors();
  try {
    return run(make_request(argc, argv));
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
  } catch (const std::exception& error) {  // OutputError, or an error of the system
    note(std::string("roofline: ") + error.what());
    return 1;
  }
}
