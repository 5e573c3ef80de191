// Speed of text analysis on one core, against Xapian::TermGenerator on the same documents;
// docs/quality.md keeps the figures.
//
//   analyzer_bench RECORDS.jsonl[.gz] [--language CODE] [--repeats N]
//
// The titles and texts of at most 50 MB of records. In each repeat, the systems go over all
// documents in turn; the figure is the median. MB are 1e6 bytes.
#include <unicode/uversion.h>
#include <xapian.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/analyzer.h"
#include "plugin/input/record.h"
#include "plugin/input/record_reader.h"
#include "tests/bench/options.h"
#include "tests/bench/timing.h"

namespace kindred::bench {
namespace {

struct Options {
  std::string language = "en";
  std::size_t repeats = 5;
};

constexpr std::size_t kMostBytes = 50'000'000;

struct Documents {
  std::vector<std::string> texts;
  std::size_t bytes = 0;
};

Documents read_documents(const std::string& path) {
  Documents documents;
  RecordReader reader(path);
  while (const auto line = reader.next()) {
    const Record record = parse_record(line->text);
    documents.texts.push_back(record.title + "\n" + record.text);
    documents.bytes += documents.texts.back().size();
    if (documents.bytes >= kMostBytes) break;
  }
  return documents;
}

/// A way of analyzing one document; returns its number of distinct terms.
struct System {
  std::string name;
  std::function<std::size_t(const std::string&)> analyze;
  std::vector<double> seconds{};
  std::size_t terms = 0;
};

void run_once(System& system, const Documents& documents) {
  system.terms = 0;
  system.seconds.push_back(seconds_of<processor_seconds>([&] {
    for (const std::string& text : documents.texts) system.terms += system.analyze(text);
  }));
}

std::size_t xapian_terms(Xapian::TermGenerator& generator, const std::string& text,
                         bool positions) {
  Xapian::Document document;
  generator.set_document(document);
  if (positions)
    generator.index_text(text);
  else
    generator.index_text_without_positions(text);
  return document.termlist_count();
}

Xapian::Stem stemmer_of(const std::string& language) {
  try {
    return Xapian::Stem(language);
  } catch (const Xapian::InvalidArgumentError&) {
    return Xapian::Stem("none");
  }
}

void report(const std::vector<System>& systems, const Documents& documents) {
  const double megabytes = static_cast<double>(documents.bytes) / 1e6;
  std::printf("%zu documents, %.1f MB; ICU %s, Xapian %s\n", documents.texts.size(), megabytes,
              U_ICU_VERSION, Xapian::version_string());
  std::printf("%-36s %8s %8s %8s %12s\n", "", "MB/s", "best", "ratio", "terms");
  for (const System& s : systems) {
    const double rate = megabytes / percentile(s.seconds, .5);
    const double best = megabytes / percentile(s.seconds, 0);
    const double ratio = percentile(s.seconds, .5) / percentile(systems.front().seconds, .5);
    std::printf("%-36s %8.1f %8.1f %8.2f %12zu\n", s.name.c_str(), rate, best, ratio, s.terms);
  }
}

void run(const std::string& file, const Options& options) {
  const Documents documents = read_documents(file);
  Analyzer analyzer(AnalyzerSettings{}, options.language);
  Xapian::TermGenerator generator;
  generator.set_stemmer(stemmer_of(analyzer.language()));
  std::vector<System> systems;
  systems.push_back(
      {"kindred analyze", [&](const std::string& d) { return analyzer.analyze(d).size(); }});
  systems.push_back(
      {"kindred tokens", [&](const std::string& d) { return analyzer.tokens(d).size(); }});
  systems.push_back({"Xapian::TermGenerator",
                     [&](const std::string& d) { return xapian_terms(generator, d, true); }});
  systems.push_back({"Xapian::TermGenerator, no positions",
                     [&](const std::string& d) { return xapian_terms(generator, d, false); }});
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat)
    for (System& system : systems) run_once(system, documents);
  report(systems, documents);
}

}  // namespace

void run_bench(std::vector<std::string> arguments) {
  const auto named =
      first_arguments(arguments, 1, "analyzer_bench RECORDS [--language CODE] [--repeats N]");
  Options options;
  read_options(arguments,
               {{"--language", into(options.language)}, {"--repeats", into(options.repeats)}});
  run(named[0], options);
}

}  // namespace kindred::bench
