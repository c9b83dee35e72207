// Tables for people: as wide as the terminal, and no name can act on the terminal.

#include <limits>

#include "cli/process.hpp"
#include "load/embedded.hpp"
#include "load/loading.hpp"
#include "report/document.hpp"
#include "report/formats.hpp"
#include "report/grid.hpp"
#include "report/legend.hpp"
#include "report/text.hpp"
#include "results/report.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"

using namespace roofline;

namespace {

Report report_on(const Gpu& gpu, const Network& network) {
  const Context context = make_context(gpu, {}).value();
  return report_of({{analyze(network, gpu), &context}}, {}, {}).value();
}

void check_widths(const std::string& table, std::size_t width = 100) {
  for (const std::string& line : lines_of(table)) {
    INFO(line);
    CHECK(display_width(line) <= width);
  }
}

/// Bytes that a terminal acts on: C0, DEL, and C1 in UTF-8, but for line breaks.
std::size_t control_characters(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7F) ++count;
    if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0)
      ++count;
  }
  return count;
}

std::string render(const char* format, const Report& report, const RenderStyle& style) {
  return find_output_format(format)->render(report, style).value();
}

std::string table_of(const Report& report, std::size_t width = 100) {
  return render("table", report, {.width = width, .height = {}, .chart = {}});
}

std::string escapes() {
  return "a\x1b[31m\a\b\r\n\t\x7f\xc2\x9b"
         "31mz";
}

}  // namespace

TEST_CASE("roofline words has every header of columns and the words of titles", "[report/table]") {
  std::vector<std::string_view> words{"autotuned", "kernels by heuristic",
                                      "~",         "*",
                                      "last wave", "work",
                                      "yours",     "next",
                                      "mapping",   "library"};
  const auto add_headers = [&](const auto& columns) {
    for (const auto& column : columns)
      if (!column.people.header.empty()) words.push_back(column.people.header);
  };
  add_headers(layer_columns());
  add_headers(kernel_columns());
  add_headers(setting_columns());
  add_headers(sum_columns());
  const auto add_names = [&]<class E>(E) {
    for (const E each : enumerators<E>) words.push_back(name_of(each));
  };
  add_names(Bound());
  add_names(Pass());
  add_names(CeilingKind());
  add_names(Framework());
  for (const std::string_view word : words) {
    INFO(word);
    CHECK_FALSE(words_document(word).is_empty());
  }
  CHECK(words_document("nothing").is_empty());
}

TEST_CASE("Cells of any text stay cells", "[report/table]") {
  Grid grid;
  grid.columns = {left("a"), right("b"), right("c")};
  CHECK(grid.row_count() == 0);
  CHECK(aligned(grid, {}) == "a  b  c\n");
  grid.add_row({"x\ny", "", ""});
  grid.add_row({"", "12", ""});
  CHECK(aligned(grid, {}) == "a     b  c\nx?y\n     12\n");
  drop_empty_columns(grid);
  CHECK(aligned(grid, {}) == "a     b\nx?y\n     12\n");
}

TEST_CASE("Tables fit the terminal", "[report/table]") {
  const std::string long_name(300, 'x');
  const Gpu v100 = find_gpu("v100").value();
  const auto check = [&](const std::string& text) {
    check_widths(table_of(report_on(v100, load_text(text))));
  };
  check(R"([{"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3, "name": ")" + long_name +
        R"("}, {"type": "relu", "repeat": 100000}])");
  SECTION("with the largest shapes and counts") {
    check(R"({"name": "a_layer_with_a_long_name", "type": "conv3d",
              "input": [128, 2048, 128, 128, 128], "out_channels": 2048, "kernel_size": 3,
              "padding": 1})");
  }
  SECTION("with a long network name") {
    check("{\"name\": \"" + long_name + R"(", "layers": [{"type": "relu", "input": [8]}]})");
  }
  SECTION("with a long GPU name") {
    Gpu gpu = v100;
    gpu.name = long_name;
    check_widths(table_of(report_on(gpu, load_text(R"({"type": "relu", "input": [8]})"))));
  }
}

TEST_CASE("Tables of all built-in networks fit the terminal", "[report/table]") {
  for (const EmbeddedFile& file : embedded_networks()) {
    INFO(file.name);
    const std::string name(file.name);
    const Report report =
        report_on(find_gpu("a100").value(), load_network(file.text, name, at_batch(256)).value());
    for (const std::size_t width : {80U, 100U, 120U}) check_widths(table_of(report, width), width);
  }
  check_widths(render_gpu_list(all_gpus(), {.width = 100, .height = {}, .chart = {}}));
}

