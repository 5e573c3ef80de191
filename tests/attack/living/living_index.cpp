// Lets a database live: random changes by this process and by others, crashes, compaction, saved
// mirrors, which are damaged, and left behind by processes that are killed. After each commit an
// engine that was refreshed answers as one that was opened from nothing, to the bit, and as a model
// that knows what was written.
//
//   living_index [--operations N] [--seed S] [--documents N]      defaults: 3000 1 150
//   living_index --replay FILE
//
// The operations are divided among databases of 400 each: of one folder or of two shards, with or
// without a follower, and some where tags follow a tuning, or under the dot product. A sequence
// that fails is shrunk to few operations, which are printed as --replay reads them, which runs them
// in this process, for a debugger. Exit status: 0, or 1 if an answer was wrong or a process died or
// hung.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "config/error.h"
#include "tests/attack/living/living_database.h"
#include "tests/attack/supervised.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

namespace {

using namespace kindred::attack;
using Operations = std::vector<Operation>;

constexpr std::size_t kOfOneDatabase = 400;
constexpr int kSeconds = 600;
constexpr std::size_t kMemoryMb = 2000;
constexpr std::chrono::minutes kShrinking{3};

int live(const Operations& operations, const LivingPlan& plan, const std::string& counts_file) {
  std::size_t number = 0;
  try {
    const kindred::test::TemporaryDirectory directory;
    LivingDatabase database(directory / "", plan);
    for (; number < operations.size(); ++number) database.run(operations[number]);
    database.check(0);
    std::ofstream counts(counts_file);
    for (const auto& [name, count] : database.counts()) counts << count << ' ' << name << '\n';
    return 0;
  } catch (const std::exception& e) {
    std::printf("operation %zu: %s\n", number + 1, e.what());
  } catch (const Xapian::Error& e) {
    std::printf("operation %zu: %s\n", number + 1, e.get_description().c_str());
  }
  std::fflush(stdout);
  return 1;
}

/// Runs sequences in processes of their own, so that one that dies is a failure like any other.
class Runs {
 public:
  /// True if all was right.
  bool run(const Operations& operations, const LivingPlan& plan) {
    end_ = supervise([&] { return live(operations, plan, directory_ / "counts"); },
                     directory_ / "log", kSeconds, kMemoryMb);
    return !end_.is_fault() && end_.number == 0;
  }

  /// What the last one said.
  std::string message() const {
    return kindred::test::file_text(directory_ / "log") + "(" + end_.name() + ")\n";
  }

  void add_counts(std::map<std::string, unsigned>& all) const {
    std::ifstream counts(directory_ / "counts");
    unsigned count = 0;
    std::string name;
    while (counts >> count && std::getline(counts >> std::ws, name)) all[name] += count;
  }

 private:
  const kindred::test::TemporaryDirectory directory_;
  End end_;
};

/// Leaves out operations, fewer and fewer at a time, as long as the rest still fails (Zeller and
/// Hildebrandt 2002).
Operations shrunk(Operations operations, const LivingPlan& plan, Runs& runs) {
  const auto end = std::chrono::steady_clock::now() + kShrinking;
  for (std::size_t size = (operations.size() + 1) / 2; size > 0;) {
    bool has_shrunk = false;
    for (std::size_t first = 0; first < operations.size();) {
      if (std::chrono::steady_clock::now() > end) return operations;
      Operations rest = operations;
      const auto from = rest.begin() + static_cast<std::ptrdiff_t>(first);
      rest.erase(from, from + static_cast<std::ptrdiff_t>(std::min(size, rest.size() - first)));
      if (runs.run(rest, plan)) {
        first += size;
      } else {
        operations = std::move(rest);
        has_shrunk = true;
      }
    }
    if (!has_shrunk || size > operations.size()) size /= 2;
  }
  return operations;
}

void print(const Operations& operations, const LivingPlan& plan) {
  std::printf("%zu %d %d %d %d %u\n", plan.documents, plan.stub, plan.follower, plan.tuned,
              plan.dot, plan.seed);
  for (const Operation& operation : operations)
    std::printf("%s %u\n", name_of(operation.action).c_str(), operation.random);
  std::fflush(stdout);
}

/// False, after a report, if the sequence fails.
bool holds(const Operations& operations, const LivingPlan& plan, Runs& runs) {
  if (runs.run(operations, plan)) return true;
  std::printf("FAILED: %s", runs.message().c_str());
  const Operations few = shrunk(operations, plan, runs);
  runs.run(few, plan);
  std::printf("shrunk to %zu operations: %s", few.size(), runs.message().c_str());
  print(few, plan);
  return false;
}

int replay(const std::string& path) {
  std::ifstream file(path);
  LivingPlan plan;
  file >> plan.documents >> plan.stub >> plan.follower >> plan.tuned >> plan.dot >> plan.seed;
  Operations operations;
  std::string name;
  for (unsigned random = 0; file >> name >> random;) {
    const auto action = action_named(name);
    if (!action) {
      std::fprintf(stderr, "%s: expected an operation, found '%s'\n", path.c_str(), name.c_str());
      return 2;
    }
    operations.push_back({*action, random});
  }
  return live(operations, plan, "/dev/null");
}

struct Options {
  std::size_t operations = 3000;
  unsigned seed = 1;
  std::size_t documents = 150;
  std::string replay;
};

bool read_options(int argc, char* argv[], Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--operations") {
      options.operations = std::strtoul(value.c_str(), nullptr, 10);
    } else if (name == "--seed") {
      options.seed = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (name == "--documents") {
      options.documents = std::strtoul(value.c_str(), nullptr, 10);
    } else if (name == "--replay") {
      options.replay = value;
    } else {
      return false;
    }
  }
  return argc % 2 == 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  Options options;
  if (!read_options(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: living_index [--operations N] [--seed S] [--documents N] "
                 "[--replay FILE]\n");
    return 2;
  }
  if (!options.replay.empty()) return replay(options.replay);
  Runs runs;
  std::map<std::string, unsigned> counts;
  bool good = true;
  unsigned databases = 0;
  for (std::size_t done = 0; good && done < options.operations; ++databases) {
    const LivingPlan plan{options.documents,  databases % 4 >= 2,
                          databases % 2 == 1, databases % 3 == 1,
                          databases % 5 == 2, options.seed * 100000 + databases};
    const std::size_t count = std::min(kOfOneDatabase, options.operations - done);
    good = holds(random_operations(count, plan.seed), plan, runs);
    runs.add_counts(counts);
    done += count;
  }
  std::printf("%zu operations on %u databases, seed %u\n", options.operations, databases,
              options.seed);
  for (const auto& [name, count] : counts) std::printf("%8u  %s\n", count, name.c_str());
  return good ? 0 : 1;
}
