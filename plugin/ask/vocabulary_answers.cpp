// The questions about the names of labels.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plugin/ask/asking.h"
#include "plugin/learning.h"
#include "plugin/snapshot/document_lists.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/writable_database.h"
#include "plugin/vocabulary/checked_terms.h"
#include "plugin/vocabulary/vocabulary.h"
#include "plugin/vocabulary/vocabulary_file.h"

namespace kindred {
namespace {

constexpr std::size_t kMistakesShown = 10;
constexpr std::size_t kIdsShown = 3;

/// How many labels of the index are terms, and the first that are none, in `unnamed`.
std::uint64_t count_named(const std::vector<std::string>& labels, const Vocabulary& vocabulary,
                          std::vector<std::string>* unnamed = nullptr) {
  std::uint64_t named = 0;
  for (const std::string& label : labels) {
    const bool is_term = vocabulary.find(label).has_value();
    if (is_term) ++named;
    if (!is_term && unnamed != nullptr && unnamed->size() < kIdsShown) unnamed->push_back(label);
  }
  return named;
}

/// The ids of some terms, of which the first 100 are shown.
std::vector<std::string> ids_of(const Vocabulary& vocabulary,
                                std::span<const std::uint32_t> terms) {
  constexpr std::size_t kMost = 100;
  std::vector<std::string> ids;
  for (const std::uint32_t term : terms.first(std::min(terms.size(), kMost)))
    ids.emplace_back(vocabulary.id(term));
  return ids;
}

/// The terms that are asked for, in the order that they are to be shown in.
std::vector<std::size_t> asked_terms(const Vocabulary& vocabulary,
                                     const api::VocabularyRequest& asked) {
  std::vector<std::size_t> terms;
  if (!asked.query.empty()) {
    terms = vocabulary.search(asked.query);
    const auto by_id = vocabulary.find(asked.query);
    if (by_id) terms.insert(terms.begin(), *by_id);
  } else {
    terms.resize(vocabulary.size());
    std::iota(terms.begin(), terms.end(), 0);
  }
  if (asked.ids.empty()) return terms;

  const std::set<std::string_view> ids(asked.ids.begin(), asked.ids.end());
  std::erase_if(terms, [&](std::size_t term) {
    return !ids.contains(vocabulary.id(term));
  });
  return terms;
}

std::string location_of(const AskedIndex& index) {
  check_owner_of_files(index.path, index.settings);
  return file_location(index.path, index.settings.index.directory);
}

}  // namespace

api::LoadVocabularyAnswer answer(Asking& asking, const api::LoadVocabularyRequest& asked) {
  const Reading& reading = asking.reading();
  if (reading.database().path().empty())
    throw Error(Errc::kUnsupported, "a vocabulary is stored beside a database that has a path");
  const std::string location = location_of(asking.index);

  CheckedTerms checked = check_terms(asked.terms, reading.settings().labels);
  auto answer = asking.answer<api::LoadVocabularyAnswer>();
  answer.mistaken = checked.mistakes.size();
  answer.mistakes = std::move(checked.mistakes);
  if (answer.mistakes.size() > kMistakesShown) answer.mistakes.resize(kMistakesShown);

  const Vocabulary vocabulary(std::move(checked.terms));
  answer.terms = vocabulary.size();
  const std::vector<std::string> labels = reading.labels();
  answer.labels = labels.size();
  answer.named = count_named(labels, vocabulary, &answer.unnamed);
  for (std::size_t term = 0; term < std::min(vocabulary.size(), kIdsShown); ++term)
    answer.ids.emplace_back(vocabulary.id(term));

  const bool is_good = answer.mistaken == 0 || asked.skip_bad;
  if (!is_good || asked.dry_run) return answer;
  write_vocabulary(location, vocabulary);
  remember_kept(reading, "vocabulary");
  answer.file = vocabulary_path(location);
  return answer;
}

api::VocabularyAnswer answer(Asking& asking, const api::VocabularyRequest& asked) {
  auto answer = asking.answer<api::VocabularyAnswer>();
  const std::vector<std::string> labels = asking.reading().labels();
  answer.labels = labels.size();
  const std::shared_ptr<const Vocabulary> vocabulary = asking.reading().snapshot->vocabulary();
  if (vocabulary == nullptr) return answer;

  answer.all = vocabulary->size();
  answer.named = count_named(labels, *vocabulary);
  const auto& languages = vocabulary->stored().languages;
  answer.languages.assign(std::next(languages.begin()), languages.end());

  const std::vector<std::size_t> found = asked_terms(*vocabulary, asked);
  answer.found = found.size();
  const auto counts = asking.reading().database().label_counts(asking.pulse);
  const auto begin = std::min(static_cast<std::size_t>(asked.offset), found.size());
  const auto end = begin + std::min(static_cast<std::size_t>(asked.limit), found.size() - begin);

  for (std::size_t i = begin; i < end; ++i) {
    asking.pulse();
    api::ShownTerm& term = answer.terms.emplace_back();
    static_cast<api::VocabularyTerm&>(term) = vocabulary->term(found[i]);
    term.above = ids_of(*vocabulary, vocabulary->all_broader(found[i]));
    term.below = ids_of(*vocabulary, vocabulary->narrower(found[i]));
    answer.ids.push_back(term.id);
    const auto count =
        std::ranges::lower_bound(counts->labels, term.id, {}, &api::LabelCount::label);
    if (count == counts->labels.end() || count->label != term.id) continue;
    term.documents = count->documents;
    term.predicted = count->predicted;
  }
  answer.next = next_offset(asked.offset, answer.terms.size(), found.size());
  return answer;
}

api::RemoveVocabularyAnswer answer(Asking& asking, const api::RemoveVocabularyRequest&) {
  auto answer = asking.answer<api::RemoveVocabularyAnswer>();  // or there is no such database
  answer.removed = remove_vocabulary(location_of(asking.index));
  if (answer.removed && !asking.index.settings.index.read_only)
    remember_file(asking.index.path, "vocabulary", false);
  return answer;
}

}  // namespace kindred
