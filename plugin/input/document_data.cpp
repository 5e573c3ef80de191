#include "plugin/input/document_data.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_set>

#include "analyzer/text/normal_form.h"
#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/profiles.h"
#include "config/shown.h"
#include "plugin/input/names.h"
#include "plugin/input/record.h"
#include "plugin/store/readers.h"
#include "plugin/store/terms.h"
#include "plugin/store/zim.h"

namespace kindred {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kLongestIdOfMu = 239;  // mu, lib/message/mu-fields.cc, without the prefix

/// The end of a string in Lisp that begins after a quote at `at`.
std::size_t string_end(std::string_view lisp, std::size_t at) {
  while (at < lisp.size() && lisp[at] != '"') {
    if (lisp[at] == '\\') ++at;  // what it escapes is no end
    ++at;
  }
  return at;
}

/// The string that follows `name`, as in (:name "string"), of a list that is in no other.
std::string lisp_property(std::string_view lisp, const std::string& name) {
  // The name is looked for outside of strings and of inner lists, where it would be something
  // else's.
  int depth = 0;
  bool is_named = false;
  for (std::size_t i = 0; i < lisp.size(); ++i) {
    if (lisp[i] == '(') ++depth;
    if (lisp[i] == ')') --depth;
    if (lisp[i] == ':' && depth == 1) is_named = lisp.substr(i).starts_with(name + " ");
    if (lisp[i] != '"') continue;

    const std::size_t end = string_end(lisp, i + 1);
    if (!is_named || depth != 1) {
      i = end;
      continue;
    }

    std::string value;
    for (++i; i < std::min(end, lisp.size()); ++i) {
      if (lisp[i] == '\\' && i + 1 < lisp.size()) ++i;
      value += lisp[i];
    }

    return value;
  }
  return "";
}

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

bool has_line_end(std::string_view text) { return std::ranges::any_of(text, is_line_end); }

/// The name of the line that a key has.
std::string line_name(std::string_view key) {
  std::string name(key);
  std::ranges::replace(name, '=', '_');
  std::ranges::replace_if(name, is_line_end, ' ');
  return name;
}

std::string line_of(std::string_view name, std::string_view value) {
  if (value.empty()) return "";
  std::string line = line_name(name).append("=").append(value);
  std::ranges::replace_if(line, is_line_end, ' ');
  return line.append("\n");
}

constexpr const char* kExact = "kindred";  // the name of the last line

/// True for names of lines that are no further keys of a record.
bool is_own_line(std::string_view name) {
  constexpr std::string_view kOwn[] = {"", "id", "title", "sample", "lang", "label", kExact};
  return std::ranges::find(kOwn, name) != std::end(kOwn);
}

/// The line ends of a text, of which each is a space in its line: for each the letter n or r, and
/// how many bytes precede it since the one before.
std::string line_ends_of(std::string_view text) {
  std::string ends;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find_first_of("\n\r", begin);
    if (end == text.npos) return ends;
    ends += (text[end] == '\n' ? 'n' : 'r') + std::to_string(end - begin);
    begin = end + 1;
  }
}

/// The opposite. What does not fit the text, as it was changed by others, is passed over.
void put_line_ends(std::string_view ends, std::string& text) {
  const char* const last = ends.data() + ends.size();
  std::size_t at = 0;
  for (const char* next = ends.data(); next != last; ++at) {
    // Each line end is a letter and the number of bytes since the last one.
    const char end = *next == 'n' ? '\n' : '\r';
    std::size_t gap = 0;
    const auto [behind, error] = std::from_chars(next + 1, last, gap);
    if (error != std::errc() || at >= text.size() || gap >= text.size() - at) return;

    // Only a space can have been a line end. Anything else was put there by somebody else.
    at += gap;
    if (text[at] == ' ') text[at] = end;
    next = behind;
  }
}

/// The first line, with its end.
std::string_view first_line(std::string_view data) {
  return data.substr(0, std::min(data.find('\n'), data.size() - 1) + 1);
}

