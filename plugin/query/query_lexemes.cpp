#include "plugin/query/query_lexemes.h"

#include <xapian.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "analyzer/text/segment.h"
#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/shown.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

using Kind = Lexeme::Kind;
using Xapian::Unicode::is_whitespace;
using Xapian::Unicode::is_wordchar;

/// Quotes that open, and those of which the next one closes.
struct Quotes {
  std::u32string_view opening, closing;
  bool need_pair = false;  ///< one that is not closed is a sign as others, which people use alone
};

constexpr Quotes kQuotes[] = {{U"\"\u201C\u201D\u201E", U"\"\u201C\u201D"},  // "x", “x”, „x“, „x”
                              {U"\u00AB\u00BB", U"\u00AB\u00BB", true},  // « x », »x«
                              {U"\u300C", U"\u300D", true},              // 「x」
                              {U"\u300E", U"\u300F", true}};

/// Those that `c` opens; null if it opens none.
const Quotes* quotes_of(unsigned c) {
  const auto found = std::ranges::find_if(kQuotes, [&](const Quotes& quotes) {
    return quotes.opening.find(static_cast<char32_t>(c)) != quotes.opening.npos;
  });
  if (found == std::end(kQuotes)) return nullptr;
  return found;
}

bool closes(const Quotes& quotes, unsigned c) {
  return quotes.closing.find(static_cast<char32_t>(c)) != quotes.closing.npos;
}

bool is_sign(unsigned c) { return c == '+' || c == '-'; }

/// True if it could be the name of a field: not a number, not a word of another script.
bool is_identifier(std::string_view word) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto fits = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
  };
  return is_letter(word.front()) && std::all_of(word.begin(), word.end(), fits);
}

/// The operator that is written so, with its distance.
std::optional<std::pair<Kind, std::size_t>> operator_of(std::string_view word) {
  constexpr std::pair<std::string_view, Kind> kOperators[] = {
      {"AND", Kind::kAnd}, {"OR", Kind::kOr},     {"XOR", Kind::kXor},
      {"NOT", Kind::kNot}, {"NEAR", Kind::kNear}, {"ADJ", Kind::kAdjacent}};

  for (const auto& [name, kind] : kOperators) {
    if (word == name) return std::pair(kind, std::size_t{0});

    // NEAR/3 and ADJ/3.
    const bool takes_distance = kind == Kind::kNear || kind == Kind::kAdjacent;
    if (!takes_distance || !word.starts_with(name) || word[name.size()] != '/') continue;

    constexpr std::size_t kMost = 1'000'000;
    const std::string_view digits = word.substr(name.size() + 1);
    std::size_t distance = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), distance);
    if (error == std::errc() && end == digits.data() + digits.size() && distance <= kMost)
      return std::pair(kind, std::max<std::size_t>(distance, 1));
  }

  return {};
}

class Lexer {
 public:
  Lexer(std::string_view query, const FilterFields& fields)
      : query_(query), fields_(fields), it_(query.data(), query.size()) {
    // Some quotes are signs as others, unless one that closes them follows.
    for (Iterator it = it_; it != end_; ++it)
      for (std::size_t i = 0; i < last_closing_.size(); ++i)
        if (closes(kQuotes[i], *it)) last_closing_[i] = offset(it);
  }

  std::vector<Lexeme> run() {
    while (it_ != end_) {
      const unsigned c = *it_;
      if (opens_quote(it_)) {
        read_phrase();
      } else if (c == '(') {
        if (previous_ > ' ' && previous_ != '(' && previous_ != ')' && !is_sign(previous_)) {
          refuse(offset(it_), "a bracket right behind a word; a space goes between");
        }
        open_bracket();
      } else if (c == ')') {
        close_bracket();
      } else if (is_sign(c)) {
        read_sign();
      } else if (begins_run()) {
        read_words();
      } else {
        previous_ = c;
        if (is_whitespace(c)) previous_ = ' ';
        ++it_;
      }
    }

    if (!brackets_.empty()) refuse(brackets_.back(), "a bracket that is not closed");
    return std::move(lexemes_);
  }

 private:
  using Iterator = Xapian::Utf8Iterator;

  std::size_t offset(const Iterator& it) const {
    if (it == end_) return query_.size();
    return static_cast<std::size_t>(it.raw() - query_.data());
  }

  std::string_view text(const Iterator& from, const Iterator& to) const {
    return query_.substr(offset(from), offset(to) - offset(from));
  }

  /// The character behind one, ' ' at the end.
  unsigned behind(Iterator it) const {
    ++it;
    if (it == end_) return ' ';
    return *it;
  }

  void add(Kind kind, std::size_t at, std::string_view name, std::string text = {}) {
    lexemes_.push_back({kind, at, name, std::move(text)});
  }

  [[noreturn]] void refuse(std::size_t at, const std::string& fault) const {
    refuse_query(query_, at, fault);
  }

