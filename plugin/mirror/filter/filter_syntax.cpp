#include "plugin/mirror/filter/filter_syntax.h"

#include <xapian.h>
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/nearest_word.h"

namespace kindred {
namespace {

using Xapian::Unicode::is_whitespace;
using Xapian::Unicode::is_wordchar;

// The classes of characters of Xapian's query parser.

bool is_one_of(unsigned c, const char* set) {
  return c != 0 && c < 128 && std::strchr(set, static_cast<char>(c)) != nullptr;
}

bool is_quote(unsigned c) { return c == '"' || c == 0x201C || c == 0x201D; }

/// Between two parts of a word, as in Fred's and AT&T.
bool is_infix(unsigned c) {
  return is_one_of(c, "'&") || c == 0xB7 || c == 0x5F4 || c == 0x2027 || c == 0x2019 ||
         c == 0x201B || (c >= 0x200B && c <= 0x200D) || c == 0x2060 || c == 0xFEFF;
}

/// Between words that become a phrase.
bool joins_words(unsigned c) { return is_one_of(c, ".-/:\\@"); }

bool is_operator(std::string_view word) {
  constexpr std::string_view kOperators[] = {"AND", "OR", "NOT", "XOR", "NEAR", "ADJ"};
  return std::find(std::begin(kOperators), std::end(kOperators), word) != std::end(kOperators);
}

/// True if it could be the name of a field: not a number, not a word of another script.
bool is_identifier(std::string_view word) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return is_letter(word.front()) && std::all_of(word.begin(), word.end(), fits);
}

bool has_field(const std::vector<FilterField>& fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const FilterField& field) { return field.name == name; });
}

/// Replaces Kindred's own fields that have the names of these.
void override_fields(const std::vector<std::string>& given, FilterFields& fields,
                     std::vector<FilterField>& list) {
  std::vector<FilterField> added;
  for (const std::string& field : given) {
    const auto [name, prefix] = split_filter_field(field);
    added.push_back({std::string(name), std::string(prefix)});
  }
  const auto is_replaced = [&](const FilterField& field) { return has_field(added, field.name); };
  std::erase_if(fields.texts, is_replaced);
  std::erase_if(fields.values, is_replaced);
  list.insert(list.end(), added.begin(), added.end());
}

/// Reads a filter in the steps of Xapian::QueryParser.
class FilterScan {
 public:
  FilterScan(std::string_view filter, const FilterFields& fields)
      : filter_(filter), fields_(fields), it_(filter.data(), filter.size()) {}

  void run();
  std::size_t wildcards() const { return wildcards_; }

 private:
  using Iterator = Xapian::Utf8Iterator;

  std::size_t offset(const Iterator& it) const {
    return it == end_ ? filter_.size() : static_cast<std::size_t>(it.raw() - filter_.data());
  }
  std::string_view text(const Iterator& from, const Iterator& to) const {
    return filter_.substr(offset(from), offset(to) - offset(from));
  }
  [[noreturn]] void refuse(std::size_t at, const std::string& fault) const;
  [[noreturn]] void refuse_field(const Iterator& from, const Iterator& to) const;
  void count_part(std::size_t at);
  void read_phrase();
  void open_bracket();
  void close_bracket();
  void read_word();
  bool read_field();
  void read_value(std::string_view name);
  void read_term();

  const std::string_view filter_;
  const FilterFields& fields_;
  Iterator it_;
  const Iterator end_;
  unsigned previous_ = ' ';            // the character before a bracket or sign
  std::vector<std::size_t> brackets_;  // the places of open brackets
  std::size_t parts_ = 0;
  std::size_t wildcards_ = 0;
};

void FilterScan::refuse(std::size_t at, const std::string& fault) const {
  const std::string_view beginning = utf8_prefix(filter_, 80);
  throw Error(Errc::kInvalidArgument, "filter '" + std::string(beginning) +
                                          (beginning.size() < filter_.size() ? "...'" : "'") +
                                          ": byte " + std::to_string(at + 1) + ": " + fault);
}

void FilterScan::refuse_field(const Iterator& from, const Iterator& to) const {
  const std::string name(utf8_prefix(text(from, to), 40));
  refuse(offset(from), "unknown field '" + name + "', did you mean '" +
                           nearest_of(name, fields_.names()) + "'? Fields are " +
                           listed_filter_fields(fields_) + "; text with a colon goes in quotes");
}

void FilterScan::count_part(std::size_t at) {
  if (++parts_ <= kMaxFilterParts) return;
  refuse(at, "more than " + std::to_string(kMaxFilterParts) + " operators, phrases and brackets");
}

/// Skips from an opening quote to after the next one.
void FilterScan::read_phrase() {
  const std::size_t at = offset(it_);
  count_part(at);
  do {
    if (++it_ == end_) refuse(at, "a quote that is not closed");
  } while (!is_quote(*it_));
  ++it_;
  previous_ = '"';
}

void FilterScan::open_bracket() {
  const std::size_t at = offset(it_);
  count_part(at);
  brackets_.push_back(at);
  if (brackets_.size() > kMaxFilterBrackets) {
    refuse(at, "more than " + std::to_string(kMaxFilterBrackets) + " brackets in one another");
  }
  ++it_;
  previous_ = '(';
}

void FilterScan::close_bracket() {
  if (brackets_.empty()) refuse(offset(it_), "a bracket that was not opened");
  brackets_.pop_back();
  ++it_;
  previous_ = ')';
}

