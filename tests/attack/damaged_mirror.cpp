// Damages saved mirrors: removes a file, gives it the contents of another, flips and overwrites
// bytes, moves pieces, cuts and extends it. An engine that opens the database with such a mirror
// answers as one without it, and its log says that it is not used; a flip between two sections may
// go unnoticed.
//
//   damaged_mirror [--files N] [--seed S]      defaults: 200 1
//
// The databases are a folder and a stub of two shards, each unchanged since the mirror was saved or
// changed a little. Prints what became of the files. Exit status: 0, or 1 after a wrong answer, a
// silent refusal, a crash, a hang or growth of memory.
#include <xapian.h>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "plugin/engine.h"
#include "tests/attack/living_answers.h"
#include "tests/attack/living_operations.h"
#include "tests/attack/supervised.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

namespace {

using namespace kindred::attack;
using kindred::test::file_text;

constexpr int kHangSeconds = 30;
constexpr std::size_t kMostMemoryMb = 2000;
constexpr int kUsed = 10, kRefused = 11, kWrong = 12;  // statuses of the process that opens it

kindred::Settings quiet_settings() {
  kindred::Settings settings;
  settings.backend.kind = "cpu";
  settings.backend.threads = 1;
  return settings;
}

/// A database with its saved mirror, and what the right answers are.
struct Subject {
  std::string name, path, folder;
  std::map<std::string, std::string> files;  ///< of the saved mirror: name -> bytes
  Model model;
  std::string answers;
};

void write_changes(const std::string& path, Model& model, std::size_t count, std::mt19937& draw) {
  Xapian::WritableDatabase database(path, Xapian::DB_OPEN);
  for (std::size_t i = 0; i < count; ++i) {
    const Action action = i % 4 == 1 && count < 50 ? Action::kReplace : Action::kAdd;
    const auto random = static_cast<unsigned>(draw());
    for (const auto& [docid, document] : carry_out({action, random}, model))
      database.replace_document(docid, document->document());
  }
  database.commit();
}

Subject make_subject(const std::string& folder, bool stub, bool changes) {
  Subject subject;
  subject.name = std::string(stub ? "stub" : "folder") + (changes ? ", changed since" : "");
  subject.path = folder + (stub ? "/stub" : "/db") + (changes ? "-changed" : "");
  subject.folder = subject.path + (stub ? ".kindred-mirror" : "/kindred.mirror");
  const std::vector<std::string> shards =
      stub ? std::vector{subject.path + "-one", subject.path + "-two"} : std::vector{subject.path};
  for (const std::string& shard : shards) {
    Xapian::WritableDatabase(shard, Xapian::DB_CREATE).commit();
    if (stub) std::ofstream(subject.path, std::ios::app) << "auto " << shard << '\n';
  }
  std::mt19937 draw(stub ? 1 : 2);
  write_changes(subject.path, subject.model, 150, draw);
  kindred::Engine(subject.path, quiet_settings()).save_mirror();
  for (const auto& entry : std::filesystem::directory_iterator(subject.folder))
    subject.files[entry.path().filename().string()] = file_text(entry.path().string());
  std::filesystem::remove_all(subject.folder);
  if (changes) write_changes(subject.path, subject.model, 10, draw);
  const kindred::Engine engine(subject.path, quiet_settings());
  subject.answers = answers_of(engine, subject.model, std::mt19937(7));
  return subject;
}

/// Damages the bytes of a file, and says how.
std::string spoil(std::string& bytes, std::mt19937_64& draw) {
  const auto place = [&] {  // seldom in the zeros between two sections
    const auto from = static_cast<std::size_t>(draw() % bytes.size());
    const auto at = bytes.find_first_not_of('\0', from);
    return draw() % 4 == 0 || at == std::string::npos ? from : at;
  };
  const std::size_t at = place(),
                    length = std::min<std::size_t>(1 + draw() % 64, bytes.size() - at);
  const std::string where = " at " + std::to_string(at);
  switch (draw() % 8) {
    case 0:
      bytes.resize(at);
      return "cut" + where;
    case 1:
      bytes.append(1 + draw() % 100, static_cast<char>(draw()));
      return "extended";
    case 2:
      bytes.replace(at, length, length, '\0');
      return "zeros" + where;
    case 3:
      bytes.replace(at, length, bytes.substr(place(), length));
      return "a piece of another place" + where;
    case 4:
      bytes.erase(at, length);
      return "bytes left out" + where;
    case 5:  // the table of sections is at the beginning
      bytes[at % std::min<std::size_t>(bytes.size(), 600)] ^= static_cast<char>(1u << draw() % 8);
      return "a bit of the beginning flipped";
    default:
      bytes[at] ^= static_cast<char>(1u << draw() % 8);
      return "a bit flipped" + where;
  }
}

/// Opens the database with its damaged mirror, and saves it afresh if it was refused.
int open_and_ask(const Subject& subject) {
  try {
    std::string said;
    const kindred::Engine engine(subject.path, quiet_settings(),
                                 [&](const std::string& line) { said += line + '\n'; });
    std::printf("%s", said.c_str());
    expect_same_answers(answers_of(engine, subject.model, std::mt19937(7)), subject.answers,
                        "with the damaged mirror the engine");
    if (said.find("saved mirror: read") != std::string::npos) return kUsed;
    if (said.find(subject.folder) == std::string::npos)
      throw WrongAnswer("the log does not name the mirror");
    engine.save_mirror();
    said.clear();
    const kindred::Engine second(subject.path, quiet_settings(),
                                 [&](const std::string& line) { said += line + '\n'; });
    if (said.find("saved mirror: read 0") == std::string::npos)
      throw WrongAnswer("the mirror that was saved again is not used: " + said);
    return kRefused;
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
  return kWrong;
}

bool attack_file(const Subject& subject, std::uint64_t seed, const std::string& log,
                 std::map<std::string, unsigned>& counts) {
  std::mt19937_64 draw(seed);
  auto files = subject.files;
  const auto pick = [&] { return std::next(files.begin(), draw() % files.size()); };
  const auto damaged = pick();
  std::string what = damaged->first + ": ";
  if (draw() % 20 == 0) {
    damaged->second = pick()->second;
    what += "the contents of another file, or its own";
  } else {
    what += spoil(damaged->second, draw);
  }
  if (draw() % 20 == 0 && damaged->first != "list") {  // without a list nothing was saved
    files.erase(damaged);
    what += ", removed";
  }
  std::filesystem::remove_all(subject.folder);
  std::filesystem::create_directory(subject.folder);
  for (const auto& [name, bytes] : files)
    std::ofstream(subject.folder + "/" + name, std::ios::binary) << bytes;
  const End end = supervise(
      [&] {
        const int status = open_and_ask(subject);
        std::fflush(stdout);
        return status;
      },
      log, kHangSeconds, kMostMemoryMb);
  const bool is_good = !end.is_fault() && (end.number == kUsed || end.number == kRefused);
  ++counts[!is_good                 ? "wrong"
           : end.number == kRefused ? "refused, with a word"
                                    : "used, and right"];
  if (!is_good) {
    std::printf("seed %llu: %s, %s: %s\n%s\n", static_cast<unsigned long long>(seed),
                subject.name.c_str(), what.c_str(), end.name().c_str(), file_text(log).c_str());
  }
  return is_good;
}

}  // namespace

int main(int argc, char* argv[]) {
  std::uint64_t files = 200, seed = 1;
  for (int i = 1; i + 1 < argc; i += 2)
    (std::string(argv[i]) == "--files" ? files : seed) = std::strtoull(argv[i + 1], nullptr, 10);
  const kindred::test::TemporaryDirectory directory;
  std::vector<Subject> subjects;
  for (const bool stub : {false, true})
    for (const bool changes : {false, true})
      subjects.push_back(make_subject(directory / "", stub, changes));
  std::map<std::string, unsigned> counts;
  bool good = true;
  for (std::uint64_t i = 0; i < files; ++i)
    good = attack_file(subjects[i % subjects.size()], seed + i, directory / "log", counts) && good;
  std::printf("%llu files, seeds from %llu\n", static_cast<unsigned long long>(files),
              static_cast<unsigned long long>(seed));
  for (const auto& [name, count] : counts) std::printf("%6u  %s\n", count, name.c_str());
  return good ? 0 : 1;
}
