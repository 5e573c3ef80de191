#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "plugin/history/tag_history.h"

namespace kindred {

/// What people said of predicted tags.
struct Judged {
  std::uint64_t accepted = 0;  ///< became theirs
  std::uint64_t refused = 0;   ///< were rejected, or found taken off by another program

  void add(bool is_right);
  std::uint64_t all() const { return accepted + refused; }
  /// The share of the accepted; NaN if nothing was judged.
  double right() const;
};

/// What people say of predicted tags, in the latest days and before, by what a history has of it.
class TagJudgments {
 public:
  /// `since`: milliseconds at which the latest days begin.
  explicit TagJudgments(std::uint64_t since) : since_(since) {}

  void add(const HistoryEntry& entry);

  /// Of one label, or of all.
  struct Periods {
    Judged latest;
    Judged before;
  };
  const Periods& all() const { return all_; }
  const std::map<std::string, Periods>& labels() const { return labels_; }

  std::uint64_t given() const { return given_; }          ///< labels, by people, in the latest days
  std::uint64_t taken_off() const { return taken_off_; }  ///< likewise

 private:
  void judge(const std::string& label, bool is_latest, bool is_right);

  const std::uint64_t since_;
  Periods all_;
  std::map<std::string, Periods> labels_;
  std::uint64_t given_ = 0;
  std::uint64_t taken_off_ = 0;
};

}  // namespace kindred
