// A target reads an input, and what it refers to, evaluates it on one of a few GPUs and renders it
// in every format; one writes files. What cannot be read or evaluated is an InputError; whatever
// else is thrown, a number that is not finite, a signal, a sanitizer's report or a slow input is a
// finding.

#include "targets.hpp"

#include <zlib.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "cli/output.hpp"
#include "load/byte_stream.hpp"
#include "load/kernel_model.hpp"
#include "load/network_reader.hpp"
#include "load/user_lists.hpp"
#include "nothing_lost.hpp"
#include "profilers/formats.hpp"
#include "pytorch/exported_program.hpp"
#include "pytorch/recording.hpp"
#include "report/formats.hpp"
#include "report/text.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"
#include "roofline/render.hpp"

namespace {

using namespace roofline;

// Charts and pages of more would cost more than they find.
constexpr std::size_t most_drawn = 60;
constexpr std::size_t most_items = 40;
// The sanitizers make a copy of a layer, in all that is written of it, a millisecond's work.
constexpr std::uint64_t most_copies = 5000;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::cerr << "finding: " << what << '\n';
  std::abort();
}

struct Setting {
  LayerDefaults defaults;
  Context context;
};

Setting setting(const std::string& gpu, DataType dtype, const AnalysisOptions& options) {
  LayerDefaults defaults;
  defaults.dtype = dtype;
  defaults.limits.copies = most_copies;
  return {defaults, make_context(find_gpu(gpu).value(), options).value()};
}

const Setting& setting_for(const std::string& input) {
  static const std::array settings = [] {
    AnalysisOptions training;
    training.training = true;
    training.fusion = FusionKind::epilogue;
    training.optimizer = Optimizer::adam;
    training.host_copies = HostMemory::pinned;
    training.cache = CacheState::cold;
    AnalysisOptions sustained;
    sustained.ceilings = CeilingKind::sustained;
    sustained.fusion = FusionKind::pointwise;
    AnalysisOptions own;
    own.fusion = FusionKind::eager;
    std::array all{setting("v100", DataType::fp32, {}), setting("h100", DataType::fp16, training),
                   setting("h200", DataType::fp16, sustained),
                   setting("gtx1080", DataType::fp32, own)};
    all.back().defaults.batch_override = 3;
    all.back().defaults.as_pytorch_runs = true;
    return all;
  }();
  return settings[input.size() % settings.size()];
}

void expect_finite(const LayerResult& row) {
  const RooflinePoint& point = row.point;
  for (const std::optional<double> value :
       {point.intensity_flop_per_byte, std::optional(point.ridge_flop_per_byte),
        std::optional(point.compute_time_s), std::optional(point.memory_time_s),
        std::optional(point.roofline_time_s), point.attainable_flop_per_s, row.expected_time_s(),
        row.measured_time_s, row.time_share})
    expect(!value || (std::isfinite(*value) && *value >= 0),
           "a number of " + row.layer.name + " that is not finite or below 0");
}

/// What a terminal would act on.
void expect_no_controls(const std::string& text, std::string_view what) {
  expect(printable_lines(text) == text, "a control character in " + std::string(what));
}

/// As JSON, and in one more format, which the input's size picks.
void render(const Report& report, std::size_t choice) {
  std::size_t rows = 0;
  for (const Result& result : report.results) rows += result.layers.size();
  for (const KernelTable& table : report.kernels) rows += table.rows.size();
  const auto formats = output_formats();
  const OutputFormat& format = formats[choice % formats.size()];
  RenderStyle style;
  if (choice / formats.size() % 2 == 1) style.width = 80;
  if ((format.shows_chart || format.name == "html") && rows > most_drawn) return;
  const std::string json = find_output_format("json")->render(report, style).value();
  expect(nlohmann::json::accept(json), "JSON that cannot be read");
  expect_no_controls(json, "json");
  // CSV gives names back as they are; whoever writes it to a terminal cleans it.
  const std::string text = format.render(report, style).value();
  expect_no_controls(format.name == "csv" ? printable_lines(text) : text, format.name);
}

