#include "plugin/query/query_parser.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "analyzer/analyzer.h"
#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "plugin/query/filter_fields.h"
#include "plugin/query/pulse_source.h"
#include "plugin/query/query_lexemes.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

using Kind = Lexeme::Kind;
using Xapian::Query;
using Queries = std::vector<Query>;
using Prefixes = std::vector<std::string>;

Query joined(Query::op operation, const Queries& queries) {
  if (queries.size() == 1) return queries.front();
  return Query(operation, queries.begin(), queries.end());
}

/// Not Query::MatchAll: copies of it share a count that only one thread at a time may change.
Query all_documents() { return Query(std::string()); }

Query without(const std::optional<Query>& wanted, const Queries& unwanted) {
  return Query(Query::OP_AND_NOT, wanted.value_or(all_documents()), joined(Query::OP_OR, unwanted));
}

/// What stands side by side without operators.
struct Sequence {
  Queries words;
  Queries stop_words;  ///< those that are left out beside others
  Queries unwanted;
  std::vector<std::pair<std::string_view, Queries>> values;  ///< by field: alternatives

  void add_value(std::string_view field, Query query) {
    const auto same = [&](const auto& entry) {
      return entry.first == field;
    };
    auto found = std::find_if(values.begin(), values.end(), same);
    if (found == values.end()) found = values.insert(found, {field, {}});
    found->second.push_back(std::move(query));
  }

  /// Nothing if there is no part.
  std::optional<Query> query() const {
    const Queries& all = words.empty() ? stop_words : words;
    std::optional<Query> wanted;
    if (!all.empty()) wanted = joined(Query::OP_AND, all);

    // Values only filter, so without words all that they leave weigh nothing.
    if (!values.empty()) {
      Queries each;
      for (const auto& [field, queries] : values) each.push_back(joined(Query::OP_OR, queries));
      const Query filter = joined(Query::OP_AND, each);

      if (wanted) {
        wanted = Query(Query::OP_FILTER, *wanted, filter);
      } else {
        wanted = Query(Query::OP_SCALE_WEIGHT, filter, 0);
      }
    }

    if (unwanted.empty()) return wanted;
    return without(wanted, unwanted);
  }
};

class Parser {
 public:
  Parser(std::string_view text, const FilterFields& fields, Analyzer& analyzer,
         const QueryStyle& style)
      : text_(text),
        fields_(fields),
        lexemes_(read_lexemes(text, fields_)),
        analyzer_(analyzer),
        style_(style) {}

  /// `words`: the prefixes of words without a field.
  ParsedQuery run(const std::vector<std::string>& prefixes, bool stemmed_words,
                  const Prefixes& words) {
    stemmed_ = std::ranges::any_of(prefixes, [](const std::string& prefix) {
      return prefix.starts_with('Z');
    });
    only_stems_ = stemmed_words && !stemmed_;

    // A star by itself is no wildcard: it lists everything.
    if (trimmed_nfc(text_) == "*") {
      parsed_.query = all_documents();
      return std::move(parsed_);
    }

    const auto query = alternatives(Kind::kOr, words);
    if (next_ < lexemes_.size()) refuse_operator(lexemes_[next_]);
    if (!query) {
      throw Error(Errc::kInvalidArgument,
                  "filter '" + std::string(utf8_prefix(text_, 80)) +
                      "': expected a Xapian query, found no word or field in it");
    }

    parsed_.query = *query;
    return std::move(parsed_);
  }

 private:
  using Tokens = std::vector<Token>;

  bool is_next(Kind kind) const { return next_ < lexemes_.size() && lexemes_[next_].kind == kind; }
  /// The next lexeme, behind which the parser then stands, or null if it is of another kind.
  const Lexeme* accept(Kind kind) {
    if (!is_next(kind)) return nullptr;
    const Lexeme* const lexeme = &lexemes_[next_];
    ++next_;
    return lexeme;
  }

  [[noreturn]] void refuse_operator(const Lexeme& lexeme) const {
    refuse_query(
        text_, lexeme.at,
        "expected words, a field or a bracket on both sides of " + std::string(lexeme.name));
  }

