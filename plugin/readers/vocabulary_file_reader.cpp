#include "plugin/readers/vocabulary_file_reader.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "config/text_front.h"
#include "plugin/readers/collected_terms.h"
#include "plugin/readers/csv_reader.h"
#include "plugin/readers/rdf_triples.h"
#include "plugin/readers/text_lines.h"

namespace kindred {
namespace {

constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;

enum class VocabularyForm { kTable, kTurtle, kXml, kJsonLines };

enum class Column {
  kUnread,
  kId,
  kName,
  kLanguage,
  kSynonym,
  kBroader,
  kUseInstead,
  kNote,
  kDeprecated
};

/// The column that a name in the first line means: "Use instead" as "use_instead".
Column column_of(std::string_view given) {
  static constexpr std::pair<std::string_view, Column> kColumns[] = {
      {"id", Column::kId},
      {"uri", Column::kId},
      {"name", Column::kName},
      {"label", Column::kName},
      {"preflabel", Column::kName},
      {"language", Column::kLanguage},
      {"lang", Column::kLanguage},
      {"synonym", Column::kSynonym},
      {"synonyms", Column::kSynonym},
      {"altlabel", Column::kSynonym},
      {"broader", Column::kBroader},
      {"useinstead", Column::kUseInstead},
      {"note", Column::kNote},
      {"deprecated", Column::kDeprecated}};
  std::string name;
  for (const char c : given)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto found = std::ranges::find(kColumns, name, &std::pair<std::string_view, Column>::first);
  return found == std::end(kColumns) ? Column::kUnread : found->second;
}

/// The values of a field, without white space around them.
std::vector<std::string> values_in(std::string_view field) {
  std::vector<std::string> values;
  while (!field.empty()) {
    std::string_view value = split_off(field, "|");
    while (value.starts_with(' ')) value.remove_prefix(1);
    while (value.ends_with(' ')) value.remove_suffix(1);
    if (!value.empty()) values.emplace_back(value);
  }
  return values;
}

std::optional<bool> flag_in(std::string field) {
  std::ranges::transform(field, field.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  if (field.empty() || field == "0" || field == "false" || field == "no") return false;
  if (field == "1" || field == "true" || field == "yes") return true;
  return std::nullopt;
}

/// Reads the rows of a table.
class TermTable {
 public:
  TermTable(const std::string& name, ByteSource source) : reader_(name, std::move(source)) {}

  VocabularyFile read() {
    std::optional<CsvRow> row = reader_.next();
    if (row && take_header(*row)) row = reader_.next();
    for (; row; row = reader_.next()) {
      std::string fault = row->fault.empty() ? take(*row) : row->fault;
      if (!fault.empty()) terms_.report(row->line, std::move(fault));
    }
    VocabularyFile file = std::move(terms_).result();
    file.unread = std::move(unread_);
    return file;
  }

 private:
  /// True if the row has names of columns, an id and a name among them.
  bool take_header(const CsvRow& row) {
    std::vector<Column> columns;
    for (const std::string& name : row.fields) columns.push_back(column_of(name));
    const auto has = [&](Column column) {
      return std::ranges::find(columns, column) != columns.end();
    };
    if (!has(Column::kId) || !has(Column::kName)) return false;

    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i] == Column::kUnread) unread_.push_back(row.fields[i]);
    columns_ = std::move(columns);
    has_header_ = true;
    return true;
  }

  /// What is wrong with the row; "" if it was taken.
  std::string take(const CsvRow& row) {
    if (row.fields.size() > columns_.size())
      return "has " + std::to_string(row.fields.size()) + " fields, expected " +
             (has_header_ ? std::to_string(columns_.size()) + " as the first line has"
                          : "an id and a name, or a first line with names of columns");

    api::VocabularyTerm read;
    std::optional<std::string> language;
    for (std::size_t i = 0; i < row.fields.size(); ++i)
      if (columns_[i] == Column::kLanguage && !row.fields[i].empty()) language = row.fields[i];

    for (std::size_t i = 0; i < row.fields.size(); ++i) {
      const std::string& field = row.fields[i];
      if (field.empty()) continue;
      switch (columns_[i]) {
        case Column::kId:
          read.id = field;
          break;
        case Column::kName:
          read.names.push_back({field, language});
          break;
        case Column::kSynonym:
          for (std::string& value : values_in(field))
            read.synonyms.push_back({std::move(value), language});
          break;
        case Column::kBroader:
          read.broader = values_in(field);
          break;
        case Column::kUseInstead:
          read.use_instead = values_in(field);
          break;
        case Column::kNote:
          read.note = field;
          break;
        case Column::kDeprecated: {
          const auto flag = flag_in(field);
          if (!flag) return "deprecated: expected true or false, found '" + field + "'";
          read.deprecated = *flag;
          break;
        }
        case Column::kLanguage:
        case Column::kUnread:
          break;
      }
    }
    put(std::move(read), language, row.line);
    return "";
  }

  /// A row that says what a term is called in one more language belongs to that term.
  void put(api::VocabularyTerm read, const std::optional<std::string>& language,
           std::uint64_t line) {
    api::VocabularyTerm* const known = language ? terms_.find(read.id) : nullptr;
    const bool is_more =
        known != nullptr && std::ranges::all_of(known->names, [&](const api::LanguageText& name) {
          return name.language && name.language != language;
        });
    if (!is_more) {
      api::VocabularyTerm& term = terms_.add(read.id, line);
      term = std::move(read);
      return;
    }

    std::ranges::move(read.names, std::back_inserter(known->names));
    std::ranges::move(read.synonyms, std::back_inserter(known->synonyms));
    std::ranges::move(read.broader, std::back_inserter(known->broader));
    std::ranges::move(read.use_instead, std::back_inserter(known->use_instead));
    if (!known->note) known->note = std::move(read.note);
    known->deprecated = known->deprecated || read.deprecated;
  }

