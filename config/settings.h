#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/api.h"
#include "config/setting_structs.h"

namespace kindred {

/// How a document's labels are decided, by its neighbors or by each label as a whole.
enum class VoteKind {
  kMajority,    ///< share of the k neighbors (Bresler and Gil; plain k-NN)
  kSimilarity,  ///< share of the neighbors' similarities (Yang and Liu 1999)
  kBest,        ///< the best similarity of each label's documents (Veronese et al.)
  kNearest,     ///< the labels of the nearest neighbor, with its similarity
  kPrototype,   ///< as kBest, but only documents chosen as prototypes vote
  kCentroid,    ///< cosine to the sum of the label's documents (Rocchio)
  kProfile,  ///< complement log-odds of the label's documents (Rennie et al. 2003), as 1/(1+e^-x)
  kBlend,    ///< probability from all of these, with coefficients that `kindred tune` fits
  kUnit,     ///< share of the documents that lie on the map around the document's unit
             ///< (plugin/classify/unit_voters.h)
  kFew,   ///< share of the neighbors, where a text and the voters have moved toward the documents
          ///< that are like them, labeled or not (plugin/related/few_labels.h)
  kAuto,  ///< kFew with few voters, else kSimilarity; kBlend by a tuning
};

/// Their names, the values of classify.vote.
inline constexpr std::array<std::string_view, 11> kVoteNames = {
    "majority", "similarity", "best", "nearest", "prototype", "centroid",
    "profile",  "blend",      "unit", "few",     "auto"};

/// UTF-8 bytes of a word; longer ones are not indexed. Xapian::TermGenerator has the same limit.
inline constexpr std::size_t kMaxWordBytes = 64;

/// Terms that mark a document.
inline constexpr char kPendingTerm[] = "XUNTAGGED";  ///< its classification failed
inline constexpr char kOptOutTerm[] = "XNOTAG";      ///< it is to get no predicted tag
inline constexpr char kTaggedTerm[] = "XTAGGED";     ///< it was given predicted tags

/// The settings of [index], and what is known once they are settled for a database.
struct IndexSettings : IndexFields {
  std::string archive;  ///< the ZIM file that the index is in, or ""
};

/// All settings, with their defaults and the reasons for these (config/setting_structs.h).
struct Settings {
  AnalyzerSettings analyzer;
  IndexSettings index;
  WriteSettings write;
  IngestSettings ingest;
  HistorySettings history;
  LabelSettings labels;
  MirrorSettings mirror;
  WeightingSettings weighting;
  ClassifySettings classify;
  VocabularySettings vocabulary;
  FilterSettings filter;
  RelatedSettings related;
  BackendSettings backend;
  TopicSettings topics;
  /// The keys that a file or text has set, also to their defaults: "labels.prefix".
  std::vector<std::string> given;
  bool settled = false;    ///< for a database (plugin/store/settled_settings.h)
  std::string remembered;  ///< once settled: where the index keeps its own; "" = nowhere
};

/// The defaults, overridden by a settings file.
/// @throws Error kNotFound if it cannot be read; kInvalidArgument if it is not a regular file, or
/// longer than 1 MiB, and as parse_settings().
KINDRED_API Settings load_settings(const std::string& path);

/// The defaults, overridden by TOML text. `name` is what messages call it.
/// @throws Error kInvalidArgument that names `name`, the line, the key and what was expected, if
/// the text is not TOML, if a key is unknown (the message has the nearest known one), or if a value
/// has the wrong type or is out of range.
KINDRED_API Settings parse_settings(std::string_view toml, const std::string& name);

/// Sets one, such as "weighting.smart". `value` is the text of a string, devices as "0,1" or "all",
/// else TOML. Does not check what it is for the others: check_settings() does.
/// @throws Error kInvalidArgument that names the key (and the nearest one if it is unknown) and
/// what was expected.
KINDRED_API void set_value(Settings& settings, const std::string& key, const std::string& value);

/// Checks Settings that were made or changed in code.
/// @throws Error kInvalidArgument that names the key and what was expected.
KINDRED_API void check_settings(const Settings& settings);

/// True if a value is in a list. There, "a*" stands for all that begin with "a", "*a" for all that
/// end with it, and "*a*" for all that have it in them.
KINDRED_API bool is_listed(const std::vector<std::string>& list, std::string_view value);

/// True if a value under index.id_prefix is an id (index.not_ids).
bool is_id(const IndexSettings& settings, std::string_view value);

/// True if a value under labels.prefix is no label (labels.system).
KINDRED_API bool is_system_label(const LabelSettings& settings, std::string_view value);

/// An item of index.body_fields: the key, and how many times its words count.
struct BodyField {
  std::string_view key;
  std::int64_t times = 1;
};

/// `item` as key and times, which is 0 if it is not of the form "KEY=TIMES" with 1 to 1000 times.
KINDRED_API BodyField body_field(std::string_view item);

/// "value:SLOT" or "value:SLOT=TEXT" as the number of the slot and the text, which may be empty.
/// Nothing for anything else.
std::optional<std::pair<std::uint32_t, std::string_view>> slot_value(std::string_view text);

/// "NAME=PREFIX" (FilterSettings) as name and prefix, which is "" if there is none.
KINDRED_API std::pair<std::string_view, std::string_view> split_filter_field(
    std::string_view field);

/// In byte order, the keys that the user has set: those of `given`, and those that differ from
/// their defaults.
KINDRED_API std::vector<std::string> keys_set(const Settings& settings);

/// `over` with what `under` has set, for the keys that `over` has not. `given` is that of `over`.
KINDRED_API Settings overlaid(const Settings& over, const Settings& under);

/// True for the keys of prefixes, slots, fields, analysis and the profile: those that decide what
/// the terms of an index mean.
KINDRED_API bool shapes_index(std::string_view key);

/// "section.key" of every setting, in the order of config/kindred.toml.
KINDRED_API const std::vector<std::string>& known_keys();

/// The value of a key as TOML. The key must be a known one.
KINDRED_API std::string setting_text(const Settings& settings, const std::string& key);

/// These keys and their values as TOML. Paths of word lists are made absolute.
KINDRED_API std::string settings_toml(const Settings& settings,
                                      const std::vector<std::string>& keys);

/// All settings with their values as a JSON object of sections: {"index": {"id_prefix": "Q", ...},
/// ...}.
KINDRED_API std::string settings_json(const Settings& settings);

/// The settings that shape an index which Kindred makes: analysis, prefixes and slots, also where
/// they are the defaults, and the others where they are not.
KINDRED_API std::string shaping_settings_toml(const Settings& settings);

/// The settings that answers depend on, which are all but those of the backend, of ingest and of
/// the history, as text. With equal texts, equal questions to one index have equal answers.
KINDRED_API std::string settings_text(const Settings& settings);

}  // namespace kindred
