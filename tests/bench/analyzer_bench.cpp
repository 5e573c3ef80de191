// Speed of text analysis on one core, against Xapian::TermGenerator on the same documents;
// docs/benchmarks.md keeps the figures.
//
//   analyzer_bench [--json] [--language CODE] [--lemmas ITEM] [--compounds ITEM]
//                  [--repeats N] [--megabytes N] [--threads N] [FILE]
//
// FILE: .jsonl or .jsonl.gz (the fields "title" and "text" of every line), or plain text (one
// document). Without a file: a fixed English-looking text with word frequencies by Zipf's law. At
// most the first --megabytes of a file are used. In each repeat, the systems go over all documents
// in turn; the figure is the median. MB are 1e6 bytes. The memory that opening the analyzer takes
// is printed, too. ITEM is one of analyzer.lemmas, such as en=hunspell; it adds an analysis with
// lemmas, and the memory that opening it takes. So does one of analyzer.compounds. With --threads,
// 1 to N threads then go over all documents, each with an analyzer of its own (with the lemmas and
// compounds): MB/s of all together, by the clock and by processor. tests/gpu_host/stage.sh stages
// it for a machine with more cores.
#include <unicode/uversion.h>
#include <unistd.h>
#include <xapian.h>
#include <zlib.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "analyzer/analyzer.h"

