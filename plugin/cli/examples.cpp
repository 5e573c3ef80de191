#include "plugin/cli/examples.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "config/error.h"
#include "plugin/cli/options.h"

namespace kindred::cli {

CLI::Option* add_texts(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                       const std::string& description) {
  return command.add_option(name, values, description)->allow_extra_args(false)->type_name("TEXT");
}

void add_document_options(CLI::App& command, ExampleOptions& options) {
  command.add_option("ID", options.named, "Documents of the index, by their unique ids")
      ->type_name("");
  add_texts(command, "--id", options.ids, "A document of the index, by its unique id")
      ->type_name("ID");
  command.add_option("--docid", options.docids, "A document of the index, by its Xapian docid")
      ->allow_extra_args(false)
      ->type_name("N")
      ->transform(whole_number(1, UINT32_MAX));
}

void add_example_options(CLI::App& command, ExampleOptions& options) {
  add_document_options(command, options);
  add_texts(command, "--text", options.texts, "A text");
  add_texts(command, "--text-file", options.text_files, "A text from a file; - is standard input")
      ->type_name("FILE")
      ->check(not_empty("a file"));
  add_language_option(command, options.language);
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

std::string read_text(const std::string& path) {
  const bool standard = path == "-";
  const std::unique_ptr<std::FILE, void (*)(std::FILE*)> file(
      standard ? stdin : std::fopen(path.c_str(), "rb"), [](std::FILE* open) {
        if (open != stdin) std::fclose(open);
      });
  std::string text;
  std::vector<char> buffer(1 << 16);
  while (file != nullptr) {
    const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get());
    text.append(buffer.data(), got);
    if (got == 0 && std::ferror(file.get()) == 0)
      return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
    if (got == 0) break;
  }
  throw Error(Errc::kNotFound, path + ": cannot be read: " + std::strerror(errno));
}

}  // namespace kindred::cli
