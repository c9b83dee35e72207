// Files of other programs: each is named, with what to give instead.

#include "catch.hpp"
#include "load/record_reading.hpp"

using namespace std::string_literals;

TEST_CASE("A file that is none of ours is named, with what to give instead",
          "[load/foreign_files]") {
  struct Case {
    const char* file;
    std::string text;
    std::string message;  ///< between the file's name and what to do
  };
  const std::string torch_export =
      "save the model with torch.export.save(torch.export.export(model, (x,)), \"model.pt2\")";
  const std::string keras_export =
      "export the model with model.export(\"model.onnx\", format=\"onnx\")";
  const std::string tensorrt_export =
      "give what trtexec --exportLayerInfo=layers.json --profilingVerbosity=detailed "
      "--exportProfile=profile.json writes";
  const std::string header =
      "\x40\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[0,2]}}"s;
  const std::vector<Case> table{
      {"x.safetensors", header,
       "a file of weights (safetensors), without operators, which is not read: " + torch_export},
      {"x", header,
       "a file of weights (safetensors), without operators, which is not read: " + torch_export},
      {"x.h5", "\x89HDF\r\n\x1a\n",
       "an HDF5 file, as Keras saves models, which is not read: " + keras_export},
      {"x.engine", "ftrt",
       "a serialized engine of TensorRT, which is not read: " + tensorrt_export},
      {"x.plan", "x", "a serialized engine of TensorRT, which is not read: " + tensorrt_export},
      {"x.pt", "PK\3\4" + std::string(26, 'x') + "archive/data.pkl",
       "a file of torch.save or torch.jit.save, without sizes of tensors, which is not read: " +
           torch_export},
      {"x.pth", "\x80\2}q", "a pickle, as torch.save writes, which is not read: " + torch_export},
      {"x.log", "&&&& RUNNING TensorRT.trtexec [TensorRT v8503] # trtexec --onnx=a.onnx\n",
       "a log of trtexec, which is not read: " + tensorrt_export},
      {"x.json",
       "[\n{\"cat\" : \"Session\",\"pid\" :1,\"dur\" :10,\"ph\" : \"X\",\"name\" "
       ":\"model_loading_uri\"}\n]",
       "a profile of ONNX Runtime, which is not read: give the ONNX model that it ran"},
      {"x.json", R"({"schema": "1.0.2-chakra.0.0.4", "pid": 1, "start_ts": 1, "nodes": []})",
       "an execution trace of PyTorch, without times, which is not read: record with "
       "torch.profiler.profile(record_shapes=True) and export_chrome_trace"},
      {"x.json",
       R"({"displayTimeUnit":"ns","metadata":{},"traceEvents":[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}}]})",
       "a trace of TensorFlow or JAX, which is not read: profile with Nsight Systems or rocprofv3, "
       "whose tables of kernels are read"},
      {"x.json", R"({"class_name": "Functional", "config": {"name": "a", "layers": []}})",
       "a Keras model's to_json(), which is not read: " + keras_export},
      {"x.txt", "Net(\n  (conv1): Conv2d(3, 6, kernel_size=(5, 5), stride=(1, 1))\n)\n",
       "a printed PyTorch model, without sizes of images, which is not read: " + torch_export},
      {"x.txt", "| module | #parameters or shape | #flops |\n|:--|:--|:--|\n",
       "a table of fvcore, without strides, which is not read: " + torch_export},
      {"x.txt", std::string(64, '-') + "\n  Layer (type)     Output Shape    Param #\n",
       "a torchsummary, without strides and kernel sizes, which is not read: " + torch_export},
      {"x.cfg", "[net]\nbatch=1\n[convolutional]\nfilters=32\n",
       "a network of Darknet, which is not read: convert it to ONNX, or write its layers as JSON"},
      {"x.prototxt",
       "name: \"A\"\nlayer {\n  type: \"Convolution\"\n  bottom: \"data\"\n  top: \"c\"\n}\n",
       "a network of Caffe (prototxt), which is not read: convert it to ONNX, or write its layers "
       "as JSON"},
      {"x.csv",
       "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
       "Strides,\nConv1, 224, 224, 7, 7, 3, 64, 2,\n",
       "a topology of SCALE-Sim, which is not read: name its columns name,h,w,r,s,c,k,stride"},
  };
  for (const Case& each : table)
    CHECK(read_records(each.file, each.text).errors ==
          std::vector<std::string>{each.file + ": this is "s + each.message});
  for (const char* text : {"# a network\nnetwork:\n  - conv\n", "%YAML 1.2\n---\na: b\n",
                           "input_shape: [3, 8, 8]\n", "- type: conv\n"})
    CHECK(read_records("x.yaml", text)
              .errors.at(0)
              .ends_with(": expected JSON, got YAML: write the same as JSON"));
}
