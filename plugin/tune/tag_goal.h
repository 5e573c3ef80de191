#pragma once

#include <cstddef>
#include <string>

namespace kindred {

/// What the thresholds of a tuning are chosen for.
struct TagGoal {
  enum Kind {
    kBalanced,   ///< the best mean of micro and macro F1, by a threshold of each label
    kMicro,      ///< the best F1 over all tags
    kMacro,      ///< the best mean of the labels' F1
    kPrecision,  ///< as many tags as are right to this share
    kTop         ///< so many tags for every document
  };
  Kind kind = kBalanced;
  double precision = 0;  ///< of kPrecision, in (0, 1)
  std::size_t top = 0;   ///< of kTop, at least 1
};

/// Reads "", "micro", "macro", "precision=0.9" or "top=5".
/// @throws Error kInvalidArgument that names the key "goal" for anything else.
TagGoal tag_goal(const std::string& text);

}  // namespace kindred
