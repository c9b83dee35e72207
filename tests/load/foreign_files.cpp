// Files of other programs: each is named, with what to give instead.

#include "catch.hpp"
#include "load/record_reading.hpp"
#include "model/layer_kind.hpp"

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
  const std::string layers_as_csv =
      "write its layers as CSV, such as name,input,out_channels,kernel_size,stride,padding,"
      "measured_us";
  const std::string torch_record =
      "give the recording itself, of profile(..., record_shapes=True) and "
      "export_chrome_trace(\"FILE.json.gz\")";
  const std::string nsys_record =
      "record with Nsight Systems, and print its kernels with nsys stats --report cuda_gpu_trace "
      "--format csv";
  const std::string migraphx =
      "a summary of MIGraphX, without sizes, which is not read: give the ONNX model that it ran, "
      "or "
      "record with rocprofv3 --output-format csv or json";
  const std::vector<Case> printed{
      {"x.log",
       "Name: Conv_7 + Relu_8, LayerType: CaskConvolution, Inputs: [ { Name: a, Location: Device, "
       "Dimensions: [4,64,40,40], Format/Datatype: Row major linear FP32 }], Outputs: []\n",
       "a verbose list of TensorRT's layers, which is not read: " + tensorrt_export},
      {"x.log", "Layer(CaskConvolution): conv1, Tactic: 0x1, x (Half[1,3,8,8]) -> y (Half[1])\n",
       "a verbose list of TensorRT's layers, which is not read: " + tensorrt_export},
      {"x.log", "[05/01/2024-10:00:00] [V] [TRT] Graph construction completed in 1 seconds.\n",
       "a verbose log of TensorRT, which is not read: " + tensorrt_export},
      {"x.log",
       "Operator: conv2d  Performance Test (dtype=torch.float32, mode=kernel, level=core)\n"
       "Status    Torch Latency (ms)   Gems Latency (ms)   Gems Speedup   Size Detail\n"
       "SUCCESS   0.500000             0.200000            2.500          ([torch.Size([8])])\n",
       "a table of benchmarks, which is not read: " + layers_as_csv},
      {"x.txt",
       "---------------\n         Benchmark        Time      CPU   Iterations\n-----------\n"
       "BM_conv2d/8      120 ns   119 ns      5000\n",
       "a table of Google Benchmark, which is not read: " + layers_as_csv},
      {"x.txt",
       "-------  ------\n   Name    Self CUDA   Self CUDA %    CUDA total  # of Calls\n"
       "-------  ------\naten::mm   1.000ms   100.00%   1.000ms   1\n",
       "a table of key_averages(), which is not read: " + torch_record},
      {"x.txt",
       "Name     CPU time   CUDA time   Calls   CPU total\nconv2d   1.0us  2.0us  1  1.0us\n",
       "a table of key_averages(), which is not read: " + torch_record},
      {"x.txt", "[<FunctionEventAvg key=aten::conv2d self_cpu_time=1.000us cpu_time=2.000us>]\n",
       "a printed list of key_averages(), which is not read: " + torch_record},
      {"x.txt",
       "  CONV_2D(ne_input=[19,19,256,16],ne_kernel=[4,4,256,9],type_kernel=f32,stride0=1):   44 "
       "runs - 23000.00 us/run - 137.42 GFLOP/run - 5.9 TFLOPS\n",
       "a list of ggml's test-backend-ops, which is not read: " + layers_as_csv},
      {"x.txt", "  MUL_MAT(type_a=f16,type_b=f32,m=4096,n=1,k=14336):   852 runs - 1.1 us/run\n",
       "a list of ggml's test-backend-ops, which is not read: " + layers_as_csv},
      {"x.log",
       "I! CuDNN (v8600) function cudnnConvolutionForward() called:\n"
       "i!     handle: type=cudnnHandle_t; streamId=0;\n",
       "a log of cuDNN's calls, which is not read: " + nsys_record},
      {"x.log", "I! cuDNN (v9101 80) function cudnnBackendExecute() called:\n",
       "a log of cuDNN's calls, which is not read: " + nsys_record},
      {"x.log",
       "I0101 10:00:00.000000 1 caffe.cpp:404] Average time per layer: \n"
       "I0101 10:00:00.000000 1 caffe.cpp:407]      conv1\tforward: 3.2 ms.\n",
       "a log of Caffe's times, without sizes, which is not read: " + layers_as_csv},
      {"x.txt", "Summary:\ngpu::convolution: 1.2ms / 10 = 0.12ms, 30%\n", migraphx},
      {"x.txt",
       "Batch size: 1\nRate: 250/sec\nTotal time: 4ms\nTotal instructions time: 4.1ms\n"
       "Overhead time: 0.1ms, 0ms\n",
       migraphx},
      {"x.txt", "==== Run Order ====\n   [node type]\t [first]\t [avg ms]\n  CONV_2D\t 1\t 2\n",
       "a summary of TensorFlow Lite, without sizes, which is not read: give the ONNX model, as of "
       "tf2onnx"},
  };
  for (const Case& each : printed) {
    INFO(each.text);
    CHECK(read_records(each.file, each.text).errors ==
          std::vector<std::string>{each.file + ": this is "s + each.message});
  }
  // A layer may have any name.
  CHECK(read_records("x.json", R"([{"name": "MUL_MAT(type_a=f16", "m": 4, "n": 5, "k": 6}])")
            .layers.size() == 1);
  for (const Case& each : table)
    CHECK(read_records(each.file, each.text).errors ==
          std::vector<std::string>{each.file + ": this is "s + each.message});
  for (const char* text : {"# a network\nnetwork:\n  - conv\n", "%YAML 1.2\n---\na: b\n",
                           "input_shape: [3, 8, 8]\n", "- type: conv\n"})
    CHECK(read_records("x.yaml", text)
              .errors.at(0)
              .ends_with(": expected JSON, got YAML: write the same as JSON"));
}
