// Compares twins with the CPU on random mirrors, to the bit: rows are replaced, added and die, all
// are weighed anew, batches and single queries are asked for neighbors and votes, with filters and
// without, on one device and on replicas.
//
//   fuzzed_twins [--seconds S] [--cases N] [--seed S] [--kind cuda|cpu] [--devices 0,0]
//   fuzzed_twins --case SEED [--rows N ...]   one case, whose other parameters are drawn unless
//   given
//
// Defaults: 20 seconds, seed 1, cuda. The reference is a CPU backend made from nothing; with --kind
// cpu it is held against one that followed the changes: with tiles, without or as it pays, by any
// number of threads, or as several devices. A case that fails is printed with its seed,
// and then again as small as it could be made, as the options that run it. One that ends the
// process or hangs leaves its seed as the last word. Exit status: 0; 1 after a difference or an
// error; 77 where no CUDA device answers, unless KINDRED_REQUIRE_CUDA is 1.
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "config/error.h"
#include "config/settings.h"
#include "tests/attack/supervised.h"
#include "tests/attack/twin_case.h"
#include "tests/fixtures/temporary_directory.h"

namespace {

using namespace kindred::attack;
using Clock = std::chrono::steady_clock;

constexpr int kSkipped = 77;
constexpr unsigned kHangSeconds = 120;         // of a case
constexpr std::size_t kMostMemoryMb = 64'000;  // the device's is mapped
constexpr int kShrinkSeconds = 120;

struct Options {
  double seconds = 20;
  std::uint64_t cases = UINT64_MAX;
  std::uint64_t seed = 1;
  std::string kind = "cuda";
  std::string device_list;
  std::vector<int> devices;
  std::optional<TwinCase> only;
};

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "fuzzed_twins: %s\n", what.c_str());
  std::exit(2);
}

std::uint64_t number_of(const std::string& name, const std::string& text) {
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != 0) refuse(name + " needs a whole number, found " + text);
  return number;
}

std::vector<int> devices_of(const std::string& text) {
  const auto devices = kindred::parse_device_list(text);
  if (!devices || devices->all) refuse("--devices needs numbers, such as 0,0, found " + text);
  return {devices->numbers.begin(), devices->numbers.end()};
}

/// Whether cases may be of several devices. CPUs are always enough.
bool has_several(const Options& options) {
  return options.kind == "cpu" || !options.devices.empty();
}

bool set_parameter(const std::string& name, const std::string& value, TwinCase& shape) {
  for (const Parameter& parameter : parameters()) {
    if (name != std::string("--") + parameter.name) continue;
    shape.*parameter.value = std::max(number_of(name, value), parameter.least);
    return true;
  }
  return false;
}

Options read_options(int count, char** words) {
  Options options;
  for (int i = 1; i < count; i += 2) {
    const std::string name = words[i];
    if (i + 1 == count) refuse(name + " needs a value");
    const std::string value = words[i + 1];
    if (name == "--seconds")
      options.seconds = static_cast<double>(number_of(name, value));
    else if (name == "--cases")
      options.cases = number_of(name, value);
    else if (name == "--seed")
      options.seed = number_of(name, value);
    else if (name == "--kind")
      options.kind = value;
    else if (name == "--devices")
      options.devices = devices_of(options.device_list = value);
    else if (name == "--case")
      options.only = random_case(number_of(name, value), has_several(options));
    else if (!options.only || !set_parameter(name, value, *options.only))
      refuse("unknown option " + name);
  }
  return options;
}

/// What is wrong with a case, "" if nothing is.
std::string fault_of(const TwinCase& shape, const Options& options, std::size_t& answers) try {
  alarm(kHangSeconds);  // ends the process
  const Comparison comparison = compare(shape, options.kind, options.devices);
  alarm(0);
  answers += comparison.answers;
  return comparison.difference;
} catch (const std::exception& e) {
  return e.what();
}

/// Runs a case in a process of its own, since a device that failed is lost to its process.
bool fails_elsewhere(const TwinCase& shape, const Options& options, const std::string& log) {
  std::vector<std::string> words = {"fuzzed_twins", "--kind", options.kind};
  if (!options.devices.empty()) words.insert(words.end(), {"--devices", options.device_list});
  std::stringstream text(options_of(shape));
  for (std::string word; text >> word;) words.push_back(word);
  const auto body = [&] {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv("/proc/self/exe", arguments.data());
    return 0;
  };
  const End end = supervise(body, log, static_cast<int>(kHangSeconds), kMostMemoryMb);
  return end.is_fault() || end.number != 0;
}

/// The smallest case near `shape` that fails: each parameter as small as it can be by itself, until
/// none gets smaller or the time is over.
TwinCase shrunk(TwinCase shape, const Options& options) {
  const kindred::test::TemporaryDirectory folder;
  const auto end = Clock::now() + std::chrono::seconds(kShrinkSeconds);
  const auto fails = [&](const TwinCase& smaller) {
    return Clock::now() < end && fails_elsewhere(smaller, options, folder / "log");
  };
  for (bool gets_smaller = true; gets_smaller;) {
    gets_smaller = false;
    for (const Parameter& parameter : parameters()) {
      std::uint64_t& value = shape.*parameter.value;
      for (std::uint64_t step = value - parameter.least; step > 0;) {
        TwinCase smaller = shape;
        smaller.*parameter.value = value - step;
        if (fails(smaller)) {
          value -= step;
          gets_smaller = true;
          step = std::min(step, value - parameter.least);
        } else {
          step /= 2;
        }
      }
    }
  }
  return shape;
}

int run(const Options& options) {
  const auto begin = Clock::now();
  std::uint64_t cases = 0;
  std::size_t answers = 0;
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  for (; cases < options.cases && seconds() < options.seconds; ++cases) {
    const std::uint64_t seed = options.seed * 1'000'000 + cases;
    const TwinCase shape = random_case(seed, has_several(options));
    std::printf("\rcase %llu ", static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    const std::string fault = fault_of(shape, options, answers);
    if (fault.empty()) continue;
    std::printf("\nFAILED %s\n  %s\n", options_of(shape).c_str(), fault.c_str());
    std::printf("smallest: %s\n", options_of(shrunk(shape, options)).c_str());
    return 1;
  }
  std::printf("\r%llu cases, %zu answers compared, no difference\n",
              static_cast<unsigned long long>(cases), answers);
  return 0;
}

int run_one(const TwinCase& shape, const Options& options) {
  std::printf("%s\n", options_of(shape).c_str());
  std::size_t answers = 0;
  const std::string fault = fault_of(shape, options, answers);
  std::printf("%s\n", fault.empty() ? "no difference" : fault.c_str());
  return fault.empty() ? 0 : 1;
}

/// True if `kind` answers here at all.
bool has_backend(const std::string& kind) try {
  compare(TwinCase{}, kind, {});
  return true;
} catch (const kindred::Error& e) {
  if (e.code() != kindred::Errc::kUnsupported) throw;
  const char* const required = std::getenv("KINDRED_REQUIRE_CUDA");
  if (required != nullptr && std::strcmp(required, "1") == 0) throw;
  std::printf("skipped: no CUDA device (%s)\n", e.what());
  return false;
}

}  // namespace

int main(int count, char** words) try {
  const Options options = read_options(count, words);
  if (!has_backend(options.kind)) return kSkipped;
  return options.only ? run_one(*options.only, options) : run(options);
} catch (const std::exception& e) {
  std::fprintf(stderr, "fuzzed_twins: %s\n", e.what());
  return 1;
}