namespace kindred::bench {
namespace {

struct Options {
  std::string file;
  std::string language = "en";
  std::string lemmas;
  std::string compounds;
  std::size_t threads = 0;
  std::size_t repeats = 5;
  std::size_t bytes = 50'000'000;
  bool json = false;
};

using Documents = std::vector<std::string>;

std::string make_word(std::mt19937_64& random, std::size_t rank) {
  static const char* const kSyllables[] = {"an", "ter", "ing", "pro", "con", "e",  "ment", "al",
                                           "is", "st",  "er",  "ion", "re",  "ly", "ed",   "o"};
  const std::size_t syllables = 1 + (rank > 60) + (rank > 1500) + random() % 2;
  std::string word;
  for (std::size_t i = 0; i < syllables; ++i) word += kSyllables[random() % 16];
  return word;
}

Documents zipf_documents(std::size_t bytes) {
  constexpr std::size_t kWords = 60'000;
  std::mt19937_64 random(42);
  std::vector<std::string> words;
  for (std::size_t rank = 0; rank < kWords; ++rank) words.push_back(make_word(random, rank));
  Documents documents;
  for (std::size_t made = 0; made < bytes; made += documents.back().size()) {
    std::string text;
    while (text.size() < 1000) {
      const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
      std::string word = words[static_cast<std::size_t>(std::pow(double{kWords}, uniform)) - 1];
      const std::uint64_t luck = random() % 64;
      if (luck < 5) word[0] = static_cast<char>(word[0] - 'a' + 'A');
      text += word + (luck == 5 ? "'s " : luck == 6 ? ". " : luck == 7 ? ", " : " ");
    }
    documents.push_back(std::move(text));
  }
  return documents;
}

std::string read_all(const std::string& path, std::size_t most) {
  const gzFile file = gzopen(path.c_str(), "rb");  // reads what is not compressed, too
  if (file == nullptr) throw std::runtime_error(path + ": cannot open");
  std::string content(most, '\0');
  std::size_t size = 0;
  for (int got = 1; got > 0 && size < most; size += static_cast<std::size_t>(std::max(got, 0)))
    got = gzread(file, content.data() + size,
                 static_cast<unsigned>(std::min<std::size_t>(most - size, 1 << 20)));
  gzclose(file);
  content.resize(size);
  return content;
}

Documents read_documents(const Options& options) {
  if (options.file.empty()) return zipf_documents(options.bytes);
  const bool lines = options.file.find(".jsonl") != std::string::npos;
  const std::string content = read_all(options.file, options.bytes + (lines ? options.bytes : 0));
  if (!lines) return {content};
  Documents documents;
  std::size_t bytes = 0;
  for (std::size_t begin = 0; begin < content.size() && bytes < options.bytes;) {
    const std::size_t end = content.find('\n', begin);
    if (end == std::string::npos) break;  // the last line may be cut
    const auto line = nlohmann::json::parse(content.begin() + static_cast<std::ptrdiff_t>(begin),
                                            content.begin() + static_cast<std::ptrdiff_t>(end));
    documents.push_back(line.value("title", "") + "\n" + line.value("text", ""));
    bytes += documents.back().size();
    begin = end + 1;
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

// Processor time of this thread: other programs on the machine disturb it less than the wall clock.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(System& system, const Documents& documents) {
  const double start = processor_seconds();
  system.terms = 0;
  for (const std::string& document : documents) system.terms += system.analyze(document);
  return processor_seconds() - start;
}

double resident_megabytes() {
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
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

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Xapian::Stem stemmer_of(const std::string& language) {
  try {
    return Xapian::Stem(language);
  } catch (const Xapian::InvalidArgumentError&) {
    return Xapian::Stem("none");
  }
}

void report(const std::vector<System>& systems, std::size_t documents, double megabytes,
            bool as_json) {
  nlohmann::json json = {{"documents", documents}, {"megabytes", megabytes}, {"systems", {}}};
  if (!as_json) {
    std::printf("%zu documents, %.1f MB; ICU %s, Xapian %s\n", documents, megabytes, U_ICU_VERSION,
                Xapian::version_string());
    std::printf("%-36s %8s %8s %8s %12s\n", "", "MB/s", "best", "ratio", "terms");
  }
  for (const System& s : systems) {
    const double rate = megabytes / median(s.seconds);
    const double best = megabytes / *std::min_element(s.seconds.begin(), s.seconds.end());
    const double ratio = median(s.seconds) / median(systems.front().seconds);
    if (!as_json)
      std::printf("%-36s %8.1f %8.1f %8.2f %12zu\n", s.name.c_str(), rate, best, ratio, s.terms);
    json["systems"].push_back(
        {{"name", s.name}, {"mb_per_s", rate}, {"best_mb_per_s", best}, {"terms", s.terms}});
  }
  if (as_json) std::printf("%s\n", json.dump(2).c_str());
}

/// Each thread goes over all documents twice; the first time warms its analyzer up.
void run_threads(std::size_t count, const AnalyzerSettings& settings, const std::string& language,
                 const Documents& documents, double megabytes) {
  std::barrier<> warm(static_cast<std::ptrdiff_t>(count) + 1);
  std::vector<double> seconds(count);
  std::vector<std::thread> threads;
  for (double& taken : seconds)
    threads.emplace_back([&] {
      Analyzer analyzer(settings, language);
      System system{"", [&](const std::string& d) { return analyzer.analyze(d).size(); }};
      seconds_of(system, documents);
      warm.arrive_and_wait();
      taken = seconds_of(system, documents);
    });
  warm.arrive_and_wait();
  const auto start = std::chrono::steady_clock::now();
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> clock = std::chrono::steady_clock::now() - start;
  const double processor = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const double all = megabytes * static_cast<double>(count);
  std::printf("%zu threads: %.1f MB/s by the clock, %.1f by processor\n", count,
              all / clock.count(), all / processor);
}

void run(const Options& options) {
  const Documents documents = read_documents(options);
  double bytes = 0;
  for (const std::string& d : documents) bytes += static_cast<double>(d.size());

  const double bare = resident_megabytes();
  Analyzer analyzer(AnalyzerSettings{}, options.language);
  if (!options.json) std::printf("analyzer: %.1f MB\n", resident_megabytes() - bare);
  Xapian::TermGenerator generator;
  generator.set_stemmer(stemmer_of(analyzer.language()));
  std::vector<System> systems;
  systems.push_back(
      {"kindred analyze", [&](const std::string& d) { return analyzer.analyze(d).size(); }});
  systems.push_back(
      {"kindred tokens", [&](const std::string& d) { return analyzer.tokens(d).size(); }});
  AnalyzerSettings settings;
  if (!options.lemmas.empty()) settings.lemmas = {options.lemmas};
  if (!options.compounds.empty()) settings.compounds = {options.compounds};
  std::unique_ptr<Analyzer> with_dictionary;
  if (!options.lemmas.empty() || !options.compounds.empty()) {
    const double before = resident_megabytes();
    with_dictionary = std::make_unique<Analyzer>(settings, options.language);
    if (!options.json) std::printf("dictionaries: %.1f MB\n", resident_megabytes() - before);
    systems.push_back({"kindred analyze, dictionaries",
                       [&](const std::string& d) { return with_dictionary->analyze(d).size(); }});
  }
  systems.push_back({"Xapian::TermGenerator",
                     [&](const std::string& d) { return xapian_terms(generator, d, true); }});
  systems.push_back({"Xapian::TermGenerator, no positions",
                     [&](const std::string& d) { return xapian_terms(generator, d, false); }});
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat)
    for (System& system : systems) system.seconds.push_back(seconds_of(system, documents));
  report(systems, documents.size(), bytes / 1e6, options.json);
  for (std::size_t count = 1; count <= options.threads; ++count)
    run_threads(count, settings, options.language, documents, bytes / 1e6);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) throw std::runtime_error(argument + " needs a value");
      return argv[++i];
    };
    if (argument == "--json")
      options.json = true;
    else if (argument == "--language")
      options.language = value();
    else if (argument == "--lemmas")
      options.lemmas = value();
    else if (argument == "--compounds")
      options.compounds = value();
    else if (argument == "--threads")
      options.threads = std::stoul(value());
    else if (argument == "--repeats")
      options.repeats = std::max<std::size_t>(1, std::stoul(value()));
    else if (argument == "--megabytes")
      options.bytes = std::max<std::size_t>(1, std::stoul(value())) * 1'000'000;
    else
      options.file = argument;
  }
  return options;
}

}  // namespace
}  // namespace kindred::bench

int main(int argc, char** argv) {
  try {
    kindred::bench::run(kindred::bench::parse(argc, argv));
    return 0;
  } catch (const Xapian::Error& e) {
    std::fprintf(stderr, "analyzer_bench: %s\n", e.get_description().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "analyzer_bench: %s\n", e.what());
  }
  return 1;
}
