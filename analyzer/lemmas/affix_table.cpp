#include "analyzer/lemmas/affix_table.h"

#include <unicode/utf8.h>

#include <algorithm>

#include "config/error.h"

namespace kindred {
namespace {

char32_t take_character(std::string_view& text, bool from_front) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  std::size_t begin = from_front ? 0 : text.size();
  if (!from_front) U8_BACK_1_UNSAFE(bytes, begin);
  std::size_t end = begin;
  UChar32 c = 0;
  U8_NEXT_UNSAFE(bytes, end, c);
  text = from_front ? text.substr(end) : text.substr(0, begin);
  return static_cast<char32_t>(c);
}

}  // namespace

AffixCondition::AffixCondition(std::string_view text, bool is_prefix) : is_prefix_(is_prefix) {
  const std::string whole(text);
  if (text == ".") return;
  while (!text.empty()) {
    Set set;
    const char32_t first = take_character(text, true);
    if (first == U'.') {
      set.excludes = true;  // nothing
    } else if (first != U'[') {
      set.characters = first;
    } else {
      if (text.starts_with('^')) set.excludes = !!take_character(text, true);
      while (!text.empty() && text.front() != ']') set.characters += take_character(text, true);
      if (text.empty())
        throw Error(Errc::kInvalidArgument, "expected ] in the condition \"" + whole + "\"");
      text.remove_prefix(1);
    }
    sets_.push_back(std::move(set));
  }
  if (!is_prefix_) std::reverse(sets_.begin(), sets_.end());
}

bool AffixCondition::meets(std::string_view entry) const {
  for (const Set& set : sets_)
    if (entry.empty() || !set.has(take_character(entry, is_prefix_))) return false;
  return true;
}

std::uint32_t AffixTable::node_of(std::string_view append) {
  std::uint32_t at = 0;
  for (; !append.empty();
       append = has_prefixes_ ? append.substr(1) : append.substr(0, append.size() - 1)) {
    const char byte = has_prefixes_ ? append.front() : append.back();
    std::size_t place = nodes_[at].bytes.find(byte);
    if (place == std::string::npos) {
      place = nodes_[at].bytes.size();
      nodes_[at].bytes += byte;
      nodes_[at].children.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.emplace_back();
    }
    at = nodes_[at].children[place];
  }
  return at;
}

AffixTable::Group& AffixTable::group_of(const AffixRule& rule) {
  const std::uint32_t node = node_of(rule.append);
  for (const std::uint32_t group : nodes_[node].groups)
    if (groups_[group].strip == rule.strip) return groups_[group];
  nodes_[node].groups.push_back(static_cast<std::uint32_t>(groups_.size()));
  groups_.push_back({rule.append, rule.strip, {}});
  return groups_.back();
}

void AffixTable::add(const AffixRule& rule) {
  const auto next = static_cast<std::uint32_t>(conditions_.size());
  const auto [known, is_new] = known_conditions_.try_emplace(rule.condition, next);
  if (is_new) conditions_.emplace_back(rule.condition, has_prefixes_);
  group_of(rule).rules.push_back({rule.flag, rule.crosses, known->second, rule.flags});
}

}  // namespace kindred
