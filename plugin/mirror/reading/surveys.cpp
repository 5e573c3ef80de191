#include "plugin/mirror/reading/surveys.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "config/shown.h"
#include "gpu/document_set.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/store/counted_documents.h"
#include "plugin/store/readers.h"
#include "plugin/store/settled_settings.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

using Counts = std::map<std::string, api::LabelCount, std::less<>>;

/// Counts the documents of labels.
class LabelSurvey {
 public:
  LabelSurvey(const Xapian::Database& database, const Settings& settings, const Pulse& pulse)
      : database_(database), pulse_(pulse), counted_(settings.mirror) {
    if (!counted_.are_all()) docids_ = counted_.among(database, all_docids(database));
  }

  /// Counts the documents of each label under a prefix, in `number`. Several terms may spell one.
  void add_terms(const std::string& prefix, std::uint64_t api::LabelCount::*number) {
    std::map<std::string, std::vector<std::string>> spellings;
    for (TermReader terms(database_, prefix); !terms.at_end(); terms.next()) {
      pulse_();
      const auto value = value_under(prefix, terms.term());
      if (!value) continue;

      std::string name = label_name(*value);
      counts[name].*number = terms.termfreq();
      spellings[std::move(name)].push_back(terms.term());
    }

    // Frequencies of several spellings cannot be added: a document may have two of them.
    for (const auto& [name, terms] : spellings)
      if (terms.size() > 1 || !counted_.are_all()) counts[name].*number = count_any(terms);
  }

  /// Adds the documents of shards, which take turns in docids.
  void add_shards(const std::vector<std::string>& shards) {
    if (shards.empty()) return;
    if (counted_.are_all()) docids_ = all_docids(database_);
    for (const Xapian::docid docid : docids_) {
      const std::string& label = shards[(docid - 1) % shards.size()];
      if (!label.empty()) ++counts[label].documents;
    }
  }

  Counts counts;

 private:
  /// Documents that count and have one of these terms.
  std::uint64_t count_any(const std::vector<std::string>& terms) const {
    std::set<Xapian::docid> docids;
    for (const std::string& term : terms)
      for (PostingReader list(database_, term); !list.at_end(); list.next())
        if (counted_.are_all() || std::ranges::binary_search(docids_, list.docid()))
          docids.insert(list.docid());
    return docids.size();
  }

  const Xapian::Database& database_;
  const Pulse& pulse_;
  const CountedDocuments counted_;
  std::vector<Xapian::docid> docids_;  ///< that count, if not all do
};

/// The prefix of a term that begins with a capital.
std::string_view prefix_of(std::string_view term) {
  if (term[0] != 'X') return term.substr(0, 1);
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  return term.substr(0, term.find_first_not_of(kLetters));
}

/// The capitals with which both terms begin, and all terms between them in byte order.
std::string_view shared_capitals(std::string_view first, std::string_view last) {
  std::size_t length = 0;
  while (length < std::min(first.size(), last.size()) && first[length] == last[length] &&
         is_capital(first[length]))
    ++length;
  return first.substr(0, length);
}

/// True if a term is left that begins with a capital before Z, under which stems are.
bool is_left(const TermReader& each) { return !each.at_end() && each.term() < "Z"; }

/// Of shards, which have their terms in order, the one whose next term comes first; null if none is
/// left.
const TermReader* first_of(const std::vector<TermReader>& shards) {
  const TermReader* first = nullptr;
  for (const TermReader& each : shards)
    if (is_left(each) && (first == nullptr || each.term() < first->term())) first = &each;
  return first;
}

/// Ends the count of a prefix, which is the first of its terms so far: with the documents that were
/// `found`, and the prefix that all terms from this one to the `last` begin with.
void finish(const DocumentSet& found, std::string_view last, PrefixCount& count) {
  count.documents = found.count();

  // Two capitals may be a letter and the beginning of a value. So may more of them under Q, where
  // ids are. Of X, the prefix is all of its capitals anyway.
  const std::string capitals(shared_capitals(count.prefix, last));
  if (capitals.size() < 3 || capitals[0] == 'X' || capitals[0] == 'Q') {
    count.prefix.resize(prefix_of(count.prefix).size());
  } else {
    count.prefix = capitals;
  }
}

bool is_word(std::string_view value) {
  return std::any_of(value.begin(), value.end(),
                     [](char c) {
                       return c < '0' || c > '9';
                     }) &&
         std::ranges::all_of(value, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0 || c == '\'';
         });
}

/// No document has more labels, as a rule.
constexpr std::uint64_t kMostLabels = 20;

/// Some programs do not count how often a document has a word; then it has many.
bool holds_words(const PrefixCount& count) {
  const bool is_text =
      count.occurrences > count.postings || count.postings > count.documents * kMostLabels;
  return is_text && count.words * 10 >= count.terms * 6 && count.postings >= count.documents * 3;
}

