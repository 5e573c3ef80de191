// Time to follow what another writer changed in a database, beside opening the database anew.
//
//   refresh_bench DATABASE [--repeats N] [--changes N,N,...] [--kind cpu|cuda] [--threads N]
//                 [--tuned N]
//
// Works on a copy of the database in the folder for temporary files. A writer that is not Kindred's
// adds or replaces documents, spread over the database, and commits; the time is that of
// Engine::refresh() afterwards, to the snapshot from which questions are answered, by the clock and
// of all processors. The peer is a new Engine in the same run. The last line is the most memory
// that the process held, beside what a snapshot holds.
//
// --tuned N tunes the copy first, on a sample of N documents. Then the model of the tags follows,
// too, with sums of classes, which one question has made before. Class sums and tiles are not made
// where an engine is only opened.
#include <sys/resource.h>
#include <xapian.h>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/settings.h"
#include "plugin/engine.h"
#include "plugin/votes/tuning.h"
#include "tests/bench/options.h"
#include "tests/bench/statistics.h"

namespace kindred::bench {
namespace {

/// What work took, in milliseconds.
struct Took {
  std::vector<double> clock, processors;  ///< the latter: of all threads of this process

  void measure(const std::function<void()>& work) {
    const std::clock_t before = std::clock();
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - start;
    clock.push_back(passed.count());
    processors.push_back(1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
  }
};

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

void report(const char* name, const Took& took, double peer) {
  const double median = percentile(took.clock, .5);
  std::printf("%-32s %10.1f %10.1f %10.1f %10.1f %12.1f\n", name, median, percentile(took.clock, 0),
              percentile(took.clock, 1), percentile(took.processors, .5), peer / median);
}

struct Options {
  int repeats = 5;
  std::vector<int> changes = {1, 1000};
  std::string kind = "cpu";
  int threads = 0;
  int tuned = 0;  ///< documents of the sample; 0: no tuning
};

std::vector<int> numbers_of(const std::string& list) {
  std::vector<int> numbers;
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');) numbers.push_back(std::stoi(item));
  return numbers;
}

/// The most memory that the process held, in MB.
double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e3;
}

void tune(const std::string& path, Settings settings, int sample) {
  TuneRequest request;
  request.term_weights = {"kl"};
  request.sample = sample;
  settings.classify.use_tuning = false;
  write_tuning(path, Engine(path, settings).tune(request).tuning);
}

/// Asks for the tags of the first document, by a vote that compares it with whole labels.
void make_class_sums(const Engine& engine) {
  ClassifyRequest request;
  request.vote = "centroid";
  engine.classify(Docid{engine.matching("").front()}, request);
}

void run(const std::string& database, const Options& options) {
  ChangedCopy copy(database);
  Settings settings;
  settings.backend.kind = options.kind;
  settings.backend.threads = options.threads;
  if (options.tuned > 0) tune(copy.path(), settings, options.tuned);
  Took opened;
  for (int i = 0; i < options.repeats; ++i) opened.measure([&] { Engine(copy.path(), settings); });
  Engine engine(copy.path(), settings);
  if (options.tuned > 0) make_class_sums(engine);
  const Status status = engine.status();
  const double peer = percentile(opened.clock, .5);
  std::printf("%llu documents, %llu non-zeros, %s\n%-32s %10s %10s %10s %10s %12s\n",
              static_cast<unsigned long long>(status.documents),
              static_cast<unsigned long long>(status.nonzeros), status.device.c_str(), "", "ms",
              "least", "most", "processors", "opened / it");
  report("opened anew", opened, peer);
  const auto follow = [&](int documents, bool append) {
    Took took;
    for (int i = 0; i < options.repeats; ++i) {
      copy.change(documents, append);
      took.measure([&] { engine.refresh(); });
    }
    report((std::to_string(documents) + (append ? " added" : " replaced")).c_str(), took, peer);
  };
  for (const int documents : options.changes) follow(documents, true);
  for (const int documents : options.changes) follow(documents, false);
  std::printf("%.0f MB at most; the snapshot holds %.0f MB\n", peak_memory(),
              static_cast<double>(engine.status().bytes) / 1e6);
}

}  // namespace
}  // namespace kindred::bench

int main(int argc, char** argv) {
  kindred::bench::Options options;
  try {
    if (argc < 2) {
      throw std::invalid_argument(
          "usage: refresh_bench DATABASE [--repeats N] [--changes N,N,...] [--kind cpu|cuda] "
          "[--threads N] [--tuned N]");
    }
    kindred::bench::read_options(
        {argv + 2, argv + argc},
        {{"--repeats", [&](const std::string& value) { options.repeats = std::stoi(value); }},
         {"--changes",
          [&](const std::string& value) { options.changes = kindred::bench::numbers_of(value); }},
         {"--kind", [&](const std::string& value) { options.kind = value; }},
         {"--threads", [&](const std::string& value) { options.threads = std::stoi(value); }},
         {"--tuned", [&](const std::string& value) { options.tuned = std::stoi(value); }}});
    kindred::bench::run(argv[1], options);
    return 0;
  } catch (const Xapian::Error& e) {
    std::fprintf(stderr, "refresh_bench: %s\n", e.get_description().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "refresh_bench: %s\n", e.what());
  }
  return 1;
}
