#include <csignal>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/run.hpp"
#include "cli/terminal.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/error.hpp"

namespace {

using namespace roofline;

std::string text_of(const Options& options) {
  switch (options.action) {
    case Options::Action::evaluate: break;
    case Options::Action::print_text: return options.text;
    case Options::Action::list_networks: return network_names();
    case Options::Action::show_gpu: {
      const Gpu gpu = named_gpus(options.gpus).front();
      return options.json ? render_gpus_json({gpu}) : render_gpu(gpu);
    }
    case Options::Action::list_gpus:
      return options.json ? render_gpus_json(all_gpus())
                          : render_gpu_list(all_gpus(), standard_output_style());
  }
  return "";
}

int run(const Options& options) {
  if (options.action == Options::Action::evaluate) return evaluate_inputs(options);
  write_standard_output(text_of(options));
  flush_standard_output();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader of the output that leaves is seen where writing fails, and what failed before counts.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(parse_options(argc, argv));
  } catch (const OutputClosed&) {
    return 0;
  } catch (const InputError& error) {
    note(error.what());
    return 1;
  } catch (const OutputError& error) {
    note(std::string("roofline: ") + error.what());
    return 1;
  } catch (const UsageError& error) {
    note(std::string("roofline: ") + error.what());
    return 2;
  }
}
