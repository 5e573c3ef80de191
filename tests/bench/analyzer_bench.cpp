// Speed of text analysis on one core, against Xapian::TermGenerator on the same documents;
// docs/quality.md keeps the figures.
//
//   analyzer_bench [--language CODE] [--lemmas ITEM] [--compounds ITEM] [--repeats N]
//                  [--threads N] FILE
//
// FILE: .jsonl or .jsonl.gz (the fields "title" and "text" of every line), or plain text (one
// document), of which at most 50 MB are used. In each repeat, the systems go over all documents in
// turn; the figure is the median. MB are 1e6 bytes. The memory that opening the analyzer takes is
// printed, too. ITEM is one of analyzer.lemmas, such as en=hunspell; it adds an analysis with
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
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "analyzer/analyzer.h"
#include "tests/bench/options.h"

namespace kindred::bench {
namespace {

struct Options {
  std::string file;
  std::string language = "en";
  std::string lemmas;
  std::string compounds;
  std::size_t threads = 0;
  std::size_t repeats = 5;
};

constexpr std::size_t kMostBytes = 50'000'000;

using Documents = std::vector<std::string>;

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
  const bool lines = options.file.find(".jsonl") != std::string::npos;
  const std::string content = read_all(options.file, lines ? 2 * kMostBytes : kMostBytes);
  if (!lines) return {content};
  Documents documents;
  std::size_t bytes = 0;
  for (std::size_t begin = 0; begin < content.size() && bytes < kMostBytes;) {
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

void report(const std::vector<System>& systems, std::size_t documents, double megabytes) {
  std::printf("%zu documents, %.1f MB; ICU %s, Xapian %s\n", documents, megabytes, U_ICU_VERSION,
              Xapian::version_string());
  std::printf("%-36s %8s %8s %8s %12s\n", "", "MB/s", "best", "ratio", "terms");
  for (const System& s : systems) {
    const double rate = megabytes / median(s.seconds);
    const double best = megabytes / *std::min_element(s.seconds.begin(), s.seconds.end());
    const double ratio = median(s.seconds) / median(systems.front().seconds);
    std::printf("%-36s %8.1f %8.1f %8.2f %12zu\n", s.name.c_str(), rate, best, ratio, s.terms);
  }
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
  std::printf("analyzer: %.1f MB\n", resident_megabytes() - bare);
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
    std::printf("dictionaries: %.1f MB\n", resident_megabytes() - before);
    systems.push_back({"kindred analyze, dictionaries",
                       [&](const std::string& d) { return with_dictionary->analyze(d).size(); }});
  }
  systems.push_back({"Xapian::TermGenerator",
                     [&](const std::string& d) { return xapian_terms(generator, d, true); }});
  systems.push_back({"Xapian::TermGenerator, no positions",
                     [&](const std::string& d) { return xapian_terms(generator, d, false); }});
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat)
    for (System& system : systems) system.seconds.push_back(seconds_of(system, documents));
  report(systems, documents.size(), bytes / 1e6);
  for (std::size_t count = 1; count <= options.threads; ++count)
    run_threads(count, settings, options.language, documents, bytes / 1e6);
}

Options parse(std::vector<std::string> arguments) {
  if (arguments.empty()) throw std::invalid_argument("no file is named");
  Options options;
  options.file = arguments.back();
  arguments.pop_back();
  const auto text = [](std::string& option) {
    return [&option](const std::string& value) { option = value; };
  };
  const auto number = [](std::size_t& option) {
    return [&option](const std::string& value) { option = std::stoul(value); };
  };
  read_options(arguments, {{"--language", text(options.language)},
                           {"--lemmas", text(options.lemmas)},
                           {"--compounds", text(options.compounds)},
                           {"--threads", number(options.threads)},
                           {"--repeats", number(options.repeats)}});
  return options;
}

}  // namespace
}  // namespace kindred::bench

int main(int argc, char** argv) {
  try {
    kindred::bench::run(kindred::bench::parse({argv + 1, argv + argc}));
    return 0;
  } catch (const Xapian::Error& e) {
    std::fprintf(stderr, "analyzer_bench: %s\n", e.get_description().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "analyzer_bench: %s\n", e.what());
  }
  return 1;
}
