#include "plugin/store/settled_settings.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/text/language.h"
#include "analyzer/text/normalize.h"
#include "analyzer/text/stemmer.h"
#include "analyzer/text/utf8.h"
#include "analyzer/text/word_list.h"
#include "config/error.h"
#include "config/profiles.h"
#include "plugin/store/database.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/readers.h"
#include "plugin/store/remembered.h"
#include "plugin/store/shard_addresses.h"
#include "plugin/store/terms.h"
#include "plugin/store/zim_file.h"

namespace kindred {
namespace {

constexpr std::size_t kLeastWords = 20;
constexpr std::size_t kMostWords = 400;
constexpr std::size_t kMostBeginnings = 2000;
constexpr std::size_t kTermsOfBeginning = 8;

bool is_first_byte(char c) { return (c & 0xC0) != 0x80; }

/// Long enough for stemmers to differ, and without digits and marks.
bool tells_stemmers_apart(const std::string& word) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c & 0x80) != 0;
  };
  return count_characters(word) >= 5 && std::all_of(word.begin(), word.end(), is_letter);
}

/// The first two characters.
std::string beginning_of(const std::string& word) {
  std::size_t end = 0;
  std::size_t characters = 0;
  for (; end < word.size(); ++end) {
    if (is_first_byte(word[end])) ++characters;
    if (characters > 2) break;
  }
  return word.substr(0, end);
}

/// Words of the index: one of each two characters that words begin with.
std::vector<std::string> sample_words(const Xapian::Database& database) {
  std::vector<std::string> words;

  TermReader terms(database, "");
  terms.skip_to("a");
  // A word of each beginning, so that the sample is of the whole alphabet, and few terms are read.
  for (std::size_t i = 0; i < kMostBeginnings && words.size() < kMostWords; ++i) {
    if (terms.at_end()) break;
    const std::string beginning = beginning_of(terms.term());

    for (std::size_t j = 0; j < kTermsOfBeginning && !terms.at_end(); ++j) {
      const std::string& word = terms.term();
      if (!word.starts_with(beginning)) break;
      if (tells_stemmers_apart(word)) {
        words.push_back(word);
        break;
      }
      terms.next();
    }

    if (!terms.at_end() && terms.term().starts_with(beginning)) terms.skip_to(beginning + '\xFF');
  }
  return words;
}

std::size_t explained(const Xapian::Database& database, const std::vector<std::string>& words,
                      const std::string& stemmer_name) {
  Stemmer stemmer(stemmer_name);
  return static_cast<std::size_t>(std::ranges::count_if(words, [&](const std::string& word) {
    return database.term_exists(prefixed_term("Z", stemmer.stem(word)));
  }));
}

std::string language_of_stemmer(const std::string& name) {
  std::string code = find_language(name).code;
  if (find_language(code).stemmer == name) return code;
  return name;
}

/// How many stop words of a language the index has as stems that differ from them, and how many as
/// they are written although their stems differ.
struct Evidence {
  std::size_t stems = 0;
  std::size_t words = 0;
};

Evidence evidence_of(const Xapian::Database& database, const Language& language) {
  Stemmer stemmer(language.stemmer);
  Evidence evidence;
  if (!stemmer.active()) return evidence;

  const WordSet words = stop_words("builtin", language, Normalizer(language, false));
  for (const std::string& word : words) {
    const std::string stem = stemmer.stem(word);
    // Only words that the stemmer changes tell, and only if no other stop word is their stem.
    if (stem == word || words.contains(stem)) continue;

    if (database.term_exists(word)) {
      ++evidence.words;
    } else if (database.term_exists(stem)) {
      ++evidence.stems;
    }
  }
  return evidence;
}

bool are_stems(const std::vector<std::string>& terms, const std::string& stemmer_name) {
  Stemmer stemmer(stemmer_name);
  const auto stays = [&](const std::string& term) {
    return stemmer.stem(term) == term;
  };
  const auto count = std::count_if(terms.begin(), terms.end(), stays);
  return static_cast<std::size_t>(count) * 10 >= terms.size() * 9;
}

/// The language by whose stemmer the unprefixed words of an index without Z were made, as
/// TermGenerator makes them with STEM_ALL: as stem_language(), of the languages with stop words. It
/// is the one of whose stop words that the stemmer changes the index has the most stems and, with
/// one exception in ten, not the words themselves; and the stemmer changes at most one in ten of a
/// sample of the terms. "" if there is none, or if less than five stop words tell.
/// `only`: the one language to consider; "" for all.
std::string plain_stem_language(const Xapian::Database& database, const std::string& only) {
  constexpr std::size_t kLeastStems = 5;

  if (!TermReader(database, "Z").at_end()) return "";
  const std::vector<std::string> terms = sample_words(database);
  if (terms.size() < kLeastWords) return "";

  std::string best;
  std::size_t most = kLeastStems - 1;
  for (const BuiltinStopWords& list : builtin_stop_words()) {
    const Language language = find_language(list.language);
    if (!only.empty() && language.code != find_language(only).code) continue;

    // Some stop words are the stems of others by chance: what tells is that the words are missing.
    const Evidence found = evidence_of(database, language);
    if (found.stems <= most || found.words * 9 > found.stems || !are_stems(terms, language.stemmer))
      continue;

    most = found.stems;
    best = language.code;
  }
  return best;
}