/// A text for display: at most so many bytes, cut at a word, with an ellipsis. What was cut so
/// before is not cut again.
std::string sample_of(std::string_view text, std::size_t bytes) {
  constexpr std::string_view kEllipsis = "\u2026";

  // What ends with an ellipsis may be such a sample of an index that is written again.
  const bool is_sample = text.ends_with(kEllipsis) && text.size() - kEllipsis.size() <= bytes;
  const std::string_view kept = is_sample ? text : utf8_prefix(text, bytes);
  if (kept.empty() || kept.size() == text.size()) return std::string(kept);

  // At a word, unless the text has no other.
  const std::size_t space = kept.find_last_of(" \t\r\n");
  return std::string(kept.substr(0, space == 0 ? kept.size() : space)).append(kEllipsis);
}

/// The keys whose lines do not say exactly what the record has, or say it of another key.
json exact_keys(const Record& record) {
  // Two keys may have one line name, as "a b" with a line end in place of the blank: then both
  // lines are unclear.
  std::set<std::string> unclear;  // names of lines
  for (const auto& [key, value] : record.fields)
    if (line_name(key) != key) unclear.insert(line_name(key));

  json keys = json::object();
  for (const auto& [key, value] : record.fields) {
    const bool is_json = record.json_fields.contains(key);
    const bool is_plain = !is_json && !value.empty() && !has_line_end(value);
    if (is_plain && !key.empty() && !is_own_line(key) && !unclear.contains(line_name(key)))
      continue;

    json parsed = value;
    if (is_json) parsed = json::parse(value, nullptr, false);
    if (parsed.is_discarded()) parsed = value;
    keys[key] = std::move(parsed);
  }
  return keys;
}

/// The last line; "" if the others say everything. `sample`: what is kept of the text.
std::string exact_line(const Record& record, std::string_view sample) {
  // Only what the lines cannot say is repeated, so that most documents have no such line.
  ordered_json exact = ordered_json::object();
  if (has_line_end(record.title)) exact["title"] = line_ends_of(record.title);
  if (has_line_end(sample)) exact["text"] = line_ends_of(sample);
  if (has_line_end(record.language)) exact["lang"] = line_ends_of(record.language);
  if (sample != record.text) exact["cut"] = true;
  json keys = exact_keys(record);
  if (!keys.empty()) exact["keys"] = std::move(keys);

  if (exact.empty()) return "";
  escape_strings(exact);
  return line_of(kExact, exact.dump());
}

/// Puts what the last line says into what the others have.
void read_exact(std::string_view line, KeptRecord& kept) {
  json exact = json::parse(line, nullptr, false);
  if (!exact.is_object()) return;
  try {
    unescape_strings(exact);
  } catch (const Error&) {  // not as Kindred wrote it
    return;
  }

  const auto text_of = [&](const char* key) {
    const auto found = exact.find(key);
    if (found == exact.end() || !found->is_string()) return std::string();
    return found->get<std::string>();
  };

  Record& record = kept.record;
  put_line_ends(text_of("title"), record.title);
  put_line_ends(text_of("text"), record.text);
  put_line_ends(text_of("lang"), record.language);
  kept.is_cut = exact.value("cut", json()) == true;

  // A key that is here has its exact value; its line has an approximation of it.
  const json keys = exact.value("keys", json::object());
  for (const auto& [key, value] : keys.items()) record.fields.erase(line_name(key));
  for (const auto& [key, value] : keys.items()) {
    if (!value.is_string()) record.json_fields.insert(key);
    record.fields[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
}

}  // namespace

std::string document_data(const Record& record, std::int64_t sample_bytes) {
  // 0: the whole text is kept.
  const std::size_t room =
      sample_bytes == 0 ? record.text.size() : static_cast<std::size_t>(sample_bytes);
  const std::string sample = sample_of(record.text, room);

  // The order of Omega's index scripts, which other programs read, too.
  std::string data = line_of("id", record.id) + line_of("title", record.title);
  data += line_of("sample", sample) + line_of("lang", record.language);
  for (const std::string& label : record.labels) data += line_of("label", label);
  for (const auto& [name, value] : record.fields)
    if (!is_own_line(name)) data += line_of(name, value);

  return data + exact_line(record, sample);
}

std::optional<KeptRecord> kept_record(std::string_view data, std::string_view id) {
  // Without the line of this id, the data is another program's, or another document's.
  if (id.empty() || !data.starts_with(line_of("id", id))) return {};
  KeptRecord kept;
  Record& record = kept.record;
  std::string_view exact;

  for (const auto& [name, value] : document_fields(data)) {
    if (name == kExact) exact = value;
    if (!is_own_line(name)) record.fields.emplace(name, value);
  }

  record.title = document_field(data, "title");
  record.text = document_field(data, "sample");
  record.language = document_field(data, "lang");
  read_exact(exact, kept);
  return kept;
}

std::string_view document_field(std::string_view data, std::string_view name) {
  while (!data.empty()) {
    const std::string_view line = data.substr(0, data.find('\n'));
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=') {
      return line.substr(name.size() + 1);
    }
    data.remove_prefix(std::min(line.size() + 1, data.size()));
  }
  return {};
}