void expect_finite(const KernelTable& table) {
  for (const KernelRow& row : table.rows)
    for (const std::optional<double> value :
         {std::optional(row.kernel.time_s), std::optional(row.time_share), row.flop, row.flop_per_s,
          row.dram_byte_per_s, row.l2_byte_per_s, row.intensity_flop_per_byte,
          row.l2_intensity_flop_per_byte, row.roof_share[KernelRoof::compute],
          row.roof_share[KernelRoof::dram], row.roof_share[KernelRoof::l2]})
      expect(!value || (std::isfinite(*value) && *value >= 0),
             "a number of " + row.kernel.name + " that is not finite or below 0");
}

void report_on(std::vector<Evaluated> evaluated, std::vector<InputError> errors, std::size_t choice,
               std::vector<KernelTable> kernels = {}) try {
  for (const KernelTable& table : kernels) expect_finite(table);
  for (const Evaluated& each : evaluated)
    for (const LayerResult& row : each.result.layers) expect_finite(row);
  ReportOptions options;
  if (choice % 5 == 0) options.explain = "*";
  render(report_of(std::move(evaluated), std::move(errors), options, std::move(kernels)).value(),
         choice);
} catch (const InputError&) {  // nothing to explain, or a chart of layers without FLOP
}

/// Layers that a file lists, where it lists layers.
std::optional<std::size_t> listed_layers(std::string_view text) {
  const JsonDocument document(std::string(text), {"input"});
  const Value root = document.root();
  for (const std::string_view key : {"layers", "Layers"})
    if (const Value list = root.find(key); list.is_array()) return list.size();
  return std::nullopt;
}

/// PyTorch's patterns join products: of a model read as it runs them, no count is known.
LayerNodes layer_nodes_of(const std::string& input, const LayerDefaults& defaults) {
  return onnx_graph::looks_like_model(input) && !defaults.as_pytorch_runs
             ? layer_nodes(*onnx_graph::read_model(*text_stream("input", input)), defaults)
             : LayerNodes();
}

/// As the layers are stated, each as often as it asks for.
std::size_t stated_layers(const NetworkSpec& spec) {
  std::size_t count = spec.unread.count;
  for (const LayerSpec& layer : spec.layers) count += layer.repeat.value_or(1);
  return count;
}

/// Returns how many things were given, those that could not be read among them.
std::size_t evaluate_inputs(Reader& reader, const std::string& input,
                            MeasuredTimes* times = nullptr,
                            std::optional<std::size_t> listed = std::nullopt) {
  const Setting& setting = setting_for(input);
  std::vector<Evaluated> evaluated;
  std::vector<std::vector<LayerResult>> records;
  std::vector<InputError> errors;
  std::vector<KernelTable> kernels;
  const auto keep = [&](Expected<Result> result) {
    evaluated.push_back({std::move(result).value(), &setting.context});
  };
  std::string rows;
  RowStream stream(RowFormat::ndjson, [&](std::string_view text) { rows += text; });
  std::size_t given = 0;
  for (; given < most_items; ++given) try {
      const auto item = reader.next();
      if (!item) break;
      const auto spec = item->value().spec(setting.defaults).value();
      const std::string lost = what_is_lost(*spec, listed, layer_nodes_of(input, setting.defaults));
      expect(lost.empty(), lost + ": lost");
      if (spec->kernels)
        kernels.push_back(
            place_kernels(spec->kernels, input.size() % 3 == 0 ? nullptr : &setting.context)
                .value());
      if (spec->layer_count() == 0) continue;
      Network network = infer(*spec, setting.defaults).value();
      expect(network.layers.size() == stated_layers(*spec),
             "layers lost on the way to the network");
      if (times != nullptr) times->join(network);
      if (!network.record) {
        const std::string file = render_layer_file(network).value();
        expect_no_controls(file, "a layer file");
        load_network(file, "again.json", setting.defaults).value();
        keep(evaluate(network, setting.context));
        continue;
      }
      Result record;
      record.layers = evaluate_layers(network, setting.context).value();
      RenderedRows part(RowFormat::ndjson);
      part.add(record, 0, record.layers.size());
      records.push_back(std::move(record.layers));
      stream.take(part);
    } catch (const InputError& error) {
      RenderedRows part(RowFormat::ndjson);
      part.add(error);
      stream.take(part);
      errors.push_back(error);
    }
  expect_no_controls(rows, "rows of ndjson");
  reader.notes();
  if (!records.empty()) try {
      keep(join_records("records", "records", std::move(records), setting.context));
    } catch (const InputError& error) {
      errors.push_back(error);
    }
  report_on(std::move(evaluated), std::move(errors), input.size() / 4, std::move(kernels));
  return given;
}

