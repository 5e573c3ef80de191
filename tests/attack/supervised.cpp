#include "tests/attack/supervised.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace kindred::attack {
namespace {

using Clock = std::chrono::steady_clock;

std::size_t memory_mb_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) >> 20;
}

[[noreturn]] void be_child(const std::function<int()>& body, const std::string& log) {
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  _exit(body());
}

End end_of(int status) {
  if (WIFSIGNALED(status)) return {End::kSignal, WTERMSIG(status)};
  const int number = WEXITSTATUS(status);
  return {number == kSanitizerStatus ? End::kSanitizer : End::kExit, number};
}

}  // namespace

std::string End::name() const {
  switch (kind) {
    case kSignal:
      return std::string("signal ") + strsignal(number);
    case kSanitizer:
      return "sanitizer";
    case kHang:
      return "hang";
    case kGrowth:
      return "growth";
    case kExit:
      break;
  }
  return "status " + std::to_string(number);
}

End supervise(const std::function<int()>& body, const std::string& log, int seconds,
              std::size_t memory_mb) {
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("fork failed");
  if (pid == 0) be_child(body, log);
  const auto kill_as = [&](End::Kind kind) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return End{kind, 0};
  };
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(seconds);
  for (;;) {
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) == pid) return end_of(status);
    if (Clock::now() > deadline) return kill_as(End::kHang);
    if (memory_mb_of(pid) > memory_mb) return kill_as(End::kGrowth);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace kindred::attack

/// What a sanitizer reports ends the process by a status of its own (kSanitizerStatus).
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "exitcode=99:detect_leaks=0:allocator_may_return_null=1";
}
extern "C" const char* __ubsan_default_options();
extern "C" const char* __ubsan_default_options() { return "exitcode=99:print_stacktrace=1"; }
