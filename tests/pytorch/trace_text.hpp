#pragma once

// Small profiler traces, written by hand.

#include <optional>
#include <string>
#include <vector>

#include "pytorch/exported_program.hpp"
#include "pytorch/recording.hpp"
#include "roofline/load.hpp"

/// What an operator is called with: one entry an argument, as the trace writes it.
struct RecordedArguments {
  std::string sizes = {};    ///< "[[32, 64], []]"
  std::string types = {};    ///< R"(["float", "Scalar"])"
  std::string values = {};   ///< R"(["", "2"])"
  std::string strides = {};  ///< "[[64, 1], []]"; empty: contiguous is not said
};

/// One tensor of 16 elements, and a number.
inline const RecordedArguments vector_of_16{"[[1, 16], []]", R"(["float", "Scalar"])",
                                            R"(["", "0"])"};

/// Events of a trace, in the order in which they are added.
class TraceText {
 public:
  TraceText& operation(const std::string& name, int id, double start_us, double duration_us,
                       const RecordedArguments& arguments = {}, int thread = 1) {
    std::string own = "\"External id\": " + std::to_string(id);
    if (!arguments.sizes.empty())
      own += ", \"Concrete Inputs\": " + arguments.values + ", \"Input type\": " + arguments.types +
             ", \"Input Strides\": " + (arguments.strides.empty() ? "[]" : arguments.strides) +
             ", \"Input Dims\": " + arguments.sizes;
    return event("cpu_op", name, "100", std::to_string(thread), start_us, duration_us, own);
  }

  TraceText& kernel(const std::string& name, std::optional<int> id, double start_us,
                    double duration_us, const std::string& more = "") {
    std::string own = "\"device\": 0, \"stream\": 7";
    if (id) own += ", \"External id\": " + std::to_string(*id);
    if (!more.empty()) own += ", " + more;
    const std::string category = name.starts_with("Memcpy")   ? "gpu_memcpy"
                                 : name.starts_with("Memset") ? "gpu_memset"
                                                              : "kernel";
    return event(category, name, "0", "7", start_us, duration_us, own);
  }

  TraceText& call(const std::string& name, int correlation, double start_us, int thread = 1) {
    return event("cuda_runtime", name, "100", std::to_string(thread), start_us, 1,
                 "\"correlation\": " + std::to_string(correlation));
  }

  TraceText& step(int number, double start_us, double duration_us) {
    return event("user_annotation", "ProfilerStep#" + std::to_string(number), "100", "1", start_us,
                 duration_us, "\"External id\": 9" + std::to_string(number));
  }

  TraceText& event(const std::string& category, const std::string& name, const std::string& process,
                   const std::string& thread, double start_us, double duration_us,
                   const std::string& arguments) {
    events_ += (events_.empty() ? "" : ",\n") + std::string("{\"ph\": \"X\", \"cat\": \"") +
               category + "\", \"name\": \"" + name + "\", \"pid\": " + process +
               ", \"tid\": " + thread + ", \"ts\": " + std::to_string(start_us) +
               ", \"dur\": " + std::to_string(duration_us) + ", \"args\": {" + arguments + "}}";
    return *this;
  }

  std::string text() const {
    return "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H200\", "
           "\"numSms\": 132}],\n\"traceEvents\": [\n" +
           events_ + "\n]}\n";
  }

 private:
  std::string events_;
};

/// The network that a trace's text holds. Throws InputError.
inline std::shared_ptr<const roofline::NetworkSpec> read_trace(const std::string& text) {
  auto reader = roofline::whole<roofline::read_trace>(roofline::text_stream("t.json", text));
  auto item = *reader->next();
  return item.value().spec({}).value();
}

/// The same as layers.
inline std::vector<roofline::Layer> trace_layers(const std::string& text) {
  return roofline::infer(*read_trace(text), {}).value().layers;
}

/// What is said of a trace that cannot be read; empty where it can.
inline std::string message_of_trace(const std::string& text) {
  try {
    read_trace(text);
  } catch (const roofline::InputError& error) {
    return error.what();
  }
  return "";
}
