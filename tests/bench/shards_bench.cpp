// Time of a tagging run over a stub of shards beside the same documents in one database.
//
//   shards_bench DATABASE [--shards N] [--backend auto|cpu|cuda] [--vote NAME] [--make 1]
//
// 4 shards and the vote "centroid" if not given.
// Divides the documents of the database among new shards beside it, which are removed at the end;
// writes nothing to the database itself. Every document that the run tags is written. The index is
// read once before each run that is timed; processor time is that of all threads together. With
// --make 1 it only makes the shards, which stay: DATABASE.shards_bench/stub is what several ranks
// may tag, with the settings that it prints.
#include <xapian.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "plugin/writing/tagging.h"
#include "tests/bench/options.h"
#include "tests/bench/throughput.h"

namespace kindred::bench {
namespace {

namespace fs = std::filesystem;

/// A document of the database. Nineteen of twenty lose their labels, so that they get tags.
Xapian::Document without_label(const Xapian::Database& database, Xapian::docid docid) {
  Xapian::Document document = database.get_document(docid);
  if (docid % 20 == 0) return document;
  std::vector<std::string> labels;
  for (auto it = document.termlist_begin(); it != document.termlist_end(); ++it)
    if ((*it).starts_with(LabelSettings().prefix)) labels.push_back(*it);
  for (const std::string& label : labels) document.remove_term(label);
  return document;
}

/// The documents of a database in shards that a stub lists, removed at the end of the scope.
class Shards {
 public:
  Shards(const std::string& database, unsigned count) : folder_(database + ".shards_bench") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream stub(path());
    std::vector<std::thread> writers;
    for (unsigned i = 0; i < count; ++i) {
      stub << "auto " << i << "\n";
      writers.emplace_back([&database, i, count, folder = folder_] {
        const Xapian::Database from(database);
        Xapian::WritableDatabase to(folder + "/" + std::to_string(i), Xapian::DB_CREATE);
        for (auto it = from.postlist_begin(""); it != from.postlist_end(""); ++it)
          if ((*it - 1) % count == i)
            to.replace_document((*it - 1) / count + 1, without_label(from, *it));
        to.commit();
      });
    }
    for (std::thread& writer : writers) writer.join();
  }
  void keep() { folder_.clear(); }
  ~Shards() {
    if (folder_.empty()) return;
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Shards(const Shards&) = delete;
  Shards& operator=(const Shards&) = delete;
  std::string path() const { return folder_ + "/stub"; }

 private:
  std::string folder_;
};

struct Options {
  unsigned shards = 4;
  bool make = false;
  Settings settings;
};

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  Settings& settings = options.settings;
  settings.classify.auto_tune = false;
  settings.classify.threshold = 0;  // all get a tag, so all are written
  settings.classify.vote = "centroid";
  read_options(arguments,
               {{"--shards",
                 [&](const std::string& value) {
                   options.shards = static_cast<unsigned>(std::stoul(value));
                 }},
                {"--backend", [&](const std::string& value) { settings.backend.kind = value; }},
                {"--vote", [&](const std::string& value) { settings.classify.vote = value; }},
                {"--make", [&](const std::string& value) { options.make = value == "1"; }}});
  return options;
}

void make(const std::string& database, const Options& options) {
  Shards(database, options.shards).keep();
  std::printf("[classify]\nauto_tune = false\nthreshold = 0\nvote = \"%s\"\n",
              options.settings.classify.vote.c_str());
}

double run(const std::string& database, unsigned shards, const Settings& settings) {
  const Shards copy(database, shards);
  Engine engine(copy.path(), settings);
  TagReport report;
  TagRequest dry;
  dry.dry_run = true;
  const std::size_t written = tag_documents(engine, dry).written;
  const std::string name = std::to_string(shards) + (shards == 1 ? " shard" : " shards");
  return measure(name.c_str(), written, [&] { report = tag_documents(engine, {}); }).seconds;
}

}  // namespace
}  // namespace kindred::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: shards_bench DATABASE [--shards N] [--backend KIND] [--vote NAME] "
                 "[--make 1]\n");
    return 2;
  }
  try {
    const auto options = kindred::bench::parse({argv + 2, argv + argc});
    if (options.make) {
      kindred::bench::make(argv[1], options);
      return 0;
    }
    kindred::bench::print_throughput_head();
    const double one = kindred::bench::run(argv[1], 1, options.settings);
    const double several = kindred::bench::run(argv[1], options.shards, options.settings);
    std::printf("%u shards are tagged %.2f times as fast as one\n", options.shards, one / several);
    return 0;
  } catch (const Xapian::Error& e) {
    std::fprintf(stderr, "shards_bench: %s\n", e.get_description().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "shards_bench: %s\n", e.what());
  }
  return 1;
}
