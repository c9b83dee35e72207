// In builds without the ONNX library: models are recognised, so that the user learns what is
// missing.

#include <utility>

#include "load/onnx/lean_model.hpp"
#include "load/onnx/onnx_input.hpp"

namespace roofline {

bool looks_like_onnx(std::string_view head) { return onnx_graph::looks_like_model(head); }

std::unique_ptr<Reader> open_onnx(std::unique_ptr<ByteStream> stream) {
  throw InputError(stream->name(), "",
                   "expected a layer file, got an ONNX model, for which this build of roofline has "
                   "no library; install libonnx-dev and libprotobuf-dev and build it again");
}

}  // namespace roofline
