// NDJSON and CSV: layers that stand alone, one a line.

#include <regex>

#include "catch.hpp"
#include "load/record_reading.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

TEST_CASE("NDJSON: one layer a line, whatever the line ends", "[load/records]") {
  const std::string line = R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})";
  for (const std::string& text : {line + "\n" + line + "\n", line + "\r\n" + line + "\r\n",
                                  line + "\n\n" + line, "\n  \n" + line + "\n" + line}) {
    const Records records = read_records("x.ndjson", text);
    CHECK(records.errors.empty());
    REQUIRE(records.layers.size() == 2);
    CHECK(records.layers[0].name == "conv" + std::to_string(records.networks[0].record.value()));
    CHECK(records.layers[1].name == "conv" + std::to_string(records.networks[1].record.value()));
    CHECK(records.layers[1].output == Shape{1, 4, {1, 6, 6}, 2});
  }
}

TEST_CASE("NDJSON: lines longer and shorter than what is read at a time", "[load/records]") {
  constexpr std::size_t read_byte = 65536;
  std::string text;
  std::vector<std::string> names;
  for (const std::size_t name_byte : {read_byte - 20, std::size_t{7}, read_byte, 3 * read_byte})
    for (std::size_t i = 0; i < 300; ++i) {
      names.push_back(std::string(i == 0 ? name_byte : i, 'x'));
      text += R"({"type": "relu", "input": [8], "name": ")" + names.back() + "\"}\n";
    }
  text.pop_back();  // the last line has no break
  const Records records = read_records("x.ndjson", text);
  CHECK(records.errors.empty());
  REQUIRE(records.layers.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    REQUIRE(records.layers[i].name == names[i]);
    REQUIRE(records.networks[i].record == i + 1);
  }
}

TEST_CASE("Records stand alone: without an input of its own, a record is none", "[load/records]") {
  const std::string conv = R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})";
  const std::string alone =
      ": /input: expected a shape such as [3, 224, 224]: a record stands alone; give it an input, "
      "or all layers as one array";
  // Neither the record before nor an earlier good one lends its output.
  const Records lines =
      read_records("x.jsonl", conv + "\n{\"broken\": 1}\n{\"type\": \"relu\"}\n" + conv + "\n");
  CHECK(lines.layers.size() == 2);
  REQUIRE(lines.errors.size() == 2);
  CHECK(lines.errors[1] == "x.jsonl:3" + alone);
  CHECK(lines.layers[1].name == "conv4");  // by line, not by the count of good ones
  const Records rows = read_records("x.csv", "type,input\nrelu,\"[4,8,8]\"\nrelu,\n");
  CHECK(rows.layers.size() == 1);
  CHECK(rows.errors == std::vector<std::string>{"x.csv:3" + alone});
}

TEST_CASE("CSV: a header of the same keys", "[load/records]") {
  const Records records =
      read_records("x.csv",
                   "name,n,c,h,w,k,r,s,stride_h,stride_w,dtype,host,measured_us\n"
                   "first,2,3,8,8,4,3,3,1,1,fp16,h200,12.5\n"
                   "second,,3,8,8,4,3,3,2,1,,h200,\n");
  CHECK(records.errors.empty());
  CHECK(records.notes == std::vector<std::string>{"x.csv: ignored columns: host"});
  REQUIRE(records.layers.size() == 2);
  CHECK(records.layers[0].name == "first");
  CHECK(records.layers[0].output == Shape{2, 4, {1, 6, 6}, 2});
  CHECK(records.layers[0].dtypes.input == DataType::fp16);
  CHECK(*records.layers[0].measured->warm_s == Approx(12.5e-6));
  CHECK(records.layers[1].output == Shape{1, 4, {1, 3, 6}, 2});
  CHECK(records.layers[1].dtypes.input == DataType::fp32);
  CHECK_FALSE(records.layers[1].measured->warm_s);
}

TEST_CASE("CSV: comments before the header are passed over with a note", "[load/records]") {
  const std::string rows =
      "type,input,out_channels,kernel_size,padding\nconv,\"[1,64,56,56]\",64,3,1\n";
  for (const char* name : {"x.csv", "x.txt"})
    for (const std::string comments :
         {"# measured on the lab's machine\n#\n", "\xEF\xBB\xBF# \"a, b\n#,\"c\r\n"}) {
      INFO(name << ' ' << comments);
      const Records records = read_records(name, comments + rows);
      CHECK(records.errors.empty());
      CHECK(records.notes ==
            std::vector<std::string>{
                std::string(name) + ": lines before the header that begin with #, passed over: 2"});
      CHECK(records.layers.size() == 1);
    }
  // A header may begin with #, and an error counts all lines.
  const Records numbered = read_records("x.csv", "#,m,n,k\n1,4,5,6\n");
  CHECK(numbered.layers.size() == 1);
  CHECK(numbered.notes == std::vector<std::string>{"x.csv: ignored columns: #"});
  CHECK(read_records("x.csv", "# a\nm,n,k\n4,5\n").errors ==
        std::vector<std::string>{"x.csv:3: expected 3 cells, got 2"});
  CHECK(read_records("x.csv", "# a\n# b\n").errors ==
        std::vector<std::string>{"x.csv: expected a header row, got an empty file"});
}