std::vector<std::pair<std::string_view, std::string_view>> document_fields(std::string_view data) {
  std::vector<std::pair<std::string_view, std::string_view>> fields;
  while (!data.empty()) {
    const std::size_t end = std::min(data.find('\n'), data.size());
    const std::size_t equals = data.find('=');
    if (equals > 0 && equals < end)
      fields.emplace_back(data.substr(0, equals), data.substr(equals + 1, end - equals - 1));
    data.remove_prefix(std::min(end + 1, data.size()));
  }
  return fields;
}

std::string beginning_of(std::string_view whole, std::size_t bytes) {
  // Runs of white space become one blank each.
  std::string text;
  for (const char c : whole) {
    const bool is_space = std::string_view(" \t\r\n").find(c) != std::string_view::npos;
    if (!is_space || (!text.empty() && text.back() != ' ')) text += is_space ? ' ' : c;
  }

  if (text.size() <= bytes) return text;

  // Cut at a word, or else between two characters.
  std::size_t end = std::min(text.rfind(' ', bytes), bytes);
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "\u2026";
}

std::string with_labels(std::string_view data, std::string_view id,
                        const std::vector<std::string>& before,
                        const std::vector<std::string>& labels) {
  if (id.empty() || !data.starts_with(line_of("id", id))) return std::string(data);

  // The lines of labels stand behind these.
  std::string_view rest = data;
  for (const std::string_view name : {"id=", "title=", "sample=", "lang="}) {
    if (rest.starts_with(name)) rest.remove_prefix(first_line(rest).size());
  }

  std::string changed(data.substr(0, data.size() - rest.size()));
  for (const std::string& label : labels) changed += line_of("label", label);

  // Only the lines of labels that the document had go. What other programs have added stays.
  std::unordered_set<std::string> lines;
  for (const std::string& label : before) lines.insert(line_of("label", label));
  const auto is_before = [&](std::string_view line) {
    return lines.contains(std::string(line));
  };
  while (!rest.empty() && is_before(first_line(rest))) rest.remove_prefix(first_line(rest).size());

  return changed.append(rest);
}

std::vector<std::string> spellings_of_id(std::string_view id, const IndexSettings& settings) {
  if (id.empty()) return {};
  const std::string& scheme = settings.id_scheme;

  // omindex writes an address with or without its scheme.
  std::vector<std::string> spellings = {std::string(id)};
  if (!scheme.empty() && id.starts_with(scheme) && id.size() > scheme.size())
    spellings.emplace_back(id.substr(scheme.size()));

  // mu folds and cuts what it makes a term of.
  if (folding_of(settings.profile) != TextFolding::kMu) return spellings;
  const std::size_t count = spellings.size();
  for (std::size_t i = 0; i < count; ++i)
    spellings.push_back(folded_text(spellings[i], TextFolding::kMu).substr(0, kLongestIdOfMu));
  return spellings;
}

namespace {

/// True if a document has a unique id.
bool has_ids(const Xapian::Database& database, const std::string& prefix) {
  const auto end = database.allterms_end(prefix);
  return std::any_of(database.allterms_begin(prefix), end, [&](const std::string& term) {
    return value_under(prefix, term).has_value();
  });
}

/// A document by its docid in digits; nothing if there is none.
std::optional<Xapian::docid> document_with_number(const Xapian::Database& database,
                                                  std::string_view digits) {
  Xapian::docid docid = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), docid);
  if (fault != std::errc() || docid == 0 || std::to_string(docid) != digits) return std::nullopt;
  if (has_document(database, docid)) return std::optional(docid);
  return std::nullopt;
}

}  // namespace

