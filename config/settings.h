#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/api.h"
#include "config/device_list.h"

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
};

/// Their names, the values of classify.vote.
inline constexpr std::array<std::string_view, 9> kVoteNames = {"majority", "similarity", "best",
                                                               "nearest",  "prototype",  "centroid",
                                                               "profile",  "blend",      "unit"};

/// UTF-8 bytes of a word; longer ones are not indexed. Xapian::TermGenerator has the same limit.
inline constexpr std::size_t kMaxWordBytes = 64;

/// How a text becomes terms. analyzer/filter.h says what each step does.
struct AnalyzerSettings {
  std::string language =
      "en";                   ///< ISO 639 code, for documents that name none; "none" = no stemming
  bool fold_accents = false;  ///< "café" and "cafe" become one term
  /// The steps after segmentation and folding, in this order; each at most once.
  std::vector<std::string> filters = {"elision",    "possessive",     "normalize", "length",
                                      "stop_words", "stem_overrides", "lemma",     "stem"};
  std::string stop_words = "builtin";  ///< "builtin" (by language), "none", or a file
  /// File: on each line word TAB stem, or a word that is never stemmed; "" = none.
  std::string stem_overrides;
  /// Where the lemmas of a language come from, as "LANGUAGE=hunspell", "LANGUAGE=hunspell:NAME",
  /// with the path of a dictionary without its extension as NAME if it has a slash, or
  /// "LANGUAGE=FILE" (lemma TAB form, one pair per line). Of several for one language, the first
  /// that knows a word counts. Languages that are not listed have none.
  std::vector<std::string> lemmas;
  /// Where the words of a language come from by which its compounds are split: items as of
  /// `lemmas`, but a FILE has one word per line. All items of a language count. Languages that are
  /// not listed keep their compounds whole.
  std::vector<std::string> compounds;
  std::string cjk = "words";  ///< Chinese, Japanese, Korean: "words" or "bigrams" of characters
  /// What finds the language of documents and queries that name none: "off" (they are of
  /// `language`), "document" (each has one).
  std::string detect = "off";
  std::vector<std::string> languages;  ///< that may be found; empty = all that the detector knows
  std::int64_t ngrams = 1;             ///< 2 = pairs of neighbors are features, too
  bool units = false;                  ///< "5 km" is also one feature, "5km"
};

/// How documents are written to Xapian.
struct IndexSettings {
  std::string profile = "auto";      ///< whose index it is: "auto", "none", or one of profiles()
  std::string id_prefix = "Q";       ///< prefix of the unique-id term
  std::vector<std::string> not_ids;  ///< values under `id_prefix` that are no ids; "Q*" stands for
                                     ///< all that begin with "Q"
  std::string id_scheme;             ///< what may precede ids that are asked for, such as "id:"

  // No settings, but what is known once they are settled:
  bool id_in_data = false;  ///< the data of a document are its id, and no term has it (ZIM files)
  std::string archive;      ///< the ZIM file that the index is in, or ""
  /// Fields of the document data that may hold the title; the first one that does is taken. A name
  /// with a colon before it is a property of Lisp: (:subject "...").
  std::vector<std::string> title_fields = {"title", "caption"};
  std::string directory;  ///< of tuning, map and saved mirror; "" = beside the index
  /// Further keys of records whose text belongs to the body, as "KEY=TIMES": each word counts so
  /// many times.
  std::vector<std::string> body_fields;
  std::int64_t title_slot = -1;       ///< value slot of the title, if no field has it; -1 = none
  std::int64_t title_boost = 3;       ///< a word of the title counts this many times
  bool stemmed_words = false;         ///< words without prefix are stems, by STEM_ALL
  bool term_generator = false;        ///< texts are cut into words by Xapian::TermGenerator
  bool positions = true;              ///< keep the places of words, for phrases and NEAR
  std::int64_t batch = 2000;          ///< documents between two commits
  std::int64_t sample_bytes = 16384;  ///< bytes of the text kept for display; 0 = all
  bool read_only = false;             ///< nothing is written to the index, not even metadata
};

struct WriteSettings {
  double wait = 5;          ///< seconds to wait for another writer of the database to end
  bool other_user = false;  ///< also to a database that belongs to another user
};

/// How records pass from the caller to the database.
struct IngestSettings {
  double commit_seconds = 0;  ///< no record waits longer than this for its commit; 0 = no limit
  std::string on_failure = "index_untagged";  ///< or "reject", "dead_letter"
  std::string dead_letters;                   ///< file that "dead_letter" appends to
  /// Reports name the most similar document, if it is at least this similar, in [0, 1]; 0 = they
  /// name none.
  double near_duplicates = 0;
};