TEST_CASE("CSV: what others call a size is read as the key that it means", "[load/records]") {
  struct Case {
    std::string text;
    std::uint64_t macs;  ///< by hand: outputs of one image and channel x taps x channels of a group
  };
  const std::string strided = "n,c,h,w,k,r,s,";
  const Case table[] = {
      {"n,c,h,w,k,r,s,group\n1,64,56,56,64,3,3,64\n", 54 * 54 * 64 * 9},
      {strided + "h_stride,w_stride\n4,1,161,700,32,5,20,2,2\n", 4ULL * 32 * 79 * 341 * 100},
      {strided + "u,v\n4,1,161,700,32,5,20,2,2\n", 4ULL * 32 * 79 * 341 * 100},
      {strided + "dilation_h,dilation_w\n1,1,9,9,1,3,3,2,3\n", 5 * 3 * 9},
      {strided + "pad\n1,1,8,8,1,3,3,1\n", 64 * 9},
      {strided + "padding_h,padding_w\n1,1,8,8,1,3,3,1,2\n", 8 * 10 * 9},
      {"batch_size,c,h,w,num_filters,kernel_h,kernel_w\n3,1,8,8,2,3,1\n", 3 * 2 * 6 * 8 * 3},
      {"batch_size,IN_C,ifmap_h,ifmap_w,C_out,fil_h,fil_w,group_count\n3,2,8,8,2,3,1,2\n",
       3 * 2 * 6 * 8 * 3},
      {"N,Cin,H_in,W_in,Cout,kH,kW,out_h,out_w\n3,1,8,8,2,3,1,6,8\n", 3 * 2 * 6 * 8 * 3},
      {"N,c_in,input_h,input_w,outC,KH,KW,conv_stride_h,conv_stride_w\n3,1,8,8,2,3,1,2,1\n",
       3 * 2 * 3 * 8 * 3},
  };
  for (const Case& each : table) {
    INFO(each.text);
    const Records records = read_records("x.csv", each.text);
    CHECK(records.errors.empty());
    CHECK(records.notes.empty());
    REQUIRE(records.layers.size() == 1);
    CHECK(count(records.layers.front()).macs == each.macs);
  }
  const Records types =
      read_records("x.csv", "op,c,h,w,k,r,s,precision,direction\nConv2d,1,8,8,1,3,3,half,wgrad\n");
  REQUIRE(types.layers.size() == 1);
  CHECK(types.layers.front().dtypes.input == DataType::fp16);
  CHECK(types.layers.front().pass == Pass::wgrad);
}

TEST_CASE("CSV: a column that says what a layer is under a name that is no key is an error",
          "[load/records]") {
  struct Case {
    std::string column;
    std::string key;
  };
  const Case table[] = {
      {"gruops", "groups"},
      {"conv_stride_d", "stride"},
      {"sh", "stride_h"},
      {"padTop", "padding"},
      {"pad_0", "padding"},
      {"ph", "pad_h"},
      {"dil", "dilation"},
      {"dw", "dil_w"},
      {"g", "groups"},
      {"b", "batch"},
      {"batchs", "batch"},
      {"in_dtype", "dtype"},
      {"compute type", "type"},
      {"data_format", "layout"},
      {"in_layout", "layout"},
      {"conv_pass", "pass"},
      {"d", "input_size"},
      {"transposed", "type"},
      {"mesured_us", "measured_us"},
      {"mesured_cold_ms", "measured_cold_ms"},
      {"measured_s", "measured_time_s"},
      {"KERNEL_N", "out_channels"},
      {"batchsize", "batch"},
      {"num_kernels", "out_channels"},
      {"input_channel", "in_channels"},
      {"filter_y", "kernel_h"},
      {"sW", "stride_w"},
      {"dW", "dil_w"},
      {"output_paddings", "output_padding"},
  };
  for (const Case& each : table) {
    const Records records =
        read_records("x.csv", "c,h,w,k,r,s," + each.column + "\n1,8,8,1,3,3,1\n");
    CHECK(records.layers.empty());
    CHECK(records.errors ==
          std::vector<std::string>{
              "x.csv:1: expected keys of a layer, and columns of your own that are called "
              "otherwise, got \"" +
              each.column + "\" (did you mean \"" + each.key + "\"?)"});
  }
  CHECK(read_records("x.csv", "c,h,w,k,r,s,gruops,x,pad_x\n1,8,8,1,3,3,1,1,1\n").errors ==
        std::vector<std::string>{
            "x.csv:1: expected keys of a layer, and columns of your own that are called otherwise, "
            "got \"gruops\" (did you mean \"groups\"?), \"pad_x\" (did you mean \"padding\"?)"});
}