/// True if Chinese, Japanese and Korean are in the index as characters and pairs of them, as
/// TermGenerator makes them with FLAG_CJK_NGRAM, and not as longer words.
bool has_ngrams(const Xapian::Database& database) {
  constexpr std::size_t kMostTerms = 200;

  TermReader terms(database, "");
  terms.skip_to("\u3041");  // the first of hiragana, which ideographs and Hangul follow

  bool pairs = false;
  for (std::size_t i = 0; i < kMostTerms && !terms.at_end(); ++i) {
    const std::string& term = terms.term();
    if (term >= "\uE000") break;

    // A longer word was not cut into pairs. A pair was, if its first character is there, too.
    const std::size_t characters = count_characters(term);
    if (characters > 2) return false;
    pairs = pairs || (characters == 2 && database.term_exists(term.substr(0, 3)));
    terms.next();
  }
  return pairs;
}

/// The language by whose stemmer the stems of an index were made, as its unprefixed words and its
/// stems (Z) tell: an ISO 639 code, or the name of the stemmer if the code stands for another one
/// ("porter"). It is the stemmer whose stems the index has for most of a sample of its words; the
/// language `usual` if no other explains more of them. "" if the index has too few words or stems,
/// or if no stemmer explains nine in ten.
std::string stem_language(const Xapian::Database& database, const std::string& usual) {
  if (TermReader(database, "Z").at_end()) return "";
  const std::vector<std::string> words = sample_words(database);
  if (words.size() < kLeastWords) return "";

  // The usual language wins every tie, since stemmers of related languages agree on many words.
  std::string best = usual;
  std::size_t most = explained(database, words, find_language(usual).stemmer);
  if (most == words.size()) return best;

  for (const std::string& name : stemmer_names()) {
    if (!is_language(name)) continue;
    const std::size_t found = explained(database, words, name);
    if (found <= most) continue;
    most = found;
    best = language_of_stemmer(name);
  }

  if (most * 10 < words.size() * 9) return "";
  return best;
}

/// What messages call the database.
std::string shown_name(const std::string& path) {
  if (path.empty()) return "the database";
  return path;
}

Settings without_profile(Settings settings) {
  if (settings.index.profile == "auto") settings.index.profile = "none";
  return settings;
}

/// The first language that the metadata of the index of a ZIM file name: "eng", "fra,deu".
void read_language(const Xapian::Database& database, Settings& settings) {
  const std::string languages = database.get_metadata("language");
  const std::string first = languages.substr(0, languages.find_first_of(",;"));
  if (!is_language(first)) return;
  settings.analyzer.language = find_language(first).code;
  settings.given.emplace_back("analyzer.language");
}

/// Sets a prefix to the first of these letters that the index has terms under, if any.
void choose_prefix(const Xapian::Database& database, std::string_view letters,
                   const std::string& key, Settings& settings) {
  for (const char letter : letters) {
    if (TermReader(database, {letter}).at_end()) continue;
    set_value(settings, key, {letter});
    settings.given.push_back(key);
    return;
  }
}

/// The settings of a profile, for this database.
Settings settings_of(const Profile& profile, const Xapian::Database& database) {
  Settings settings = parse_settings(profile.settings, "profile " + std::string(profile.name));

  // The same program may write ids, or labels, under several prefixes.
  choose_prefix(database, profile.id_prefixes, "index.id_prefix", settings);
  choose_prefix(database, profile.label_prefixes, "labels.prefix", settings);

  if (profile.name == "zim") read_language(database, settings);
  return settings;
}

Settings with_profile(const Xapian::Database& database, const Settings& settings) {
  const bool detect = settings.index.profile == "auto";
  const std::string name = detect ? detected_profile(database) : settings.index.profile;

  const Profile* profile = find_profile(name);
  if (profile == nullptr) return without_profile(settings);

  // A profile that was found by itself must not be in the way of what the user says. One that the
  // user names must fit.
  Settings whole = overlaid(settings, settings_of(*profile, database));
  whole.index.profile = name;
  try {
    check_settings(whole);
  } catch (const Error& e) {
    if (detect) return without_profile(settings);
    throw Error(e.code(), std::string(e.what()) + " with the profile " + name);
  }
  return whole;
}