  /// How many words, phrases and wildcards there are from the lexeme `first` on.
  std::size_t count_from(std::size_t first, std::initializer_list<Kind> kinds) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(std::span(lexemes_).subspan(first), [&](const Lexeme& lexeme) {
          return std::ranges::find(kinds, lexeme.kind) != kinds.end();
        }));
  }

  /// Counts words that the lexeme `of` stands for.
  void count_words(const Lexeme& of, std::size_t words) {
    counted_ += words;
    if (counted_ <= kMaxQueryTerms) return;

    // Not all have been read, so what follows is counted as it stands.
    const std::size_t found =
        counted_ + count_from(next_, {Kind::kWords, Kind::kWildcard, Kind::kPhrase});
    refuse_query(text_, of.at,
                 "expected at most " + std::to_string(kMaxQueryTerms) +
                     " words in a query, with those that wildcards stand for, found at least " +
                     std::to_string(found) + "; this one is beyond");
  }

  void check_phrase(const Lexeme& lexeme, const std::string& name, std::size_t words) const {
    if (words <= kMaxPhraseWords) return;
    refuse_query(text_, lexeme.at,
                 "expected at most " + std::to_string(kMaxPhraseWords) + " words in " + name +
                     ", found " + std::to_string(words));
  }

  // Each is nothing if there is nothing that could match.

  /// Parts with OR between them, which are parts with XOR between them.
  std::optional<Query> alternatives(Kind kind, const Prefixes& prefixes) {
    const bool is_or = kind == Kind::kOr;
    Queries parts;
    const Lexeme* before = nullptr;  // the operator between the last two parts
    do {
      std::optional<Query> part;
      if (is_or) {
        part = alternatives(Kind::kXor, prefixes);
      } else {
        part = conjunction(prefixes);
      }

      // An operator has something on both sides.
      if (!part && before != nullptr) refuse_operator(*before);
      if (!part) return {};

      parts.push_back(std::move(*part));
      before = accept(kind);
    } while (before != nullptr);

    return joined(is_or ? Query::OP_OR : Query::OP_XOR, parts);
  }

  /// Sequences with AND or NOT between them, or behind NOT.
  std::optional<Query> conjunction(const Prefixes& prefixes) {
    Queries wanted;
    Queries unwanted;
    const bool outer = wanted_;
    const Lexeme* before = nullptr;  // the last operator
    do {
      // Each NOT turns what the one before it said.
      bool negated = false;
      while (const Lexeme* lexeme = accept(Kind::kNot)) {
        before = lexeme;
        negated = !negated;
      }

      wanted_ = outer && !negated;
      auto part = sequence(prefixes);
      wanted_ = outer;

      // An operator has something on both sides.
      if (!part && before != nullptr) refuse_operator(*before);
      if (!part) return {};

      if (negated)
        unwanted.push_back(std::move(*part));
      else
        wanted.push_back(std::move(*part));
      before = accept(Kind::kAnd);
    } while (before != nullptr || is_next(Kind::kNot));

    std::optional<Query> all;
    if (!wanted.empty()) all = joined(Query::OP_AND, wanted);
    if (unwanted.empty()) return all;
    return without(all, unwanted);
  }

  std::optional<Query> sequence(const Prefixes& prefixes) {
    Sequence parts;
    while (read_part(prefixes, parts)) {
    }
    return parts.query();
  }

  /// False if there is no further part.
  bool read_part(const Prefixes& prefixes, Sequence& to) {
    const bool outer = wanted_;
    const bool plus = accept(Kind::kPlus) != nullptr;
    const bool minus = !plus && accept(Kind::kMinus) != nullptr;

    // The value of a field is taken as it stands.
    if (const Lexeme* lexeme = accept(Kind::kValue)) {
      if (minus) {
        to.unwanted.push_back(value_query(*lexeme));
      } else {
        to.add_value(lexeme->name, value_query(*lexeme));
      }
      return true;
    }

    // Words, which may be those of a field.
    wanted_ = outer && !minus;
    const std::size_t begin = next_;
    bool is_stop_word = false;
    auto query = text_part(prefixes_here(prefixes), is_stop_word);
    wanted_ = outer;

    if (query) {
      Queries* list = &to.words;
      if (is_stop_word && !plus) list = &to.stop_words;
      if (minus) list = &to.unwanted;
      list->push_back(std::move(*query));
    }
    return next_ != begin;
  }

  /// Words, a phrase or what is in brackets. Nothing also if no operator or value of a field
  /// follows.
  std::optional<Query> text_part(const Prefixes& prefixes, bool& is_stop_word) {
    if (accept(Kind::kOpen)) {
      auto inside = alternatives(Kind::kOr, prefixes);
      if (!accept(Kind::kClose)) refuse_operator(lexemes_[next_]);
      return inside;
    }

    if (const Lexeme* lexeme = accept(Kind::kPhrase)) {
      const Tokens tokens = tokens_of(lexeme->text);
      if (tokens.empty()) return {};
      return phrase_query(*lexeme, tokens, prefixes);
    }

    const Lexeme* lexeme = accept(Kind::kWords);
    if (lexeme == nullptr) lexeme = accept(Kind::kWildcard);
    if (lexeme == nullptr) return {};

    if (is_next(Kind::kNear) || is_next(Kind::kAdjacent)) return near(*lexeme, prefixes);
    return words_of(*lexeme, prefixes, is_stop_word);
  }

  std::optional<Query> near(const Lexeme& first, const Prefixes& prefixes) {
    constexpr std::size_t kUsualDistance = 10;
    const Kind kind = lexemes_[next_].kind;
    std::size_t distance = 0;
    std::vector<std::string> terms;

    // A run such as well-known is several words, one behind the other.
    const auto add = [&](const Lexeme& words, const Prefixes& under) {
      const Tokens tokens = tokens_of(words.text);
      count_words(words, tokens.size());
      check_phrase(words, "NEAR or ADJ", terms.size() + tokens.size());
      for (const Token& token : tokens) {
        terms.push_back(positioned_term(under.front(), token));
        remember(words, token, {terms.back()});
      }
    };

    add(first, prefixes);
    while (const Lexeme* lexeme = accept(kind)) {
      const Prefixes under = prefixes_here(prefixes);
      const Lexeme* const words = accept(Kind::kWords);
      if (first.kind != Kind::kWords || words == nullptr)
        refuse_query(text_, lexeme->at, std::string(lexeme->name) + " stands between two words");
      distance = std::max(distance, lexeme->distance);
      add(*words, under);
    }
    if (terms.empty()) return {};

    // The widest of the distances holds for all, and is counted from the first word on.
    if (distance == 0) distance = kUsualDistance;
    const auto window = static_cast<Xapian::termcount>(distance + terms.size() - 1);
    return positioned(kind == Kind::kNear ? Query::OP_NEAR : Query::OP_PHRASE, terms, window);
  }

  /// Words that stand near each other; or all of them, in whatever place, where the index does not
  /// know the places of words.
  Query positioned(Query::op operation, const std::vector<std::string>& terms,
                   Xapian::termcount window) const {
    const bool knows_places = style_.dictionary == nullptr || style_.dictionary->has_positions();
    if (!knows_places) return Query(Query::OP_AND, terms.begin(), terms.end());
    return with_pulse(Query(operation, terms.begin(), terms.end(), window), style_.pulse);
  }

  std::optional<Query> words_of(const Lexeme& lexeme, const Prefixes& prefixes,
                                bool& is_stop_word) {
    Tokens tokens = tokens_of(lexeme.text);
    if (tokens.empty()) return {};
    const bool wild = lexeme.kind == Kind::kWildcard;
    const bool unfinished = style_.partial && lexeme.at + lexeme.name.size() == text_.size();
    const Token last = tokens.back();
    if (wild) tokens.pop_back();

    // What is one run, as well-known is, stands for a phrase.
    Queries all;
    if (tokens.size() > 1) all.push_back(phrase_query(lexeme, tokens, prefixes));
    if (tokens.size() == 1) all.push_back(word_query(lexeme, tokens.front(), prefixes));
    is_stop_word = tokens.size() == 1 && !wild && !unfinished && last.term.empty() &&
                   analyzer_.is_stop_word(last.word);

    if (wild) all.push_back(beginning_query(lexeme, last, prefixes));
    const Query query = joined(Query::OP_AND, all);

    // The last word that somebody types may go on.
    if (wild || !unfinished) return query;
    return Query(Query::OP_OR, query, beginning_query(lexeme, last, prefixes));
  }

  /// Those of the field that comes next, behind which the parser then stands, or else these.
  Prefixes prefixes_here(const Prefixes& prefixes) {
    if (const Lexeme* field = accept(Kind::kField)) return prefixes_of(field->name);
    return prefixes;
  }

  Prefixes prefixes_of(std::string_view field) const {
    Prefixes prefixes;
    for (const FilterField& text : fields_.texts)
      if (text.name == field) prefixes.push_back(text.prefix);
    return prefixes;
  }

  /// What a value stands for: itself, a label, or a label and all below it.
  std::vector<std::string> meant_by(const FilterField& field, const std::string& value) const {
    if (field.is_label && style_.label_of) return {style_.label_of(value)};
    if (field.is_branch && style_.branch_of) return style_.branch_of(value);
    return {value};
  }

  static std::vector<std::string> spellings(const FilterField& field, const std::string& value) {
    if (field.is_label || field.is_branch) return label_spellings(value);
    if (field.is_language) return language_spellings(value);
    return {value};
  }

  static void add_value_query(const FilterField& field, const std::string& value, Queries& any) {
    if (field.slot) {
      any.emplace_back(Query::OP_VALUE_RANGE, *field.slot, value, value);
      return;
    }

    const std::string term = prefixed_term(field.prefix, value);
    if (fits_term(term)) any.emplace_back(term);
    // Not every program puts a colon between a prefix and a capital.
    const std::string plain = field.prefix + value;
    if (field.is_given && plain != term && fits_term(plain)) any.emplace_back(plain);
  }

  Query value_query(const Lexeme& lexeme) const {
    Queries any;
    for (const FilterField& field : fields_.values) {
      if (field.name != lexeme.name) continue;
      for (const std::string& meant : meant_by(field, lexeme.text)) {
        for (const std::string& value : spellings(field, meant)) add_value_query(field, value, any);
        if (field.is_from_people && style_.in_shards_with)
          any.push_back(style_.in_shards_with(meant));
      }
    }
    return joined(Query::OP_OR, any);
  }

  /// The words of a text that the index has, without those that overlap the one before.
  Tokens tokens_of(const std::string& text) {
    Tokens tokens;
    for (const Token& token : analyzer_.tokens(text)) {
      const bool overlaps = !tokens.empty() && tokens.back().position == token.position;
      if (!token.word.empty() && !overlaps) tokens.push_back(token);
    }
    return tokens;
  }

  Query word_query(const Lexeme& lexeme, const Token& token, const Prefixes& prefixes) {
    count_words(lexeme, 1);
    Queries any;
    std::vector<std::string> terms;
    for (const std::string& prefix : prefixes) {
      if (stemmed_ && !token.term.empty()) terms.push_back("Z" + prefix + token.term);
      terms.push_back(positioned_term(prefix, token));
    }

    std::erase_if(terms, [](const std::string& term) {
      return !fits_term(term);
    });
    for (const std::string& term : terms) any.emplace_back(term);
    remember(lexeme, token, std::move(terms));

    // One term in several forms. The largest of their weights would do as well, but Xapian 1.4.22
    // reads freed memory where OP_MAX stands below OP_OR.
    return joined(Query::OP_SYNONYM, any);
  }

  Query phrase_query(const Lexeme& lexeme, const Tokens& tokens, const Prefixes& prefixes) {
    count_words(lexeme, tokens.size());
    check_phrase(lexeme, "a phrase", tokens.size());
    const auto width =
        static_cast<Xapian::termcount>(tokens.back().position - tokens.front().position + 1);

    for (const Token& token : tokens)
      remember(lexeme, token, {positioned_term(prefixes.front(), token)});

    Queries any;
    for (const std::string& prefix : prefixes) {
      std::vector<std::string> terms;
      for (const Token& token : tokens) terms.push_back(positioned_term(prefix, token));
      any.push_back(positioned(Query::OP_PHRASE, terms, width));
    }
    return joined(Query::OP_OR, any);
  }

  /// All words that begin as this one does.
  Query beginning_query(const Lexeme& lexeme, const Token& token, const Prefixes& prefixes) {
    // All wildcards of a query share the room that its other words leave.
    const std::size_t others = count_from(0, {Kind::kWords, Kind::kPhrase});
    std::size_t wildcards = count_from(0, {Kind::kWildcard});
    if (style_.partial) ++wildcards;
    const std::size_t room = kMaxQueryTerms - std::min(others, kMaxQueryTerms - 1);
    std::size_t most = std::max<std::size_t>(room / wildcards / prefixes.size(), 1);

    // Where only the most frequent words are wanted, more than fit are no mistake.
    const bool limited = style_.most_frequent > 0;
    if (limited) most = std::min<std::size_t>(style_.most_frequent, most);
    const int beyond = limited ? Query::WILDCARD_LIMIT_MOST_FREQUENT : Query::WILDCARD_LIMIT_ERROR;

    Queries any;
    for (const std::string& prefix : prefixes) {
      const std::string beginning = prefix + token.word;
      if (style_.dictionary == nullptr) {
        any.emplace_back(Query::OP_WILDCARD, beginning, static_cast<Xapian::termcount>(most),
                         beyond, Query::OP_SYNONYM);
        continue;
      }

      const auto terms = terms_that_begin(beginning, limited ? most : kMaxQueryTerms + 1, limited);
      count_words(lexeme, std::max<std::size_t>(terms.size(), 1));
      any.emplace_back(Query::OP_SYNONYM, terms.begin(), terms.end());
    }
    return joined(Query::OP_OR, any);
  }

  /// At most so many terms of the dictionary, in byte order: the first, or the most frequent.
  std::vector<std::string> terms_that_begin(const std::string& beginning, std::size_t most,
                                            bool most_frequent) const {
    std::vector<std::pair<std::string, Xapian::doccount>> found;
    const auto end = style_.dictionary->allterms_end(beginning);
    for (auto term = style_.dictionary->allterms_begin(beginning); term != end; ++term) {
      style_.pulse();
      if (!most_frequent && found.size() == most) break;
      found.emplace_back(*term, most_frequent ? term.get_termfreq() : 0);
    }

    if (found.size() > most) {
      std::ranges::stable_sort(found, std::greater(), [](const auto& each) {
        return each.second;
      });
      found.resize(most);
      std::ranges::sort(found);
    }

    std::vector<std::string> terms;
    for (auto& [term, documents] : found) terms.push_back(std::move(term));
    return terms;
  }

  /// The term of a word whose positions the index has.
  std::string positioned_term(const std::string& prefix, const Token& token) const {
    if (only_stems_ && !token.term.empty()) return prefix + token.term;
    return prefix + token.word;
  }

  void remember(const Lexeme& lexeme, const Token& token, std::vector<std::string> terms) {
    if (wanted_)
      parsed_.words.push_back({token.word, std::move(terms), lexeme.at, lexeme.name.size()});
  }

  const std::string_view text_;
  const FilterFields& fields_;
  const std::vector<Lexeme> lexemes_;
  Analyzer& analyzer_;
  const QueryStyle style_;
  std::size_t counted_ = 0;  // words, so far
  bool stemmed_ = false;     // the index has stems under Z
  bool only_stems_ = false;  // its words without a prefix are stems
  std::size_t next_ = 0;     // of lexemes_
  bool wanted_ = true;       // what is read now is behind no NOT or minus
  ParsedQuery parsed_;
};

/// Words without a field have no prefix, but where the profile says that all words have one: then
/// they are what documents are compared by.
Prefixes prefixes_of_words(const Settings& settings) {
  const bool is_given =
      std::ranges::find(settings.given, "mirror.term_prefixes") != settings.given.end();
  if (settings.index.profile == "none" || settings.mirror.term_prefixes.empty() || is_given)
    return {""};

  Prefixes words;
  for (const std::string& prefix : settings.mirror.term_prefixes) {
    words.push_back(prefix.starts_with('Z') ? prefix.substr(1) : prefix);
    if (words.back().empty()) return {""};
  }
  return words;
}

}  // namespace

ParsedQuery parse_query(std::string_view text, const std::vector<std::string>& prefixes,
                        const Settings& settings, Analyzer& analyzer, const QueryStyle& style) {
  const FilterFields fields = filter_fields(settings);
  return Parser(text, fields, analyzer, style)
      .run(prefixes, settings.index.stemmed_words, prefixes_of_words(settings));
}

}  // namespace kindred
