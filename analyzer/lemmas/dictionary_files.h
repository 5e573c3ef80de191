#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"

namespace kindred {

/// A Hunspell dictionary on this machine: the files `path`.aff and `path`.dic.
struct DictionaryFiles {
  std::string name;  ///< "es_ES", "fr"
  std::string path;  ///< without the extension; symbolic links are followed

  std::string aff() const { return path + ".aff"; }
  std::string dic() const { return path + ".dic"; }
};

/// The dictionaries of these folders, then those of the folders where Linux distributions keep them
/// (/usr/local/share/hunspell, /usr/share/hunspell, /usr/share/myspell/dicts), by name. Of two with
/// one name the first counts. Names that link to one dictionary are listed once, as the dictionary.
KINDRED_API std::vector<DictionaryFiles> installed_dictionaries(
    const std::vector<std::string>& folders);

/// The content of a .dic or .aff file.
/// @throws Error as read_regular_file().
std::string read_dictionary_file(const std::string& path);

/// The dictionary of a language, by its ISO 639 code, in the same folders: the one whose name is
/// the code ("fr"), or else the code with the region where most speakers live ("pt_BR", "en_US") or
/// that it is named after ("es_ES"), or else the first by name ("sv_FI"). If `name` is not "", the
/// one of that name. `key`: the setting that asks for it, for messages.
/// @throws Error kNotFound that names the key, the folders, and the Debian package to install.
DictionaryFiles find_dictionary(std::string_view language, std::string_view name,
                                const std::vector<std::string>& folders, const std::string& key);

}  // namespace kindred