bool is_set(const Settings& settings, const char* key) {
  const std::vector<std::string> set = keys_set(settings);
  return std::find(set.begin(), set.end(), key) != set.end();
}

/// Words of another program keep their spelling, and are cut by Xapian::TermGenerator; only Recoll
/// cuts them in its own way.
void follow_program(Settings& settings) {
  if (is_set(settings, "analyzer.filters")) return;
  std::erase(settings.analyzer.filters, "normalize");
  if (!is_set(settings, "index.term_generator"))
    settings.index.term_generator = settings.index.profile != "recoll";
}

/// What the terms of another program's index tell: the language of its stems, whether they have no
/// prefix, and whether there are pairs of characters; unless the user says so.
void recognize_terms(const Xapian::Database& database, Settings& settings) {
  const bool names_language = is_set(settings, "analyzer.language");

  std::string language;
  if (!names_language) language = stem_language(database, settings.analyzer.language);

  // Stems under Z tell the language more surely than words that are stems themselves.
  if (language.empty() && !is_set(settings, "index.stemmed_words")) {
    language = plain_stem_language(database, names_language ? settings.analyzer.language : "");
    settings.index.stemmed_words = !language.empty();
  }

  if (!names_language && !language.empty()) settings.analyzer.language = language;
  if (settings.index.term_generator && !is_set(settings, "analyzer.cjk") && has_ngrams(database))
    settings.analyzer.cjk = "bigrams";
}

/// A file of the user decides what contradicts memory; values set in code go before it.
Settings settle(const Xapian::Database& database, const std::string& path,
                const Settings& settings) {
  const std::string location = file_location(path, settings.index.directory);
  const RememberedSettings remembered = remembered_settings(database, location);
  check_remembered(settings, remembered);
  Settings settled = with_profile(database, overlaid(settings, remembered.settings));

  // An index of Kindred says how its texts were analyzed. That of another program is looked at.
  if (const auto recorded = recorded_analysis(database)) {
    check_analysis(shown_name(path), *recorded, analysis_record(settled));
  } else {
    const bool is_new = database.get_lastdocid() == 0 && settled.index.profile == "none";
    if (remembered.source != "metadata" && !is_new) {
      follow_program(settled);
      recognize_terms(database, settled);
    }
  }
  if (is_zim(path)) settled.index.archive = path;

  // Databases that are found in a folder are another program's, and so is the folder.
  settled.index.read_only = settled.index.read_only || are_found(path);
  const std::string& directory = settled.index.directory;
  std::error_code ignored;
  if (!directory.empty() && !std::filesystem::is_directory(directory, ignored))
    throw Error(Errc::kInvalidArgument,
                "index.directory: no such folder: " + directory + "; make it, or name another");
  if (is_pattern(path) && directory.empty())
    throw Error(Errc::kInvalidArgument, path +
                                            ": expected index.directory, a folder for Kindred's "
                                            "files, as the databases are in several");

  settled.given = keys_set(settings);
  settled.remembered = remembered.source;
  return settled;
}

Settings marked_settled(Settings settings) {
  settings.settled = true;
  return settings;
}

/// The first value under a prefix, and the data of the first document that has it.
struct FirstValue {
  std::string value;
  std::string data;
};

std::optional<FirstValue> first_under(const Xapian::Database& database, const std::string& prefix) {
  const TermReader terms(database, prefix);
  if (terms.at_end()) return {};
  const auto value = value_under(prefix, terms.term());
  if (!value) return {};

  const PostingReader list(database, terms.term());
  if (list.at_end()) return {};
  return FirstValue{std::string(*value), database.get_document(list.docid()).get_data()};
}

/// notmuch says in the metadata which features the format of its index has.
bool is_notmuch(const Xapian::Database& database) {
  return !metadata_of(database, "version").empty() &&
         metadata_of(database, "features").find("relative directory paths") != std::string::npos;
}

/// Version 1.8 names the folder of the mail "maildir", later ones "root-maildir".
bool is_mu(const Xapian::Database& database) {
  return !metadata_of(database, "schema-version").empty() &&
         !(metadata_of(database, "maildir") + metadata_of(database, "root-maildir")).empty();
}

/// The full-text index of a ZIM file, which names its value slots.
bool is_index_of_zim(const Xapian::Database& database) {
  return metadata_of(database, "kind") == "fulltext" &&
         metadata_of(database, "valuesmap").starts_with("title:0;");
}

bool is_recoll(const Xapian::Database& database) {
  return !metadata_of(database, "RCL_IDX_VERSION_KEY").empty();
}

/// Keys are twelve digits under QQ, and the data are a pickle of Python.
bool is_xapian_haystack(const Xapian::Database& database) {
  const auto first = first_under(database, "QQ");
  return first && first->value.size() == 12 && first->data.starts_with('\x80') &&
         first->value.find_first_not_of("0123456789") == std::string::npos;
}

