#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/lemmas/affix_file.h"

namespace kindred {

/// What an affix rule asks of the end of an entry that it changes: characters, sets of them, or
/// sets of those that it excludes, such as "[^aeiou]y".
class AffixCondition {
 public:
  /// `text`: well-formed UTF-8. `is_prefix`: the condition is for the first characters of an entry,
  /// else for the last. @throws Error kInvalidArgument for a set without an end.
  AffixCondition(std::string_view text, bool is_prefix);

  /// `entry`: well-formed UTF-8.
  bool meets(std::string_view entry) const;

 private:
  struct Set {
    std::u32string characters;
    bool excludes = false;
    bool has(char32_t c) const { return (characters.find(c) != characters.npos) != excludes; }
  };
  std::vector<Set> sets_;  // from the end of the entry inwards
  bool is_prefix_;
};

/// The prefixes or the suffixes of a dictionary, by what they append. Texts are well-formed UTF-8.
/// Immutable once it is filled; any number of threads may use it then.
class AffixTable {
 public:
  struct Rule {
    AffixFlag flag;
    bool crosses;
    std::uint32_t condition;
    AffixFlags flags;
  };

  /// The rules that append the same and strip the same.
  struct Group {
    std::string append, strip;
    std::vector<Rule> rules;
  };

  explicit AffixTable(bool has_prefixes) : has_prefixes_(has_prefixes) {}

  /// @throws Error kInvalidArgument for a condition that cannot be read.
  void add(const AffixRule& rule);

  bool meets(const Rule& rule, std::string_view entry) const {
    return conditions_[rule.condition].meets(entry);
  }

  /// Calls each(group, rest, entry) for every group whose affix the word has: `rest` is the word
  /// without it, `entry` that with what the rules strip. Both are valid during the call.
  template <typename Each>
  void for_each_split(std::string_view word, Each&& each) const {
    const Node* node = nodes_.data();
    std::string entry;
    for (std::size_t taken = 0;; ++taken) {
      const std::string_view rest =
          has_prefixes_ ? word.substr(taken) : word.substr(0, word.size() - taken);
      for (const std::uint32_t group : node->groups) {
        const std::string& strip = groups_[group].strip;
        if (has_prefixes_) {
          entry = strip;
          entry += rest;
        } else {
          entry = rest;
          entry += strip;
        }
        each(groups_[group], rest, std::string_view(entry));
      }
      if (rest.empty()) return;
      node = child(*node, has_prefixes_ ? rest.front() : rest.back());
      if (node == nullptr) return;
    }
  }

 private:
  /// Bytes with which some affixes begin, seen from the end of the word.
  struct Node {
    std::string bytes;                    // that may come next
    std::vector<std::uint32_t> children;  // one for each
    std::vector<std::uint32_t> groups;    // those that append just this
  };

  const Node* child(const Node& node, char byte) const {
    const std::size_t place = node.bytes.find(byte);
    return place == std::string::npos ? nullptr : &nodes_[node.children[place]];
  }
  std::uint32_t node_of(std::string_view append);
  Group& group_of(const AffixRule& rule);

  bool has_prefixes_;
  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::vector<Group> groups_;
  std::vector<AffixCondition> conditions_;
  std::map<std::string, std::uint32_t> known_conditions_;
};

}  // namespace kindred
