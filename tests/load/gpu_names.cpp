// GPUs by the names that drivers, frameworks, catalogues and people give them.

#include "model/gpu_names.hpp"

#include <map>
#include <set>

#include "load/embedded.hpp"
#include "load/loading.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"

using namespace roofline;

namespace {

struct NamedGpu {
  const char* typed;
  const char* part;
};

void check_names(const std::vector<NamedGpu>& table) {
  for (const NamedGpu& each : table) {
    INFO(each.typed);
    CHECK(find_gpu(each.typed).value().name == each.part);
  }
}

}  // namespace

TEST_CASE("The names that nvidia-smi, rocm-smi and PyTorch print", "[load/gpu_names]") {
  check_names({
      {"NVIDIA GeForce RTX 4090", "GeForce RTX 4090"},
      {"AMD Instinct MI300X VF", "Instinct MI300X"},
      {"NVIDIA GeForce RTX 4080", "GeForce RTX 4080"},
      {"NVIDIA GeForce RTX 3090", "GeForce RTX 3090"},
      {"NVIDIA GeForce RTX 3080", "GeForce RTX 3080 10GB"},
      {"NVIDIA GeForce RTX 5090", "GeForce RTX 5090"},
      {"GeForce RTX 2080 Ti", "GeForce RTX 2080 Ti"},
      {"NVIDIA GeForce RTX 2070 SUPER", "GeForce RTX 2070 SUPER"},
      {"NVIDIA GeForce GTX 1660 Ti", "GeForce GTX 1660 Ti"},
      {"NVIDIA GeForce RTX 3060", "GeForce RTX 3060 12GB"},
      {"NVIDIA GeForce RTX 3060 Ti", "GeForce RTX 3060 Ti"},
      {"NVIDIA GeForce RTX 4060 Ti", "GeForce RTX 4060 Ti 8GB"},
      {"NVIDIA GeForce RTX 4070", "GeForce RTX 4070"},
      {"NVIDIA GeForce RTX 4070 Ti SUPER", "GeForce RTX 4070 Ti SUPER"},
      {"NVIDIA GeForce RTX 5070 Ti", "GeForce RTX 5070 Ti"},
      {"NVIDIA TITAN RTX", "NVIDIA TITAN RTX"},
      {"Quadro RTX 6000", "Quadro RTX 6000"},
      {"Quadro RTX 8000", "Quadro RTX 8000"},
      {"NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada Generation"},
      {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
       "RTX PRO 6000 Blackwell Workstation Edition"},
      {"NVIDIA GeForce GTX 1080 Ti", "GeForce GTX 1080 Ti"},
      {"GeForce GTX 1080", "GeForce GTX 1080"},
      {"GeForce GTX TITAN X", "GeForce GTX TITAN X"},
      {"TITAN X (Pascal)", "NVIDIA TITAN X (Pascal)"},
      {"TITAN Xp", "NVIDIA TITAN Xp"},
      {"NVIDIA TITAN V", "NVIDIA TITAN V"},
      {"TITAN V", "NVIDIA TITAN V"},
      {"Tesla K80", "Tesla K80 (one die)"},
      {"Tesla M40 24GB", "Tesla M40 24GB"},
      {"Tesla P4", "Tesla P4"},
      {"Tesla P40", "Tesla P40"},
      {"Tesla P100-PCIE-16GB", "Tesla P100 PCIe 16GB"},
      {"Tesla P100-SXM2-16GB", "Tesla P100 SXM2 16GB"},
      {"Tesla V100-SXM2-16GB", "Tesla V100 SXM2 16GB"},
      {"Tesla V100-SXM2-32GB", "Tesla V100 SXM2 32GB"},
      {"Tesla V100-PCIE-16GB", "Tesla V100 PCIe 16GB"},
      {"Tesla V100-PCIE-32GB", "Tesla V100 PCIe 32GB"},
      {"Tesla V100S-PCIE-32GB", "Tesla V100S PCIe 32GB"},
      {"Tesla T4", "Tesla T4"},
      {"NVIDIA A10", "NVIDIA A10"},
      {"NVIDIA A30", "NVIDIA A30"},
      {"NVIDIA A40", "NVIDIA A40"},
      {"NVIDIA RTX A4000", "RTX A4000"},
      {"NVIDIA RTX A6000", "RTX A6000"},
      {"A100-SXM4-40GB", "A100 SXM4 40GB"},
      {"NVIDIA A100-SXM4-40GB", "A100 SXM4 40GB"},
      {"NVIDIA A100-SXM4-80GB", "A100 SXM4 80GB"},
      {"NVIDIA A100-PCIE-40GB", "A100 PCIe 40GB"},
      {"NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"},
      {"NVIDIA L4", "NVIDIA L4"},
      {"NVIDIA L40", "NVIDIA L40"},
      {"NVIDIA L40S", "NVIDIA L40S"},
      {"NVIDIA H100 80GB HBM3", "H100 SXM5 80GB"},
      {"NVIDIA H100 PCIe", "H100 PCIe 80GB"},
      {"NVIDIA H100 NVL", "H100 NVL 94GB"},
      {"NVIDIA H200", "H200 SXM 141GB"},
      {"NVIDIA GH200 480GB", "GH200 Grace Hopper 96GB"},
      {"NVIDIA GH200 120GB", "GH200 Grace Hopper 96GB"},
      {"NVIDIA H200 NVL", "H200 NVL 141GB"},
      {"NVIDIA H20", "H20 96GB"},
      {"NVIDIA H20-3e", "H20 141GB"},
      {"NVIDIA H800", "H800 SXM5 80GB"},
      {"NVIDIA A800-SXM4-80GB", "A800 SXM4 80GB"},
      {"NVIDIA A800 80GB PCIe", "A800 PCIe 80GB"},
      {"NVIDIA A100-PG509-200", "A100 SXM4 40GB"},
      {"NVIDIA PG509-210", "A100 SXM4 80GB"},
      {"Tesla V100-DGXS-32GB", "Tesla V100 DGXS 32GB"},
      {"NVIDIA A10G", "NVIDIA A10G"},
      {"NVIDIA L20", "NVIDIA L20"},
      {"NVIDIA B200", "B200 SXM 180GB"},
      {"NVIDIA B300 SXM6 AC", "B300 SXM 269GB"},
      {"NVIDIA GB200", "GB200 186GB"},
      {"NVIDIA GB300", "GB300 278GB"},
      {"NVIDIA GB10", "GB10 (DGX Spark)"},
      {"NVIDIA Thor", "Jetson AGX Thor T5000"},
      {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000 Blackwell Server Edition"},
      {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "RTX PRO 6000 Blackwell Max-Q"},
      {"Orin", "Jetson AGX Orin 64GB"},
      {"Orin (nvgpu)", "Jetson AGX Orin 64GB"},
      {"Xavier", "Jetson AGX Xavier 32GB"},
      {"NVIDIA Jetson Xavier NX", "Jetson Xavier NX 8GB"},
      {"NVIDIA Jetson Nano", "Jetson Nano 4GB"},
      {"AMD Instinct MI100", "Instinct MI100"},
      {"AMD Instinct MI210", "Instinct MI210"},
      {"AMD Instinct MI300X", "Instinct MI300X"},
      {"AMD Instinct MI325X", "Instinct MI325X"},
      {"AMD Instinct MI300X OAM", "Instinct MI300X"},
      {"AMD Instinct MI300A", "Instinct MI300A"},
      {"AMD Instinct MI308X", "Instinct MI308X"},
      {"AMD Instinct MI308X VF", "Instinct MI308X"},
      {"AMD Instinct MI350X VF", "Instinct MI350X"},
      {"AMD Instinct MI355X", "Instinct MI355X"},
      {"AMD Radeon RX 7900 XTX", "Radeon RX 7900 XTX"},
      {"AMD Radeon RX 9070 XT", "Radeon RX 9070 XT"},
      {"AMD Radeon AI PRO R9700", "Radeon AI PRO R9700"},
      {"AMD Radeon 8060S Graphics", "Radeon 8060S (Strix Halo)"},
      {"AMD Radeon(TM) 8060S Graphics", "Radeon 8060S (Strix Halo)"},
      {"Intel(R) Arc(TM) Pro B60 Graphics", "Arc Pro B60"},
      {"Intel(R) Data Center GPU Max 1550", "Data Center GPU Max 1550"},
  });
}

TEST_CASE("Names as people type them", "[load/gpu_names]") {
  check_names({
      {"4090", "GeForce RTX 4090"},
      {"rtx-4090", "GeForce RTX 4090"},
      {"RTX4090", "GeForce RTX 4090"},
      {"geforce_rtx_4090", "GeForce RTX 4090"},
      {"1080 Ti", "GeForce GTX 1080 Ti"},
      {"3060ti", "GeForce RTX 3060 Ti"},
      {"1660 super", "GeForce GTX 1660 SUPER"},
      {"rtx 4070s", "GeForce RTX 4070 SUPER"},
      {"rtx3080 12 gb", "GeForce RTX 3080 12GB"},
      {"jetson orin nano", "Jetson Orin Nano 8GB"},
      {"Orin NX 8GB", "Jetson Orin NX 8GB"},
      {"a100", "A100 SXM4 80GB"},
      {"A100 80 GB", "A100 SXM4 80GB"},
      {"80GB A100 SXM4", "A100 SXM4 80GB"},
      {"a100 pcie 80g", "A100 PCIe 80GB"},
      {"a100-40gb", "A100 SXM4 40GB"},
      {"a100 40GiB pcie", "A100 PCIe 40GB"},
      {"h100", "H100 SXM5 80GB"},
      {"v100", "Tesla V100 SXM2 16GB"},
      {"V100 (32 GB)", "Tesla V100 SXM2 32GB"},
      {"Instinct MI250X", "Instinct MI250X (both GCDs)"},
      {"titan x", "NVIDIA TITAN X (Pascal)"},
  });
}

TEST_CASE("A name with more to it is another part", "[load/gpu_names]") {
  for (const char* name :
       {"NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA GeForce RTX 4090 D",
        "NVIDIA GH200 144G HBM3e", "NVIDIA A100X", "a10 0", "nvidia", "geforce", ""}) {
    INFO(name);
    CHECK(gpu_message(name).find("unknown GPU") == 0);
  }
}

TEST_CASE("A chip's name comes with the GPUs that have it", "[load/gpu_names]") {
  CHECK(gpu_message("gfx942") ==
        "expected a GPU, got \"gfx942\", the chip of mi300a, mi300x, mi308x, mi325x: name one");
  CHECK(gpu_message("gfx1100") ==
        "expected a GPU, got \"gfx1100\", the chip of w7800, w7900, rx7900xtx: name one");
  for (const std::string name : {"sm_90", "sm90", "compute_90"})
    CHECK(gpu_message(name) ==
          "expected a GPU, got \"" + name +
              "\", the chip of gh200, h100-nvl, h100-pcie, h100, h20-141gb, h20, h200-nvl, h200, "
              "h800: name one");
  CHECK(gpu_message("gfx90a") ==
        "expected a GPU, got \"gfx90a\", the chip of mi210, mi250, mi250-gcd, mi250x, mi250x-gcd: "
        "name one");
  CHECK(gpu_message("sm_99") == "unknown GPU \"sm_99\"");
  CHECK(find_gpu("AMD Instinct MI250X/MI250").value().name == "Instinct MI250 (one GCD)");
  CHECK(gpu_message("Tesla V100-FHHL-16GB") ==
        "unknown GPU \"Tesla V100-FHHL-16GB\"; did you mean v100?");
}

TEST_CASE("A recording's name may look like a path", "[load/gpu_names]") {
  RecordedGpu recorded;
  recorded.name = "AMD Instinct MI250X/MI250";
  const std::vector<Gpu> found = Catalogue().find_recorded(recorded).value();
  REQUIRE(found.size() == 1);
  CHECK(found.front().name == "Instinct MI250 (one GCD)");
}

TEST_CASE("No two parts answer to one name, and no word says a name again", "[load/gpu_names]") {
  std::map<std::string, std::string> owner;
  for (const EmbeddedFile& file : embedded_gpus()) {
    std::set<std::string> aliases;
    for (const std::string_view name : file.names) {
      const std::string normal = normal_gpu_name(name);
      INFO(file.name << " and " << owner[normal] << ": " << name);
      CHECK_FALSE(normal.empty());
      CHECK((owner[normal].empty() || owner[normal] == file.name));
      owner[normal] = file.name;
      // As torch.cuda.get_device_name() has it, for programs that read the table.
      const bool is_of_driver = lower_case(name) != name;
      if (name != file.names.front() && !is_of_driver) CHECK(aliases.insert(normal).second);
    }
  }
}

TEST_CASE("A GPU is found by the name of its file", "[load/gpu_names]") {
  for (const EmbeddedFile& file : embedded_gpus()) {
    INFO(file.name);
    CHECK(find_gpu(std::string(file.name)).value().name == file.names.front());
  }
}

TEST_CASE("An unknown name comes with those of the nearest parts", "[load/gpu_names]") {
  struct Case {
    const char* typed;
    const char* suggested;
  };
  const std::vector<Case> table{
      {"rtx 4095", "rtx4090"},
      {"gtx 4090", "rtx4090"},
      {"NVIDIA GeForce RTX 4090 Laptop GPU", "rtx4090"},
      {"GeForce RTX 2080 with Max-Q Design", "rtx2080"},
      {"h30", "h20 or a30"},
      // A series that is listed has GPUs with the same first digits, the nearest numbers first.
      {"gtx1070", "gtx1080"},
      {"rtx 4050", "rtx4060, rtx4070, rtx4080 or rtx4090"},
      {"rx 6600", "rx6800xt or rx6900xt"},
      {"k40", "k80, a40, l40 or m40"},
      {"a100-80", "a100-pcie-80gb or a100"},
      {"a100 40", "a100-pcie-40gb, a100-40gb or a100"},
      {"v1000", "v100"},
      {"v100s-16gb", "v100 or v100s"},
      {"NVIDIA B300 NVL", "b300"},
      {"mi300", "mi300a or mi300x"},
      {"rx 7900 xt", "rx7900xtx"},
      {"xavir", "xavier"},
      {"xavier nano", "xavier"},
      {"quadro", "quadro-rtx-6000 or quadro-rtx-8000"},
      {"abacus", ""},
      {"rtx", ""},
      {"rtx 6000", "rtx-6000-ada"},
      {"rtx 3060 super", "rtx3060"},
      {"rtx 4090 super", "rtx4090"},
      {"NVIDIA RTX PRO 5000 Blackwell", "rtx-pro-6000-blackwell"},
      {"9999", ""},
  };
  for (const Case& each : table) {
    INFO(each.typed);
    const std::string suggested = each.suggested;
    CHECK(gpu_message(each.typed) ==
          "unknown GPU \"" + std::string(each.typed) + "\"" +
              (suggested.empty() ? "" : "; did you mean " + suggested + "?"));
  }
}
