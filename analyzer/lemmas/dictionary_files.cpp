#include "analyzer/lemmas/dictionary_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "config/error.h"
#include "config/regular_file.h"

namespace kindred {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

constexpr std::string_view kUsualFolders[] = {"/usr/local/share/hunspell", "/usr/share/hunspell",
                                              "/usr/share/myspell/dicts"};

using Pair = std::pair<std::string_view, std::string_view>;

// Where the region is not the language in capitals.
constexpr Pair kUsualNames[] = {
    {"ca", "ca_ES"}, {"cs", "cs_CZ"}, {"da", "da_DK"}, {"el", "el_GR"}, {"en", "en_US"},
    {"et", "et_EE"}, {"eu", "eu_ES"}, {"fa", "fa_IR"}, {"ga", "ga_IE"}, {"he", "he_IL"},
    {"hi", "hi_IN"}, {"hy", "hy_AM"}, {"ko", "ko_KR"}, {"nb", "nb_NO"}, {"ne", "ne_NP"},
    {"nn", "nn_NO"}, {"no", "nb_NO"}, {"pt", "pt_BR"}, {"sl", "sl_SI"}, {"sr", "sr_RS"},
    {"sv", "sv_SE"}, {"uk", "uk_UA"}, {"vi", "vi_VN"},
};

// The packages of Debian that are not hunspell-<language>.
constexpr Pair kPackages[] = {
    {"de", "hunspell-de-de"}, {"en", "hunspell-en-us"}, {"eo", "myspell-eo"},
    {"et", "myspell-et"},     {"fa", "myspell-fa"},     {"fo", "myspell-fo"},
    {"ga", "myspell-ga"},     {"gv", "myspell-gv"},     {"hy", "myspell-hy"},
    {"ku", "hunspell-kmr"},   {"nb", "hunspell-no"},    {"nn", "hunspell-no"},
    {"pt", "hunspell-pt-br"}, {"sq", "myspell-sq"},     {"tl", "myspell-tl"},
};

std::string_view second_of(const Pair* begin, const Pair* end, std::string_view first) {
  const Pair* found = std::find_if(begin, end, [&](const Pair& p) { return p.first == first; });
  return found == end ? std::string_view{} : found->second;
}

std::vector<std::string> all_folders(std::vector<std::string> folders) {
  folders.insert(folders.end(), std::begin(kUsualFolders), std::end(kUsualFolders));
  return folders;
}

/// Name -> path without extension, of all dictionaries. Folders that cannot be read have none.
std::map<std::string, std::string> names_in(const std::vector<std::string>& folders) {
  std::map<std::string, std::string> names;
  for (const std::string& folder : folders) {
    std::error_code fault;
    for (fs::directory_iterator it(folder, fault), end; !fault && it != end; it.increment(fault)) {
      const fs::path dic = it->path();
      fs::path aff = dic;
      aff.replace_extension(".aff");
      std::error_code ignored;
      if (dic.extension() != ".dic" || !fs::is_regular_file(aff, ignored)) continue;
      const fs::path real = fs::canonical(dic, ignored);
      if (!ignored) names.emplace(dic.stem().string(), real.parent_path() / real.stem());
    }
  }
  return names;
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
  return result;
}

std::string package_of(std::string_view language, std::string_view name) {
  const bool by_region = language == "de" || language == "en" || language == "pt";
  if (by_region && name.starts_with(std::string(language) + "_")) {
    std::string package = "hunspell-" + std::string(name);
    for (char& c : package)
      c = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return package;
  }
  const std::string_view other = second_of(std::begin(kPackages), std::end(kPackages), language);
  return other.empty() ? "hunspell-" + std::string(language) : std::string(other);
}

[[noreturn]] void fail_missing(std::string_view language, std::string_view name,
                               const std::vector<std::string>& folders, const std::string& key) {
  std::string places;
  for (const std::string& folder : folders) places += (places.empty() ? "" : ", ") + folder;
  const std::string wanted =
      name.empty() ? "for \"" + std::string(language) + "\"" : "\"" + std::string(name) + "\"";
  throw Error(Errc::kNotFound, key + ": expected a Hunspell dictionary " + wanted + " in one of " +
                                   places + "; Debian has it in the package " +
                                   package_of(language, name));
}

}  // namespace

std::vector<DictionaryFiles> installed_dictionaries(const std::vector<std::string>& folders) {
  std::vector<DictionaryFiles> dictionaries;
  std::set<std::string> paths;
  for (const auto& [name, path] : names_in(all_folders(folders)))
    if (paths.insert(path).second) dictionaries.push_back({fs::path(path).filename(), path});
  const auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };
  std::sort(dictionaries.begin(), dictionaries.end(), by_name);
  return dictionaries;
}

std::string read_dictionary_file(const std::string& path) {
  return read_regular_file(path, "this file of a Hunspell dictionary", kMaxFileBytes).bytes;
}

DictionaryFiles find_dictionary(std::string_view language, std::string_view name,
                                const std::vector<std::string>& folders, const std::string& key) {
  const std::vector<std::string> all = all_folders(folders);
  const auto names = names_in(all);
  const std::string code(language);
  const std::string usual(second_of(std::begin(kUsualNames), std::end(kUsualNames), language));
  std::vector<std::string> wanted = {std::string(name)};
  if (name.empty()) wanted = {code, usual, code + "_" + upper(language)};
  for (const std::string& candidate : wanted) {
    const auto found = names.find(candidate);
    if (found != names.end()) return {found->first, found->second};
  }
  const auto first = names.lower_bound(code + "_");
  if (name.empty() && first != names.end() && first->first.starts_with(code + "_"))
    return {first->first, first->second};
  fail_missing(language, name, all, key);
}

}  // namespace kindred