TEST_CASE("A network's table is the same in a pipe and on a terminal", "[report/table]") {
  // alexnet's names are short: nothing is shortened, and its table fits 80 columns.
  const TemporaryFolder folder;
  const std::string line = "roofline alexnet --gpu v100";
  const auto table_in = [](const std::string& text) {
    return text.substr(text.find("\nlayer "), text.find("\ntotal ") - text.find("\nlayer "));
  };
  const std::string in_pipe = table_in(run(folder, line).out);
  CHECK(lines_of(in_pipe)[1].find("layer ") == 0);
  for (const char* header : {"expected", "share", "bound", "limiter", "roofline", "FLOP/B"})
    CHECK(lines_of(in_pipe)[1].find(header) != std::string::npos);
  for (const int columns : {80, 160})
    CHECK(table_in(run_at_terminal(".", line, columns)) == in_pipe);
}

TEST_CASE("Points fit the terminal", "[report/table]") {
  const Context v100 = make_context(find_gpu("v100").value(), {}).value();
  const Context t4 = make_context(find_gpu("t4").value(), {}).value();
  std::vector<Evaluated> evaluated;
  for (const char* name : {"resnet50", "mobilenet_v2"})
    for (const std::uint64_t batch : {1U, 64U})
      for (const Context* context : {&v100, &t4})
        evaluated.push_back(
            {analyze(load_network(*find_network(name), name, at_batch(batch)).value(),
                     context->gpu),
             context});
  ReportOptions options;
  options.price_per_hour = {{v100.gpu.name, 2.48}, {t4.gpu.name, 0.53}};
  const Report report = report_of(std::move(evaluated), {}, options).value();
  for (const std::size_t width : {80U, 100U, 120U}) check_widths(table_of(report, width), width);
}

