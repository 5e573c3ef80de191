// Kills processes that keep a mirror, with SIGKILL at random moments, and looks at what is left.
//
//   killed_engine [--kills N] [--seed S]      defaults: 40 1
//
// The victim saves the mirror again and again, or follows the database and saves it when much has
// changed, or saves it when it closes. Another process commits meanwhile, and is killed with it.
// (Of processes that write, kills.py kills the program.) After each kill
//
// - the database passes the checks of xapian-check,
// - each document that was reported is there once,
// - the saved mirror is used, or the log names it,
// - an engine with it answers as one without it,
// - a mirror that is saved again leaves no other file behind.
//
// The database is that of the kill before, for 25 kills. Exit status: 0, or 1 at the first thing
// that is not so.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xapian.h>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "plugin/engine.h"
#include "tests/attack/living_answers.h"
#include "tests/attack/living_model.h"
#include "tests/fixtures/temporary_directory.h"

namespace {

using namespace kindred::attack;
using kindred::Engine;
using kindred::Settings;
namespace fs = std::filesystem;

constexpr unsigned kDocuments = 1500;
constexpr unsigned kKillsOfOne = 25;
constexpr std::chrono::microseconds kLongestLife{250'000};

/// The documents "w0", "w1", ... up to here were reported, in memory that all processes share.
using Reported = std::atomic<unsigned>;

Settings settings_of(const std::string& save) {
  Settings settings;
  settings.backend.kind = "cpu";
  settings.backend.threads = 2;
  settings.mirror.save = save;
  if (save == "follow") {
    settings.mirror.follow = "poll";
    settings.mirror.max_staleness_ms = 10;
  }
  return settings;
}

/// Replaces documents that follow each other, few or hundreds at a time, and adds one of its own.
void write_for_ever(const std::string& path, Reported& reported, unsigned seed) {
  std::mt19937 draw(seed);
  Xapian::WritableDatabase database(path, Xapian::DB_OPEN | Xapian::DB_NO_SYNC);
  const unsigned changes = seed % 3 == 0 ? 300 : 10;
  for (;;) {
    const unsigned first = static_cast<unsigned>(draw() % kDocuments);
    for (unsigned i = 0; i < changes; ++i) {
      const Xapian::docid docid = 1 + (first + i) % kDocuments;
      ModelDocument document = random_document(draw);
      document.id = "d" + std::to_string(docid);
      database.replace_document(docid, document.document());
    }
    const unsigned number = reported;
    ModelDocument own = random_document(draw);
    own.id = "w" + std::to_string(number);
    database.replace_document("Q" + own.id, own.document());
    database.commit();
    reported = number + 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void ask_for_ever(const Engine& engine) {
  for (unsigned turn = 0;; ++turn) {
    kindred::RelatedRequest request;
    request.like = {kindred::Docid{1 + turn % kDocuments}};
    engine.related(request);
    if (turn % 50 == 0) engine.duplicates();  // makes the mirror compact
  }
}

struct Victim {
  const char* name;
  std::function<void(const std::string& path)> body;
};

const std::vector<Victim>& victims() {
  static const std::vector<Victim> all = {
      {"saving",
       [](const std::string& path) {
         Engine engine(path, settings_of("never"));
         for (;; engine.refresh()) engine.save_mirror();
       }},
      {"following",
       [](const std::string& path) { ask_for_ever(Engine(path, settings_of("follow"))); }},
      {"closing",
       [](const std::string& path) {
         for (;;) Engine(path, settings_of("close"));
       }},
  };
  return all;
}

pid_t start(const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  try {
    body();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "a process failed: %s\n", e.what());
  } catch (const Xapian::Error& e) {
    std::fprintf(stderr, "a process failed: %s\n", e.get_description().c_str());
  }
  _exit(1);
}

/// Kills a process. False if it had ended by itself.
bool end(pid_t pid) {
  kill(pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status);
}

void expect(bool holds, const std::string& what) {
  if (!holds) throw WrongAnswer(what);
}

void check_documents(const std::string& path, unsigned reported) {
  std::ostringstream said;
  expect(Xapian::Database::check(path, 0, &said) == 0, "xapian-check: " + said.str());
  const Xapian::Database database(path);
  for (unsigned i = 0; i < reported; ++i) {
    const std::string id = "w" + std::to_string(i);
    expect(database.get_termfreq("Q" + id) == 1, "document " + id + " is not there once");
  }
}

Model model_of(const std::string& path) {
  const Xapian::Database database(path);
  Model model;
  for (auto it = database.postlist_begin(""); it != database.postlist_end(""); ++it)
    model.put(*it, {.terms = {}, .labels = {}, .id = "d" + std::to_string(*it)});
  return model;
}

/// What became of the saved mirror: "used", "refused", or "absent".
std::string check_mirror(const std::string& path, const std::string& nowhere, unsigned seed) {
  const std::string file = path + "/kindred.mirror";
  const bool is_there = fs::exists(file);
  std::string said;
  Engine engine(path, settings_of("never"), [&](const std::string& line) { said += line + '\n'; });
  const bool is_used = said.find("saved mirror: read") != std::string::npos;
  expect(is_used || !is_there || said.find(file) != std::string::npos,
         "a saved mirror is not used, and the log says nothing of it: " + said);
  Settings bare = settings_of("never");
  bare.mirror.directory = nowhere;
  const Model model = model_of(path);
  const std::mt19937 draw(seed);
  expect_same_answers(answers_of(engine, model, draw), answers_of(Engine(path, bare), model, draw),
                      "with the saved mirror an engine");
  return is_used ? "used" : is_there ? "refused" : "absent";
}

void check_save(const std::string& path) {
  Engine(path, settings_of("never")).save_mirror();
  for (const auto& entry : fs::recursive_directory_iterator(path))
    expect(entry.path().filename().string().find(".new") == std::string::npos,
           "left behind: " + entry.path().string());
}

void make_killed_database(const std::string& path) {
  std::mt19937 draw(1);
  Xapian::WritableDatabase database(path, Xapian::DB_CREATE_OR_OVERWRITE);
  for (unsigned i = 1; i <= kDocuments; ++i) {
    ModelDocument document = random_document(draw);
    document.id = "d" + std::to_string(i);
    database.add_document(document.document());
  }
  database.commit();
}

Reported& shared_report() {
  void* const memory =
      mmap(nullptr, sizeof(Reported), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return *new (memory) Reported;
}

/// One life and death. Returns what became of the saved mirror.
std::string kill_one(const Victim& victim, const std::string& path, const std::string& nowhere,
                     Reported& reported, std::mt19937& draw) {
  const auto seed = static_cast<unsigned>(draw());
  const std::chrono::microseconds life{draw() % static_cast<unsigned>(kLongestLife.count())};
  const pid_t writer = start([&] { write_for_ever(path, reported, seed); });
  const pid_t pid = start([&] { victim.body(path); });
  std::this_thread::sleep_for(life);
  const bool was_alive = end(pid), was_writing = end(writer);
  expect(was_alive, std::string(victim.name) + " ended by itself");
  expect(was_writing, "the writer ended by itself");
  check_documents(path, reported);
  const std::string became = check_mirror(path, nowhere, seed);
  if (draw() % 4 == 0) check_save(path);
  return became;
}

}  // namespace

int main(int argc, char* argv[]) {
  unsigned kills = 40, seed = 1;
  for (int i = 1; i + 1 < argc; i += 2)
    (std::string(argv[i]) == "--kills" ? kills : seed) =
        static_cast<unsigned>(std::strtoul(argv[i + 1], nullptr, 10));
  std::mt19937 draw(seed);
  const kindred::test::TemporaryDirectory directory;
  const std::string path = directory / "db", nowhere = directory / "no-mirrors";
  fs::create_directory(nowhere);
  Reported& reported = shared_report();
  std::map<std::string, unsigned> counts;
  for (unsigned i = 0; i < kills; ++i) {
    const Victim& victim = victims()[i % victims().size()];
    try {
      if (i % kKillsOfOne == 0) {
        fs::remove_all(path);
        make_killed_database(path);
        reported = 0;
      }
      ++counts[std::string(victim.name) + ": saved mirror " +
               kill_one(victim, path, nowhere, reported, draw)];
    } catch (const std::exception& e) {
      std::printf("FAILED: kill %u of seed %u, %s: %s\n", i + 1, seed, victim.name, e.what());
      return 1;
    }
  }
  std::printf("%u kills, seed %u\n", kills, seed);
  for (const auto& [name, count] : counts) std::printf("%6u  %s\n", count, name.c_str());
  return 0;
}