  [[noreturn]] void refuse_field(const Iterator& from, const Iterator& to) const {
    const std::string name(utf8_prefix(text(from, to), 40));

    const std::string likely = likely_of(name, fields_.names());
    std::string hint = ".";
    if (!likely.empty()) hint = ", did you mean '" + likely + "'?";

    refuse(offset(from), "unknown field '" + name + "'" + hint + " Fields are " +
                             listed_filter_fields(fields_) + "; text with a colon goes in quotes");
  }

  /// True at a quote behind which text in quotes begins.
  bool opens_quote(const Iterator& at) const {
    const Quotes* const quotes = quotes_of(*at);
    if (quotes == nullptr || !quotes->need_pair) return quotes != nullptr;
    return offset(at) < last_closing_[static_cast<std::size_t>(quotes - kQuotes)];
  }

  void count_part(std::size_t at) {
    if (++parts_ <= kMaxFilterParts) return;
    refuse(at, "more than " + std::to_string(kMaxFilterParts) + " operators, phrases and brackets");
  }

  bool begins_run() const {
    if (is_wordchar(*it_)) return true;
    return !is_sign(*it_) && joins_words(' ', *it_, behind(it_));
  }

  /// A sign counts at the beginning of what it is for, alone.
  void read_sign() {
    const std::size_t at = offset(it_);
    const unsigned sign = *it_;
    count_part(at);

    const bool begins = previous_ == ' ' || previous_ == '(';
    previous_ = sign;
    ++it_;

    const bool precedes = it_ != end_ && (opens_quote(it_) || *it_ == '(' || begins_run());
    if (!begins || !precedes) return;
    add(sign == '-' ? Kind::kMinus : Kind::kPlus, at, query_.substr(at, 1));
  }

  /// Reads from an opening quote to the next one that closes it.
  void read_phrase() {
    const std::size_t at = offset(it_);
    count_part(at);

    const Quotes& quotes = *quotes_of(*it_);
    ++it_;
    const Iterator from = it_;
    while (it_ != end_ && !closes(quotes, *it_)) ++it_;
    if (it_ == end_) refuse(at, "a quote that is not closed");

    const std::string_view inside = text(from, it_);
    ++it_;
    add(Kind::kPhrase, at, query_.substr(at, offset(it_) - at), std::string(inside));
    previous_ = '"';
  }

  void open_bracket() {
    const std::size_t at = offset(it_);
    count_part(at);

    brackets_.push_back(at);
    if (brackets_.size() > kMaxFilterBrackets) {
      refuse(at, "more than " + std::to_string(kMaxFilterBrackets) + " brackets in one another");
    }

    ++it_;
    add(Kind::kOpen, at, query_.substr(at, 1));
    previous_ = '(';
  }

  void close_bracket() {
    const std::size_t at = offset(it_);
    if (brackets_.empty()) refuse(at, "a bracket that was not opened");
    brackets_.pop_back();
    ++it_;
    add(Kind::kClose, at, query_.substr(at, 1));
    previous_ = ')';
  }

  /// Reads the name of a field, and its value if that is taken whole; false if a word follows.
  bool read_field() {
    const Iterator from = it_;
    const Iterator colon = std::find_if(it_, end_, [](unsigned c) {
      return !is_wordchar(c);
    });
    if (colon == from || colon == end_ || *colon != ':') return false;

    const std::string_view name = text(from, colon);
    const bool is_value = fields_.is_value(name);
    const bool known = is_value || fields_.is_text(name);
    Iterator value = colon;
    ++value;

    // Nothing behind the colon: a word and a sign, or a mistake.
    if (value == end_ || is_whitespace(*value) || *value == ')') {
      if (!known) return false;
      refuse(offset(from), "the field '" + std::string(name) + "' without a value");
    }

    // A time, an address or a name of C++ has a colon, too, and is no field.
    if (!known) {
      const std::string_view rest = query_.substr(offset(value));
      if (is_identifier(name) && !rest.starts_with("//") && *value != ':')
        refuse_field(from, colon);
      return false;
    }

    it_ = value;
    if (is_value) {
      add(Kind::kValue, offset(from), name, read_value(name));
      lexemes_.back().end = offset(it_);
      previous_ = 'A';
      return true;
    }

    // What follows the name of a text field is in quotes, in brackets, or one word.
    add(Kind::kField, offset(from), name);
    if (opens_quote(value)) {
      read_phrase();
    } else if (*value == '(') {
      open_bracket();
    } else {
      const std::string_view run = read_run();
      if (run.empty()) refuse(offset(from), "the field '" + std::string(name) + "' without a word");
      add_words(offset(value), run);
    }
    return true;
  }