std::vector<Xapian::docid> documents_with_id(const Xapian::Database& database, std::string_view id,
                                             const IndexSettings& settings) {
  std::vector<Xapian::docid> docids;

  if (settings.ids == "data") return docids;
  if (settings.ids == "docids") {
    if (const auto docid = document_with_number(database, id)) docids.push_back(*docid);
    return docids;
  }
  if (settings.ids == "slot") {
    const std::vector<std::string> names = spellings_of_id(id, settings);
    ValueReader values(database, static_cast<Xapian::valueno>(settings.id_slot));
    for (; !values.at_end(); values.next())
      if (std::ranges::find(names, values.value()) != names.end()) docids.push_back(values.docid());
    return docids;
  }

  // Both ways of writing a term of several letters are found, the usual one first.
  for (const std::string& name : spellings_of_id(id, settings)) {
    for (const std::string& term :
         {prefixed_term(settings.id_prefix, name), colon_term(settings.id_prefix, name)}) {
      const bool is_of_id = value_under(settings.id_prefix, term) == name;
      if (!docids.empty() || !is_of_id || !fits_term(term)) continue;
      for (PostingReader list(database, term); !list.at_end(); list.next())
        docids.push_back(list.docid());
    }
  }

  // Without ids a document is known by its number. In an index with ids, a number is an id that
  // nobody has.
  if (docids.empty() && !has_ids(database, settings.id_prefix))
    if (const auto docid = document_with_number(database, id)) docids.push_back(*docid);
  return docids;
}

bool has_document(const Xapian::Database& database, Xapian::docid docid) {
  try {
    database.get_document(docid);
    return true;
  } catch (const Xapian::DocNotFoundError&) {
    return false;
  }
}

Error ambiguous_id(const std::string& id, const std::vector<Xapian::docid>& docids) {
  constexpr std::size_t kShown = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(docids.size(), kShown); ++i)
    append_item(list, std::to_string(docids[i]));
  if (docids.size() > kShown) list += " and " + std::to_string(docids.size() - kShown) + " more";

  return Error(Errc::kInvalidArgument, "the id '" + shortened(id) + "' is that of " +
                                           std::to_string(docids.size()) +
                                           " documents; name one by its docid: " + list);
}

std::string id_beside_terms(const Xapian::Document& document, const IndexSettings& settings) {
  if (settings.ids == "slot")
    return document.get_value(static_cast<Xapian::valueno>(settings.id_slot));
  if (settings.ids != "data") return "";

  std::string data = document.get_data();
  if (data.starts_with(settings.id_scheme)) data.erase(0, settings.id_scheme.size());
  return data;
}

namespace {

/// What the data have of a field of titles: a property of Lisp, as mu has it, the first line, or a
/// line with a name.
std::string title_in(std::string_view data, const std::string& field) {
  if (field.starts_with(':')) return lisp_property(data, field);
  if (field == "#1") return trimmed_nfc(data.substr(0, data.find('\n')));
  return std::string(document_field(data, field));
}

}  // namespace

std::string document_title(const Xapian::Document& document, const IndexSettings& settings) {
  // The title stands in the archive, in the data, or in a slot, by whose index it is.
  if (!settings.archive.empty()) {
    std::string title = zim_title(settings.archive, id_beside_terms(document, settings));
    if (!title.empty()) return title;
  }

  const std::string data = document.get_data();
  for (const std::string& field : settings.title_fields) {
    std::string title = title_in(data, field);
    if (!title.empty()) return title;
  }

  if (settings.title_slot < 0) return "";
  return document.get_value(static_cast<Xapian::valueno>(settings.title_slot));
}

std::string document_heading(const Xapian::Document& document, const IndexSettings& settings) {
  constexpr std::size_t kWordBytes = 80;
  std::string title = document_title(document, settings);
  if (!title.empty()) return title;
  return beginning_of(document_field(document.get_data(), "sample"), kWordBytes);
}

}  // namespace kindred