/// True if what seems to be a prefix is the beginning of words as they are written, which the index
/// has in small letters, too.
bool begins_words(const Xapian::Database& database, const std::string& prefix) {
  constexpr std::size_t kLooked = 50;
  std::size_t looked = 0;
  std::size_t words = 0;
  for (TermReader terms(database, prefix); !terms.at_end() && looked < kLooked; terms.next()) {
    ++looked;
    std::string word = terms.term();
    for (char& c : word)
      if (is_capital(c)) c = static_cast<char>(c - 'A' + 'a');
    if (database.term_exists(word)) ++words;
  }
  return words * 10 >= looked * 9;
}

bool holds_ids(const PrefixCount& count, std::uint64_t documents) {
  return count.documents > 1 && count.terms == count.postings && count.terms == count.documents &&
         count.documents * 10 >= documents * 9;
}

bool may_hold_labels(const PrefixCount& count, std::uint64_t documents) {
  // What nearly all documents have tells none from the others, titles have a prefix of their own,
  // and where there is a low line, a word has begun.
  const std::uint64_t terms = count.terms - count.common_terms;
  const std::uint64_t postings = count.postings - count.common_postings;
  return terms > 1 && terms * 2 <= documents && postings > terms &&
         postings <= count.documents * kMostLabels && !holds_words(count) && count.prefix != "S" &&
         count.prefix.find('_') == std::string::npos;
}

/// True for the letters that Omega's conventions give a meaning other than these.
bool is_conventional(const std::string& prefix) {
  return prefix.size() == 1 &&
         std::string_view("ADEFGHIJLMNOPRTUVWY").find(prefix[0]) != std::string_view::npos;
}

using Prefixes = std::vector<std::string>;

std::string either(const Prefixes& prefixes) {
  std::string text;
  for (const std::string& prefix : prefixes) append_item(text, prefix, " or ");
  return text;
}

/// A setting whose value is a prefix.
struct PrefixSetting {
  std::string what;
  std::string section;
  std::string key;
  std::string usual;
};

/// Sets it to the only candidate, unless that is its default. If there are several or none, says
/// so, with the `unsure` ones.
void propose(const PrefixSetting& setting, Prefixes candidates, const Prefixes& unsure,
             SettingsGuess& guess) {
  const auto& [what, section, key, usual] = setting;

  // The default needs no setting.
  if (std::find(candidates.begin(), candidates.end(), usual) != candidates.end()) return;

  if (candidates.size() == 1) {
    guess.settings += "[" + section + "]\n" + key + " = \"" + candidates.front() + "\"\n";
    return;
  }

  candidates.insert(candidates.end(), unsure.begin(), unsure.end());
  std::string unknown = what + " (" + section + "." + key + ")";
  if (!candidates.empty()) unknown += ": perhaps " + either(candidates);
  guess.unknown.push_back(std::move(unknown));
}

/// The prefixes of words, or of their stems where there are any: those of texts and titles, but
/// not of fields with a few words, such as names of senders.
Prefixes word_prefixes(const Xapian::Database& database, const std::vector<PrefixCount>& counts) {
  constexpr std::uint64_t kFewer = 8;
  std::uint64_t most = 0;
  for (const PrefixCount& count : counts)
    if (holds_words(count)) most = std::max(most, count.postings);

  Prefixes found;
  for (const PrefixCount& count : counts) {
    if (!holds_words(count) || (count.prefix != "S" && count.postings * kFewer < most)) continue;

    // The prefix of stems is Z with that of their words.
    const std::string stems = "Z" + count.prefix;
    const TermReader terms(database, stems);
    const bool are_stemmed = !terms.at_end() && value_under(stems, terms.term());
    found.push_back(are_stemmed ? stems : count.prefix);
  }
  return found;
}

}  // namespace

std::vector<api::LabelCount> survey_labels(const Xapian::Database& database,
                                           const Settings& settings,
                                           const std::vector<std::string>& shards,
                                           const Pulse& pulse) {
  LabelSurvey survey(database, settings, pulse);
  survey.add_terms(settings.labels.prefix, &api::LabelCount::documents);
  // Before the others are counted: only under the prefix of people may there be labels that are the
  // system's.
  std::erase_if(survey.counts, [&](const auto& label) {
    return is_system_label(settings.labels, label.first);
  });
  survey.add_terms(settings.labels.predicted_prefix, &api::LabelCount::predicted);
  survey.add_terms(settings.labels.rejected_prefix, &api::LabelCount::rejected);
  survey.add_shards(shards);

  std::vector<api::LabelCount> labels;
  for (auto& [name, label] : survey.counts) {
    label.label = name;
    if (label.documents + label.predicted + label.rejected > 0) labels.push_back(std::move(label));
  }
  return labels;
}