/// Layer files in one document.
void run_layers(const std::string& input) try {
  const auto reader = whole<read_json>(text_stream("input", input));
  evaluate_inputs(*reader, input, nullptr, listed_layers(input));
} catch (const InputError&) {
}

template <auto read>
void run_reader(const std::string& input) try {
  evaluate_inputs(*whole<read>(text_stream("input", input)), input);
} catch (const InputError&) {
}

/// Each line is a record, or an error of its own.
template <std::unique_ptr<Reader> (*open)(std::unique_ptr<ByteStream>)>
void run_lines(const std::string& input) {
  const std::size_t given = evaluate_inputs(*open(text_stream("input", input)), input);
  expect(given == std::clamp<std::size_t>(record_lines(input), 1, most_items), "lines: lost");
}

/// The same of the lines below the header, where no quote may join them.
void run_csv(const std::string& input) try {
  const auto reader = open_csv(text_stream("input", input));
  const std::size_t given = evaluate_inputs(*reader, input);
  const std::size_t lines = record_lines(input);
  expect(input.find('"') != input.npos || lines > most_items || given + 1 >= lines, "rows: lost");
} catch (const InputError&) {
}

/// An archive, or the program that one would hold, stored.
void run_program(const std::string& input) {
  if (input.starts_with("PK")) return run_reader<read_exported_programs>(input);
  const auto number = [](std::uint64_t value) {  // 4 bytes
    std::string bytes;
    for (int i = 0; i < 4; ++i, value >>= 8) bytes += static_cast<char>(value & 0xffU);
    return bytes;
  };
  const std::string name = "models/model.json";
  const std::string crc =
      number(crc32_z(0, reinterpret_cast<const Bytef*>(input.data()), input.size()));
  const std::string sizes = number(input.size()) + number(input.size()) + number(name.size());
  const std::string local = "PK\x03\x04" + std::string(10, '\0') + crc + sizes + name + input;
  const std::string entry =
      "PK\x01\x02" + std::string(12, '\0') + crc + sizes + std::string(14, '\0') + name;
  run_reader<read_exported_programs>(local + entry + "PK\x05\x06" + std::string(12, '\0') +
                                     number(local.size()) + std::string(2, '\0'));
}

/// A folder in which formats find the files that belong together.
const std::string& folder() {
  static const std::string path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "roofline_fuzz.XXXXXX").string();
    expect(mkdtemp(name.data()) != nullptr, "no temporary folder");
    static const struct Removal {
      std::string path;
      ~Removal() { std::filesystem::remove_all(path); }
    } removal{name};
    return name;
  }();
  return path;
}

