#include "plugin/cli/examples.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <sstream>

#include "config/error.h"
#include "config/regular_file.h"
#include "plugin/cli/asked_database.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/terminal.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kLines = 1000;
constexpr std::size_t kBytes = std::size_t{64} << 20;

/// What the shell has opened: standard input for "-", or a pipe for <(command).
bool is_open_already(const std::string& path) {
  return path == "-" || path == "/dev/stdin" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/self/fd/");
}

/// All of it. @throws Error kNotFound if it cannot be read; kInvalidArgument if it is too long.
std::string read_open(const std::string& path) {
  // The file that the shell has opened is closed here, except for standard input, which is not
  // ours.
  const bool standard = path == "-";
  const auto close = [](std::FILE* open) {
    if (open != stdin) std::fclose(open);
  };
  const std::unique_ptr<std::FILE, void (*)(std::FILE*)> file(
      standard ? stdin : std::fopen(path.c_str(), "rb"), close);

  std::string text;
  std::vector<char> buffer(1 << 16);

  // Its length is unknown: it ends when nothing more comes, without an error.
  while (file != nullptr) {
    const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get());
    text.append(buffer.data(), got);
    if (text.size() > kBytes)
      throw Error(Errc::kInvalidArgument,
                  path + ": cannot be read: expected at most " + std::to_string(kBytes) + " bytes");

    if (got == 0 && std::ferror(file.get()) == 0) return text;
    if (got == 0) break;
  }

  throw Error(Errc::kNotFound, path + ": cannot be read: " + std::strerror(errno));
}

/// A whole regular file, or what the shell has opened, without a byte order mark of UTF-8. Neither
/// a FIFO nor a device, which might never end. @throws Error kNotFound, kInvalidArgument.
std::string read_text(const std::string& path) {
  std::string text =
      is_open_already(path) ? read_open(path) : read_regular_file(path, "the file", kBytes).bytes;
  if (text.starts_with("\xEF\xBB\xBF")) return text.substr(3);
  return text;
}

void report_bad_line(const std::string& path, std::uint64_t number, const std::string& error) {
  tell(path + ":" + std::to_string(number) + ": " + error);
}

}  // namespace

Record parse_line(const RecordLine& line) {
  if (!line.fault.empty()) throw Error(Errc::kInvalidArgument, line.fault);
  try {
    return parse_record(line.text);
  } catch (const std::bad_alloc&) {
    throw Error(Errc::kInvalidArgument, "takes more memory than there is");
  }
}

std::vector<ParsedLine> read_batch(RecordReader& reader) {
  std::vector<ParsedLine> batch;
  std::size_t bytes = 0;

  // A batch ends by lines or by bytes, so that long records do not fill the memory.
  while (batch.size() < kLines && bytes < kBytes) {
    const auto line = reader.next();
    if (!line) break;

    bytes += line->text.size();
    ParsedLine& parsed = batch.emplace_back();
    parsed.number = line->number;
    try {
      parsed.record = parse_line(*line);
      parsed.text = line->text;
    } catch (const Error& e) {
      parsed.error = e.what();
    }
  }
  return batch;
}

bool is_in_split(const Record& record, const std::string& split) {
  const auto field = record.fields.find("split");
  return split.empty() || (field != record.fields.end() && field->second == split);
}

void BadLines::report(const std::string& path, std::uint64_t number, const std::string& error) {
  ++count_;
  if (count_ <= kShown || all_) report_bad_line(path, number, error);
}

bool BadLines::finish() const {
  if (count_ > kShown && !all_)
    tell("kindred: and " + std::to_string(count_ - kShown) +
         " more bad lines, which --verbose shows; is this JSON Lines, an object a line?");
  return count_ == 0;
}

CLI::Option* add_texts(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                       const std::string& description) {
  return command.add_option(name, values, description)->allow_extra_args(false)->type_name("TEXT");
}

void add_document_options(CLI::App& command, ExampleOptions& options) {
  command.add_option("ID", options.named, "Documents of the index, by their unique ids")
      ->type_name("");
  add_texts(command, "--id", options.ids, "A document of the index, by its unique id")
      ->type_name("ID");
  add_docid_option(command, options.docids);
}

void add_docid_option(CLI::App& command, std::vector<Xapian::docid>& docids) {
  command.add_option("--docid", docids, "A document of the index, by its Xapian docid")
      ->allow_extra_args(false)
      ->type_name("N")
      ->transform(in_range(Shape::Type::kWhole, 1, UINT32_MAX));
}

void add_example_options(CLI::App& command, ExampleOptions& options) {
  add_document_options(command, options);
  add_text_options(command, options, "A text", "A text from a file; - is standard input");
  add_language_option(command, options.language);
}