/// The data of a document are the name of the package, which is its id.
bool is_apt_xapian_index(const Xapian::Database& database) {
  const auto first = first_under(database, "XP");
  return first && first->value == first->data;
}

/// fts-flatcurve, fts-backend-flatcurve-xapian.cpp: its version is in the metadata.
bool is_flatcurve(const Xapian::Database& database) {
  return !metadata_of(database, "dovecot.fts-flatcurve").empty();
}

/// imap/xapian_wrap.cpp of Cyrus: its version is in the metadata.
bool is_cyrus(const Xapian::Database& database) {
  return !metadata_of(database, "cyrus.db_version").empty();
}

/// PublicInbox/SearchIdx.pm: in the metadata of each index, whose words are under XNQ. An index of
/// headers alone has no words.
bool is_public_inbox(const Xapian::Database& database) {
  return !metadata_of(database, "has_threadid").empty() ||
         (first_under(database, "XNQ") && first_under(database, "XQUOT"));
}

/// Words are under XBDY, and ids are the numbers of mails.
bool is_fts_xapian(const Xapian::Database& database) {
  const auto id = first_under(database, "Q");
  return first_under(database, "XBDY") && id &&
         id->value.find_first_not_of("0123456789") == std::string::npos;
}

/// A mail has been read (BR) or not (BNR), and its folder is a number.
bool is_akonadi(const Xapian::Database& database) {
  const auto folder = first_under(database, "C");
  return (database.term_exists("BR") || database.term_exists("BNR")) && folder &&
         folder->value.find_first_not_of("0123456789") == std::string::npos;
}

/// The data are an object of Ruby, as Marshal writes it, and the type is "mail".
bool is_sup(const Xapian::Database& database) {
  const auto type = first_under(database, "K");
  return type && type->value == "mail" && type->data.starts_with("\x04\x08");
}

/// No document has data; values are its type, its name and its address, a page of HTML.
bool is_doxygen(const Xapian::Database& database) {
  const PostingReader all(database, "");
  if (all.at_end()) return false;
  const Xapian::Document document = database.get_document(all.docid());
  return document.get_data().empty() && !document.get_value(1).empty() &&
         !document.get_value(2).empty() && document.get_value(5).find("html") != std::string::npos;
}

/// Ids are URLs, and the URL is a line of the data.
bool is_omega(const Xapian::Database& database) {
  const auto first = first_under(database, "U");
  return first && ("\n" + first->data).find("\nurl=") != std::string::npos;
}

}  // namespace

Settings settled_settings(DatabaseReader& database, const std::string& path,
                          const Settings& settings) {
  check_settings(settings);
  if (settings.settled) return settings;

  const std::string name = shown_name(path);
  try {
    return marked_settled(
        database.read(name + ": cannot find out its settings", [&](const Xapian::Database& opened) {
          return settle(opened, path, settings);
        }));
  } catch (const Error& e) {
    if (e.code() != Errc::kCorrupt) throw;
    // Whoever reads the lists says what is damaged.
    return marked_settled(without_profile(settings));
  }
}

Settings settled_settings(const std::string& path, const Settings& settings) {
  check_settings(settings);
  if (settings.settled) return settings;

  try {
    DatabaseReader database(path);
    return settled_settings(database, path, settings);
  } catch (const Error& e) {
    if (e.code() != Errc::kNotFound) throw;

    // An index that is yet to be made has what the user says, and nothing to find out.
    Settings made = without_profile(settings);
    if (made.index.profile != "none") follow_program(made);
    made.given = keys_set(settings);
    analysis_record(made);  // throws what would stop the index from being made
    return marked_settled(std::move(made));
  }
}

std::string detected_profile(const Xapian::Database& database) {
  using Test = bool (*)(const Xapian::Database&);
  // The surest signs come first: metadata that only one program writes, before the form of a
  // document.
  constexpr std::pair<const char*, Test> kTests[] = {{"notmuch", is_notmuch},
                                                     {"recoll", is_recoll},
                                                     {"mu", is_mu},
                                                     {"zim", is_index_of_zim},
                                                     {"xapian-haystack", is_xapian_haystack},
                                                     {"flatcurve", is_flatcurve},
                                                     {"cyrus", is_cyrus},
                                                     {"public-inbox", is_public_inbox},
                                                     {"fts-xapian", is_fts_xapian},
                                                     {"sup", is_sup},
                                                     {"akonadi", is_akonadi},
                                                     {"apt-xapian-index", is_apt_xapian_index},
                                                     {"doxygen", is_doxygen},
                                                     {"omega", is_omega}};

  for (const auto& [name, test] : kTests) {
    if (test(database)) return name;
  }
  return "none";
}

}  // namespace kindred
