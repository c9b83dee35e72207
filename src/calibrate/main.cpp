#include "calibrate/calibrate.hpp"
#include "cli/program.hpp"

int main(int argc, char** argv) {
  using namespace roofline;
  return run_program("roofline-calibrate",
                     [&] { return calibrate(make_calibration_request(argc, argv)); });
}