void add_text_options(CLI::App& command, ExampleOptions& options, const std::string& text,
                      const std::string& file) {
  add_texts(command, "--text", options.texts, text);
  add_texts(command, "--text-file", options.text_files, file)
      ->type_name("FILE")
      ->check(not_empty("a file"));
}

void add_language_option(CLI::App& command, std::string& code) {
  command
      .add_option(
          "--lang", code,
          with_default("Language of the text, such as en or pt_BR", AnalyzerSettings{}.language))
      ->type_name("CODE")
      ->check(language());
}

std::size_t count_examples(const ExampleOptions& options) {
  return options.named.size() + options.ids.size() + options.docids.size() + options.texts.size() +
         options.text_files.size();
}

Json examples_json(const ExampleOptions& options) {
  Json examples = Json::array();
  const auto add_text = [&](const std::string& text) {
    examples.push_back({{"text", text}});
    if (!options.language.empty()) examples.back()["lang"] = options.language;
  };

  for (const auto* ids : {&options.named, &options.ids})
    for (const auto& id : *ids) examples.push_back({{"id", written_name(id)}});
  for (const auto docid : options.docids) examples.push_back({{"docid", docid}});
  for (const auto& text : options.texts) add_text(text);
  for (const auto& path : options.text_files) add_text(read_text(path));
  return examples;
}

namespace {

/// The document with an id; one with an error if there is none.
SelectedDocument document_with_id(const Engine& engine, const std::string& id) {
  try {
    const auto docid = engine.docid_of(id);
    if (!docid) return {0, id, 0, "no document with id '" + id + "'"};
    return {0, engine.id_of(*docid), *docid, ""};
  } catch (const Error& e) {  // several have it
    return {0, id, 0, e.what()};
  }
}

std::vector<SelectedDocument> documents_of_file(const Engine& engine, const std::string& path) {
  std::vector<SelectedDocument> documents;
  std::istringstream lines(read_text(path));
  std::uint64_t number = 0;

  // Blank lines are no ids. An id without a document stays in its place, with the error.
  std::string line;
  while (std::getline(lines, line)) {
    ++number;
    const std::string id = CLI::detail::trim_copy(line, " \t\r");
    if (id.empty()) continue;
    SelectedDocument& document = documents.emplace_back(document_with_id(engine, id));
    document.line = number;
    if (!document.error.empty()) report_bad_line(path, number, document.error);
  }
  return documents;
}

}  // namespace

void add_selection_options(CLI::App& command, SelectionOptions& options) {
  add_file_option(command, "--ids-from", options.ids_from,
                  "For each document of a file of ids, one per line; - is standard input");
  command.add_option("--query", options.query, "For each document that matches this Xapian query")
      ->type_name("QUERY")
      ->check(not_empty("a query (--all takes all documents)"));
  command.add_flag("--all", options.all, "For each document of the index");
}

bool is_given(const SelectionOptions& options) {
  const bool given[] = {!options.ids.empty() || !options.docids.empty(), !options.ids_from.empty(),
                        !options.query.empty(), options.all};
  const auto count = std::ranges::count(given, true);
  if (count > 1) throw CLI::ValidationError("expected only one of --ids-from, --query and --all");
  return count == 1;
}

std::vector<SelectedDocument> select_documents(const Engine& engine,
                                               const SelectionOptions& options) {
  if (!options.ids_from.empty()) return documents_of_file(engine, options.ids_from);

  std::vector<SelectedDocument> documents;
  for (const std::string& id : options.ids) {
    documents.push_back(document_with_id(engine, id));
    if (!documents.back().error.empty()) tell("kindred: " + documents.back().error);
  }
  for (const Xapian::docid docid : options.docids)
    documents.push_back({0, engine.id_of(docid), docid, ""});

  // Nothing is named, so the query selects; --all is the empty one, which matches all.
  if (!documents.empty()) return documents;
  for (const Xapian::docid docid : engine.matching(options.query))
    documents.push_back({0, engine.id_of(docid), docid, ""});
  return documents;
}

bool write_answers(AskedDatabase& database, const QuestionCommand& command, const Json& request,
                   std::span<const SelectedDocument> documents, std::ostream& out, LineOf line_of) {
  // Answers come in the order of the documents that were asked for, which leaves out those with an
  // error.
  Json answers = std::move(database.ask(command.question, request)["answers"]);
  auto next = answers.begin();
  for (const SelectedDocument& document : documents) {
    if (document.error.empty()) {
      out << line_of(document, std::move(*next), command.has_json()) << '\n';
      ++next;
    } else if (command.has_json()) {
      out << json_line({{"line", document.line}, {"error", document.error}}) << '\n';
    }
  }

  return answers.size() == documents.size();
}

}  // namespace kindred::cli
