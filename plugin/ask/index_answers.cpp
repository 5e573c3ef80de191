// The questions about what an index holds.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyzer/lemmas/dictionary_files.h"
#include "analyzer/text/normal_form.h"
#include "config/error.h"
#include "plugin/ask/asking.h"
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

/// The labels that have the text that is asked for, or are called so, in the order that is asked
/// for. `vocabulary` may be null.
std::vector<const api::LabelCount*> selected_labels(const std::vector<api::LabelCount>& labels,
                                                    const Vocabulary* vocabulary,
                                                    const api::LabelsRequest& asked,
                                                    const Pulse& pulse) {
  const std::string part = folded_text(asked.query, TextFolding::kZim);
  std::unordered_set<std::string_view> called;
  if (vocabulary != nullptr)
    for (const std::size_t term : vocabulary->search(asked.query))
      called.insert(vocabulary->id(term));

  std::vector<const api::LabelCount*> selected;
  for (const api::LabelCount& label : labels) {
    pulse();
    const bool has_part =
        part.empty() || called.contains(label.label) ||
        folded_text(label.label, TextFolding::kZim).find(part) != std::string::npos;
    if (has_part) selected.push_back(&label);
  }

  // They come in byte order, which labels of as many documents keep.
  if (asked.sort == "documents") {
    std::ranges::stable_sort(selected, std::greater(), [](const api::LabelCount* label) {
      return label->documents + label->predicted;
    });
  }
  return selected;
}

void fill(const ParsedQuery& parsed, api::AnalyzeAnswer& answer) {
  for (const QueryWord& word : parsed.words) {
    api::AnalyzedWord& made = answer.words.emplace_back();
    made.word = word.word;
    made.terms = word.terms;
  }
  try {
    answer.query = written_name(parsed.query.serialise());
  } catch (const Xapian::UnimplementedError&) {
    throw Error(
        Errc::kUnsupported,
        "query: a label that a shard has is no term, so Xapian cannot look for it elsewhere");
  }
}

void add_survey(const std::vector<PrefixCount>& prefixes, api::StatusAnswer& answer) {
  answer.prefixes.emplace(prefixes.begin(), prefixes.end());
  answer.dictionaries.emplace();
  for (const auto& files : installed_dictionaries())
    answer.dictionaries->push_back({files.name, files.path});
}

}  // namespace

api::DocumentsAnswer answer(Asking& asking, const api::DocumentsRequest& asked) {
  return asking.reading().documents(asked.examples, asking.pulse);
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

api::LabelsAnswer answer(Asking& asking, const api::LabelsRequest& asked) {
  const auto counts = asking.reading().database().label_counts(asking.pulse);
  const auto found = selected_labels(counts->labels, asking.vocabulary(), asked, asking.pulse);

  const std::size_t first = std::min(static_cast<std::size_t>(asked.offset), found.size());
  const std::size_t left = found.size() - first;
  const std::size_t size =
      asked.limit ? std::min(static_cast<std::size_t>(*asked.limit), left) : left;

  api::LabelsAnswer answer;
  static_cast<Origin&>(answer) = *counts;
  for (const api::LabelCount* label : std::span(found).subspan(first, size))
    answer.labels.push_back(*label);
  answer.found = found.size();
  answer.next = next_offset(asked.offset, size, found.size());
  return answer;
}

api::AnalyzeAnswer answer(Asking& asking, const api::AnalyzeRequest& asked) {
  if (asked.query.has_value() == asked.text.has_value())
    throw Error(Errc::kInvalidArgument, "analyze: expected either text or query");
  if (asked.text) return asking.reading().analyze(*asked.text, asked.lang);

  QueryStyle style;
  style.partial = asked.partial;
  style.most_frequent = static_cast<Xapian::termcount>(asked.most_frequent);
  auto answer = asking.answer<api::AnalyzeAnswer>();
  fill(asking.reading().parse(*asked.query, style), answer);
  return answer;
}

api::StatusAnswer answer(Asking& asking, const api::StatusRequest& asked) {
  const Reading& reading = asking.reading();
  api::StatusAnswer answer = reading.status();
  if (!asked.survey && !asked.guess) return answer;

  const std::vector<PrefixCount> prefixes = reading.prefixes(asking.pulse);
  if (asked.survey) add_survey(prefixes, answer);
  if (!asked.guess) return answer;
  answer.guess = reading.guess_settings(prefixes);
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
