#include "plugin/vocabulary/vocabulary.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analyzer/text/normal_form.h"
#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "plugin/store/string_table.h"

namespace kindred {
namespace {

using Kind = Vocabulary::Part::Kind;

bool is_called(Kind kind) { return kind == Kind::kName || kind == Kind::kSynonym; }

std::string folded_name(std::string_view text) {
  return folded_text(trimmed_nfc(text), TextFolding::kZim);
}

/// "de" of "de-AT" and "de_AT".
std::string_view base_language(std::string_view language) {
  return language.substr(0, language.find_first_of("-_"));
}

/// Collects the parts of terms.
class Collector {
 public:
  explicit Collector(Vocabulary::Stored& stored) : stored_(stored) { stored_.languages = {""}; }

  void add(Kind kind, std::string_view text, const std::string& language = "") {
    stored_.parts.push_back({kind, number_of(language), static_cast<std::uint32_t>(text.size())});
    stored_.texts += text;
    if (is_called(kind)) stored_.folded += folded_name(text) + '\n';
  }
  void add(Kind kind, const std::vector<api::LanguageText>& texts) {
    for (const api::LanguageText& each : texts) add(kind, each.text, each.language.value_or(""));
  }

 private:
  std::uint16_t number_of(const std::string& language) {
    const auto next = static_cast<std::uint16_t>(stored_.languages.size());
    if (language.empty() || next == std::numeric_limits<std::uint16_t>::max()) return 0;
    const auto [place, is_new] = numbers_.try_emplace(language, next);
    if (is_new) stored_.languages.push_back(language);
    return place->second;
  }

  Vocabulary::Stored& stored_;
  std::unordered_map<std::string, std::uint16_t> numbers_;
};

}  // namespace

Vocabulary::Vocabulary(std::vector<api::VocabularyTerm> terms) {
  std::ranges::sort(terms, {}, &api::VocabularyTerm::id);
  stored_.folded = "\n";
  Collector collector(stored_);

  for (const api::VocabularyTerm& term : terms) {
    collector.add(Part::kId, term.id);
    collector.add(Part::kName, term.names);
    collector.add(Part::kSynonym, term.synonyms);
    for (const std::string& id : term.broader) collector.add(Part::kBroader, id);
    for (const std::string& id : term.use_instead) collector.add(Part::kUseInstead, id);
    if (term.note) collector.add(Part::kNote, *term.note);
    if (term.deprecated) collector.add(Part::kDeprecated, "");
  }
  index();
}

Vocabulary::Vocabulary(Stored stored, std::string stamp)
    : stored_(std::move(stored)), stamp_(std::move(stamp)) {
  index();
}

/// Finds where parts, terms and names are.
void Vocabulary::index() {
  const auto expect = [](bool holds) {
    if (!holds) throw Error(Errc::kCorrupt, "its parts do not fit together");
  };
  std::size_t begin = 0;
  std::size_t name = 1;
  expect(stored_.folded.starts_with('\n') && !stored_.languages.empty());

  begins_.reserve(stored_.parts.size() + 1);
  for (const Part& part : stored_.parts) {
    expect(part.kind <= Part::kUseInstead && part.language < stored_.languages.size());
    expect(part.kind == Part::kId || !terms_.empty());
    if (part.kind == Part::kId) terms_.push_back(begins_.size());
    begins_.push_back(begin);
    begin += part.bytes;

    if (!is_called(static_cast<Kind>(part.kind))) continue;
    const std::size_t end = stored_.folded.find('\n', name);
    expect(end != stored_.folded.npos);
    names_.push_back({name, static_cast<std::uint32_t>(terms_.size() - 1)});
    name = end + 1;
  }
  begins_.push_back(begin);
  expect(begin == stored_.texts.size() && name == stored_.folded.size());

  for (std::size_t i = 1; i < size(); ++i) expect(id(i - 1) < id(i));
  link();
}

/// Finds which terms are above and below others. A broader term that is not there is passed over.
void Vocabulary::link() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> upward;
  for (std::uint32_t term = 0; term < size(); ++term) {
    std::size_t at = terms_[term];
    for (const Part& part : parts_of(term)) {
      const auto above = part.kind == Part::kBroader ? find(text(at)) : std::nullopt;
      if (above) upward.emplace_back(term, static_cast<std::uint32_t>(*above));
      ++at;
    }
  }
  std::ranges::sort(upward);
  above_ = Links(size(), upward);

  for (auto& [term, above] : upward) std::swap(term, above);
  std::ranges::sort(upward);
  below_ = Links(size(), upward);
}

