#include "plugin/readers/collected_terms.h"

#include <algorithm>
#include <utility>

#include "config/error.h"
#include "config/text_front.h"
#include "plugin/input/names.h"
#include "plugin/vocabulary/checked_terms.h"

namespace kindred {
namespace {

constexpr std::size_t kMostMistakes = 10'000;
constexpr std::size_t kMostTexts = 20 * kMostVocabularyTerms;

[[noreturn]] void refuse_size(const char* what, std::size_t most) {
  throw Error(Errc::kInvalidArgument, std::string("expected at most ") + std::to_string(most) +
                                          " " + what + " in a vocabulary");
}

Json texts_json(const std::vector<api::LanguageText>& texts) {
  Json list = Json::array();
  for (const api::LanguageText& each : texts) {
    list.push_back({{"text", each.text}});
    if (each.language) list.back()["language"] = *each.language;
  }
  return list;
}

Json ids_json(const std::vector<std::string>& ids) {
  Json list = Json::array();
  for (const std::string& id : ids) list.push_back(written_name(id));
  return list;
}

Json term_json(const api::VocabularyTerm& term) {
  Json json = {{"id", written_name(term.id)}};
  if (!term.names.empty()) json["names"] = texts_json(term.names);
  if (!term.synonyms.empty()) json["synonyms"] = texts_json(term.synonyms);
  if (!term.broader.empty()) json["broader"] = ids_json(term.broader);
  if (!term.use_instead.empty()) json["use_instead"] = ids_json(term.use_instead);
  if (term.note) json["note"] = *term.note;
  if (term.deprecated) json["deprecated"] = true;
  return json;
}

void add_once(const std::string& id, std::vector<std::string>& ids) {
  if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
}

}  // namespace

void check_term_count(std::size_t terms) {
  if (terms > kMostVocabularyTerms) refuse_size("terms", kMostVocabularyTerms);
}

api::VocabularyTerm& CollectedTerms::add(const std::string& id, std::uint64_t line) {
  check_term_count(terms_.size() + 1);
  places_.try_emplace(id, terms_.size());
  lines_.push_back(line);
  api::VocabularyTerm& term = terms_.emplace_back();
  term.id = id;
  return term;
}

api::VocabularyTerm* CollectedTerms::find(const std::string& id) {
  const auto found = places_.find(id);
  return found == places_.end() ? nullptr : &terms_[found->second];
}

api::VocabularyTerm& CollectedTerms::get(const std::string& id) {
  api::VocabularyTerm* const known = find(id);
  return known == nullptr ? add(id, 0) : *known;
}

void CollectedTerms::report(std::uint64_t line, std::string fault) {
  if (mistakes_.size() < kMostMistakes) mistakes_.push_back({line, std::move(fault)});
}

VocabularyFile CollectedTerms::result() && {
  VocabularyFile file;
  for (const api::VocabularyTerm& term : terms_) file.terms.push_back(term_json(term));
  file.lines = std::move(lines_);
  file.mistakes = std::move(mistakes_);
  return file;
}

std::string SkosTerms::id_of(const std::string& uri) const {
  return uri.starts_with(id_prefix_) ? uri.substr(id_prefix_.size()) : uri;
}

void SkosTerms::add(const RdfNode& subject, std::string_view predicate, const RdfNode& object) {
  if (subject.text.empty() || object.text.empty()) return;
  if (++texts_ > kMostTexts) refuse_size("texts", kMostTexts);
  const std::string id = id_of(subject.text);

  const bool is_type = predicate == "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
  const bool is_deprecation = predicate == "http://www.w3.org/2002/07/owl#deprecated";
  const bool is_replacement = predicate == "http://purl.org/dc/terms/isReplacedBy";
  const bool is_skos = consume(predicate, "http://www.w3.org/2004/02/skos/core#");

  if (object.is_literal) {
    std::optional<std::string> language;
    if (!object.language.empty()) language = object.language;
    const bool is_synonym = predicate == "altLabel" || predicate == "hiddenLabel";
    const bool is_note = predicate == "definition" || predicate == "scopeNote";

    if (is_skos && predicate == "prefLabel")
      terms_.get(id).names.push_back({object.text, language});
    if (is_skos && is_synonym) terms_.get(id).synonyms.push_back({object.text, language});
    if (is_skos && is_note && !terms_.get(id).note) terms_.get(id).note = object.text;
    if (is_deprecation && (object.text == "true" || object.text == "1"))
      terms_.get(id).deprecated = true;
    return;
  }

  const std::string other = id_of(object.text);
  if (is_skos && predicate == "broader") add_once(other, terms_.get(id).broader);
  if (is_skos && predicate == "narrower") add_once(id, terms_.get(other).broader);
  if (is_replacement) add_once(other, terms_.get(id).use_instead);
  if (is_type && (object.text.ends_with("#ConceptScheme") || object.text.ends_with("Collection")))
    others_.insert(id);
}

VocabularyFile SkosTerms::result() && {
  VocabularyFile file = std::move(terms_).result();
  std::erase_if(file.terms.get_ref<Json::array_t&>(), [&](const Json& term) {
    return others_.contains(read_name(term["id"].get<std::string>()));
  });
  file.lines.assign(file.terms.size(), 0);
  return file;
}

}  // namespace kindred
