#include "analyzer/lemmas/dictionary_files.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/regular_file.h"
#include "config/shown.h"

namespace kindred {
namespace {

// What ICU calls the encoding. It knows "ISO8859-1" and "KOI8-R" by these names, too.
std::string icu_name(const std::string& name) {
  constexpr std::string_view kMicrosoft = "microsoft-cp";
  if (name.starts_with(kMicrosoft)) return "windows-" + name.substr(kMicrosoft.size());
  if (name == "ISCII-DEVANAGARI") return "ISCII,version=0";
  if (name == "TIS620-2533") return "TIS-620";
  return name;
}

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

constexpr std::string_view kUsualFolders[] = {"/usr/local/share/hunspell", "/usr/share/hunspell",
                                              "/usr/share/myspell/dicts"};

/// Name -> path without extension, of all dictionaries. Folders that cannot be read have none.
std::map<std::string, std::string> names_in_folders() {
  std::map<std::string, std::string> names;
  for (const std::string_view folder : kUsualFolders) {
    // A folder that vanishes while it is read ends as one that was never there.
    std::error_code fault;
    fs::directory_iterator it(folder, fault);
    const fs::directory_iterator end;
    for (; !fault && it != end; it.increment(fault)) {
      // A dictionary has both files. Several names may be links to one.
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
  // Debian has a package for each country of these languages, and one for all of each other
  // language.
  const bool by_region = language == "de" || language == "en" || language == "pt";
  if (by_region && name.starts_with(std::string(language) + "_")) {
    std::string package = "hunspell-" + lower_ascii(name);
    std::ranges::replace(package, '_', '-');
    return package;
  }

  const std::string other = language_name("packages", language);
  if (other.empty()) return "hunspell-" + std::string(language);
  return other;
}

[[noreturn]] void fail_missing(std::string_view language, std::string_view name,
                               const std::string& key) {
  std::string folders;
  for (const std::string_view folder : kUsualFolders) append_item(folders, folder);

  std::string wanted = "\"" + std::string(name) + "\"";
  if (name.empty()) wanted = "for \"" + std::string(language) + "\"";
  throw Error(Errc::kNotFound, key + ": expected a Hunspell dictionary " + wanted + " in one of " +
                                   folders + "; Debian has it in the package " +
                                   package_of(language, name));
}

DictionaryFiles dictionary_at(const std::string& path, const std::string& key) {
  DictionaryFiles files{fs::path(path).filename(), path};
  std::error_code ignored;
  for (const std::string& file : {files.aff(), files.dic()}) {
    if (fs::is_regular_file(file, ignored)) continue;
    std::string fault = key;
    fault.append(": expected a Hunspell dictionary with the file ").append(file);
    throw Error(Errc::kNotFound, fault);
  }
  return files;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Calls each(line) for the lines of a file, without a byte order mark and line ends.
template <typename Each>
void for_each_line(std::string_view text, Each&& each) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    each(line);
  }
}

/// Takes the next field off a line: what stands between blanks; "" at the end.
std::string_view next_field(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view field = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(field.size());
  return field;
}

/// What an affix file says of entries.
struct AffixHead {
  explicit AffixHead(std::string_view text) {
    for_each_line(text, [&](std::string_view line) {
      // A line is a key and a value; what else stands on it is not about entries.
      const std::string_view key = next_field(line);
      const std::string_view value = next_field(line);
      if (key == "SET") encoding = value;
      if (key == "FLAG") form = value;
      if (key == "AF") aliases.emplace_back(value);
      if (key == "FORBIDDENWORD") forbidden = value;
      if (key == "NEEDAFFIX" || key == "PSEUDOROOT") needs_affix = value;
    });
  }

  /// True if flags, as they stand behind the slash of an entry, say that it is no word.
  bool marks_no_word(std::string_view flags) const {
    if (!aliases.empty()) {
      std::size_t number = 0;
      std::from_chars(flags.data(), flags.data() + flags.size(), number);
      flags = number > 0 && number < aliases.size() ? aliases[number] : std::string_view();
    }
    return has(flags, forbidden) || has(flags, needs_affix);
  }

  std::string encoding = "ISO8859-1";

 private:
  bool has(std::string_view flags, std::string_view flag) const {
    if (flag.empty()) return false;
    std::size_t at = flags.find(flag);
    for (; at != flags.npos; at = flags.find(flag, at + 1)) {
      // Flags stand one behind the other. What looks like the flag may be the end of one and the
      // begin of the next, or a piece of a longer number.
      const std::size_t end = at + flag.size();
      const bool is_number =
          (at == 0 || flags[at - 1] == ',') && (end == flags.size() || flags[end] == ',');
      bool is_flag = true;
      if (form == "num") is_flag = is_number;
      if (form == "long") is_flag = at % 2 == 0;
      if (is_flag) return true;
    }
    return false;
  }

  std::string form;  // of flags: "" (a byte each), "long" (two), "num" (with commas), "UTF-8"
  std::vector<std::string> aliases;  // the first is their number
  std::string forbidden;
  std::string needs_affix;
};

/// Where the flags of an entry begin, or its end: a slash is part of the word if it comes first, or
/// behind a backslash.
std::size_t end_of_word(std::string_view entry) {
  for (std::size_t i = 1; i < entry.size(); ++i)
    if (entry[i] == '/' && entry[i - 1] != '\\') return i;
  return entry.size();
}

/// Where the fields behind the word and its flags begin, such as " st:go", or the end: with a tab,
/// or with a blank and a name of two letters with a colon.
std::size_t end_of_entry(std::string_view line) {
  // A colon may also stand in the word itself. So a field has a name of two letters before it, and
  // a blank before that.
  const std::size_t tab = std::min(line.find('\t'), line.size());
  std::size_t colon = line.find(':');
  for (; colon < tab; colon = line.find(':', colon + 1)) {
    if (colon < 4 || !is_blank(line[colon - 3])) continue;
    std::size_t end = colon - 3;
    while (end > 0 && is_blank(line[end - 1])) --end;
    if (end > 0) return end;
  }
  return tab;
}

}  // namespace

DictionaryEncoding::DictionaryEncoding(const std::string& name, const std::string& file) {
  if (name == "UTF-8") return;

  UErrorCode status = U_ZERO_ERROR;
  converter_.adoptInstead(ucnv_open(icu_name(name).c_str(), &status));

  // A word that the encoding lacks is in no entry. By itself ICU would put a sign in its place, and
  // ask for another word.
  if (converter_.isValid())
    ucnv_setFromUCallBack(converter_.getAlias(), UCNV_FROM_U_CALLBACK_STOP, nullptr, nullptr,
                          nullptr, &status);

  if (U_FAILURE(status))
    throw Error(Errc::kUnsupported,
                file + ": expected an encoding that ICU knows, found SET " + name);
}

std::optional<std::string> DictionaryEncoding::encode(const icu::UnicodeString& text) const {
  std::string result;
  if (converter_.isNull()) {
    text.toUTF8String(result);
    return result;
  }

  constexpr std::size_t kBytesOfCharacter = 8;  // of a character, with changes of state
  result.resize((static_cast<std::size_t>(text.length()) + 1) * kBytesOfCharacter);
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t size = ucnv_fromUChars(converter_.getAlias(), result.data(),
                                            static_cast<std::int32_t>(result.size()),
                                            text.getBuffer(), text.length(), &status);

  if (U_FAILURE(status)) return {};
  result.resize(static_cast<std::size_t>(size));
  return result;
}

std::string DictionaryEncoding::decode(const std::string& bytes) const {
  if (converter_.isNull()) return repair_utf8(bytes);
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeString text(bytes.data(), static_cast<std::int32_t>(bytes.size()),
                                converter_.getAlias(), status);
  std::string result;
  if (U_SUCCESS(status)) text.toUTF8String(result);
  return result;
}

std::vector<DictionaryFiles> installed_dictionaries() {
  std::vector<DictionaryFiles> dictionaries;
  std::set<std::string> paths;
  for (const auto& [name, path] : names_in_folders())
    // Several names may lead to one dictionary: the first is enough.
    if (paths.insert(path).second) dictionaries.push_back({fs::path(path).filename(), path});
  std::ranges::sort(dictionaries, {}, &DictionaryFiles::name);
  return dictionaries;
}

std::string read_dictionary_file(const std::string& path) {
  return read_regular_file(path, "this file of a Hunspell dictionary", kMaxFileBytes).bytes;
}

DictionaryFiles dictionary_of(const DictionaryItem& item, const std::string& key) {
  const std::string& name = item.where;
  if (name.find('/') != std::string::npos) return dictionary_at(name, key);

  // Without a name: the language alone, the country that is meant by most ("en_US"), or the country
  // of the same letters ("de_DE").
  const auto names = names_in_folders();
  const std::string code = find_language(item.language).code;
  std::vector<std::string> wanted = {name};
  if (name.empty()) wanted = {code, language_name("dictionaries", code), code + "_" + upper(code)};
  for (const std::string& candidate : wanted) {
    const auto found = names.find(candidate);
    if (found != names.end()) return {found->first, found->second};
  }

  // Else any country of the language is better than none.
  const auto first = names.lower_bound(code + "_");
  if (name.empty() && first != names.end() && first->first.starts_with(code + "_"))
    return {first->first, first->second};
  fail_missing(code, name, key);
}

std::string source_stamp(const DictionaryItem& item, const std::string& key) {
  if (!item.is_hunspell) return "\nlist\n" + item.where + '\n' + file_stamp(item.where);
  const DictionaryFiles files = dictionary_of(item, key);
  return "\nhunspell\n" + files.path + '\n' + file_stamp(files.aff()) + file_stamp(files.dic());
}

void for_each_word(const DictionaryFiles& files,
                   const std::function<void(const std::string&)>& each) {
  const AffixHead affixes(read_dictionary_file(files.aff()));
  const DictionaryEncoding encoding(affixes.encoding, files.aff());

  // The first line of a dictionary has the number of its entries, but some lack it.
  bool is_first = true;
  for_each_line(read_dictionary_file(files.dic()), [&](std::string_view line) {
    const bool is_number = is_first && line.find_first_not_of("0123456789 \t") == line.npos;
    is_first = false;

    const std::string_view entry = line.substr(0, end_of_entry(line));
    const std::size_t end = end_of_word(entry);

    // An entry that is forbidden, or that is no word without an affix, must not become a part.
    if (is_number || entry.empty() ||
        affixes.marks_no_word(entry.substr(std::min(end + 1, entry.size()))))
      return;

    std::string word(entry.substr(0, end));
    replace_all(word, "\\/", "/");
    each(encoding.decode(word));
  });
}

DictionaryItem parse_dictionary_item(std::string_view item) {
  constexpr std::string_view kHunspell = "hunspell";
  const std::size_t equals = std::min(item.find('='), item.size());
  const std::string language(item.substr(0, equals));
  const std::string_view where = item.substr(std::min(equals + 1, item.size()));
  if (where == kHunspell) return {language, true, ""};
  if (where.starts_with(kHunspell) && where[kHunspell.size()] == ':')
    return {language, true, std::string(where.substr(kHunspell.size() + 1))};
  return {language, false, std::string(where)};
}

std::vector<DictionaryItem> items_for(const Language& language,
                                      const std::vector<std::string>& items) {
  std::vector<DictionaryItem> found;
  for (const std::string& text : items) {
    DictionaryItem item = parse_dictionary_item(text);
    const std::string code = find_language(item.language).code;
    if (code == language.code || code == language.list) found.push_back(std::move(item));
  }
  return found;
}

}  // namespace kindred