std::string written(const std::string& name, std::string_view text) {
  const std::string path = folder() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

void run_file(const std::string& name, std::string_view text) try {
  evaluate_inputs(*open_input(written(name, text)).value(), std::string(text));
} catch (const InputError&) {
}

/// Whatever its first bytes look like, compressed or not.
void run_any(const std::string& input) { run_file("input", input); }

void run_onnx(const std::string& input) { run_file("input.onnx", input); }

struct Read {
  std::vector<std::shared_ptr<const NetworkSpec>> specs;
  std::vector<std::string> errors;
};

Read read_all(Reader& reader) {
  Read read;
  while (const auto item = reader.next()) try {
      read.specs.push_back(item->value().spec({}).value());
    } catch (const InputError& error) {
      read.errors.emplace_back(error.what());
    }
  return read;
}

/// Lists of layers: each command is a layer, or in an error.
void run_tables(const std::string& input) {
  run_any(input);
  const Read read = read_all(*whole<read_miopen_driver>(text_stream("input", input)));
  std::size_t layers = 0;
  for (const auto& spec : read.specs) layers += stated_layers(*spec);
  expect(layers + bad_rows(read.errors) >= driver_commands(input), "commands: lost");
}

/// Whether each line below the first begins with a number and has as many cells: none is another
/// header or a program's message.
bool is_one_table(const std::string& input) {
  std::istringstream lines(input);
  std::string line;
  std::getline(lines, line);
  const auto commas = std::ranges::count(line, ',');
  while (std::getline(lines, line))
    if (std::ranges::count(line, ',') != commas || line.front() < '0' || line.front() > '9')
      return false;
  return true;
}

/// Tables of kernels: each line below the header is a launch, or named.
void run_profiler(const std::string& input) {
  run_any(input);
  if (!input.starts_with("Start (ns),Duration (ns),CorrId,") || input.find('"') != input.npos ||
      !is_one_table(input))
    return;
  const Read read = read_all(*whole<read_nsight_systems>(text_stream("input", input)));
  expect(
      read.specs.empty() || launches_of(*read.specs.front()->kernels) + bad_rows(read.errors) + 1 >=
                                record_lines(input),
      "launches: lost");
}

/// Files of one input, which lines "====" separate, under these names; fewer than names leave the
/// last ones out. Returns the path of the first.
std::string written_parts(std::string_view input, const std::vector<std::string>& names) {
  constexpr std::string_view separator = "\n====\n";
  bool is_left = true;
  for (const std::string& name : names) {
    const std::size_t end = std::min(input.find(separator), input.size());
    if (is_left)
      written(name, input.substr(0, end));
    else
      std::filesystem::remove(folder() + "/" + name);
    is_left = end < input.size();
    input.remove_prefix(is_left ? end + separator.size() : end);
  }
  return folder() + "/" + names.front();
}

/// An engine, its profile, and the profile's metadata.
void run_tensorrt(const std::string& input) try {
  const std::string path =
      written_parts(input, {"net.graph.json", "net.profile.json", "net.profile.metadata.json"});
  evaluate_inputs(*open_input(path).value(), input, nullptr,
                  listed_layers(input.substr(0, input.find("\n====\n"))));
} catch (const InputError&) {
}

/// Layers and a file of their times.
void run_measured(const std::string& input) try {
  const std::string name = input.size() % 2 == 0 ? "times.json" : "times.csv";
  const std::string path = written_parts(input, {"layers.json", name});
  MeasuredTimes times(folder() + "/" + name, "v100");
  evaluate_inputs(*open_input(path).value(), input, &times);
  times.notes();
} catch (const InputError&) {
}

/// A layer of every rule of the kernel model.
const Network& all_kernels() {
  static const Network network = load_network(R"({"name": "all", "batch": 4, "layers": [
    {"input": [16, 20, 20], "out_channels": 64, "kernel_size": 3, "padding": 1},
    {"type": "batch_norm"}, {"type": "relu"},
    {"out_channels": 64, "kernel_size": 3, "depthwise": true},
    {"out_channels": 64, "kernel_size": 3, "groups": 4, "stride": 2},
    {"type": "max_pool", "kernel_size": 2},
    {"type": "conv_transpose", "out_channels": 8, "kernel_size": 2, "stride": 2},
    {"type": "layer_norm"}, {"type": "softmax"}, {"type": "global_avg_pool"},
    {"type": "flatten"}, {"type": "linear", "out_features": 100},
    {"type": "matmul", "m": 100, "n": 50, "k": 64, "batch": 8},
    {"type": "attention", "inputs": [[2, 4, 96, 64], [2, 4, 96, 64], [2, 4, 96, 64]]},
    {"type": "conv3d", "input": [8, 6, 9, 9], "out_channels": 16, "kernel_size": 3}]})",
                                              "all.json", {})
                                     .value();
  return network;
}

