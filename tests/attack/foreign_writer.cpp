// Opens and refreshes mirrors of a database to which another process commits all the time.
//
//   foreign_writer [SECONDS] [DOCUMENTS] [PAUSE_MS...]     defaults: 5 10000 50 10 5 0
//
// For each pause between commits it prints how many opens and refreshes succeeded, how long they
// took, and the messages of the others. Every document always has the same number of features,
// which reveals a mirror made of parts of two revisions. Exit status: 0, or 1 if a mirror was wrong
// or the database was reported as damaged.
#include <sys/wait.h>
#include <unistd.h>
#include <xapian.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "config/error.h"
#include "config/settings.h"
#include "plugin/engine.h"
#include "tests/fixtures/temporary_directory.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kTerms = 30;      // per document
constexpr unsigned kChanges = 20;    // documents per commit
constexpr unsigned kWords = 100000;  // multiple of kTerms

struct Plan {
  double seconds = 5;
  unsigned documents = 10000;
  std::vector<int> pauses = {50, 10, 5, 0};
};

Xapian::Document make_document(unsigned number, std::mt19937& random) {
  Xapian::Document document;
  for (unsigned i = 0; i < kTerms; ++i) {  // distinct, and frequent ones among them
    const unsigned span = i < kTerms / 2 ? 50 : kWords / kTerms;
    document.add_term("Zw" + std::to_string(i) + "x" + std::to_string(random() % span));
  }
  document.add_boolean_term("Q" + std::to_string(number));
  document.add_boolean_term("K" + std::to_string(random() % 20));
  document.add_value(7001, std::to_string(random()));
  document.set_data("{\"title\": \"" + std::to_string(random()) + "\"}");
  return document;
}

void make_database(const std::string& path, unsigned documents) {
  std::mt19937 random(1);
  Xapian::WritableDatabase database(path, Xapian::DB_CREATE_OR_OVERWRITE);
  for (unsigned i = 1; i <= documents; ++i) database.add_document(make_document(i, random));
  database.commit();
}

/// Commits until it is killed.
[[noreturn]] void write_for_ever(const std::string& path, unsigned documents, int pause_ms) {
  std::mt19937 random(static_cast<unsigned>(pause_ms) + 2);
  Xapian::WritableDatabase database(path, Xapian::DB_OPEN | Xapian::DB_NO_SYNC);
  for (;;) {
    for (unsigned i = 0; i < kChanges; ++i) {
      const unsigned number = 1 + static_cast<unsigned>(random()) % documents;
      database.replace_document(number, make_document(number, random));
    }
    database.commit();
    if (pause_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
  }
}

class Writer {
 public:
  Writer(const std::string& path, unsigned documents, int pause_ms) : pid_(fork()) {
    if (pid_ != 0) return;
    try {
      write_for_ever(path, documents, pause_ms);
    } catch (const Xapian::Error& e) {
      std::fprintf(stderr, "the writer failed: %s\n", e.get_description().c_str());
    }
    _exit(1);
  }
  ~Writer() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

 private:
  const pid_t pid_;
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
  const kindred::Status status = engine.status();
  return status.documents == documents && status.nonzeros == std::uint64_t{documents} * kTerms &&
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
  kindred::Settings settings;
  settings.backend.kind = "cpu";
  settings.backend.threads = 1;
  const Writer writer(path, plan.documents, pause_ms);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  Outcome opens = repeat(plan.seconds,
                         [&] { return is_right(kindred::Engine(path, settings), plan.documents); });
  bool good = print("opens", pause_ms, opens);
  std::unique_ptr<kindred::Engine> engine;
  Outcome refreshes = repeat(plan.seconds, [&] {
    if (!engine) engine = std::make_unique<kindred::Engine>(path, settings);
    engine->refresh();
    kindred::RelatedRequest request;  // reads titles while the writer is at work
    request.like = {kindred::UniqueId{"1"}};
    request.filter = "label:1 OR label:2";
    engine->related(request);
    return is_right(*engine, plan.documents);
  });
  good = print("refresh", pause_ms, refreshes) && good;
  return good;
}

}  // namespace

int main(int argc, char* argv[]) {
  Plan plan;
  if (argc > 1) plan.seconds = std::atof(argv[1]);
  if (argc > 2) plan.documents = static_cast<unsigned>(std::atoi(argv[2]));
  if (argc > 3) plan.pauses.clear();
  for (int i = 3; i < argc; ++i) plan.pauses.push_back(std::atoi(argv[i]));
  const kindred::test::TemporaryDirectory directory;
  const std::string path = directory / "db";
  make_database(path, plan.documents);
  bool good = true;
  for (const int pause_ms : plan.pauses) good = attack(path, plan, pause_ms) && good;
  return good ? 0 : 1;
}
