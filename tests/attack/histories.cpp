// The states of an index as a tree: others and Kindred write, backups are made and copied back over
// its files, and from there it goes on. Mirrors are saved in between, of any state. After each jump
// and each write an engine that is opened with the saved mirror, and one that was open all the time
// and did not look since the last question, answer as one that reads all from nothing.
//
//   histories [--steps N] [--seed S]      defaults: 300 1
//
// Exit status: 0, or 1 if an answer was wrong; the step is then told.
#include <fcntl.h>
#include <sys/stat.h>
#include <xapian.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "plugin/engine.h"
#include "plugin/writing/ingest.h"
#include "tests/attack/living/living_answers.h"
#include "tests/attack/living/living_model.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/temporary_directory.h"

namespace {

using namespace kindred;
using namespace kindred::attack;
namespace fs = std::filesystem;

/// A state that can be gone back to.
struct Backup {
  std::string folder;
  Model model;
};

/// How files of a backup come back.
enum class Restore { kInPlace, kInPlaceWithTimes, kByRenaming };

class Histories {
 public:
  explicit Histories(std::uint32_t seed) : draw_(seed) {
    write_as_others(200);
    back_up();
    live_ = std::make_unique<Engine>(path_, settings());
  }

  /// One step. Returns what it was.
  std::string step() {
    switch (draw_() % 8) {
      case 0:
      case 1:
        write_as_others(1 + draw_() % 4);
        return "others write";
      case 2:
        write_as_kindred();
        return "Kindred writes";
      case 3:
        back_up();
        return "back up";
      case 4:
      case 5:
        restore();
        return "restore";
      case 6:
        Engine(path_, settings()).save_mirror();
        return "save the mirror";
      default:
        live_->save_mirror();
        return "save the mirror of the open engine";
    }
  }

  /// @throws WrongAnswer
  void check() {
    const std::string copy = directory_ / "copy";
    fs::remove_all(copy);
    fs::copy(path_, copy, fs::copy_options::recursive);
    fs::remove_all(copy + "/kindred.mirror");
    const std::mt19937 questions(static_cast<std::uint32_t>(draw_()));
    const std::string expected = answers_of(Engine(copy, settings()), model_, questions);

    const Engine opened(path_, settings());
    expect_same_answers(answers_of(opened, model_, questions), expected, "an opened engine");
    live_->refresh();
    expect_same_answers(answers_of(*live_, model_, questions), expected, "the open engine");
  }

 private:
  static Settings settings() { return test::on_cpu(1); }

  Xapian::docid any() {
    return std::next(model_.documents().begin(), draw_() % model_.documents().size())->first;
  }

  void write_as_others(std::size_t changes) {
    Xapian::WritableDatabase database(path_, Xapian::DB_CREATE_OR_OPEN);
    for (std::size_t i = 0; i < changes; ++i) {
      ModelDocument document = random_document(draw_);
      const bool is_change = model_.documents().size() > 20 && draw_() % 2 == 0;
      if (is_change && draw_() % 3 == 0) {
        const Xapian::docid gone = any();
        database.delete_document(gone);
        model_.remove(gone);
      } else if (is_change) {
        const Xapian::docid docid = any();
        database.replace_document(docid, document.document());
        model_.put(docid, std::move(document));
      } else {
        const Xapian::docid docid = database.add_document(document.document());
        model_.put(docid, std::move(document));
      }
      if (draw_() % 2 == 0) database.commit();
    }
    database.commit();
  }

  /// A record of Kindred's own, with features that it was given.
  void write_as_kindred() {
    ModelDocument document = random_document(draw_);
    document.marks = 1;  // and nothing else
    document.id = "k" + std::to_string(++records_);
    Record record = document.record();
    record.auto_tag = false;
    {
      Engine engine(path_, settings());
      Ingest ingest(engine);
      ingest.add(std::move(record));
      ingest.commit();
    }
    model_.put(Xapian::Database(path_).get_lastdocid(), std::move(document));
  }

  void back_up() {
    const std::string folder = directory_ / ("backup" + std::to_string(backups_.size()));
    fs::copy(path_, folder, fs::copy_options::recursive);
    copy_times(path_, folder);
    if (draw_() % 2 == 0) fs::remove_all(folder + "/kindred.mirror");
    backups_.push_back({folder, model_});
  }

  /// Some backup comes back, after commits that the open engine may not have seen, and before
  /// others.
  void restore() {
    for (std::size_t i = draw_() % 4; i > 0; --i) write_as_others(1 + draw_() % 3);
    const Backup& backup = backups_[draw_() % backups_.size()];
    const auto way = static_cast<Restore>(draw_() % 3);
    for (const auto& entry : fs::recursive_directory_iterator(backup.folder)) {
      if (!entry.is_regular_file()) continue;
      const fs::path to = path_ / fs::relative(entry.path(), backup.folder);
      fs::create_directories(to.parent_path());
      const std::string bytes = test::file_text(entry.path().string());
      if (way == Restore::kByRenaming) {
        test::put_file(to.string() + ".restored", bytes);
        fs::rename(to.string() + ".restored", to);
      } else {
        test::put_file(to.string(), bytes);
      }
    }
    if (way == Restore::kInPlaceWithTimes) copy_times(backup.folder, path_);
    model_ = backup.model;
    for (std::size_t i = draw_() % 8; i > 0; --i) write_as_others(1 + draw_() % 3);
  }

  static void copy_times(const std::string& from, const std::string& to) {
    for (const auto& entry : fs::directory_iterator(from)) {
      struct stat status {};
      if (::stat(entry.path().c_str(), &status) != 0) continue;
      const timespec times[] = {status.st_atim, status.st_mtim};
      ::utimensat(AT_FDCWD, (fs::path(to) / entry.path().filename()).c_str(), times, 0);
    }
  }

  std::mt19937 draw_;
  const test::TemporaryDirectory directory_;
  const std::string path_ = directory_ / "db";
  Model model_;
  std::vector<Backup> backups_;
  std::unique_ptr<Engine> live_;
  std::size_t records_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, unsigned long> options = {{"--steps", 300}, {"--seed", 1}};
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = std::strtoul(argv[i + 1], nullptr, 10);
  unsigned long step = 0;
  std::string what = "begin";
  std::map<std::string, int> counts;
  try {
    Histories histories(static_cast<std::uint32_t>(options["--seed"]));
    for (; step < options["--steps"]; ++step) {
      what = histories.step();
      ++counts[what];
      histories.check();
    }
  } catch (const std::exception& e) {
    std::printf("step %lu, %s: %s\n", step + 1, what.c_str(), e.what());
    return 1;
  } catch (const Xapian::Error& e) {
    std::printf("step %lu, %s: %s\n", step + 1, what.c_str(), e.get_description().c_str());
    return 1;
  }
  for (const auto& [name, count] : counts) std::printf("%6d %s\n", count, name.c_str());
  return 0;
}
