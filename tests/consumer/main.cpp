// A built-in network on a built-in GPU as JSON, through the installed library.

#include <cstdio>
#include <roofline/catalogue.hpp>
#include <roofline/load.hpp>
#include <roofline/render.hpp>

int main() {
  const roofline::Context context = roofline::make_context(roofline::find_gpu("a100"), {});
  const roofline::Network network =
      roofline::load_network(*roofline::find_network("resnet18"), "resnet18", {});
  auto result = roofline::evaluate(network, context);
  if (const auto* error = std::get_if<roofline::InputError>(&result)) {
    std::fprintf(stderr, "%s\n", error->what());
    return 1;
  }
  const roofline::Report report =
      roofline::make_report({{std::get<roofline::Result>(std::move(result)), &context}}, {}, {});
  std::fputs(roofline::find_output_format("json")->render(report, {}).c_str(), stdout);
}
