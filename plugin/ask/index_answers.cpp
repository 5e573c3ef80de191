// The questions about what an index holds.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyzer/lemmas/dictionary_files.h"
#include "plugin/ask/asking.h"
#include "plugin/documents/analyzed_text.h"
#include "plugin/input/document_data.h"
#include "plugin/snapshot/document_lists.h"
#include "plugin/store/settled_settings.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

/// The prefixes of the features, the longest first, so that each takes its own.
std::vector<std::string> feature_prefixes_of(const Settings& settings) {
  std::vector<std::string> prefixes = settings.mirror.term_prefixes;
  if (prefixes.empty()) prefixes = {"Z"};
  std::sort(prefixes.rbegin(), prefixes.rend());
  return prefixes;
}

/// The features without their prefixes, in their order. What is the same without it adds up.
TermBag without_prefixes(const TermBag& features, const std::vector<std::string>& prefixes) {
  constexpr std::uint32_t kMostCount = 65535;
  std::unordered_map<std::string_view, std::size_t> places;
  TermBag terms;
  for (const TermCount& feature : features) {
    std::string_view term = feature.term;
    for (const std::string& prefix : prefixes) {
      const auto value = value_under(prefix, feature.term);
      if (!value) continue;
      term = *value;
      break;
    }
    const auto [place, is_new] = places.try_emplace(term, terms.size());
    if (is_new) terms.push_back({std::string(term), 0});
    TermCount& count = terms[place->second];
    count.count = std::min(count.count + feature.count, kMostCount);
  }
  return terms;
}

void fill(const ParsedQuery& parsed, api::AnalyzeAnswer& answer) {
  for (const QueryWord& word : parsed.words) {
    api::AnalyzedWord& made = answer.words.emplace_back();
    made.word = word.word;
    made.terms = word.terms;
  }
  answer.query = written_name(parsed.query.serialise());
}

void fill(const AnalyzedText& analyzed, api::AnalyzeAnswer& answer) {
  answer.language = analyzed.language;
  answer.prefix = analyzed.prefix;
  for (const AnalyzedWord& word : analyzed.words)
    answer.words.push_back(
        {word.word, word.term, word.position, word.stop_word, word.joined, std::nullopt});
}

void add_survey(const std::vector<PrefixCount>& prefixes, api::StatusAnswer& answer) {
  answer.prefixes.emplace();
  for (const PrefixCount& count : prefixes)
    answer.prefixes->push_back({count.prefix, count.terms, count.documents});
  answer.dictionaries.emplace();
  for (const auto& files : installed_dictionaries())
    answer.dictionaries->push_back({files.name, files.path});
}

}  // namespace

api::DocumentsAnswer answer(Asking& asking, const api::DocumentsRequest& asked) {
  StoredDocuments found = asking.reading().documents(asked.examples, asking.pulse);
  return {found, std::move(found.documents)};
}

api::MatchingAnswer answer(Asking& asking, const api::MatchingRequest& asked) {
  MatchingRequest request;
  request.query = asked.query;
  request.limit = asked.limit;
  request.offset = asked.offset;
  request.documents = true;
  request.pulse = asking.pulse;
  const MatchingDocuments found = asking.reading().matching(request);
  std::vector<std::string> titles =
      read_titles(asking.reading().database(), found.docids, asking.pulse);

  auto answer = asking.answer<api::MatchingAnswer>();
  answer.found = found.found;
  for (const StoredDocument& document : found.documents) {
    asking.pulse();
    answer.documents.push_back({document.id, document.docid,
                                std::move(titles[answer.documents.size()]), document.labels,
                                document.predicted});
  }
  answer.next = next_offset(asked.offset, answer.documents.size(), found.found);
  return answer;
}

api::LabelsAnswer answer(Asking& asking, const api::LabelsRequest&) {
  const LabelCounts counts = asking.reading().label_counts(asking.pulse);
  api::LabelsAnswer answer{counts, {}};
  for (const LabelCount& label : counts.labels)
    answer.labels.push_back({label.name, label.documents, label.predicted, label.rejected});
  return answer;
}

