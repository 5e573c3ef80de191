#include "plugin/related/term_mirror.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "gpu/workers.h"
#include "plugin/documents/features.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

constexpr std::size_t kAnalyzedAtOnce = 256;  // terms, by one thread
constexpr std::size_t kMostLanguages = 8;     // a name of no language is read in so many

/// The words of one name: numbers of the dictionary, ascending, and how often each is there.
using NameRow = std::vector<std::pair<std::uint32_t, std::uint16_t>>;

/// The rows of some names, and the term of each.
struct NamedRows {
  std::vector<NameRow> rows;
  std::vector<std::uint32_t> terms;
};

/// Makes rows of names. For one thread.
class NameReader {
 public:
  NameReader(const Mirror& mirror, const IndexSettings& settings, AnalyzerPool& analyzers,
             const std::vector<std::string>& languages)
      : mirror_(mirror), settings_(settings), analyzers_(analyzers), languages_(languages) {}

  /// Adds the rows of a term. A name that says no language may stand in a text of any.
  void add(const api::VocabularyTerm& term, std::uint32_t number, NamedRows& named) const {
    std::vector<NameRow> own;
    const auto add_name = [&](const api::LanguageText& name) {
      const std::vector<std::string> given(1, name.language.value_or(""));
      for (const std::string& language : name.language ? given : languages_) {
        NameRow row = row_of(name.text, language);
        const bool is_known = std::ranges::find(own, row) != own.end();
        if (!row.empty() && !is_known) own.push_back(std::move(row));
      }
    };
    std::ranges::for_each(term.names, add_name);
    std::ranges::for_each(term.synonyms, add_name);

    named.terms.insert(named.terms.end(), own.size(), number);
    std::ranges::move(own, std::back_inserter(named.rows));
  }

 private:
  /// Empty for a name without words, or with one that the dictionary lacks.
  NameRow row_of(const std::string& name, const std::string& language) const {
    Record record;
    record.text = name;
    const auto analyzer = analyzers_.lease(language);

    NameRow row;
    for (const TermCount& word : record_features(record, mirror_.prefixes, settings_, *analyzer)) {
      const auto number = mirror_.dictionary.find(word.term);
      if (!number) return {};
      row.emplace_back(*number, static_cast<std::uint16_t>(std::min(word.count, kMaxCount)));
    }
    std::ranges::sort(row);
    return row;
  }

  const Mirror& mirror_;
  const IndexSettings& settings_;
  AnalyzerPool& analyzers_;
  const std::vector<std::string>& languages_;
};

/// The lengths of rows before they are divided by these.
std::vector<double> lengths_of(const Csr& rows, const TermWeighting& weighting) {
  std::vector<double> lengths;
  for (std::uint32_t row = 0; row < rows.rows(); ++row) {
    double sum = 0;
    for (std::uint64_t e = rows.row_begin[row]; e < rows.row_begin[row + 1]; ++e) {
      const double weight = weighting.idf[rows.column[e]] * weighting.tf[rows.count[e]];
      sum += weight * weight;
    }
    lengths.push_back(std::sqrt(sum));
  }
  return lengths;
}

}  // namespace

TermMirror::TermMirror(const Snapshot& snapshot, const IndexSettings& settings,
                       AnalyzerPool& analyzers, std::vector<std::string> languages)
    : snapshot_(snapshot), vocabulary_(snapshot.vocabulary()) {
  const Mirror& mirror = snapshot.mirror();
  if (languages.empty()) languages.emplace_back();  // that of the settings
  if (languages.size() > kMostLanguages) languages.resize(kMostLanguages);

  // Names are read by all threads, and their rows put together in their order.
  const std::size_t terms = vocabulary_->size();
  std::vector<NamedRows> chunks(number_of_chunks(terms, kAnalyzedAtOnce));
  const auto read_chunk = [&](std::size_t begin, std::size_t end) {
    const NameReader reader(mirror, settings, analyzers, languages);
    for (std::size_t number = begin; number < end; ++number) {
      const api::VocabularyTerm term = vocabulary_->term(number);
      if (term.deprecated) continue;
      reader.add(term, static_cast<std::uint32_t>(number), chunks[begin / kAnalyzedAtOnce]);
    }
  };
  for_each_chunk(terms, kAnalyzedAtOnce, snapshot.voting().threads(), read_chunk);

  rows_.columns = mirror.list->columns();
  for (const NamedRows& named : chunks) {
    for (const NameRow& row : named.rows) {
      for (const auto& [column, count] : row) {
        rows_.column.push_back(column);
        rows_.count.push_back(count);
      }
      rows_.row_begin.push_back(rows_.column.size());
    }
    term_of_.insert(term_of_.end(), named.terms.begin(), named.terms.end());
  }
  length_ = lengths_of(rows_, snapshot.weighting());
  list_ = std::make_shared<const SegmentList>(borrowed_segment(rows_.view(), {}));
  backend_ = snapshot.backend().refreshed(list_, snapshot.weighting());

  // The label of each term, and the rows of those that a document has.
  for (std::size_t term = 0; term < terms; ++term)
    label_.push_back(mirror.labels.names.find(label_name(vocabulary_->id(term))));
  used_ = rows_of([this](std::size_t term) {
    return documents_of(term) > 0;
  });
  unused_ = rows_of([this](std::size_t term) {
    return documents_of(term) == 0;
  });
}

