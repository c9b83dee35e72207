#include "cli/evaluation.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/error.hpp"

namespace {

using namespace roofline;

int evaluate(const Options& options) {
  Evaluation evaluation(options);
  Progress progress;
  while (evaluation.has_next()) {
    progress.step();
    try {
      evaluation.step();
    } catch (const InputError& error) {
      evaluation.fail(error);
    }
  }
  return evaluation.finish();
}

int run(const Options& options) {
  switch (options.action) {
    case Options::Action::evaluate: return evaluate(options);
    case Options::Action::print_text: write_standard_output(options.text); break;
    case Options::Action::list_networks: write_standard_output(network_names()); break;
    case Options::Action::show_gpu: {
      const Gpu gpu = find_gpu(options.gpus.front());
      write_standard_output(options.format == Format::json ? render_gpus_json({gpu})
                                                           : render_gpu(gpu));
      break;
    }
    case Options::Action::list_gpus:
      write_standard_output(options.format == Format::json ? render_gpus_json(all_gpus())
                                                           : render_gpu_list(all_gpus()));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int exit_code = run(parse_options(argc, argv));
    flush_standard_output();
    return exit_code;
  } catch (const OutputClosed&) {
    return 0;
  } catch (const InputError& error) {
    note(error.what());
    return 1;
  } catch (const UsageError& error) {
    note(std::string("roofline: ") + error.what());
    return 2;
  }
}
