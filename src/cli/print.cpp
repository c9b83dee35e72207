#include "cli/print.hpp"

#include "cli/contexts.hpp"
#include "cli/measuring_script.hpp"
#include "cli/terminal.hpp"
#include "load/kernel_model.hpp"
#include "roofline/catalogue.hpp"

namespace roofline {

std::string printed_text(const Options& options) {
  switch (options.action) {
    case Options::Action::evaluate:
    case Options::Action::calibrate: break;
    case Options::Action::print_text: return options.text;
    case Options::Action::write_script: return measuring_script(options.tool, options.minutes);
    case Options::Action::list_networks: return network_names();
    case Options::Action::show_gpu: {
      const Gpu gpu = named_gpus(options.gpus, options.kernel_model).front();
      return options.json ? render_gpus_json({gpu}) : render_gpu(gpu);
    }
    case Options::Action::show_model: {
      const Gpu gpu = named_gpus(options.gpus, options.kernel_model).front();
      return options.json ? write_constants(*gpu.constants) : render_model(gpu);
    }
    case Options::Action::list_gpus:
      return options.json ? render_gpus_json(listed_gpus())
                          : render_gpu_list(listed_gpus(), standard_output_style());
  }
  return "";
}

}  // namespace roofline
