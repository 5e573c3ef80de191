#include "analyzer/lemmas/affix_lemmas.h"

#include <algorithm>

namespace kindred {

/// Collects the lemmas of one word.
class AffixLemmas::Search {
 public:
  using Rule = AffixTable::Rule;
  using Entry = EntryTable::Entry;

  explicit Search(const AffixLemmas& dictionary) : d_(dictionary) {}

  void analyze(std::string_view word) {
    find_bare(word);
    find_prefixed(word);
    find_suffixed(word, nullptr, 0);
    if (d_.has_second_suffixes_) find_twice_suffixed(word, nullptr);
  }

  std::vector<std::string> lemmas() const { return {found_.begin(), found_.end()}; }

 private:
  bool has(const AffixFlags& flags, AffixFlag flag) const {
    return flag != 0 && has_flag(flags, flag);
  }

  void add(const Entry& entry) {
    const std::string_view lemma = d_.entries_.lemma_of(entry);
    if (std::find(found_.begin(), found_.end(), lemma) == found_.end()) found_.push_back(lemma);
  }

  template <typename Each>
  void for_each_entry_of(const Entry* entry, Each&& each) const {
    for (; entry != nullptr; entry = d_.entries_.next(*entry))
      each(*entry, d_.entries_.flags_of(*entry));
  }

  bool leaves_enough(std::string_view rest) const {
    return !rest.empty() || d_.strips_whole_words_;
  }

  void find_bare(std::string_view word) {
    for_each_entry_of(d_.entries_.find(word), [&](const Entry& entry, const AffixFlags& flags) {
      if (!has(flags, d_.forbidden_) && !has(flags, d_.needs_affix_) &&
          !has(flags, d_.only_in_compounds_))
        add(entry);
    });
  }

  void find_prefixed(std::string_view word) {
    d_.prefixes_.for_each_split(
        word, [&](const AffixTable::Group& group, std::string_view rest, std::string_view entry) {
          if (!leaves_enough(rest)) return;
          for (const Rule& rule : group.rules) {
            if (!d_.prefixes_.meets(rule, entry)) continue;
            if (group.append.empty() || !has(rule.flags, d_.only_in_compounds_)) {
              add_prefixed(rule, entry);
              if (rule.crosses) find_suffixed(entry, &rule, 0);
            }
            if (rule.crosses && d_.has_second_suffixes_) find_twice_suffixed(entry, &rule);
          }
        });
  }

  void add_prefixed(const Rule& rule, std::string_view entry) {
    if (has(rule.flags, d_.needs_affix_)) return;
    for_each_entry_of(d_.entries_.find(entry), [&](const Entry& e, const AffixFlags& flags) {
      if (has(flags, rule.flag)) add(e);
    });
  }

  /// Words with one suffix, under a prefix if there is one. With `follower`: those that a suffix of
  /// that flag may follow. As Hunspell, it finds nothing for "".
  void find_suffixed(std::string_view word, const Rule* prefix, AffixFlag follower) {
    if (word.empty()) return;
    d_.suffixes_.for_each_split(
        word, [&](const AffixTable::Group& group, std::string_view rest, std::string_view root) {
          if (!leaves_enough(rest)) return;
          const auto is_allowed = [&](const Rule& rule) {
            return allows(rule, group, prefix, follower);
          };
          auto rule = std::find_if(group.rules.begin(), group.rules.end(), is_allowed);
          if (rule == group.rules.end()) return;
          const Entry* entry = d_.entries_.find(root);
          if (entry == nullptr) return;
          for (; rule != group.rules.end(); ++rule)
            if (is_allowed(*rule) && d_.suffixes_.meets(*rule, root))
              add_suffixed(*rule, prefix, entry);
        });
  }

  /// False if a mark of the rule forbids it here.
  bool allows(const Rule& rule, const AffixTable::Group& group, const Rule* prefix,
              AffixFlag follower) const {
    if (prefix != nullptr && !rule.crosses) return false;
    if (follower != 0 && !has_flag(rule.flags, follower)) return false;
    if (rule.flags.empty() && prefix == nullptr) return true;
    const bool prefix_is_half = prefix != nullptr && has(prefix->flags, d_.circumfix_);
    if (prefix_is_half != has(rule.flags, d_.circumfix_)) return false;
    if (has(rule.flags, d_.only_in_compounds_)) return false;
    if (follower != 0 || !has(rule.flags, d_.needs_affix_)) return true;
    return group.append.empty() && prefix != nullptr && !has(prefix->flags, d_.needs_affix_);
  }

  void add_suffixed(const Rule& rule, const Rule* prefix, const Entry* entry) {
    for_each_entry_of(entry, [&](const Entry& e, const AffixFlags& flags) {
      if (!has_flag(flags, rule.flag) && (prefix == nullptr || !has_flag(prefix->flags, rule.flag)))
        return;
      if (prefix == nullptr || has_flag(flags, prefix->flag) || has_flag(rule.flags, prefix->flag))
        add(e);
    });
  }

  void find_twice_suffixed(std::string_view word, const Rule* prefix) {
    if (word.empty()) return;
    d_.suffixes_.for_each_split(
        word, [&](const AffixTable::Group& group, std::string_view rest, std::string_view inner) {
          if (!leaves_enough(rest)) return;
          for (const Rule& rule : group.rules) {
            if (!d_.continues_[rule.flag] || (prefix != nullptr && !rule.crosses) ||
                !d_.suffixes_.meets(rule, inner))
              continue;
            const bool brings_prefix = prefix != nullptr && has_flag(rule.flags, prefix->flag);
            find_suffixed(inner, brings_prefix ? nullptr : prefix, rule.flag);
          }
        });
  }

  const AffixLemmas& d_;
  std::vector<std::string_view> found_;
};

std::vector<std::string> AffixLemmas::lemmas_of(std::string_view word,
                                                std::string_view capital) const {
  Search search(*this);
  const auto analyze = [&](std::string_view spelling) {
    if (replacements_.empty())
      search.analyze(spelling);
    else
      search.analyze(replacements_.apply(spelling));
  };
  analyze(word);
  if (capital != word) analyze(capital);
  return search.lemmas();
}

}  // namespace kindred
