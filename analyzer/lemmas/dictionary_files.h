#pragma once

#include <unicode/ucnv.h>
#include <unicode/unistr.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/text/language.h"
#include "config/api.h"

namespace kindred {

/// Turns text into the encoding of a dictionary and back. It keeps a state, so use one per thread,
/// or lock it.
class DictionaryEncoding {
 public:
  /// `name`: as after SET in an affix file ("UTF-8", "ISO8859-1", "KOI8-R", "microsoft-cp1251").
  /// `file` names the affix file in messages.
  /// @throws Error kUnsupported for a name that ICU does not know.
  DictionaryEncoding(const std::string& name, const std::string& file);

  /// Nothing if the encoding lacks a character of the text.
  std::optional<std::string> encode(const icu::UnicodeString& text) const;

  /// Well-formed UTF-8.
  std::string decode(const std::string& bytes) const;

 private:
  icu::LocalUConverterPointer converter_;  // null for UTF-8
};

/// A Hunspell dictionary on this machine: the files `path`.aff and `path`.dic.
struct DictionaryFiles {
  std::string name;  ///< "es_ES", "fr"
  std::string path;  ///< without the extension; symbolic links are followed

  std::string aff() const { return path + ".aff"; }
  std::string dic() const { return path + ".dic"; }
};

/// The dictionaries of the folders where Linux distributions keep them (/usr/local/share/hunspell,
/// /usr/share/hunspell, /usr/share/myspell/dicts), by name. Of two with one name the first counts.
/// Names that link to one dictionary are listed once, as the dictionary.
KINDRED_API std::vector<DictionaryFiles> installed_dictionaries();

/// The content of a .dic or .aff file.
/// @throws Error as read_regular_file().
std::string read_dictionary_file(const std::string& path);

/// Calls each(word) for the words of a Hunspell dictionary as its .dic file has them, without
/// flags, in UTF-8 and in the order of the file. Forms that only the affix rules make are left out,
/// and so are entries that the dictionary marks as no words (FORBIDDENWORD, NEEDAFFIX). It needs no
/// Hunspell.
/// @throws Error as read_regular_file(); kUnsupported for an encoding that ICU does not know.
void for_each_word(const DictionaryFiles& files,
                   const std::function<void(const std::string&)>& each);

/// An item of analyzer.lemmas or analyzer.compounds: a language, and where its words come from.
struct DictionaryItem {
  std::string language;  ///< as find_language() takes it
  bool is_hunspell;      ///< else `where` is the path of a list
  std::string where;     ///< the name of the dictionary, or its path without the extension if it
                         ///< has a slash, "" for the usual one; or the path of the list
};

/// "es=hunspell", "pt=hunspell:pt_PT" or "en=/path/to/list".
DictionaryItem parse_dictionary_item(std::string_view item);

/// Those of `items` that are for a language. One for "no" is also for the written forms of
/// Norwegian.
std::vector<DictionaryItem> items_for(const Language& language,
                                      const std::vector<std::string>& items);

/// The dictionary that an item of the setting `key` names. The usual one of a language is, in the
/// folders of installed_dictionaries(), the one whose name is its ISO 639 code ("fr"), or else the
/// code with the region where most speakers live ("pt_BR", "en_US") or that it is named after
/// ("es_ES"), or else the first by name ("sv_FI").
/// @throws Error kNotFound that names the key, the folders, and the Debian package to install.
DictionaryFiles dictionary_of(const DictionaryItem& item, const std::string& key);

/// A text that changes whenever the files of such an item are rewritten.
/// @throws Error as dictionary_of().
std::string source_stamp(const DictionaryItem& item, const std::string& key);

/// The object of this key that is in use in this process, or else the one that `load` makes. Any
/// number of threads may call it; they wait while one loads.
template <typename T, typename Load>
std::shared_ptr<const T> shared_object(const std::string& key, Load&& load) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const T>> objects;
  const std::lock_guard lock(mutex);

  // References are weak, so that what nobody uses any more is freed. Its entry goes now.
  std::erase_if(objects, [](const auto& entry) {
    return entry.second.expired();
  });
  if (std::shared_ptr<const T> known = objects[key].lock()) return known;

  // Under the lock: two threads that want the same at once would both load it.
  std::shared_ptr<const T> loaded = load();
  objects[key] = loaded;
  return loaded;
}

}  // namespace kindred
