// Equal layers of a network are planned once: each row has the plan of its layer alone.

#include "load/loading.hpp"
#include "roofline/kernel.hpp"

using namespace roofline;

namespace {

void check_own_plans(const Network& network, const Context& context) {
  const Result result = evaluate(network, context).value();
  for (const LayerResult& row : result.layers) {
    if (!row.kernel) continue;
    INFO(context.gpu.name << ' ' << row.layer.name << ' ' << name_of(row.layer.pass));
    const KernelPlan alone = launched(*plan_kernel(row.layer, row.counts, row.planned_engine,
                                                   context.kernel, context.options.cache)
                                           .value(),
                                      context.kernel, context.launch);
    CHECK(row.kernel->part_s == alone.part_s);
    CHECK(row.kernel->algorithm == alone.algorithm);
    CHECK(row.kernel->tile == alone.tile);
  }
}

}  // namespace

TEST_CASE("Rows of a network have the plans of their layers alone", "[results/equal_layers]") {
  AnalysisOptions options;
  for (const bool training : {false, true})
    for (const char* name : {"resnet50", "mobilenet_v2"})
      for (const char* gpu : {"h100", "mi300x"}) {
        options.training = training;
        LayerDefaults defaults = at_batch(8);
        defaults.dtype = DataType::fp16;
        check_own_plans(load_network(*find_network(name), name, defaults).value(),
                        make_context(find_gpu(gpu).value(), options).value());
      }
}

TEST_CASE("Layers that differ in one property have their own plans", "[results/equal_layers]") {
  // Equal in FLOP and bytes.
  const Network network = load_text(R"({"layers": [
      {"type": "conv", "input": [8, 64, 56, 56], "out_channels": 64, "kernel_size": 3,
       "padding": 1, "dtype": "fp16"},
      {"type": "conv", "input": [8, 64, 56, 56], "out_channels": 64, "kernel_size": 3,
       "padding": 1, "dtype": "fp16", "layout": "nchw"},
      {"type": "conv", "input": [8, 64, 56, 56], "out_channels": 64, "kernel_size": 3,
       "padding": 1, "dtype": "fp16", "kernel": {"tile": [64, 64, 32]}},
      {"type": "conv", "input": [8, 64, 28, 112], "out_channels": 64, "kernel_size": 3,
       "padding": 1, "dtype": "fp16"},
      {"type": "conv", "input": [8, 64, 56, 56], "out_channels": 64, "kernel_size": 3,
       "padding": 1, "dtype": "bf16"}]})");
  check_own_plans(network, make_context(find_gpu("h100").value(), {}).value());
}