TEST_CASE("CSV: columns of one's own pass through and are named once", "[load/records]") {
  // Those of the measured files among them.
  const std::string own =
      "own_id,cpu,host,note,date,comment,time_ns,kernels,main_kernel,main_grid,kernel_id,algorithm,"
      "measured_with,measured_by,dram_read_bytes,l2_bytes,occupancy_pct,x,t1";
  const std::string ones = ",1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1";
  const std::string row = "1,8,8,1,3,3" + ones + "\n";
  const Records records = read_records("x.csv", "c,h,w,k,r,s," + own + "\n" + row + row);
  CHECK(records.errors.empty());
  CHECK(records.layers.size() == 2);
  REQUIRE(records.notes.size() == 1);
  CHECK(std::regex_replace(records.notes.front(), std::regex(", "), ",") ==
        "x.csv: ignored columns: " + own);
}

TEST_CASE("CSV: a quote within a cell is a character", "[load/records]") {
  const Records records = read_records(
      "x.csv", "name,type,input\n5\" plate,relu,[8]\n\"a\" b \"c\",relu,[8]\n7\",relu,[8]\n");
  REQUIRE(records.layers.size() == 3);
  CHECK(records.layers[0].name == "5\" plate");
  CHECK(records.layers[1].name == "a b \"c\"");
  CHECK(records.layers[2].name == "7\"");
}

TEST_CASE("CSV: quotes as RFC 4180 has them", "[load/records]") {
  const Records records =
      read_records("x.csv",
                   "\"name\",input,out_channels,kernel_size,bias\r\n"
                   "\"with, comma\",\"[3, 8, 8]\",4,3,true\r\n"
                   "\"with \"\"quotes\"\"\",\"[3,8,8]\",\"4\",\"[3,3]\",false\r\n"
                   "\"two\nlines\",\"[3,8,8]\",4,3,false\r\n"
                   "\r\n"
                   "\"\",\"[3,8,8]\",4,3,false");
  CHECK(records.errors.empty());
  REQUIRE(records.layers.size() == 4);
  CHECK(records.layers[0].name == "with, comma");
  CHECK(records.layers[0].bias);
  CHECK(records.layers[1].name == "with \"quotes\"");
  CHECK(records.layers[2].name == "two\nlines");
  CHECK(records.layers[3].name == "conv7");
}

TEST_CASE("CSV: a name that looks like a number stays a name", "[load/records]") {
  const Records records = read_records("x.csv", "name,c,h,w,k,r,s\n64,3,8,8,4,3,3\n");
  REQUIRE(records.layers.size() == 1);
  CHECK(records.layers[0].name == "64");
}

TEST_CASE("CSV: the byte-order mark that spreadsheets write is no part of the first column",
          "[load/records]") {
  const Records records = read_records("x.csv",
                                       "\xEF\xBB\xBF"
                                       "c,h,w,k,r,s\n3,8,8,4,3,3\n");
  CHECK(records.notes.empty());
  CHECK(records.errors.empty());
  CHECK(records.layers.size() == 1);
}

TEST_CASE("The measured layers are read as they are", "[load/records]") {
  const std::string folder = ROOFLINE_SOURCE_FOLDER "/tests/measured";
  if (!std::filesystem::exists(folder)) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".csv") continue;
    INFO(entry.path());
    const Records records = read_records("measured.csv", read_file(entry.path().string()));
    CHECK(records.errors.empty());
    CHECK(!records.layers.empty());
  }
}

TEST_CASE("A linked folder is read as any other, each folder once", "[load/records]") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  for (const char* name : {"top/a/a.json", "top/b.json", "apart/c.json", "apart/deep/d.json"})
    folder.write(name, "");
  fs::create_directory_symlink(folder / "apart", folder / "top/0");       // what is elsewhere
  fs::create_directory_symlink(folder / "apart/deep", folder / "top/z");  // and what it holds
  fs::create_directory_symlink(folder / "top/a", folder / "top/0a");      // what is read anyway
  fs::create_directory_symlink(folder / "top", folder / "apart/up");      // a circle
  fs::create_directory_symlink(folder / "apart", folder / "top/.hidden");
  const auto names_in = [&](const std::string& word) {
    std::vector<std::string> names;
    for (const std::string& name : resolve_input(folder / word).value())
      names.push_back(name.substr(folder.path().size() + 1));
    return names;
  };
  CHECK(names_in("top") == std::vector<std::string>{"top/0/c.json", "top/0/deep/d.json",
                                                    "top/a/a.json", "top/b.json"});
  CHECK(names_in("apart").size() == 4);
  CHECK(would_read(folder / "top", folder / "apart/deep/new.json"));
  CHECK(would_read(folder / "top", folder / "top/0/new.json"));
  CHECK_FALSE(would_read(folder / "top", folder / "new.json"));
  CHECK_FALSE(would_read(folder / "top", folder / "top/new.txt"));
}

