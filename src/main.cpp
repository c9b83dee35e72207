#include "cli/program.hpp"
#include "cli/request.hpp"
#include "cli/run.hpp"

int main(int argc, char** argv) {
  using namespace roofline;
  return run_program("roofline", [&] { return run(make_request(argc, argv)); });
}
