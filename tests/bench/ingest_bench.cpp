// Time of ingest, with tagging, beside that of a bare Xapian::WritableDatabase.
//
//   ingest_bench RECORDS.jsonl[.gz] DIRECTORY [DOCUMENTS [SETTINGS.toml [ROUNDS]]]
//
// The records with labels are indexed first, as voters, as many as there are in the file. Then
// DOCUMENTS records (default 20000), drawn from the file in turn under ids of their own and without
// labels, are ingested and tagged. The peer writes the same documents, ready-made by Kindred's
// analysis and with their tags, with replace_document(), and commits as often. Databases are made
// in DIRECTORY, and removed at the end. Processor time is that of all threads together.
#include <xapian.h>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/analyzer.h"
#include "config/settings.h"
#include "plugin/documents/features.h"
#include "plugin/input/record.h"
#include "plugin/input/record_reader.h"
#include "plugin/writing/dead_letters.h"
#include "plugin/writing/ingest.h"
#include "tests/bench/options.h"
#include "tests/bench/timing.h"

namespace kindred::bench {
namespace {

struct Input {
  std::vector<Record> voters;
  std::vector<std::string> lines;  ///< JSON, without labels
};

Input read_input(const std::string& path, std::size_t documents) {
  Input input;
  RecordReader reader(path);
  while (const auto line = reader.next()) {
    Record record = parse_record(line->text);
    if (!record.labels.empty()) input.voters.push_back(std::move(record));
  }
  for (std::size_t i = 0; i < documents; ++i) {
    Record record = input.voters[i % input.voters.size()];
    record.id = "new" + std::to_string(i);
    record.labels.clear();
    record.replaces_labels = false;
    input.lines.push_back(record_json(record));
  }
  return input;
}

void write_voters(const std::string& path, const Input& input, const Settings& settings) {
  IngestOptions options;
  options.tag = false;
  Ingest ingest(path, settings, options);
  for (const Record& record : input.voters) ingest.add(record);
  ingest.commit();
}

IngestReport ingest_all(const std::string& path, const Input& input, const Settings& settings) {
  Ingest ingest(path, settings);
  for (const std::string& line : input.lines) ingest.add_json(line);
  ingest.commit();
  return ingest.report();
}

/// The documents as ingest has left them, tags included.
std::vector<Xapian::Document> made_documents(const std::string& path, const Input& input,
                                             const Settings& settings) {
  const Xapian::Database database(path);
  Analyzer analyzer(settings.analyzer);
  std::vector<Xapian::Document> documents;
  TermBag features;
  for (const std::string& line : input.lines) {
    const Record record = parse_record(line);
    Xapian::Document& document =
        documents.emplace_back(make_document(record, settings, analyzer, features));
    const Xapian::Document stored =
        database.get_document(*database.postlist_begin(settings.index.id_prefix + record.id));
    const std::string& tags = settings.labels.predicted_prefix;
    auto term = stored.termlist_begin();
    for (term.skip_to(tags); term != stored.termlist_end() && (*term).starts_with(tags); ++term) {
      document.add_boolean_term(*term);
    }
    const auto slot = static_cast<Xapian::valueno>(settings.labels.prediction_slot);
    document.add_value(slot, stored.get_value(slot));
    document.add_boolean_term(kTaggedTerm);
  }
  return documents;
}

void write_bare(const std::string& path, const std::vector<Xapian::Document>& documents,
                const Settings& settings) {
  Xapian::WritableDatabase database(path, Xapian::DB_OPEN);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    database.replace_document(settings.index.id_prefix + "new" + std::to_string(i), documents[i]);
    if ((i + 1) % static_cast<std::size_t>(settings.index.batch) == 0) database.commit();
  }
  database.commit();
}

void run(const std::string& file, const std::string& directory, std::size_t documents,
         const Settings& settings, int rounds) {
  namespace fs = std::filesystem;
  const Input input = read_input(file, documents);
  std::size_t bytes = 0;
  for (const std::string& line : input.lines) bytes += line.size();
  const std::string voters = directory + "/ingest_bench.voters";
  const std::string path = directory + "/ingest_bench.db";
  const auto fresh = [&] {
    fs::remove_all(path);
    fs::copy(voters, path, fs::copy_options::recursive);
  };
  fs::remove_all(voters);
  std::printf("%zu voters; %.0f bytes of JSON a document\n", input.voters.size(),
              static_cast<double>(bytes) / static_cast<double>(documents));
  print_throughput_head();
  measure("index the voters", input.voters.size(), [&] { write_voters(voters, input, settings); });
  std::vector<Xapian::Document> made;
  for (int round = 0; round < rounds; ++round) {
    fresh();
    IngestReport report;
    const double own = measure("ingest, tagged", documents, [&] {
                         report = ingest_all(path, input, settings);
                       }).per_second;
    std::printf("%-36s %9zu\n", "  of these tagged", static_cast<std::size_t>(report.tagged));
    if (made.empty()) made = made_documents(path, input, settings);
    fresh();
    const double peer = measure("bare WritableDatabase", documents, [&] {
                          write_bare(path, made, settings);
                        }).per_second;
    std::printf("ingest is %.2f times as fast as the bare database\n", own / peer);
  }
  fs::remove_all(path);
  fs::remove_all(voters);
}

}  // namespace

void run_bench(std::vector<std::string> more) {
  const auto named = first_arguments(
      more, 2, "ingest_bench RECORDS DIRECTORY [DOCUMENTS [SETTINGS.toml [ROUNDS]]]");
  run(named[0], named[1], !more.empty() ? std::stoul(more[0]) : 20000,
      more.size() > 1 ? load_settings(more[1]) : Settings(),
      more.size() > 2 ? std::stoi(more[2]) : 3);
}

}  // namespace kindred::bench
