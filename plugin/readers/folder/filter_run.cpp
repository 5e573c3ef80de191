#include "plugin/readers/folder/filter_run.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "config/error.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFileOfFilter = 3;

/// What posix_spawn() is to do in the new process.
class SpawnPlan {
 public:
  SpawnPlan(int file, int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);

    // First what may lie in the way of the numbers: the file is moved to its own last.
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, file, kFileOfFilter);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions_, kFileOfFilter + 1);
    posix_spawn_file_actions_addchdir_np(&actions_, "/");

    sigset_t all;
    sigfillset(&all);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  /// The process. @throws Error kUnsupported.
  pid_t start(std::vector<std::string>& arguments) const {
    const std::string path = arguments.front();
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);

    std::string search = "PATH=/usr/local/bin:/usr/bin:/bin";
    std::string locale = "LC_ALL=C.UTF-8";
    std::array<char*, 3> environment = {search.data(), locale.data(), nullptr};

    pid_t process = 0;
    const int fault = posix_spawn(&process, path.c_str(), &actions_, &attributes_, pointers.data(),
                                  environment.data());
    if (fault == 0) return process;
    throw Error(Errc::kUnsupported, path + " cannot be started: " +
                                        std::error_code(fault, std::generic_category()).message());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// A process and its group, which end with the scope at the latest.
class FilterProcess {
 public:
  explicit FilterProcess(pid_t process) : process_(process) {}
  ~FilterProcess() {
    if (!has_ended_) end();
  }
  FilterProcess(const FilterProcess&) = delete;
  FilterProcess& operator=(const FilterProcess&) = delete;

  /// How it ended, as waitpid() says; nothing if it did not by then.
  std::optional<int> status_by(Clock::time_point deadline) {
    while (!is_over()) {
      if (Clock::now() >= deadline) return {};
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return end();
  }

 private:
  /// It is not waited for yet, so its group keeps its number, and no other one is met by that.
  bool is_over() const {
    siginfo_t ended = {};
    const int fault =
        ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT | WNOHANG);
    return fault == 0 && ended.si_pid != 0;
  }

  int end() {
    ::kill(-process_, SIGKILL);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    has_ended_ = true;
    return status;
  }

  const pid_t process_;
  bool has_ended_ = false;
};

/// What starts a filter under its limits. They hold before the filter begins, so what it starts has
/// them, too. @throws Error kUnsupported.
std::vector<std::string> limited(const FilterLimits& limits) {
  const std::string program = program_path("prlimit");
  if (program.empty())
    throw Error(Errc::kUnsupported, "needs the program prlimit, of the package util-linux");
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(limits.time).count();
  return {program,     "--cpu=" + std::to_string(seconds),
          "--fsize=0", "--as=" + std::to_string(limits.memory_bytes),
          "--core=0",  "--"};
}

/// All that comes out of a pipe. @throws Error kCorrupt.
std::string read_output(int pipe, Clock::time_point deadline, std::size_t most,
                        const std::string& program) {
  std::string output;
  std::vector<char> room(std::size_t{1} << 16);
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready = {pipe, POLLIN, 0};
    const int count = left <= 0 ? 0 : ::poll(&ready, 1, static_cast<int>(left));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(Errc::kCorrupt, program + " took too long");

    const ssize_t got = ::read(pipe, room.data(), room.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return output;
    output.append(room.data(), static_cast<std::size_t>(got));
    if (output.size() > most)
      throw Error(Errc::kCorrupt, program + " wrote more than " + std::to_string(most) + " bytes");
  }
}

}  // namespace

std::string program_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    if (!folder.starts_with('/')) continue;
    std::string program = std::string(folder) + "/" + name;
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return "";
}

std::string run_filter(const std::string& path, const Filter& filter, int file,
                       const FilterLimits& limits) {
  std::vector<std::string> arguments = limited(limits);
  arguments.push_back(path);
  arguments.insert(arguments.end(), filter.options.begin(), filter.options.end());
  arguments.push_back("/dev/fd/" + std::to_string(kFileOfFilter));
  arguments.insert(arguments.end(), filter.parts.begin(), filter.parts.end());

  // Copies beyond the numbers that the filter has, so that none is in the way of another.
  std::array<int, 2> ends = {};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(Errc::kUnsupported, "no pipe: " + last_fault().message());
  const OpenFile reading(ends[0]);
  const Clock::time_point deadline = Clock::now() + limits.time;
  std::optional<FilterProcess> process;
  {
    const OpenFile writing(ends[1]);
    const OpenFile output(::fcntl(writing, F_DUPFD_CLOEXEC, kFileOfFilter + 1));
    const OpenFile input(::fcntl(file, F_DUPFD_CLOEXEC, kFileOfFilter + 1));
    if (output < 0 || input < 0)
      throw Error(Errc::kUnsupported, "no open file: " + last_fault().message());
    process.emplace(SpawnPlan(input, output).start(arguments));
  }
  std::string text = read_output(reading, deadline, limits.output_bytes, filter.program);
  const std::optional<int> status = process->status_by(deadline);
  if (!status) throw Error(Errc::kCorrupt, filter.program + " took too long");
  if (WIFSIGNALED(*status) != 0)
    throw Error(Errc::kCorrupt,
                filter.program + " was ended by the signal " + strsignal(WTERMSIG(*status)));
  const int code = WEXITSTATUS(*status);
  const bool is_partly_good = code == filter.partly_good && !text.empty();
  if (code != 0 && !is_partly_good)
    throw Error(Errc::kCorrupt,
                filter.program + " cannot read it (its status is " + std::to_string(code) + ")");
  return text;
}

}  // namespace kindred
