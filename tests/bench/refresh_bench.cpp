// Time to follow what another writer changed in a database, beside opening the database anew.
//
//   refresh_bench DATABASE [--repeats N] [--opened N] [--changes N,N,...] [--kind cpu|cuda]
//                [--threads N]
//
// Works on a copy of the database in the folder for temporary files. A writer that is not Kindred's
// adds or replaces documents, spread over the database, and commits; the time is that of
// Engine::refresh() afterwards, to the snapshot from which questions are answered. The peer is a
// new Engine in the same run, --opened times (0: none is measured). Beside the clock stands the
// median time of all processors. Each line ends with the memory of the snapshot.
#include <xapian.h>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "plugin/engine.h"
#include "tests/bench/options.h"
#include "tests/bench/timing.h"

namespace kindred::bench {
namespace {

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

  /// Documents with the stems of others and a term of their own, replaced or appended.
  void change(int documents, bool append) {
    Xapian::WritableDatabase database(path_, Xapian::DB_OPEN);
    for (int i = 0; i < documents; ++i) {
      const Xapian::docid docid = any_document(database);
      Xapian::Document document = database.get_document(docid);
      if (append) {
        document.remove_term("Q" + id_of(document));
        document.add_boolean_term("Qadded" + std::to_string(draw_()));
      } else {
        take_stems(any_of(database), document);
      }
      document.add_term("Zrefreshed" + std::to_string(draw_()));
      if (append)
        database.replace_document(database.get_lastdocid() + 1, document);
      else
        database.replace_document(docid, document);
    }
    database.commit();
  }

 private:
  static std::vector<std::pair<std::string, Xapian::termcount>> stems_of(
      const Xapian::Document& document) {
    std::vector<std::pair<std::string, Xapian::termcount>> stems;
    auto term = document.termlist_begin();
    for (term.skip_to("Z"); term != document.termlist_end() && (*term)[0] == 'Z'; ++term)
      stems.emplace_back(*term, term.get_wdf());
    return stems;
  }

  static std::string id_of(const Xapian::Document& document) {
    auto term = document.termlist_begin();
    term.skip_to("Q");
    return (*term).substr(1);
  }

  Xapian::Document any_of(const Xapian::Database& database) {
    return database.get_document(any_document(database));
  }

  static void take_stems(const Xapian::Document& from, Xapian::Document& to) {
    for (const auto& [stem, wdf] : stems_of(to)) to.remove_term(stem);
    for (const auto& [stem, wdf] : stems_of(from)) to.add_term(stem, wdf);
  }

  Xapian::docid any_document(const Xapian::Database& database) {
    const auto wanted = static_cast<Xapian::docid>(draw_() % database.get_lastdocid() + 1);
    auto it = database.postlist_begin("");
    it.skip_to(wanted);
    return it == database.postlist_end("") ? *database.postlist_begin("") : *it;
  }

  const std::string path_;
  std::mt19937_64 draw_{5};
};

struct Options {
  int repeats = 5;
  int opened = 3;
  std::vector<int> changes = {1, 1000};
  std::string kind = "cpu";
  int threads = 0;
};

std::vector<int> numbers_of(const std::string& list) {
  std::vector<int> numbers;
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');) numbers.push_back(std::stoi(item));
  return numbers;
}

/// Refreshes after changes, and reports them.
class RefreshRun {
 public:
  RefreshRun(ChangedCopy& copy, const Settings& settings, int repeats, double peer)
      : copy_(copy), engine_(copy.path(), settings), repeats_(repeats), peer_(peer) {
    const api::StatusAnswer status = engine_.status();
    std::printf("%llu documents, %llu non-zeros, %s\n%-20s %8s %8s %8s %10s %12s %9s\n",
                static_cast<unsigned long long>(status.documents),
                static_cast<unsigned long long>(status.nonzeros), status.device.c_str(), "", "ms",
                "least", "most", "processors", "opened / it", "MB");
  }

  void follow(int documents, bool append) {
    Refreshes refreshes;
    for (int i = 0; i < repeats_; ++i) {
      copy_.change(documents, append);
      refresh(refreshes);
    }
    report(std::to_string(documents) + (append ? " added" : " replaced"), refreshes);
  }

 private:
  struct Refreshes {
    std::vector<double> times, processors;
  };

  void refresh(Refreshes& refreshes) {
    const std::clock_t start = std::clock();
    refreshes.times.push_back(1e3 * seconds_of([&] { engine_.refresh(); }));
    refreshes.processors.push_back(static_cast<double>(std::clock() - start) * 1e3 /
                                   CLOCKS_PER_SEC);
  }

  void report(const std::string& what, const Refreshes& refreshes) const {
    const auto& [times, processors] = refreshes;
    const double median = percentile(times, .5);
    std::printf("%-20s %8.1f %8.1f %8.1f %10.1f %12.1f %9.0f\n", what.c_str(), median,
                percentile(times, 0), percentile(times, 1), percentile(processors, .5),
                peer_ / median, static_cast<double>(engine_.status().bytes) / 1e6);
    std::fflush(stdout);
  }

  ChangedCopy& copy_;
  Engine engine_;
  const int repeats_;
  const double peer_;
};

void run(const std::string& database, const Options& options) {
  ChangedCopy copy(database);
  Settings settings;
  settings.backend.kind = options.kind;
  settings.backend.threads = options.threads;
  std::vector<double> opened;
  for (int i = 0; i < options.opened; ++i)
    opened.push_back(1e3 * seconds_of([&] { Engine(copy.path(), settings); }));
  const double peer = opened.empty() ? 0 : percentile(opened, .5);
  if (!opened.empty()) std::printf("opened anew: %.1f ms\n", peer);
  RefreshRun refreshes(copy, settings, options.repeats, peer);
  for (const bool append : {true, false})
    for (const int documents : options.changes) refreshes.follow(documents, append);
}

}  // namespace

void run_bench(std::vector<std::string> arguments) {
  const auto named =
      first_arguments(arguments, 1,
                      "refresh_bench DATABASE [--repeats N] [--opened N] [--changes N,N,...] "
                      "[--kind cpu|cuda] [--threads N]");
  Options options;
  read_options(arguments,
               {{"--repeats", into(options.repeats)},
                {"--opened", into(options.opened)},
                {"--changes", [&](const std::string& list) { options.changes = numbers_of(list); }},
                {"--kind", into(options.kind)},
                {"--threads", into(options.threads)}});
  run(named[0], options);
}

}  // namespace kindred::bench