TEST_CASE("A directory gives its layer files sorted by path", "[load/records]") {
  const TemporaryFolder folder;
  for (const char* name : {"b.json", "a/z.csv", "a.jsonl", "c.txt", "a/b/c.ndjson", "d.JSON",
                           ".e.json", ".git/f.json"})
    folder.write(name, "");
  std::vector<std::string> names;
  for (const std::string& name : resolve_input(folder.path()).value())
    names.push_back(name.substr(folder.path().size() + 1));
  CHECK(names ==
        std::vector<std::string>{"a.jsonl", "a/b/c.ndjson", "a/z.csv", "b.json", "d.JSON"});
}

TEST_CASE("Objects over several lines, or several on one, are a stream of layers",
          "[load/records]") {
  const std::string many = "{\n  \"m\": 4,\n  \"n\": 5,\n  \"k\": 6\n}\n";
  const std::string one = R"({"m": 4, "n": 5, "k": 6})";
  const auto names = [](const Records& records) {
    std::vector<std::string> all;
    for (const Layer& layer : records.layers) all.push_back(layer.name);
    return all;
  };
  for (const char* file : {"x.json", "x.ndjson", "x"}) {
    const Records lines = read_records(file, many + "\n" + many + many);
    CHECK(lines.errors.empty());
    CHECK(names(lines) == std::vector<std::string>{"matmul1", "matmul7", "matmul12"});
    const Records joined = read_records(file, one + one + " " + one);
    CHECK(joined.errors.empty());
    CHECK(names(joined) == std::vector<std::string>{"matmul1", "matmul2", "matmul3"});
  }
  // A bad one costs only itself, at its own line.
  const std::string bad = "{\n  \"m\": 4,\n  \"n\": 0,\n  \"k\": 6\n}\n";
  const Records records = read_records(
      "x.json", many + bad + "{\n  \"m\": 4,\n  \"n\" 5\n}\n" + many + "{\n  \"m\": 4");
  CHECK(names(records) == std::vector<std::string>{"matmul1", "matmul15"});
  CHECK(records.errors ==
        std::vector<std::string>{"x.json:6: /n: expected an integer >= 1, got 0",
                                 "x.json:13:7: expected JSON, got '5'",
                                 "x.json:21:9: expected more JSON, got the end of the text"});
  // A single document stays one, with its own places.
  CHECK(read_records("x.json", bad).errors ==
        std::vector<std::string>{"x.json: /n: expected an integer >= 1, got 0"});
}

TEST_CASE("A table of products needs no type", "[load/records]") {
  for (const std::string header : {"M,N,K", "m,n,k"})
    for (const auto& [column, unit] : std::vector<std::pair<std::string, double>>{
             {"us", 1e-6}, {"ms", 1e-3}, {"mean_us", 1e-6}, {"mean_ms", 1e-3}}) {
      const Records rows = read_records("x.csv", header + "," + column + "\n4,5,6,7\n");
      CHECK(rows.errors.empty());
      REQUIRE(rows.layers.size() == 1);
      CHECK(rows.layers[0].kind == LayerKind::matmul);
      CHECK(rows.layers[0].output == Shape{1, 5, {1, 1, 4}, 1});
      CHECK(rows.layers[0].inputs[0].shape.channels == 6);
      CHECK(*rows.layers[0].measured->warm_s == Approx(7 * unit));
      const Records list =
          read_records("x.json", R"([{"M": 4, "N": 5, "K": 6, ")" + column + "\": 7}]");
      CHECK(list.errors.empty());
      REQUIRE(list.layers.size() == 1);
      CHECK(list.layers[0].output == rows.layers[0].output);
      CHECK(*list.layers[0].measured->warm_s == Approx(7 * unit));
    }
  const Records mean = read_records("x.csv", "m,n,k,mean\n4,5,6,7\n");
  CHECK(mean.layers.size() == 1);
  CHECK(mean.notes == std::vector<std::string>{"x.csv: ignored columns: mean (write a time with "
                                               "its unit, as measured_us or measured_ms)"});
}