/// Reads the value of a field whose values are taken whole.
void FilterScan::read_value(std::string_view name) {
  const std::size_t at = offset(it_);
  const unsigned opening = *it_;
  if (!is_quote(opening)) {
    while (it_ != end_ && *it_ > ' ' && *it_ != ')') ++it_;
    return;
  }
  const std::size_t begin = offset(++it_);
  while (it_ != end_) {
    const std::size_t here = offset(it_);
    const unsigned c = *it_;
    ++it_;
    if (c != '"' && (opening == '"' || !is_quote(c))) continue;
    if (c == '"' && it_ != end_ && *it_ == '"') {  // "" is a quote inside the value
      ++it_;
      continue;
    }
    if (here == begin) refuse(at, "the field '" + std::string(name) + "' without a value");
    return;
  }
  refuse(at, "a quote that is not closed");
}

/// Reads the name of a field and its value; false if a word follows, of a field or not.
bool FilterScan::read_field() {
  const Iterator from = it_;
  const Iterator colon = std::find_if(it_, end_, [](unsigned c) { return !is_wordchar(c); });
  if (colon == end_ || *colon != ':') return false;
  const std::string_view name = text(from, colon);
  const bool is_value = fields_.is_value(name);
  const bool known = is_value || fields_.is_text(name);
  Iterator value = colon;
  ++value;
  if (value == end_ || *value <= ' ' || *value == ')') {
    if (!known) return false;
    refuse(offset(from), "the field '" + std::string(name) + "' without a value");
  }
  if (!known) {
    const std::string_view rest = filter_.substr(offset(value));
    if (is_identifier(name) && !rest.starts_with("//") && *value != ':') refuse_field(from, colon);
    return false;
  }
  previous_ = 'A';
  it_ = value;
  if (is_value) {
    read_value(name);
    return true;
  }
  if (is_quote(*value)) {
    read_phrase();
    return true;
  }
  if (*value == '(') {
    open_bracket();
    return true;
  }
  while (value != end_ && *value != ':' && joins_words(*value)) ++value;
  if (value == end_ || !is_wordchar(*value)) {
    refuse(offset(from), "the field '" + std::string(name) + "' without a word");
  }
  it_ = value;
  return false;
}

/// Skips to the end of a word, with its suffix (C++) and its wildcard.
void FilterScan::read_term() {
  while (it_ != end_) {
    const unsigned c = *it_;
    Iterator next = it_;
    ++next;
    if (!is_wordchar(c) && !(is_infix(c) && next != end_ && is_wordchar(*next))) break;
    it_ = next;
  }
  while (it_ != end_ && is_one_of(*it_, "+#")) ++it_;
  if (it_ != end_ && *it_ == '*') ++wildcards_;
}

/// Reads a word, or several that are joined to a phrase, in which nothing is a field.
void FilterScan::read_word() {
  if (read_field()) return;
  const Iterator from = it_;
  read_term();
  previous_ = 'A';
  if (is_operator(text(from, it_))) return count_part(offset(from));
  bool phrase = false;
  while (it_ != end_ && joins_words(*it_)) {
    Iterator next = it_;
    while (next != end_ && joins_words(*next)) ++next;
    if (next == end_ || !is_wordchar(*next)) break;
    if (!phrase) count_part(offset(from));
    phrase = true;
    it_ = next;
    read_term();
  }
}

void FilterScan::run() {
  while (it_ != end_) {
    const unsigned c = *it_;
    if (is_wordchar(c)) {
      read_word();
    } else if (is_quote(c)) {
      read_phrase();
    } else if (c == '(') {
      if (previous_ > ' ' && !is_one_of(previous_, "()+-")) {
        refuse(offset(it_), "a bracket right behind a word; a space goes between");
      }
      open_bracket();
    } else if (c == ')') {
      close_bracket();
    } else {
      if (is_one_of(c, "+-")) count_part(offset(it_));
      previous_ = is_whitespace(c) ? ' ' : c;
      ++it_;
    }
  }
  if (!brackets_.empty()) refuse(brackets_.back(), "a bracket that is not closed");
}

}  // namespace

bool FilterFields::is_text(std::string_view name) const { return has_field(texts, name); }

bool FilterFields::is_value(std::string_view name) const { return has_field(values, name); }

std::vector<std::string> FilterFields::names() const {
  std::vector<std::string> names;
  for (const auto* list : {&texts, &values}) {
    for (const FilterField& field : *list) {
      if (std::find(names.begin(), names.end(), field.name) == names.end())
        names.push_back(field.name);
    }
  }
  return names;
}

FilterFields filter_fields(const Settings& settings) {
  FilterFields fields;
  fields.texts = {{"title", "S"}};
  fields.values = {{"label", settings.labels.prefix},
                   {"predicted", settings.labels.predicted_prefix},
                   {"rejected", settings.labels.rejected_prefix},
                   {"topic", settings.topics.prefix},
                   {"unit", settings.topics.unit_prefix},
                   {"id", settings.index.id_prefix},
                   {"lang", "L"}};
  override_fields(settings.filter.text_fields, fields, fields.texts);
  override_fields(settings.filter.fields, fields, fields.values);
  return fields;
}

std::string listed_filter_fields(const FilterFields& fields) {
  std::string list;
  for (const std::string& name : fields.names()) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::size_t check_filter(std::string_view filter, const FilterFields& fields) {
  if (filter.size() > kMaxFilterBytes) {
    throw Error(Errc::kInvalidArgument, "filter: expected at most " +
                                            std::to_string(kMaxFilterBytes) + " bytes (got " +
                                            std::to_string(filter.size()) + ")");
  }
  FilterScan scan(filter, fields);
  scan.run();
  return scan.wildcards();
}

}  // namespace kindred
