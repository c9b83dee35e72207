#include "cli/temporary_name.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <random>

namespace roofline {

/// In a list that a signal's handler reads at any time, so that none is ever freed.
struct UnfinishedName {
  int folder = -1;
  std::array<char, 48> name{};
  std::atomic<bool> exists = false;
  UnfinishedName* next = nullptr;
};

namespace {

std::atomic<UnfinishedName*> all_names = nullptr;

extern "C" void remove_unfinished(int signal) {
  for (const UnfinishedName* each = all_names; each != nullptr; each = each->next)
    if (each->exists) unlinkat(each->folder, each->name.data(), 0);
  std::raise(signal);  // this time for what it does by default
}

/// Signals that are ignored, as under nohup, stay so.
bool handle_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_DFL) continue;
    action.sa_handler = remove_unfinished;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
  return true;
}

std::string unguessable() {
  std::random_device random;
  std::string name = ".roofline-";
  for (int i = 0; i < 4; ++i) name += fmt::format("{:08x}", random());
  return name;
}

}  // namespace

TemporaryName::TemporaryName(int folder) : unfinished_(new UnfinishedName) {
  [[maybe_unused]] static const bool handled = handle_signals();
  unfinished_->folder = folder;
  const std::string name = unguessable();
  std::copy(name.begin(), name.end(), unfinished_->name.begin());
  unfinished_->exists = true;
  unfinished_->next = all_names;
  while (!all_names.compare_exchange_weak(unfinished_->next, unfinished_)) {
  }
}

TemporaryName::~TemporaryName() {
  if (unfinished_->exists) unlinkat(unfinished_->folder, c_str(), 0);
  unfinished_->exists = false;
}

const char* TemporaryName::c_str() const { return unfinished_->name.data(); }

void TemporaryName::release() { unfinished_->exists = false; }

}  // namespace roofline