void evaluate_gpu(const Gpu& gpu, std::size_t choice) try {
  const std::string json = render_gpus_json({gpu});
  expect(nlohmann::json::accept(json), "JSON that cannot be read");
  for (const std::string& text :
       {render_gpu(gpu), write_constants(*gpu.constants), json, render_gpu_list({gpu}, {})})
    expect_no_controls(text, "a GPU");
  AnalysisOptions options;
  options.cache = choice % 2 == 0 ? CacheState::warm : CacheState::cold;
  options.training = choice % 4 < 2;
  const Context context = make_context(gpu, options).value();
  Expected<Result> result = evaluate(all_kernels(), context);
  report_on({{std::move(result).value(), &context}}, {}, choice);
} catch (const InputError&) {
}

void run_gpu(const std::string& input) try {
  evaluate_gpu(load_gpu(input, "gpu.json").value(), input.size());
} catch (const InputError&) {
}

/// A GPU's file, and kernel models that it may name.
void run_gpu_files(const std::string& input) try {
  const std::string path = written_parts(input, {"gpu.json", "constants.json", "more.json"});
  evaluate_gpu(find_gpu(path).value(), input.size());
} catch (const InputError&) {
}

void run_kernel_model(const std::string& input) try {
  static const Gpu v100 = find_gpu("v100").value();
  Gpu gpu = v100;
  gpu.constants = load_constants(input, "constants.json");
  load_constants(write_constants(*gpu.constants), "again.json");
  evaluate_gpu(gpu, input.size());
} catch (const InputError&) {
}

using Files = std::map<std::string, std::string>;

/// The regular files of a folder, with what is in them.
Files files_in(const std::filesystem::path& path) {
  Files files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.is_symlink() || !entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path().filename().string()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return files;
}

/// Writing to a path changes the file at the end of its links, or nothing where it cannot.
void expect_written(const std::filesystem::path& path, const std::string& text) {
  Files expected = files_in(path.parent_path());
  try {
    OutputFile file(path.string());
    file.write(text);
    file.commit();
    expected[std::filesystem::path(written_path(path.string())).filename().string()] = text;
  } catch (const OutputError&) {
  }
  expect(files_in(path.parent_path()) == expected, "files other than as written");
}

/// Each byte does something to one of four names in a folder.
void run_output(const std::string& input) {
  namespace fs = std::filesystem;
  constexpr std::size_t most_steps = 16;
  const fs::path sandbox = fs::path(folder()) / "sandbox";
  fs::remove_all(sandbox);
  fs::create_directory(sandbox);
  for (std::size_t i = 0; i < std::min(input.size(), most_steps); ++i) {
    const auto byte = static_cast<unsigned char>(input[i]);
    const auto name_of = [](unsigned number) { return std::string(1, "abcd"[number % 4]); };
    const fs::path path = sandbox / name_of(byte >> 3U);
    const std::string text(i, 'x');
    std::error_code ignored;  // what is there already stays
    switch (byte % 8) {
      case 0: fs::remove_all(path, ignored); break;
      case 1: fs::create_directory(path, ignored); break;
      case 2: fs::create_symlink(name_of(byte >> 5U), path, ignored); break;
      case 3: fs::permissions(path, fs::perms::owner_all, ignored); break;
      case 4: {
        const Files before = files_in(sandbox);
        try {
          OutputFile(path.string()).write(text);
        } catch (const OutputError&) {
        }
        expect(files_in(sandbox) == before, "a file that was not committed");
        break;
      }
      default: expect_written(path, text);
    }
  }
  for (const auto& entry : fs::directory_iterator(sandbox))
    expect(entry.path().filename().string().size() == 1, "a temporary file left");
}

constexpr FuzzTarget targets[] = {
    {"json", run_layers},
    {"ndjson", run_lines<open_ndjson>},
    {"csv", run_csv},
    {"trace", run_reader<read_trace>},
    {"program", run_program},
    {"tensorrt", run_tensorrt},
    {"onnx", run_onnx, true},
    {"gpu", run_gpu},
    {"gpu_files", run_gpu_files},
    {"kernel_model", run_kernel_model},
    {"measured", run_measured},
    {"output", run_output},
    {"profiler", run_profiler},
    {"tables", run_tables},
    {"find_db", run_lines<open_find_database>},
    {"any", run_any},
};

}  // namespace

std::span<const FuzzTarget> fuzz_targets() { return targets; }
