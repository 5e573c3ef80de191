#include "plugin/documents/features.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "plugin/input/document_data.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

/// A gap between title and text, so that no phrase spans both; as
/// TermGenerator::increase_termpos().
constexpr Xapian::termpos kFieldGap = 100;

/// A part of the body, whose words count `times` times.
struct Part {
  std::string_view text;
  std::int64_t times;
};

/// The text, and the fields that belong to the body.
std::vector<Part> body_of(const Record& record, const IndexSettings& settings) {
  std::vector<Part> parts = {{record.text, 1}};
  for (const std::string& item : settings.body_fields) {
    const BodyField field = body_field(item);
    const auto found = record.fields.find(std::string(field.key));
    if (found != record.fields.end()) parts.push_back({found->second, field.times});
  }
  return parts;
}

void append(TermBag& features, const std::string& prefix, const TermBag& bag, std::int64_t times) {
  for (const TermCount& entry : bag) {
    const std::int64_t count = std::int64_t{entry.count} * times;
    features.push_back({prefixed_term(prefix, entry.term),
                        static_cast<std::uint32_t>(std::min<std::int64_t>(count, UINT32_MAX))});
  }
}

/// Sorts by term, and adds up the counts of equal terms.
void merge(TermBag& features) {
  // In place: a bag may have every word of a book. One text under one prefix is sorted already.
  if (!std::ranges::is_sorted(features, {}, &TermCount::term))
    std::ranges::sort(features, {}, &TermCount::term);

  std::size_t kept = 0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (kept > 0 && features[kept - 1].term == features[i].term) {
      const std::uint64_t sum = std::uint64_t{features[kept - 1].count} + features[i].count;
      features[kept - 1].count =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, UINT32_MAX));
    } else {
      if (kept != i) features[kept] = std::move(features[i]);
      ++kept;
    }
  }
  features.resize(kept);
}

/// Adds the words and stems of texts to a document, as TermGenerator with STEM_SOME. Without
/// `stems`, texts without a field have words only.
class TextIndexer {
 public:
  TextIndexer(Xapian::Document& document, Analyzer& analyzer, bool positions, bool stems)
      : document_(document), analyzer_(analyzer), positions_(positions), stems_(stems) {}

  /// The first word gets the position after `base`, even if positions are not stored. Returns the
  /// last position.
  Xapian::termpos add(std::string_view text, const std::string& field, Xapian::termpos base,
                      Xapian::termcount wdf) {
    // A word is written as it is; its stem, its parts and the words that it is joined to are
    // features, under Z.
    Xapian::termpos last = base;
    std::string word = field;
    for (const Token& token : analyzer_.tokens(text)) {
      last = base + token.position;
      if (token.word.empty()) continue;

      word.resize(field.size());
      word += token.word;
      add_word(word, last, wdf);

      if (field.empty() && !stems_) continue;
      if (!token.term.empty()) add_feature(field, token.term, wdf);
      for (const std::string& term : token.parts) add_feature(field, term, wdf);
      for (const std::string& term : token.joined) add_feature(field, term, wdf);
    }
    return last;
  }

 private:
  void add_word(const std::string& word, Xapian::termpos position, Xapian::termcount wdf) {
    if (positions_) {
      document_.add_posting(word, position, wdf);
    } else {
      document_.add_term(word, wdf);
    }
  }

  void add_feature(const std::string& field, const std::string& term, Xapian::termcount wdf) {
    feature_.assign(1, 'Z');
    feature_ += field;
    feature_ += term;
    document_.add_term(feature_, wdf);
  }

  Xapian::Document& document_;
  Analyzer& analyzer_;
  const bool positions_;
  const bool stems_;
  std::string feature_;
};

/// The Z terms that a document holds so far.
TermBag stems_of(const Xapian::Document& document) {
  TermBag features;
  for_each_under("Z", document, [&](const std::string& term, std::string_view, auto wdf) {
    features.push_back({term, wdf});
  });
  return features;
}

}  // namespace

TermBag record_features(const Record& record, const std::vector<std::string>& prefixes,
                        const IndexSettings& settings, Analyzer& analyzer) {
  TermBag features;
  if (record.terms) {
    append(features, prefixes.empty() ? "Z" : prefixes.front(), *record.terms, 1);
  } else {
    const auto is_title = [](std::string_view prefix) {
      return prefix == "S" || prefix == "ZS";
    };
    const bool has_titles = std::ranges::any_of(prefixes, is_title);

    // Each prefix gets what the index has under it: stems or words, of the title or of all.
    for (const std::string& prefix : prefixes) {
      const bool stems = prefix.starts_with('Z') || settings.stemmed_words;
      const auto bag = [&](std::string_view text) {
        if (stems) return analyzer.analyze(text);
        return analyzer.words(text);
      };

      const bool is_field = prefix != "" && prefix != "Z" && !is_title(prefix);
      if (!is_field || !has_titles)  // a field of the text alone, where titles have their own
        append(features, prefix, bag(record.title), settings.title_boost);

      if (is_title(prefix)) continue;
      for (const Part& part : body_of(record, settings))
        append(features, prefix, bag(part.text), part.times);
    }
  }

  merge(features);
  return features;
}

TermBag record_words(const Record& record, const IndexSettings& settings, Analyzer& analyzer) {
  TermBag words;
  append(words, "", analyzer.words(record.title), 1);
  for (const Part& part : body_of(record, settings))
    append(words, "", analyzer.words(part.text), 1);
  merge(words);
  return words;
}

Xapian::Document make_document(const Record& record, const Settings& settings, Analyzer& analyzer,
                               TermBag& features) {
  Xapian::Document document;

  const auto boost = static_cast<Xapian::termcount>(settings.index.title_boost);
  TextIndexer indexer(document, analyzer, settings.index.positions, !record.terms);

  // The title is indexed twice: as a field of its own, and among the words of the text.
  indexer.add(record.title, "S", 0, boost);
  Xapian::termpos end = indexer.add(record.title, "", 0, boost);

  for (const Part& part : body_of(record, settings.index))
    end = indexer.add(part.text, "", end + kFieldGap, static_cast<Xapian::termcount>(part.times));

  // Terms that are given take the place of stems, which the indexer has left out.
  if (record.terms)
    for (const TermCount& entry : *record.terms)
      document.add_term(prefixed_term("Z", entry.term), entry.count);

  // The features are read before the terms that mark the document, which are none.
  features = stems_of(document);

  document.add_boolean_term(prefixed_term(settings.index.id_prefix, record.id));
  if (!record.language.empty() || analyzer.source() == LanguageSource::kDetected)
    document.add_boolean_term(language_prefix(settings.labels) + analyzer.language());

  mark_document(document, record, settings);
  return document;
}

void mark_document(Xapian::Document& document, const Record& record, const Settings& settings) {
  for (const std::string& label : record.labels) {
    document.add_boolean_term(prefixed_term(settings.labels.prefix, label));
  }
  for (const std::string& label : rejected_labels_of(record)) {
    document.add_boolean_term(prefixed_term(settings.labels.rejected_prefix, label));
  }
  if (record.auto_tag == false) document.add_boolean_term(kOptOutTerm);
  document.set_data(document_data(record, settings.index.sample_bytes));
}

}  // namespace kindred