  /// Reads the value of a field whose values are taken whole.
  std::string read_value(std::string_view name) {
    const std::size_t at = offset(it_);
    const unsigned opening = *it_;

    // Without quotes, it ends at the next space or bracket.
    if (!opens_quote(it_)) {
      const Iterator from = it_;
      while (it_ != end_ && !is_whitespace(*it_) && *it_ != ')') ++it_;
      return std::string(text(from, it_));
    }

    const Quotes& quotes = *quotes_of(opening);
    const bool is_straight = opening == '"';
    std::string value;
    for (++it_; it_ != end_;) {
      const Iterator here = it_;
      const unsigned c = *it_;
      ++it_;

      // Two straight quotes are one that is a part of the value.
      const bool doubled = c == '"' && it_ != end_ && *it_ == '"';
      if (doubled) {
        ++it_;
        value += '"';
        continue;
      }

      // Straight quotes are closed by straight ones alone.
      const bool is_end = is_straight && c == '"';
      if (is_end || (!is_straight && closes(quotes, c))) {
        if (quotes.need_pair) value = trimmed_nfc(value);  // French has spaces inside
        if (value.empty()) refuse(at, "the field '" + std::string(name) + "' without a value");
        return value;
      }
      value += text(here, it_);
    }

    refuse(at, "a quote that is not closed");
  }

  /// Reads what may be one word, or several without spaces between them.
  std::string_view read_run() {
    const Iterator from = it_;
    unsigned before = ' ';
    while (it_ != end_) {
      const unsigned c = *it_;
      if (!is_wordchar(c) && !joins_words(before, c, behind(it_))) break;
      before = c;
      ++it_;
    }

    previous_ = 'A';
    return text(from, it_);
  }

  void add_words(std::size_t at, std::string_view run) {
    bool several = false;
    unsigned last = ' ';
    for (Iterator it(run.data(), run.size()); it != Iterator(); ++it) {
      several = several || (last != ' ' && !is_wordchar(last) && is_wordchar(*it));
      last = *it;
    }
    if (several) count_part(at);

    const bool wild = it_ != end_ && *it_ == '*' && is_wordchar(last);
    if (wild) ++it_;
    add(wild ? Kind::kWildcard : Kind::kWords, at, run, std::string(run));
  }

  void read_words() {
    if (read_field()) return;

    const std::size_t at = offset(it_);
    const std::string_view run = read_run();

    // Behind a sign, AND is a word.
    const bool has_sign =
        !lexemes_.empty() && lexemes_.back().at + 1 == at &&
        (lexemes_.back().kind == Kind::kMinus || lexemes_.back().kind == Kind::kPlus);
    const auto operation = operator_of(run);
    if (!operation || has_sign) return add_words(at, run);

    count_part(at);
    add(operation->first, at, run);
    lexemes_.back().distance = operation->second;
  }

  const std::string_view query_;
  const FilterFields& fields_;
  Iterator it_;
  const Iterator end_;
  unsigned previous_ = ' ';            // the character before a bracket or sign
  std::vector<std::size_t> brackets_;  // the places of open brackets
  std::size_t parts_ = 0;
  std::array<std::size_t, std::size(kQuotes)> last_closing_{};  // places; 0: none
  std::vector<Lexeme> lexemes_;
};

}  // namespace

void refuse_query(std::string_view query, std::size_t at, const std::string& fault) {
  constexpr std::size_t kMost = 80;
  constexpr std::size_t kBefore = 40;

  // The beginning, or what is around the byte.
  std::size_t begin = 0;
  if (at >= kMost) begin = at - kBefore;
  while (begin > 0 && begin < query.size() && (query[begin] & 0xC0) == 0x80) --begin;
  const std::string_view inside = utf8_prefix(query.substr(begin), kMost);

  std::string shown = begin > 0 ? "..." : "";
  shown += inside;
  if (begin + inside.size() < query.size()) shown += "...";
  throw Error(Errc::kInvalidArgument,
              "filter '" + shown + "': byte " + std::to_string(at + 1) + ": " + fault);
}

std::vector<Lexeme> read_lexemes(std::string_view query, const FilterFields& fields) {
  if (query.size() > kMaxFilterBytes) {
    throw Error(Errc::kInvalidArgument, "filter: expected at most " +
                                            std::to_string(kMaxFilterBytes) + " bytes (got " +
                                            std::to_string(query.size()) + ")");
  }
  return Lexer(query, fields).run();
}

std::string value_query(const std::string& field, std::string_view value) {
  std::string query = field + ":\"";
  for (const char c : value) {
    query += c;
    if (c == '"') query += c;
  }
  return query + '"';
}

std::string with_label_renamed(std::string_view query, const FilterFields& fields,
                               const std::string& from, const std::string& to) {
  std::string renamed;
  std::size_t copied = 0;
  for (const Lexeme& lexeme : read_lexemes(query, fields)) {
    const auto field = std::ranges::find(fields.values, lexeme.name, &FilterField::name);
    const bool is_label = lexeme.kind == Kind::kValue && field != fields.values.end() &&
                          field->is_label && label_name(lexeme.text) == from;
    if (!is_label) continue;
    renamed += query.substr(copied, lexeme.at - copied);
    renamed += value_query(field->name, to);
    copied = lexeme.end;
  }
  return renamed.append(query.substr(copied));
}

}  // namespace kindred
