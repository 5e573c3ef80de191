// Time to follow what another writer changed in a database, beside opening the database anew.
//
//   refresh_bench DATABASE [--repeats N] [--changes N]
//
// Works on a copy of the database in the folder for temporary files. A writer that is not Kindred's
// adds or replaces documents and commits; the time is that of Engine::refresh() afterwards, to the
// snapshot from which questions are answered. The peer is a new Engine in the same run.
#include <xapian.h>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "config/settings.h"
#include "plugin/engine.h"
#include "tests/bench/options.h"
#include "tests/bench/statistics.h"

namespace kindred::bench {
namespace {

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

/// A copy of a database, which a writer changes.
class ChangedCopy {
 public:
  explicit ChangedCopy(const std::string& database)
      : path_((std::filesystem::temp_directory_path() / "refresh_bench.db").string()) {
    std::filesystem::remove_all(path_);
    std::filesystem::copy(database, path_, std::filesystem::copy_options::recursive);
    std::filesystem::remove(path_ + "/flintlock");
  }
  ~ChangedCopy() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ChangedCopy(const ChangedCopy&) = delete;
  ChangedCopy& operator=(const ChangedCopy&) = delete;

  const std::string& path() const { return path_; }

  /// Documents like those of the database, each with a term of its own, replaced or appended.
  void change(int documents, bool append) {
    Xapian::WritableDatabase database(path_, Xapian::DB_OPEN);
    for (int i = 0; i < documents; ++i) {
      const Xapian::docid docid = any_document(database);
      Xapian::Document document = database.get_document(docid);
      document.add_term("Zrefreshed" + std::to_string(draw_()));
      if (append)
        database.replace_document(database.get_lastdocid() + 1, document);
      else
        database.replace_document(docid, document);
    }
    database.commit();
  }

 private:
  Xapian::docid any_document(const Xapian::Database& database) {
    const auto wanted = static_cast<Xapian::docid>(draw_() % database.get_lastdocid() + 1);
    auto it = database.postlist_begin("");
    it.skip_to(wanted);
    return it == database.postlist_end("") ? *database.postlist_begin("") : *it;
  }

  const std::string path_;
  std::mt19937_64 draw_{5};
};

void report(const char* name, const std::vector<double>& times, double peer) {
  const double median = percentile(times, .5);
  std::printf("%-32s %10.1f %10.1f %10.1f %12.1f\n", name, median, percentile(times, 0),
              percentile(times, 1), peer / median);
}

void run(const std::string& database, int repeats, int changes) {
  ChangedCopy copy(database);
  Settings settings;
  settings.backend.kind = "cpu";
  std::vector<double> opened;
  for (int i = 0; i < repeats; ++i)
    opened.push_back(milliseconds_of([&] { Engine(copy.path(), settings); }));
  Engine engine(copy.path(), settings);
  const Status status = engine.status();
  const double peer = percentile(opened, .5);
  std::printf("%llu documents, %llu non-zeros\n%-32s %10s %10s %10s %12s\n",
              static_cast<unsigned long long>(status.documents),
              static_cast<unsigned long long>(status.nonzeros), "", "ms", "least", "most",
              "opened / it");
  report("opened anew", opened, peer);
  const auto follow = [&](const std::string& name, int documents, bool append) {
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
      copy.change(documents, append);
      times.push_back(milliseconds_of([&] { engine.refresh(); }));
    }
    report(name.c_str(), times, peer);
  };
  follow("1 document replaced", 1, false);
  follow(std::to_string(changes) + " documents added", changes, true);
  follow(std::to_string(changes) + " documents replaced", changes, false);
}

}  // namespace
}  // namespace kindred::bench

int main(int argc, char** argv) {
  int repeats = 5, changes = 1000;
  try {
    if (argc < 2)
      throw std::invalid_argument("usage: refresh_bench DATABASE [--repeats N] [--changes N]");
    kindred::bench::read_options(
        {argv + 2, argv + argc},
        {{"--repeats", [&](const std::string& value) { repeats = std::stoi(value); }},
         {"--changes", [&](const std::string& value) { changes = std::stoi(value); }}});
    kindred::bench::run(argv[1], repeats, changes);
    return 0;
  } catch (const Xapian::Error& e) {
    std::fprintf(stderr, "refresh_bench: %s\n", e.get_description().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "refresh_bench: %s\n", e.what());
  }
  return 1;
}