  CsvReader reader_;
  CollectedTerms terms_;
  std::vector<Column> columns_ = {Column::kId, Column::kName};
  bool has_header_ = false;
  std::vector<std::string> unread_;
};

/// A line of JSON Lines as a term; null if it is blank. @throws Error kInvalidArgument.
Json term_in(const TextLine& line, const Shape& shape) {
  if (line.is_too_long)
    throw Error(Errc::kInvalidArgument,
                "has more than " + std::to_string(kMostLineBytes) + " bytes");
  if (line.text.find_first_not_of(" \t\r\n") == line.text.npos) return Json();

  const Json term = Json::parse(line.text, nullptr, false);
  if (!term.is_object())
    throw Error(Errc::kInvalidArgument, "is not a JSON object in UTF-8, as each line is to be");
  return understood(shape, term, "term");
}

VocabularyFile read_term_lines(ByteSource source) {
  const Shape& shape = find_question("load_vocabulary").request.key("terms").members.front();
  TextLines lines(std::move(source), kMostLineBytes);
  CollectedTerms mistakes;
  VocabularyFile file;

  while (const std::optional<TextLine> line = lines.next()) {
    try {
      Json term = term_in(*line, shape);
      if (term.is_null()) continue;
      file.terms.push_back(std::move(term));
      file.lines.push_back(line->number);
    } catch (const Error& e) {
      mistakes.report(line->number, e.what());
    }
    check_term_count(file.terms.size());
  }
  file.mistakes = std::move(mistakes).result().mistakes;
  return file;
}

/// By the end of the name; nothing if that does not tell.
std::optional<VocabularyForm> form_by_name(std::string_view name) {
  static constexpr std::pair<std::string_view, VocabularyForm> kEnds[] = {
      {".csv", VocabularyForm::kTable},       {".tsv", VocabularyForm::kTable},
      {".tab", VocabularyForm::kTable},       {".ttl", VocabularyForm::kTurtle},
      {".nt", VocabularyForm::kTurtle},       {".rdf", VocabularyForm::kXml},
      {".xml", VocabularyForm::kXml},         {".jsonl", VocabularyForm::kJsonLines},
      {".ndjson", VocabularyForm::kJsonLines}};
  if (name.ends_with(".gz")) name.remove_suffix(3);
  for (const auto& [end, form] : kEnds)
    if (name.ends_with(end)) return form;
  return std::nullopt;
}

VocabularyForm form_by_content(std::string_view begin) {
  consume(begin, "\xEF\xBB\xBF");
  begin.remove_prefix(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
  if (begin.starts_with("<?xml") || begin.starts_with("<rdf:RDF")) return VocabularyForm::kXml;
  if (begin.starts_with('{')) return VocabularyForm::kJsonLines;
  for (const std::string_view turtle : {"@prefix", "@base", "PREFIX", "BASE", "<", "#"})
    if (begin.starts_with(turtle)) return VocabularyForm::kTurtle;
  return VocabularyForm::kTable;
}

/// Reads the first bytes of a source, and gives them out again before the others.
ByteSource with_beginning(ByteSource source, std::string& beginning) {
  constexpr std::size_t kBeginning = 4096;
  beginning.resize(kBeginning);
  std::size_t size = 0;
  for (std::size_t got = 1; size < kBeginning && got > 0; size += got)
    got = source({beginning.data() + size, kBeginning - size});
  beginning.resize(size);

  return [source = std::move(source), first = beginning](std::span<char> room) mutable {
    if (first.empty()) return source(room);
    const std::size_t count = std::min(room.size(), first.size());
    first.copy(room.data(), count);
    first.erase(0, count);
    return count;
  };
}

VocabularyFile read_form(VocabularyForm form, const std::string& name, ByteSource source,
                         const std::string& id_prefix) {
  if (form == VocabularyForm::kTable) return TermTable(name, std::move(source)).read();
  if (form == VocabularyForm::kJsonLines) return read_term_lines(std::move(source));

  CollectedTerms terms;
  SkosTerms skos(terms, id_prefix);
  if (form == VocabularyForm::kTurtle) {
    read_turtle(source, skos, terms);
  } else {
    read_rdf_xml(source, skos, terms);
  }
  return std::move(skos).result();
}

}  // namespace

VocabularyFile read_vocabulary_file(const std::string& path, const std::string& id_prefix) {
  return read_vocabulary_file(path, bytes_of_file(path), id_prefix);
}

VocabularyFile read_vocabulary_file(const std::string& name, ByteSource source,
                                    const std::string& id_prefix) {
  std::string beginning;
  source = with_beginning(std::move(source), beginning);
  const VocabularyForm form = form_by_name(name).value_or(form_by_content(beginning));
  try {
    return read_form(form, name, std::move(source), id_prefix);
  } catch (const Error& e) {
    if (e.code() != Errc::kInvalidArgument) throw;
    throw Error(e.code(), name + ": " + e.what());
  }
}

}  // namespace kindred
