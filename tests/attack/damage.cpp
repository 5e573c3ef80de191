// Damages small databases in many ways, then asks the library and the program everything about
// them.
//
//   damage [COUNT] [SEED] [KINDRED]        defaults: 100 1, and no program
//
// Prints how often there were answers, errors by their code, signals, hangs and growth of memory. A
// fault is listed as Xapian's if Xapian alone has it with the same copy, or if a sanitizer found it
// inside of Xapian. With COUNT 1 the copy is kept, and its path printed.
// Exit status: 0, or 1 if there was any other fault.
#include <unistd.h>
#include <xapian.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "config/error.h"
#include "plugin/engine.h"
#include "plugin/input/record.h"
#include "plugin/writing/ingest.h"
#include "plugin/writing/stored_answers.h"
#include "plugin/writing/tagging.h"
#include "tests/attack/damage.h"
#include "tests/attack/supervised.h"
#include "tests/fixtures/edit_tags.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/temporary_directory.h"

namespace {

using namespace kindred;
using namespace kindred::attack;
namespace fs = std::filesystem;

constexpr int kSeconds = 20;
constexpr std::size_t kMemoryMb = 2000;
constexpr int kErrors = 10;   // status of a process whose first error was Errc n: 10 + n
constexpr int kForeign = 60;  // an exception that is not an Error came out

/// Runs the steps one by one; the status stands for the first error. "No map" and "no such
/// document" count as answers.
int run_steps(const std::vector<std::function<void()>>& steps) {
  int status = 0;
  for (const auto& step : steps) {
    int code = 0;
    try {
      step();
    } catch (const Error& e) {
      std::printf("%s\n", e.what());
      if (e.code() != Errc::kNotFound) code = kErrors + static_cast<int>(e.code());
    } catch (const Xapian::Error& e) {
      std::printf("Xapian::Error: %s\n", e.get_description().c_str());
      code = kForeign;
    } catch (const std::exception& e) {
      std::printf("std::exception: %s\n", e.what());
      code = kForeign;
    }
    std::fflush(stdout);
    if (code == kForeign || status == 0) status = code;
  }
  return status;
}

/// Asks the library everything about a database. If `writes`, also writes in every way.
int ask_library(const std::string& path, bool writes) {
  Settings settings = test::on_cpu(1);
  std::unique_ptr<Engine> engine;
  const int opened = run_steps({[&] { engine = std::make_unique<Engine>(path, settings); }});
  if (!engine) return opened != 0 ? opened : kErrors + static_cast<int>(Errc::kNotFound);
  Record text;
  text.text = "the moon and the rocket, word12 and w5";
  RelatedRequest related;
  related.like = {text};
  RelatedRequest filtered = related;
  filtered.filter = "label:space OR label:inbox OR moon OR title:music OR word1*";
  TagRequest dry;
  dry.dry_run = true;
  TagEdit opt_out;
  opt_out.auto_tag = false;
  const auto by_docid = [&] {
    for (Xapian::docid docid = 1; docid < 4; ++docid) test::related_to(*engine, Docid{docid});
  };
  std::vector<std::function<void()>> steps = {
      [&] { engine->status(); },          [&] { engine->related(related); },
      [&] { engine->related(filtered); }, by_docid,
      [&] { engine->classify(text); },    [&] { tag_documents(*engine, dry); },
      [&] { engine->suspects(); },        [&] { engine->duplicates(); },
      [&] { engine->topic_of(text); },    [&] { engine->refresh(); },
  };
  if (writes) {
    steps.push_back([&] {
      test::edit_tags(path, settings, {"moon-1", "3", "1@example.org"}, opt_out);
    });
    steps.push_back([&] { tag_documents(*engine, {}); });
    steps.push_back([&] { assign_topics(*engine); });
    steps.push_back([&] {
      Ingest ingest(*engine);
      ingest.add(parse_record(R"({"id": "moon-2", "text": "another moon, another text"})"));
      ingest.add(parse_record(R"({"id": "new", "text": "word1 word2 moon"})"));
      ingest.commit();
    });
  }
  return run_steps(steps);
}

/// One of the program's commands; `number` chooses.
int ask_program(const std::string& program, const std::string& path, std::size_t number) {
  static const std::vector<std::vector<std::string>> commands = {
      {"status"},
      {"related", "--text", "moon word12 w5", "--filter", "moon OR label:space"},
      {"classify", "--text", "moon word12 w5"},
      {"tag", "--all", "--dry-run"},
      {"tag", "--all"},
      {"evaluate", "--folds", "2"},
      {"topics", "assign"}};
  std::vector<std::string> words = commands[number % commands.size()];
  const std::size_t at = words[0] == "topics" ? 2 : 1;
  words.insert(words.begin() + static_cast<long>(at), {"--db", path, "--threads", "1"});
  words.insert(words.begin(), program);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  setenv("ASAN_OPTIONS", "exitcode=99:detect_leaks=0:allocator_may_return_null=1", 1);
  setenv("UBSAN_OPTIONS", "exitcode=99:halt_on_error=1:print_stacktrace=1", 1);
  execv(program.c_str(), arguments.data());
  return 127;
}

class Attack {
 public:
  Attack(const std::string& folder, std::string program, bool keeps)
      : folder_(folder),
        program_(std::move(program)),
        keeps_(keeps),
        shapes_(make_shapes(folder)) {}