/// Where tags live in the index.
struct LabelSettings {
  std::string prefix = "K";                ///< boolean terms given by people
  std::vector<std::string> system;         ///< values under `prefix` that are no labels; "auto/*"
                                           ///< stands for all that begin with "auto/"
  std::string predicted_prefix = "XAUTO";  ///< boolean terms given by Kindred
  std::string rejected_prefix = "XNOT";    ///< boolean terms: tags that Kindred must not give
  std::int64_t prediction_slot = 7001;     ///< value slot: revision and confidences, as JSON
  std::int64_t max_per_document = 1000;    ///< labels, and rejected or predicted tags
};

/// Terms that mark a document.
inline constexpr char kPendingTerm[] = "XUNTAGGED";  ///< its classification failed
inline constexpr char kOptOutTerm[] = "XNOTAG";      ///< it is to get no predicted tag
inline constexpr char kTaggedTerm[] = "XTAGGED";     ///< it was given predicted tags

/// Which terms of the index are features, and how the mirror stays current.
struct MirrorSettings {
  /// Prefixes of feature terms, "" for unprefixed ones. Empty list: "Z" where the index has stems,
  /// else unprefixed terms.
  std::vector<std::string> term_prefixes;
  std::string follow = "off";  ///< "off", "poll"; not for a database that the caller opened
  std::int64_t max_staleness_ms = 1000;  ///< of answers, beside a refresh
  std::string save = "auto";             ///< "auto" (the program does), "never", "close", "follow"
  std::string directory;                 ///< of saved mirrors; "" = beside the index
};

struct WeightingSettings {
  std::string smart = "ltc";  ///< tf letter (n b s l L), idf letter (n t p f s r), c or n
};

struct ClassifySettings {
  std::int64_t neighbors = 30;      ///< that vote: the nearest
  double min_confidence = 0.35;     ///< a tag needs it, in [0, 1]
  std::int64_t limit = 0;           ///< at most this many tags per document; 0 = as many as the
                                    ///< tuning says, or else 5
  std::vector<std::string> never;   ///< labels that are never predicted
  std::string vote = "similarity";  ///< one of kVoteNames
  double min_similarity = 0.0;      ///< neighbors below it do not vote, in [0, 1]
  std::string prototypes;           ///< Xapian query of the voters in "prototype"
  bool use_tuning = true;           ///< tag as a tuning has learned, if there is one
  bool auto_tune = true;            ///< make one where there is none; see Engine
};

/// Fields of filters beside Kindred's own, as "NAME=PREFIX". One of Kindred's with the same name is
/// replaced.
struct FilterSettings {
  std::vector<std::string> fields;       ///< whose values are taken whole
  std::vector<std::string> text_fields;  ///< whose values are text
};

struct RelatedSettings {
  std::int64_t slot = 7003;  ///< value slot of stored results: ids, with a tab between two
};

struct BackendSettings {
  std::string kind = "auto";   ///< "auto", "cpu" or "cuda"
  std::int64_t threads = 0;    ///< CPU threads; 0 = one per core
  DeviceList devices;          ///< that compute, if it is CUDA
  std::int64_t memory_mb = 0;  ///< at most this much of a device's memory, in MiB; 0 = what is free
};

/// The map of topics: how it is made, and what documents get from it.
struct TopicSettings {
  std::int64_t min_df = 2;  ///< terms in fewer documents are left out of the map
  std::int64_t memory_mb =
      0;                  ///< at most this much main memory for training, in MiB; 0 = what is free
  bool on_ingest = true;  ///< give new documents their place, if there is a map
  std::string prefix = "XTOPIC";      ///< boolean term: number of the topic
  std::string unit_prefix = "XUNIT";  ///< boolean term: number of the unit
  std::int64_t slot = 7002;           ///< value slot: revision, unit, topic and novelty, as JSON
};

/// All settings, with their defaults. config/kindred.toml gives the reason for each value.
struct Settings {
  AnalyzerSettings analyzer;
  IndexSettings index;
  WriteSettings write;
  IngestSettings ingest;
  LabelSettings labels;
  MirrorSettings mirror;
  WeightingSettings weighting;
  ClassifySettings classify;
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

/// The settings that answers depend on, which are all but those of the backend and of ingest, as
/// text. With equal texts, equal questions to one index have equal answers.
KINDRED_API std::string settings_text(const Settings& settings);

}  // namespace kindred