Vocabulary::Links::Links(std::size_t terms,
                         std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs)
    : begin(terms + 1, 0) {
  for (const auto& [from, other] : pairs) {
    ++begin[from + 1];
    to.push_back(other);
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
}

std::vector<std::uint32_t> Vocabulary::Links::all_from(std::size_t term) const {
  const auto first = of(term);
  std::vector<std::uint32_t> all(first.begin(), first.end());
  std::unordered_set<std::uint32_t> seen(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const std::uint32_t next : of(all[i]))
      if (seen.insert(next).second) all.push_back(next);
  }
  return all;
}

std::string_view Vocabulary::text(std::size_t part) const {
  return std::string_view(stored_.texts).substr(begins_[part], stored_.parts[part].bytes);
}

std::span<const Vocabulary::Part> Vocabulary::parts_of(std::size_t term) const {
  const std::size_t end = term + 1 == size() ? stored_.parts.size() : terms_[term + 1];
  return std::span(stored_.parts).subspan(terms_[term], end - terms_[term]);
}

std::optional<std::size_t> Vocabulary::find(std::string_view id) const {
  const auto found = std::ranges::lower_bound(terms_, id, {}, [&](std::size_t part) {
    return text(part);
  });
  if (found == terms_.end() || text(*found) != id) return std::nullopt;
  return static_cast<std::size_t>(found - terms_.begin());
}

api::VocabularyTerm Vocabulary::term(std::size_t term) const {
  api::VocabularyTerm made;
  std::size_t at = terms_[term];
  for (const Part& part : parts_of(term)) {
    const std::string value(text(at));
    ++at;
    std::optional<std::string> language;
    if (part.language > 0) language = stored_.languages[part.language];

    switch (static_cast<Kind>(part.kind)) {
      case Part::kId:
        made.id = value;
        break;
      case Part::kName:
        made.names.push_back({value, language});
        break;
      case Part::kSynonym:
        made.synonyms.push_back({value, language});
        break;
      case Part::kBroader:
        made.broader.push_back(value);
        break;
      case Part::kUseInstead:
        made.use_instead.push_back(value);
        break;
      case Part::kNote:
        made.note = value;
        break;
      case Part::kDeprecated:
        made.deprecated = true;
        break;
    }
  }
  return made;
}

std::string_view Vocabulary::name(std::size_t term, std::span<const std::string> languages) const {
  const std::span<const Part> parts = parts_of(term);
  const auto first = [&](auto&& is_wanted) -> std::optional<std::string_view> {
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i].kind == Part::kName && is_wanted(stored_.languages[parts[i].language]))
        return text(terms_[term] + i);
    return std::nullopt;
  };

  for (const std::string& wanted : languages) {
    const auto exact = first([&](const std::string& language) {
      return language == wanted;
    });
    if (exact) return *exact;
    const auto near = first([&](const std::string& language) {
      return base_language(language) == base_language(wanted);
    });
    if (near) return *near;
  }
  return first([](const std::string&) {
           return true;
         })
      .value_or("");
}

std::vector<std::size_t> Vocabulary::named(std::string_view text) const {
  std::vector<std::size_t> terms;
  const std::string folded = folded_name(text);
  if (folded.empty()) return terms;

  // Between line ends, so that it is the whole name. The place is the one of the line end before.
  const std::string& all = stored_.folded;
  const std::string line = '\n' + folded + '\n';
  for (std::size_t at = all.find(line); at != all.npos; at = all.find(line, at + 1)) {
    const std::uint32_t term = std::ranges::lower_bound(names_, at + 1, {}, &Name::begin)->term;
    if (terms.empty() || terms.back() != term) terms.push_back(term);
  }
  return terms;
}

std::vector<std::size_t> Vocabulary::search(std::string_view text) const {
  const std::string part = folded_name(text);
  if (part.empty() || part.find('\n') != part.npos) return {};

  // The best place of each term: 0 for the whole name, 1 for its beginning, 2 for elsewhere.
  const std::string& all = stored_.folded;
  std::vector<std::pair<int, std::size_t>> found;
  for (std::size_t at = all.find(part); at != all.npos; at = all.find(part, at + 1)) {
    const Name& name = *std::prev(std::ranges::upper_bound(names_, at, {}, &Name::begin));
    int rank = 2;
    if (at == name.begin) rank = all[at + part.size()] == '\n' ? 0 : 1;
    if (found.empty() || found.back().second != name.term) found.emplace_back(rank, name.term);
    found.back().first = std::min(found.back().first, rank);
  }

  std::ranges::sort(found);
  std::vector<std::size_t> terms(found.size());
  std::ranges::transform(found, terms.begin(), [](const auto& each) {
    return each.second;
  });
  return terms;
}

std::size_t Vocabulary::bytes() const {
  return stored_.texts.capacity() + stored_.folded.capacity() + bytes_of(stored_.parts) +
         bytes_of(begins_) + bytes_of(terms_) + bytes_of(names_) + bytes_of(above_.begin) +
         bytes_of(above_.to) + bytes_of(below_.begin) + bytes_of(below_.to);
}

}  // namespace kindred
