// Time of a tagging run over an index beside that of Xapian adding one term to the same documents.
//
//   tagging_bench DATABASE [SETTINGS.toml]
//
// Works on copies of the database directory, made beside it and removed at the end. Processor time
// is that of all threads together.
#include <xapian.h>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "config/settings.h"
#include "plugin/writing/tagging.h"
#include "tests/bench/options.h"
#include "tests/bench/timing.h"

namespace kindred::bench {
namespace {

/// A copy of a database, removed at the end of the scope.
class Copy {
 public:
  explicit Copy(const std::string& database) : path_(database + ".tagging_bench") {
    std::filesystem::remove_all(path_);
    std::filesystem::copy(database, path_, std::filesystem::copy_options::recursive);
  }
  ~Copy() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The work that any program has to do to add a tag to documents.
void add_term(const std::string& path, const std::vector<TagChange>& changes) {
  Xapian::WritableDatabase database(path, Xapian::DB_OPEN);
  database.begin_transaction();
  for (const TagChange& change : changes) {
    Xapian::Document document = database.get_document(change.docid);
    document.add_boolean_term("XAUTObench");
    database.replace_document(change.docid, document);
  }
  database.commit_transaction();
}

void run(const std::string& database, const Settings& settings) {
  print_throughput_head();
  TagReport report;
  double own = 0;
  {
    const Copy copy(database);
    Engine engine(copy.path(), settings);
    TagRequest request;
    request.dry_run = true;
    request.sample = std::numeric_limits<std::size_t>::max();
    report = tag_documents(engine, request);
    measure("examine, of which some change", report.examined,
            [&] { tag_documents(engine, request); });
    request.dry_run = false;
    own = measure("examine, and write those", report.written, [&] {
            tag_documents(engine, request);
          }).seconds;
    measure("run again, nothing to write", report.examined, [&] { tag_documents(engine, {}); });
  }
  const Copy copy(database);
  const double peer = measure("Xapian: add one term to the same", report.sample.size(), [&] {
                        add_term(copy.path(), report.sample);
                      }).seconds;
  std::printf("a run that examines and writes takes %.2f times what Xapian takes to write\n",
              own / peer);
}

}  // namespace

void run_bench(std::vector<std::string> arguments) {
  const auto named = first_arguments(arguments, 1, "tagging_bench DATABASE [SETTINGS.toml]");
  run(named[0], arguments.empty() ? Settings() : load_settings(arguments[0]));
}

}  // namespace kindred::bench
