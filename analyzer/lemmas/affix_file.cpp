#include "analyzer/lemmas/affix_file.h"

#include <unicode/utf8.h>

#include <algorithm>

#include "analyzer/lemmas/dictionary_lines.h"

namespace kindred {
namespace {

/// Keys that change how words are found in ways that AffixFile has no fields for.
constexpr std::string_view kNotFollowed[] = {"AM", "COMPLEXPREFIXES", "IGNORE"};

std::size_t number_of(std::string_view text) {
  std::size_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') break;
    number = std::min<std::size_t>(10 * number + static_cast<std::size_t>(c - '0'), 1 << 20);
  }
  return number;
}

std::string unless_zero(std::string_view text) { return text == "0" ? "" : std::string(text); }

}  // namespace

bool has_flag(const AffixFlags& flags, AffixFlag flag) {
  return std::binary_search(flags.begin(), flags.end(), flag);
}

void Replacements::add(std::string from, std::string to) {
  if (from.empty()) return;
  const auto is_longer = [](const auto& a, const auto& b) {
    return a.first.size() > b.first.size();
  };
  std::pair<std::string, std::string> pair(std::move(from), std::move(to));
  pairs_.insert(std::upper_bound(pairs_.begin(), pairs_.end(), pair, is_longer), std::move(pair));
}

std::string Replacements::apply(std::string_view text) const {
  std::string result;
  while (!text.empty()) {
    const auto matches = [&](const auto& pair) { return text.starts_with(pair.first); };
    const auto found = std::find_if(pairs_.begin(), pairs_.end(), matches);
    const std::size_t taken = found == pairs_.end() ? 1 : found->first.size();
    result += found == pairs_.end() ? text.substr(0, 1) : std::string_view(found->second);
    text.remove_prefix(taken);
  }
  return result;
}

/// Reads the lines of an affix file into one.
class AffixFile::Reader {
 public:
  explicit Reader(AffixFile& file) : file_(file) {}

  /// What the other lines depend on.
  void read_form(std::string_view line) {
    const std::string_view key = take_field(line), value = take_field(line);
    if (key == "SET") file_.encoding = value;
    if (key == "FLAG") file_.form_ = value;
    if (key == "AF") file_.aliases_.emplace_back(value);
  }

  void read(std::string_view line) {
    std::string_view rest = line;
    const std::string_view key = take_field(rest);
    if (lines_left_ > 0) {
      --lines_left_;
      return read_rule(key, rest);
    }
    if (key == "PFX" || key == "SFX") return read_head(key, rest);
    if (key == "ICONV") return read_replacement(key, rest, file_.of_words);
    if (key == "OCONV") return read_replacement(key, rest, file_.of_lemmas);
    if (key == "FULLSTRIP") file_.strips_whole_words = true;
    if (key == "FORBIDDENWORD") file_.forbidden = file_.parse_flag(take_field(rest));
    if (key == "NEEDAFFIX" || key == "PSEUDOROOT")
      file_.needs_affix = file_.parse_flag(take_field(rest));
    if (key == "ONLYINCOMPOUND") file_.only_in_compounds = file_.parse_flag(take_field(rest));
    if (key == "CIRCUMFIX") file_.circumfix = file_.parse_flag(take_field(rest));
    if (std::find(std::begin(kNotFollowed), std::end(kNotFollowed), key) != std::end(kNotFollowed))
      file_.not_followed.emplace_back(key);
  }

  void finish() {
    if (lines_left_ > 0) file_.not_followed.emplace_back("rules that are missing at the end");
  }

 private:
  void read_head(std::string_view key, std::string_view rest) {
    kind_ = key;
    flag_ = file_.parse_flag(take_field(rest));
    crosses_ = take_field(rest).starts_with('Y');
    lines_left_ = number_of(take_field(rest));
    if (lines_left_ == 0) file_.not_followed.emplace_back(key);
  }

  void read_rule(std::string_view key, std::string_view rest) {
    AffixRule rule;
    rule.flag = file_.parse_flag(take_field(rest));
    const std::string_view strip = take_field(rest), made = take_field(rest);
    if (key != kind_ || rule.flag != flag_ || made.empty()) {
      file_.not_followed.emplace_back(key);
      return;
    }
    const std::size_t slash = std::min(made.find('/'), made.size());
    rule.is_prefix = key == "PFX";
    rule.crosses = crosses_;
    rule.strip = unless_zero(strip);
    rule.append = unless_zero(made.substr(0, slash));
    rule.flags = file_.parse_flags(made.substr(std::min(slash + 1, made.size())));
    const std::string_view condition = take_field(rest);
    rule.condition = condition.empty() ? "." : condition;
    rule.morphology = rest;
    file_.rules.push_back(std::move(rule));
  }

  void read_replacement(std::string_view key, std::string_view rest, Replacements& replacements) {
    const std::string_view from = take_field(rest), to = take_field(rest);
    if (to.empty()) return;  // the number of lines
    // For the begin or the end of a word only.
    if (from.starts_with('_') || from.ends_with('_')) file_.not_followed.emplace_back(key);
    replacements.add(std::string(from), unless_zero(to));
  }

  AffixFile& file_;
  std::string_view kind_;  // of the rules whose lines follow
  AffixFlag flag_ = 0;
  bool crosses_ = false;
  std::size_t lines_left_ = 0;
};

AffixFile::AffixFile(std::string_view text) {
  Reader reader(*this);
  for_each_line(text, [&](std::string_view line) { reader.read_form(line); });
  for_each_line(text, [&](std::string_view line) { reader.read(line); });
  reader.finish();
}

AffixFlag AffixFile::parse_flag(std::string_view flag) const {
  if (form_ == "num") return static_cast<AffixFlag>(number_of(flag));
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(flag[i]); };
  if (flag.empty()) return 0;
  if (form_ == "long")
    return static_cast<AffixFlag>(flag.size() < 2 ? byte(0) : byte(0) << 8 | byte(1));
  if (form_ != "UTF-8") return byte(0);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(flag.data());
  std::size_t i = 0;
  UChar32 c = 0;
  U8_NEXT(bytes, i, flag.size(), c);
  return static_cast<AffixFlag>(std::max(c, 0));
}

AffixFlags AffixFile::parse_flags(std::string_view flags) const {
  if (!aliases_.empty() && !flags.empty()) {
    const std::size_t number = number_of(flags);
    flags = number > 0 && number < aliases_.size() ? aliases_[number] : std::string_view();
  }
  AffixFlags parsed;
  while (!flags.empty()) {
    std::size_t size = form_ == "long" ? 2 : 1;
    if (form_ == "num") size = flags.find(',') == flags.npos ? flags.size() : flags.find(',') + 1;
    if (form_ == "UTF-8")
      while (size < flags.size() && U8_IS_TRAIL(flags[size])) ++size;
    parsed.push_back(parse_flag(flags.substr(0, size)));
    flags.remove_prefix(std::min(size, flags.size()));
  }
  std::sort(parsed.begin(), parsed.end());
  parsed.erase(std::unique(parsed.begin(), parsed.end()), parsed.end());
  return parsed;
}

bool AffixFile::marks_no_word(const AffixFlags& flags) const {
  return (forbidden != 0 && has_flag(flags, forbidden)) ||
         (needs_affix != 0 && has_flag(flags, needs_affix));
}

}  // namespace kindred
