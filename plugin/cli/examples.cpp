#include "plugin/cli/examples.h"

#include "plugin/cli/options.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/text_input.h"

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

}  // namespace kindred::cli