std::vector<PrefixCount> survey_prefixes(std::span<const Xapian::Database> shards,
                                         const Mirror& mirror, const Pulse& pulse) {
  std::vector<PrefixCount> counts;
  DocumentSet found;
  std::string last;

  // Terms with a prefix begin with a capital, so those before A are passed over.
  std::vector<TermReader> terms;
  for (const Xapian::Database& shard : shards) {
    terms.emplace_back(shard, "");
    if (!terms.back().at_end() && terms.back().term() < "A") terms.back().skip_to("A");
  }

  while (const TermReader* const first = first_of(terms)) {
    const std::string term = first->term();
    const std::string_view prefix = prefix_of(term);

    // Terms of one prefix stand together: another prefix ends the one before.
    if (counts.empty() || prefix_of(counts.back().prefix) != prefix) {
      if (!counts.empty()) finish(found, last, counts.back());
      counts.emplace_back().prefix = term;  // until its last term is known
      found = DocumentSet(mirror.list);
    }

    PrefixCount& count = counts.back();
    ++count.terms;

    const std::size_t capitals = static_cast<std::size_t>(
        std::find_if_not(term.begin(), term.end(), is_capital) - term.begin());
    if (is_word(std::string_view(term).substr(capitals))) ++count.words;
    pulse();

    const std::uint64_t before = count.postings;

    // Only shards that have the term are asked for its list. Their docids take turns.
    for (std::size_t shard = 0; shard < shards.size(); ++shard) {
      if (!is_left(terms[shard]) || terms[shard].term() != term) continue;
      for (PostingReader list(shards[shard], term); !list.at_end(); list.next()) {
        ++count.postings;
        count.occurrences += list.wdf();
        found.insert(static_cast<Xapian::docid>((list.docid() - 1) * shards.size() + shard + 1));
      }
      terms[shard].next();
    }

    const std::uint64_t added = count.postings - before;
    if (added * 10 >= std::uint64_t{9} * mirror.documents()) {
      ++count.common_terms;
      count.common_postings += added;
    }
    last = term;
  }

  if (!counts.empty()) finish(found, last, counts.back());
  return counts;
}

SettingsGuess guess_settings(const Xapian::Database& database, const Mirror& mirror,
                             const std::vector<PrefixCount>& prefixes, const std::string& profile) {
  SettingsGuess guess{profile == "none" ? profile : detected_profile(database), "", {}};
  if (guess.profile != "none") {
    guess.settings = "[index]\nprofile = \"" + guess.profile + "\"\n";
    // omindex writes no keywords, but where a document is.
    if (guess.profile == "omega" &&
        std::ranges::find(prefixes, "K", &PrefixCount::prefix) == prefixes.end())
      guess.unknown.emplace_back(
          "which terms are labels, as omindex writes none "
          "(labels.prefix): perhaps P, the folders");
    return guess;
  }

  // Letters with a meaning of their own may have labels, too, but are only named.
  const std::uint64_t documents = mirror.documents();
  Prefixes ids;
  Prefixes labels;
  Prefixes unsure;
  for (const PrefixCount& count : prefixes) {
    const bool may_be_ids = count.prefix == "Q" && count.documents * 10 >= documents * 9;
    if (may_be_ids || holds_ids(count, documents)) {
      ids.push_back(count.prefix);
      continue;  // in several folders of mail an id may be that of several documents
    }
    const bool is_kindreds = count.prefix == "XAUTO" || count.prefix == "XNOT" ||
                             count.prefix == "XTOPIC" || count.prefix == "XUNIT";
    if (is_kindreds || !may_hold_labels(count, documents) || begins_words(database, count.prefix))
      continue;
    if (is_conventional(count.prefix) || count.common_terms > 0) {
      unsure.push_back(count.prefix);
    } else {
      labels.push_back(count.prefix);
    }
  }

  if (ids.empty()) {
    guess.settings += "[index]\nids = \"docids\"\n";
  } else {
    propose({"which terms are ids", "index", "id_prefix", "Q"}, ids, {}, guess);
  }
  propose({"which terms are labels", "labels", "prefix", "K"}, labels, unsure, guess);

  // Words without a prefix, or their stems, are what Kindred reads anyway.
  TermReader words(database, "");
  if (!words.at_end() && is_capital(words.term()[0])) words.skip_to("[");  // behind Z
  const bool has_words = has_stems(database) || !words.at_end();
  if (has_words) return guess;

  const Prefixes found = word_prefixes(database, prefixes);
  if (found.empty()) {
    guess.unknown.emplace_back("which terms are words (mirror.term_prefixes)");
    return guess;
  }

  std::string list;
  for (const std::string& prefix : found) append_item(list, "\"" + prefix + "\"");
  guess.settings += "[mirror]\nterm_prefixes = [" + list + "]\n";
  return guess;
}

}  // namespace kindred