TEST_CASE("A long name keeps both its ends", "[report/table]") {
  CHECK(shortened("features.denseblock4.denselayer16.conv2", 20) == "features....16.conv2");
  CHECK(shortened("short", 20) == "short");
  CHECK(display_width(shortened("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 6)) ==
        6);
}

TEST_CASE("No control character of a name reaches a table", "[report/table]") {
  Network network = load_text(R"([{"type": "relu", "input": [8]}, {"type": "relu"}])");
  Gpu gpu = find_gpu("v100").value();
  SECTION("of a layer") { network.layers[0].name = escapes(); }
  SECTION("of a network") { network.name = escapes(); }
  SECTION("of a source") { network.source = escapes(); }
  SECTION("of a GPU") { gpu.name = escapes(); }
  const Report report = report_on(gpu, network);
  const Report plain_names = report_on(
      find_gpu("v100").value(), load_text(R"([{"type": "relu", "input": [8]}, {"type": "relu"}])"));
  CHECK(control_characters(render("table", report, {})) == 0);
  CHECK(lines_of(render("table", report, {})).size() ==
        lines_of(render("table", plain_names, {})).size());
  CHECK(control_characters(render("markdown", report, {})) == 0);
}

TEST_CASE("No control character of a GPU file reaches the list", "[report/table]") {
  Gpu gpu = find_gpu("v100").value();
  gpu.name = gpu.architecture = gpu.memory_type = escapes();
  gpu.aliases = {escapes()};
  CHECK(control_characters(render_gpu_list({gpu}, {})) == 0);
}

TEST_CASE("No control character reaches standard error", "[report/table]") {
  const TemporaryFolder folder;
  folder.write("x.json", R"({"type": "\u001b[31m\u009b31m"})");
  const Outcome outcome = run(folder, "roofline x.json --gpu v100");
  CHECK(outcome.exit_code == 1);
  CHECK(control_characters(outcome.err) == 0);
}

TEST_CASE("Markdown escapes the bars in names", "[report/table]") {
  const std::string text =
      render("markdown",
             report_on(find_gpu("v100").value(),
                       load_text(R"({"type": "relu", "input": [8], "name": "a|b"})")),
             {});
  CHECK(text.find("a\\|b") != std::string::npos);
}

TEST_CASE("Numbers for people", "[report/table]") {
  CHECK(si(17'582'848, "B") == "17.58 MB");
  CHECK(si(15.7e12, "FLOP/s") == "15.70 TFLOP/s");
  CHECK(si(999.96e9, "B/s") == "1.000 TB/s");
  CHECK(si(0, "B") == "0 B");
  CHECK(duration(40.07e-6) == "40.07 us");
  CHECK(duration(0.99999) == "1.000 s");
  CHECK(duration(3600) == "3600 s");
  CHECK(duration(86.67e-12) == "<1 ns");
  CHECK(duration(-40e-6) == "-40.00 us");
  CHECK(ratio_text(2.847) == "x2.85");
  CHECK(ratio_text(684'500) == ">x1000");
  CHECK(ratio_text(std::numeric_limits<double>::infinity()).empty());
  CHECK(broken("  three words of 10.04 ms here\nand 4 MB", 22) ==
        "  three words of\n    10.04 ms here\nand 4 MB");
  CHECK(percent(0.1234) == "12.3%");
  CHECK(plain(17.444) == "17.44");
  CHECK(plain(0) == "0");
}

TEST_CASE("A lone layer on an idle Radeon says how much its clock costs", "[report/table]") {
  const std::string layer =
      R"({"type": "conv", "input": [8, 64, 28, 28], "k": 64, "kernel_size": 3})";
  const TemporaryFolder folder;
  folder.write("alone.ndjson", layer + "\n");
  folder.write("alone.json", layer);
  folder.write("network.json", "[" + layer + R"(, {"type": "relu"}])");
  // 4.18: fitted, of 2250 MHz to some 500.
  const std::string idle = "from an idle clock: x4.18 of a busy GPU's\n";
  for (const char* alone : {"alone.ndjson", "alone.json"})
    CHECK(run(folder, std::string("roofline --gpu rx6800xt --assume clock=idle ") + alone)
              .out.find("; " + idle) != std::string::npos);
  CHECK(run(folder, "roofline alone.json --gpu rx6800xt --assume clock=idle --explain conv0")
            .out.find("  " + idle) != std::string::npos);
  // People time loops, which keep the clock up.
  for (const char* other : {"alone.json --gpu rx6800xt", "alone.ndjson --gpu rx6800xt"})
    CHECK(run(folder, std::string("roofline ") + other).out.find("idle") == std::string::npos);
}

TEST_CASE("One layer is a short list, the same in a pipe and at a terminal", "[report/table]") {
  // 2 x 64 x 256^2 x 75 = 629.1 MFLOP, 4 x (3 x 256^2 + 64 x 75 + 64 x 256^2) = 17.58 MB;
  // 629.1 MFLOP at 15.7 TFLOP/s take 40.07 us, 52.6 % of 76.21 us.
  const std::string work = R"(
  work       629.1 MFLOP (314.6 M MACs), 17.58 MB: 35.78 FLOP/B; ridge at 17.44
  roofline   40.07 us: bound by compute, 15.70 TFLOP/s
  library    76.21 us (58 to 99), 8.256 TFLOP/s: 52.6% of the peak

)";
  const std::string line = "roofline notebook_conv --gpu v100";
  const TemporaryFolder folder;
  const std::string out = run(folder, line).out;
  CHECK(out == "conv of notebook_conv on Tesla V100 SXM2 16GB, fp32, batch 1, fwd, nchw" + work);
  for (const int columns : {80, 120}) CHECK(run_at_terminal(".", line, columns) == out);
  // 629.1 MFLOP in 9.1 ms are 69.14 GFLOP/s, 0.44 % of 15.7 TFLOP/s; 9.1 ms are x119 of 76.21 us.
  CHECK(run(folder, line + " --measured 9.1ms").out ==
        "conv of notebook_conv on Tesla V100 SXM2 16GB, fp32, batch 1, fwd, nchw\n"
        "  yours      9.100 ms, 69.14 GFLOP/s: 0.4% of the peak, 0.2% of the bandwidth\n"
        "             x119.41 the time of a library's kernel\n"
        "  next       neither roof is near, so latency or instructions take the time:\n"
        "             compute more outputs a thread, as what is loaded then serves several" +
            work);
}

TEST_CASE("A narrow type on another engine says so in the title", "[report/table]") {
  const TemporaryFolder folder;
  const auto title = [&](const std::string& arguments) {
    const std::string out = run(folder, "roofline lenet5 --gpu " + arguments).out;
    return out.substr(0, out.find('\n'));
  };
  CHECK(title("v100 --dtype int8").find(", int8 (on dp4a), ") != std::string::npos);
  CHECK(title("t4 --dtype int8").find("(on ") == std::string::npos);
}