api::AnalyzeAnswer answer(Asking& asking, const api::AnalyzeRequest& asked) {
  if (asked.query.has_value() == asked.text.has_value())
    throw Error(Errc::kInvalidArgument, "analyze: expected either text or query");
  auto answer = asking.answer<api::AnalyzeAnswer>();
  const Reading& reading = asking.reading();
  if (asked.text) {
    fill(analyze_text(*asked.text, asked.lang, reading.mirror().prefixes,
                      reading.database().analyzers()),
         answer);
    return answer;
  }

  QueryStyle style;
  style.partial = asked.partial;
  style.most_frequent = static_cast<Xapian::termcount>(asked.most_frequent);
  fill(reading.parse(*asked.query, style), answer);
  return answer;
}

api::StatusAnswer answer(Asking& asking, const api::StatusRequest& asked) {
  const Reading& reading = asking.reading();
  const Status status = reading.status();
  auto answer = asking.answer<api::StatusAnswer>();
  answer.documents = status.documents;
  answer.terms = status.terms;
  answer.nonzeros = status.nonzeros;
  answer.labels = status.labels;
  answer.uuid = status.uuid;
  answer.backend = status.backend;
  answer.device = status.device;
  answer.bytes = status.bytes;
  answer.labeled = status.labeled;
  answer.compute_capability = status.compute_capability;
  answer.device_bytes = status.device_bytes;
  answer.tagged = status.tagged;
  answer.pending = status.pending;
  answer.opted_out = status.opted_out;
  answer.rejected = status.rejected;
  answer.tuning = status.tuning;
  answer.tuning_due = status.tuning_due;
  answer.tuning_unused = status.tuning_unused;
  answer.profile = status.profile;
  answer.remembered = status.remembered;

  const AnalysisRecord& analysis = status.analysis;
  answer.analysis.recorded = status.analysis_recorded;
  answer.analysis.rules.assign(analysis.rules.begin(), analysis.rules.end());
  answer.analysis.versions.assign(analysis.versions.begin(), analysis.versions.end());
  answer.analysis.other_versions = status.other_versions;
  if (!asked.survey && !asked.guess) return answer;

  const std::vector<PrefixCount> prefixes = reading.prefixes(asking.pulse);
  if (asked.survey) add_survey(prefixes, answer);
  if (!asked.guess) return answer;
  SettingsGuess guess = reading.guess_settings(prefixes);
  answer.guess = {std::move(guess.profile), std::move(guess.toml), std::move(guess.unknown)};
  return answer;
}

api::SettingsAnswer answer(Asking& asking, const api::SettingsRequest&) {
  const Settings settings = settled_settings(asking.index.path, asking.index.settings);
  return {{},
          settings.remembered,
          settings.index.profile,
          settings_toml(settings, keys_set(settings)),
          {settings_json(settings)}};
}

api::ExportAnswer answer(Asking& asking, const api::ExportRequest& asked) {
  MatchingRequest request;
  request.query = asked.query;
  request.features = asked.terms;
  request.limit = asked.limit;
  request.after = static_cast<Xapian::docid>(asked.after);
  request.documents = request.predictions = true;
  request.pulse = asking.pulse;
  MatchingDocuments found = asking.reading().matching(request);
  const std::vector<std::string> prefixes = feature_prefixes_of(asking.reading().settings());

  auto answer = asking.answer<api::ExportAnswer>();
  for (std::size_t i = 0; i < found.documents.size(); ++i) {
    asking.pulse();
    ExportedDocument& document = answer.documents.emplace_back();
    document.document = std::move(found.documents[i]);
    if (asked.terms) document.terms = without_prefixes(found.features[i], prefixes);
    const auto kept = kept_record(document.document.data, document.document.id);
    if (kept && kept->is_cut) ++answer.cut;
  }
  if (found.docids.size() < found.found) answer.next = found.docids.back();
  return answer;
}

api::SearchAnswer answer(Asking& asking, const api::SearchRequest& asked) {
  return asking.reading().search(asked, asking.pulse);
}

}  // namespace kindred
