// Opens and refreshes mirrors of a database to which another process commits all the time.
//
//   foreign_writer [SECONDS] [DOCUMENTS] [PAUSE_MS...]     defaults: 5 10000 50 10 5 0
//   foreign_writer --seconds S [--commit-ms N] [--threads N] [--documents N]
//
// With options, an engine follows the database by itself, under queries of many threads: see
// followed.cpp. Otherwise, for each pause between commits it prints how many opens and refreshes
// succeeded, how long they took, and the messages of the others. Every document always has the same
// number of features, which reveals a mirror made of parts of two revisions. Exit status: 0, or 1
// if a mirror was wrong or the database was reported as damaged.
#include <xapian.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "config/error.h"
#include "plugin/engine.h"
#include "tests/attack/writer_process.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/temporary_directory.h"

namespace {

using namespace kindred::attack;
using Clock = std::chrono::steady_clock;

struct Plan {
  double seconds = 5;
  unsigned documents = 10000;
  std::vector<int> pauses = {50, 10, 5, 0};
};

/// The outcome of many attempts of one kind.
struct Outcome {
  std::vector<double> took_ms;               ///< times of those that succeeded
  std::map<std::string, unsigned> failures;  ///< by their messages without numbers
  unsigned wrong = 0;                        ///< mirrors that match no revision
  unsigned corrupt = 0;                      ///< failures that report a damaged database
};

std::string without_numbers(const std::string& message) {
  std::string text;
  for (const char c : message) {
    if (c < '0' || c > '9') text += c;
    if (c >= '0' && c <= '9' && (text.empty() || text.back() != '#')) text += '#';
  }
  return text;
}

bool is_right(const kindred::Engine& engine, unsigned documents) {
  const kindred::api::StatusAnswer status = engine.status();
  return status.documents == documents &&
         status.nonzeros == std::uint64_t{documents} * kTermsOfDocument &&
         status.labeled == documents;
}

/// Calls `attempt` for some seconds; it is true if the mirror is right.
Outcome repeat(double seconds, const std::function<bool()>& attempt) {
  Outcome outcome;
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(seconds));
  while (Clock::now() < end) {
    const Clock::time_point start = Clock::now();
    try {
      if (!attempt()) ++outcome.wrong;
      const std::chrono::duration<double, std::milli> took = Clock::now() - start;
      outcome.took_ms.push_back(took.count());
    } catch (const kindred::Error& e) {
      if (e.code() == kindred::Errc::kCorrupt) ++outcome.corrupt;
      ++outcome.failures[without_numbers(e.what())];
    }
  }
  return outcome;
}

bool print(const char* what, int pause_ms, Outcome& outcome) {
  std::sort(outcome.took_ms.begin(), outcome.took_ms.end());
  const auto& took = outcome.took_ms;
  unsigned failed = 0;
  for (const auto& [message, count] : outcome.failures) failed += count;
  std::printf("pause %2d ms, %-7s: %zu succeeded, %u failed, %u wrong", pause_ms, what, took.size(),
              failed, outcome.wrong);
  if (!took.empty()) {
    std::printf("; ms: median %.0f, longest %.0f", took[took.size() / 2], took.back());
  }
  std::printf("\n");
  for (const auto& [message, count] : outcome.failures) {
    std::printf("    %u x %s\n", count, message.c_str());
  }
  std::fflush(stdout);
  return outcome.wrong == 0 && outcome.corrupt == 0;
}

bool attack(const std::string& path, const Plan& plan, int pause_ms) {
  kindred::Settings settings = kindred::test::on_cpu(1);
  const WriterProcess writer(path, plan.documents, std::chrono::milliseconds(pause_ms));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  Outcome opens = repeat(plan.seconds,
                         [&] { return is_right(kindred::Engine(path, settings), plan.documents); });
  bool good = print("opens", pause_ms, opens);
  std::unique_ptr<kindred::Engine> engine;
  Outcome refreshes = repeat(plan.seconds, [&] {
    if (!engine) engine = std::make_unique<kindred::Engine>(path, settings);
    engine->refresh();
    // reads titles while the writer is at work
    kindred::test::related_to(*engine, kindred::UniqueId{"1"}, "label:1 OR label:2");
    return is_right(*engine, plan.documents);
  });
  good = print("refresh", pause_ms, refreshes) && good;
  return good;
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc > 1 && argv[1][0] == '-') return follow_a_writer(argc, argv);
  Plan plan;
  if (argc > 1) plan.seconds = std::atof(argv[1]);
  if (argc > 2) plan.documents = static_cast<unsigned>(std::atoi(argv[2]));
  if (argc > 3) plan.pauses.clear();
  for (int i = 3; i < argc; ++i) plan.pauses.push_back(std::atoi(argv[i]));
  const kindred::test::TemporaryDirectory directory;
  const std::string path = directory / "db";
  make_written_database(path, plan.documents);
  bool good = true;
  for (const int pause_ms : plan.pauses) good = attack(path, plan, pause_ms) && good;
  return good ? 0 : 1;
}