  void run(std::uint64_t seed);
  bool report() const;

 private:
  std::string copy(const Shape& shape, std::uint64_t seed, std::string& what) const;
  void judge(const char* by, const End& end, const Shape& shape, std::uint64_t seed, bool writes);

  const std::string folder_;
  const std::string program_;
  const bool keeps_;
  const std::vector<Shape> shapes_;
  std::map<std::string, unsigned> counts_;
  bool is_good_ = true;
};

/// True if a sanitizer's report begins inside of Xapian, before any frame of ours. Such a fault may
/// not show when Xapian reads alone, because it depends on the memory after a block.
bool begins_in_xapian(const std::string& report) {
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("    #") != 0) continue;
    if (line.find("libxapian") != std::string::npos) return true;
    if (line.find("kindred::") != std::string::npos) return false;
  }
  return false;
}

/// A damaged copy; the same for the same seed.
std::string Attack::copy(const Shape& shape, std::uint64_t seed, std::string& what) const {
  const std::string to = folder_ + "/damaged-" + shape.name;
  fs::remove_all(to);
  fs::copy(shape.path, to);
  std::mt19937_64 random(seed);
  what = damage(to, random);
  return to;
}

void Attack::run(std::uint64_t seed) {
  const Shape& shape = shapes_[seed % shapes_.size()];
  const bool writes = seed / shapes_.size() % 2 != 0;
  std::string what;
  const std::string path = copy(shape, seed, what);
  const std::string log = folder_ + "/log";
  if (keeps_) {
    const std::string kept = "damaged-" + std::to_string(seed);
    fs::copy(path, kept);
    std::printf("%s: %s, %s\n", kept.c_str(), shape.name.c_str(), what.c_str());
  }
  const auto judged = [&](const char* by, const std::function<int()>& body, bool wrote) {
    judge(by, supervise(body, log, kSeconds, kMemoryMb), shape, seed, wrote);
  };
  judged(
      "library", [&] { return ask_library(path, writes); }, writes);
  if (program_.empty()) return;
  copy(shape, seed, what);
  judged(
      "program", [&] { return ask_program(program_, path, seed / shapes_.size()); }, true);
}

void Attack::judge(const char* by, const End& end, const Shape& shape, std::uint64_t seed,
                   bool writes) {
  static const char* const kCodes[] = {
      "ok",     "invalid argument", "not found", "corrupt",  "unsupported",      "out of memory",
      "device", "database",         "internal",  "canceled", "foreign exception"};
  std::string name = end.name();
  bool is_fault = end.is_fault();
  if (!is_fault && std::string(by) == "library") {
    const int code = end.number == kForeign ? 10 : end.number == 0 ? 0 : end.number - kErrors;
    const bool is_known = code >= 0 && code <= 10;
    name = is_known ? kCodes[code] : "status " + std::to_string(end.number);
    is_fault = !is_known || code == 8 || code == 10;
  } else if (!is_fault) {
    is_fault = end.number > 1;
  }
  ++counts_[std::string(by) + ": " + name];
  if (keeps_) std::printf("%s\n", kindred::test::file_text(folder_ + "/log").c_str());
  if (!is_fault) return;
  std::string what;
  const std::string log = folder_ + "/log-of-xapian";
  std::string path = copy(shape, seed, what);
  End own = supervise([&] { return read_by_xapian(path); }, log, kSeconds, kMemoryMb);
  if (!own.is_fault() && writes) {
    path = copy(shape, seed, what);
    own = supervise([&] { return write_by_xapian(path); }, log, kSeconds, kMemoryMb);
  }
  const std::string report = kindred::test::file_text(folder_ + "/log");
  const bool is_inside = end.kind == End::kSanitizer && begins_in_xapian(report);
  const bool is_own = own.is_fault() || is_inside;
  is_good_ = is_good_ && is_own;
  const std::string verdict = own.is_fault() ? "Xapian's own (" + own.name() + ")"
                              : is_inside    ? "Xapian's own (by its stack)"
                                             : "OURS";
  std::printf("seed %llu, %s, %s: %s: %s: %s\n", static_cast<unsigned long long>(seed),
              shape.name.c_str(), what.c_str(), by, name.c_str(), verdict.c_str());
  ++counts_[std::string(by) + (is_own ? ": faults of Xapian's own" : ": faults OF OURS")];
  if (!is_own) std::printf("%s\n", report.c_str());
}

bool Attack::report() const {
  for (const auto& [name, count] : counts_) std::printf("%6u  %s\n", count, name.c_str());
  return is_good_;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::string program = argc > 3 ? fs::absolute(argv[3]).string() : "";
  const kindred::test::TemporaryDirectory directory;
  Attack attack(directory / "", program, count == 1);
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(seed + count - 1));
  for (std::uint64_t i = 0; i < count; ++i) attack.run(seed + i);
  return attack.report() ? 0 : 1;
}
