#pragma once

#include <xapian.h>
#include <string>
#include <vector>

#include "config/settings.h"
#include "plugin/classification.h"
#include "plugin/tag_edit.h"

namespace kindred {

/// All that a document of an index holds about its tags.
struct StoredTags : DocumentTags {
  bool pending = false;
  std::string prediction;  ///< the value slot: JSON of the tags given, or ""

  bool operator==(const StoredTags&) const = default;
};

/// @throws Xapian::Error.
StoredTags read_tags(const Xapian::Document& document, const Settings& settings);

/// The predicted tags that the slot says were given, that fit a term, and whose terms are gone:
/// somebody took them off. A tag that people gave themselves since was confirmed instead.
std::vector<std::string> taken_off(const StoredTags& tags, const LabelSettings& settings);

/// Rejects what was taken off.
void reject_taken_off(StoredTags& tags, const LabelSettings& settings);

/// What the document is to hold once it was classified. People's tags stand alone: a document that
/// has some, or that opted out, gets none. Expects reject_taken_off() before.
void predict(StoredTags& tags, const Classification& classification, const LabelSettings& settings);

/// Takes all predicted tags off. Expects reject_taken_off() before.
void clear_prediction(StoredTags& tags);

/// Takes labels that are not among the predicted tags out of the slot, so that they do not count
/// as taken off by somebody else.
void forget_absent(StoredTags& tags, const LabelSettings& settings);

/// Makes a document that holds `now` hold `wanted`, in all but id and people's tags.
void write_tags(Xapian::Document& document, const StoredTags& now, const StoredTags& wanted,
                const LabelSettings& settings);

/// True if both say the same but for the revision.
bool same_prediction(const std::string& a, const std::string& b);

}  // namespace kindred
