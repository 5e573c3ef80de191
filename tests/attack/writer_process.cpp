#include "tests/attack/writer_process.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xapian.h>
#include <csignal>
#include <cstdio>
#include <new>
#include <random>
#include <stdexcept>
#include <thread>

namespace kindred::attack {
namespace {

constexpr unsigned kChanges = 20;    // documents per commit, besides the group
constexpr unsigned kWords = 100000;  // multiple of kTermsOfDocument
constexpr unsigned kLabels = 20;

/// Distinct features, frequent ones among them.
void add_features(Xapian::Document& document, std::mt19937& random) {
  for (unsigned i = 0; i < kTermsOfDocument; ++i) {
    const unsigned span = i < kTermsOfDocument / 2 ? 50 : kWords / kTermsOfDocument;
    document.add_term("Zw" + std::to_string(i) + "x" + std::to_string(random() % span));
  }
}

Xapian::Document written_document(unsigned number, std::mt19937& random) {
  Xapian::Document document;
  add_features(document, random);
  document.add_boolean_term("Q" + std::to_string(number));
  document.add_boolean_term("K" + std::to_string(random() % kLabels));
  document.add_value(7001, std::to_string(random()));
  document.set_data("{\"title\": \"" + std::to_string(random()) + "\"}");
  return document;
}

/// The documents of the group, as they are in a revision.
void write_group(Xapian::WritableDatabase& database, std::uint64_t revision, std::mt19937& random) {
  const auto seed = static_cast<unsigned>(random());
  for (unsigned number = 1; number <= kGroup; ++number) {
    std::mt19937 same(seed);
    Xapian::Document document;
    add_features(document, same);
    document.add_boolean_term("Q" + std::to_string(number));
    document.add_boolean_term("K" + group_label(revision));
    database.replace_document(number, document);
  }
}

[[noreturn]] void write_for_ever(const std::string& path, unsigned documents,
                                 std::chrono::milliseconds pause, CommitTimes& times) {
  std::mt19937 random(static_cast<unsigned>(pause.count()) + 2);
  Xapian::WritableDatabase database(path, Xapian::DB_OPEN | Xapian::DB_NO_SYNC);
  for (;;) {
    const std::uint64_t revision = database.get_revision() + 1;
    for (unsigned i = 0; i < kChanges; ++i) {
      const unsigned number = kGroup + 1 + static_cast<unsigned>(random()) % (documents - kGroup);
      database.replace_document(number, written_document(number, random));
    }
    write_group(database, revision, random);
    database.commit();
    times.note(revision);
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
  }
}

CommitTimes* shared_times() {
  void* const memory =
      mmap(nullptr, sizeof(CommitTimes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return new (memory) CommitTimes;
}

}  // namespace

std::string group_label(std::uint64_t revision) { return std::to_string(revision % kLabels); }

void CommitTimes::note(std::uint64_t revision) {
  Entry& entry = entries_[revision % entries_.size()];
  entry.time = Clock::now().time_since_epoch().count();
  entry.revision = revision;
  latest_ = revision;
}

CommitTimes::Clock::time_point CommitTimes::of(std::uint64_t revision) const {
  const Entry& entry = entries_[revision % entries_.size()];
  if (entry.revision != revision) return {};
  return Clock::time_point(Clock::duration(entry.time));
}

void make_written_database(const std::string& path, unsigned documents) {
  std::mt19937 random(1);
  Xapian::WritableDatabase database(path, Xapian::DB_CREATE_OR_OVERWRITE);
  for (unsigned i = 1; i <= documents; ++i) database.add_document(written_document(i, random));
  write_group(database, database.get_revision() + 1, random);
  database.commit();
}

WriterProcess::WriterProcess(const std::string& path, unsigned documents,
                             std::chrono::milliseconds pause)
    : times_(shared_times()), pid_(fork()) {
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ != 0) return;
  try {
    write_for_ever(path, documents, pause, *times_);
  } catch (const Xapian::Error& e) {
    std::fprintf(stderr, "the writer failed: %s\n", e.get_description().c_str());
  }
  _exit(1);
}

WriterProcess::~WriterProcess() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  munmap(times_, sizeof *times_);
}

bool WriterProcess::is_running() const { return waitpid(pid_, nullptr, WNOHANG) == 0; }

}  // namespace kindred::attack