template <typename IsIn>
DocumentSet TermMirror::rows_of(IsIn&& is_in) const {
  DocumentSet rows(list_);
  for (std::uint32_t row = 0; row < term_of_.size(); ++row)
    if (is_in(term_of_[row])) rows.insert(row + 1);
  return rows;
}

std::uint32_t TermMirror::documents_of(std::size_t term) const {
  const auto label = label_[term];
  return label ? snapshot_.mirror().labels.documents[*label] : 0;
}

DocumentSet TermMirror::rows_of_rare() const {
  return rows_of([this](std::size_t term) {
    return documents_of(term) <= 1;
  });
}

std::vector<std::vector<NamedTerm>> TermMirror::nearest(const QueryView& texts, std::size_t most,
                                                        const DocumentSet& among) const {
  std::vector<Neighbor> neighbors(texts.rows * most);
  backend_->nearest(texts, most, &among, neighbors);

  std::vector<std::vector<NamedTerm>> found(texts.rows);
  for (std::size_t q = 0; q < texts.rows; ++q) {
    const std::span words(texts.term + texts.row_begin[q], texts.term + texts.row_begin[q + 1]);
    for (const Neighbor& neighbor : std::span(neighbors).subspan(q * most, most)) {
      if (neighbor.number == kNoDocument) break;

      // A term is found by its best name.
      const std::uint32_t row = list_->place_of_neighbor(neighbor.number);
      const std::size_t term = term_of_[row];
      if (std::ranges::find(found[q], term, &NamedTerm::term) == found[q].end())
        found[q].push_back(named_by(row, neighbor.similarity, words));
    }
    std::ranges::stable_sort(found[q], [](const NamedTerm& a, const NamedTerm& b) {
      if (a.similarity != b.similarity) return a.similarity > b.similarity;
      return a.term < b.term;
    });
  }
  return found;
}

/// `words`: of the text.
NamedTerm TermMirror::named_by(std::uint32_t row, double similarity,
                               std::span<const std::uint32_t> words) const {
  const auto has = [&](std::uint32_t word) {
    return std::ranges::binary_search(words, word);
  };
  const bool is_whole = std::ranges::all_of((*list_)[row].columns, has);
  return {term_of_[row], row, similarity, is_whole, length_[row]};
}

std::vector<std::vector<NamedLabel>> TermMirror::named_labels(const QueryView& texts) const {
  constexpr std::size_t kNear = 32;
  std::vector<std::vector<NamedLabel>> named;
  for (const std::vector<NamedTerm>& found : nearest(texts, kNear, used_)) {
    std::vector<NamedLabel>& labels = named.emplace_back();
    for (const NamedTerm& each : found)
      labels.push_back(
          {*label_[each.term], each.similarity, each.is_whole ? each.length : 0, each.row});
    std::ranges::sort(labels, {}, &NamedLabel::label);
  }
  return named;
}

std::vector<api::TermContribution> TermMirror::shared_words(const SparseVector& text,
                                                            std::uint32_t row) const {
  const QueryView names{rows_.rows(), rows_.row_begin.data(), rows_.column.data(), nullptr,
                        rows_.count.data()};
  Queries name;
  add_row_of_counts(names, row, snapshot_.weighting(), name);

  std::vector<api::TermContribution> words;
  for (std::size_t i = 0; i < name.terms(0).size(); ++i) {
    const std::uint32_t number = name.terms(0)[i];
    const auto at = std::ranges::lower_bound(text.terms, number);
    if (at == text.terms.end() || *at != number) continue;
    const double weight = text.weights[static_cast<std::size_t>(at - text.terms.begin())];
    words.push_back(
        {std::string(snapshot_.mirror().dictionary[number]), {}, weight * name.weights(0)[i]});
  }
  std::ranges::stable_sort(words, std::greater(), &api::TermContribution::contribution);
  return words;
}

std::size_t TermMirror::bytes() const {
  std::size_t bytes = label_.size() * sizeof(label_[0]) + term_of_.size() * sizeof(std::uint32_t) +
                      length_.size() * sizeof(double) + used_.bytes() + unused_.bytes() +
                      rows_.row_begin.size() * sizeof(std::uint64_t) +
                      rows_.column.size() * (sizeof(std::uint32_t) + sizeof(std::uint16_t));
  const BackendInfo info = backend_->info();
  if (info.kind == "cpu") bytes += info.bytes;
  return bytes;
}

}  // namespace kindred
