// Writes what is made of the table of settings: their structs; rows with each key, its field and
// what its value may be; and kindred.toml, the file of all settings with their reasons.
//
// usage: make_settings SETTINGS.TXT structs|rows|toml
#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/shown.h"
#include "config/text_front.h"

using kindred::consume;
using kindred::split_off;

namespace {

constexpr std::size_t kColumns = 100;

/// What a section or a setting is: a paragraph, and then the items of a list, which begin with "-".
using Text = std::vector<std::string>;

struct Setting {
  std::string key;
  std::string type;       ///< in C++
  std::string initial;    ///< the default, as TOML has it
  std::string low, high;  ///< of a number
  std::string choices;    ///< of a text, as "off", "poll"; "": any
  Text text;
};

struct Section {
  std::string name;
  std::string type;  ///< its struct
  Text text;
  std::vector<Setting> settings;
};

/// Reads the table of settings, whose form its heading describes.
class TableReader {
 public:
  /// @throws std::runtime_error that names the line and what was expected.
  static std::vector<Section> read(std::string_view text) {
    TableReader reader;
    while (!text.empty()) {
      const std::string_view line = split_off(text, "\n");
      ++reader.number_;
      if (!line.empty() && line.front() != '#') reader.add(line);
    }

    for (const Section& section : reader.sections_)
      for (const Setting& setting : section.settings)
        if (setting.text.empty())
          throw std::runtime_error(section.name + "." + setting.key + ": expected a text below it");
    return std::move(reader.sections_);
  }

 private:
  void add(std::string_view line) {
    const std::size_t indent = line.find_first_not_of(' ');
    line.remove_prefix(std::min(indent, line.size()));
    if (indent == 0) return add_section(line);
    if (sections_.empty()) fail("a section first");
    Section& section = sections_.back();
    if (indent == 1) return add_setting(line, section.settings);
    add_text(line, section.settings.empty() ? section.text : section.settings.back().text);
  }

  void add_section(std::string_view line) {
    if (!consume(line, "section ") || line.find(' ') == std::string_view::npos)
      fail("section NAME STRUCT");
    Section& section = sections_.emplace_back();
    section.name = split_off(line, " ");
    section.type = line;
  }

  void add_setting(std::string_view line, std::vector<Setting>& settings) const {
    Setting& setting = settings.emplace_back();
    std::string_view type = split_off(line, " = ");
    setting.initial = line;
    setting.key = split_off(type, " ");
    if (type.empty() || line.empty()) fail("KEY TYPE = DEFAULT");
    set_type(type, setting);
  }

  void set_type(std::string_view type, Setting& setting) const {
    static const std::map<std::string_view, std::string_view> kTypes = {
        {"text", "std::string"},   {"flag", "bool"},
        {"whole", "std::int64_t"}, {"list of text", "std::vector<std::string>"},
        {"number", "double"},      {"devices", "DeviceList"}};
    if (consume(type, "one of ")) {
      setting.type = kTypes.at("text");
      for (std::string& list = setting.choices; !type.empty();)
        kindred::append_item(list, '"' + std::string(split_off(type, ", ")) + '"');
      return;
    }

    // A number has a range, so that no value is taken that nobody has thought of.
    const bool is_number = type.starts_with("whole") || type.starts_with("number");
    const std::string_view name = is_number ? split_off(type, " ") : std::exchange(type, {});
    setting.low = split_off(type, "..");
    setting.high = type;

    const auto found = kTypes.find(name);
    if (found == kTypes.end() || is_number == setting.high.empty())
      fail("text, one of WORDS, flag, list of text, devices, whole LOW..HIGH or number LOW..HIGH");
    setting.type = found->second;
  }

  static void add_text(std::string_view line, Text& text) {
    if (text.empty() || line.starts_with("- ")) {
      text.emplace_back(line);
    } else {
      text.back().append(" ").append(line);
    }
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw std::runtime_error("line " + std::to_string(number_) + ": expected " + expected);
  }

  std::size_t number_ = 0;  ///< of the line, from 1
  std::vector<Section> sections_;
};

/// The columns of UTF-8 text.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
    return (c & 0xC0) != 0x80;
  }));
}

/// Writes comments in lines that begin with `mark`, and wraps them.
void write_comment(const Text& text, const std::string& mark) {
  for (std::string_view words : text) {
    const bool is_item = words.starts_with("- ");
    std::string line = mark;
    while (!words.empty()) {
      const std::string_view word = split_off(words, " ");
      if (columns(line) + 1 + columns(word) > kColumns) {
        std::cout << line << "\n";
        line = mark + (is_item ? "  " : "");
      }
      line.append(" ").append(word);
    }
    std::cout << line << "\n";
  }
}

/// What TOML has as [...] is {...} in C++, and all else is alike.
std::string initializer(const Setting& setting) {
  std::string text = setting.initial;
  if (text.front() == '[') {
    text.front() = '{';
    text.back() = '}';
  }
  return text;
}

void write_structs(const std::vector<Section>& sections) {
  std::cout << "#pragma once\n\n// Made of config/settings.txt by make_settings.\n\n"
               "#include <cstdint>\n#include <string>\n#include <vector>\n\n"
               "#include \"config/device_list.h\"\n\nnamespace kindred {\n";

  for (const Section& section : sections) {
    std::cout << "\n";
    write_comment(section.text, "///");
    std::cout << "struct " << section.type << " {\n";

    for (const Setting& setting : section.settings) {
      Text text = setting.text;
      if (!setting.low.empty()) text[0] += " Range: " + setting.low + ".." + setting.high + ".";
      write_comment(text, "  ///");
      std::cout << "  " << setting.type << " " << setting.key << " = " << initializer(setting)
                << ";\n";
    }
    std::cout << "};\n";
  }
  std::cout << "\n}  // namespace kindred\n";
}

void write_rows(const std::vector<Section>& sections) {
  std::cout << "// Made of config/settings.txt by make_settings.\n"
               "#include \"config/setting_keys.h\"\n\nnamespace kindred {\n\n"
               "std::vector<SettingRow> setting_rows(Settings& s) {\n  return {\n";

  for (const Section& section : sections) {
    for (const Setting& setting : section.settings) {
      const std::string key = section.name + "." + setting.key;
      std::cout << "      {.key = \"" << key << "\", .field = &s." << key;
      if (!setting.low.empty())
        std::cout << ", .low = " << setting.low << ", .high = " << setting.high;
      if (!setting.choices.empty()) std::cout << ", .choices = {" << setting.choices << "}";
      std::cout << "},\n";
    }
  }
  std::cout << "  };\n}\n\n}  // namespace kindred\n";
}

/// A default in TOML. A list that is too long for a line has one for each item.
std::string toml_value(const Setting& setting) {
  const std::string& value = setting.initial;
  if (value.front() != '[' || setting.key.size() + 3 + columns(value) <= kColumns) return value;

  std::string lines = "[\n";
  std::string_view items = std::string_view(value).substr(1, value.size() - 2);
  while (!items.empty()) lines.append("  ").append(split_off(items, ", ")).append(",\n");
  return lines + "]";
}

void write_toml(const std::vector<Section>& sections) {
  write_comment({"Every setting of Kindred, with its default and the reason for it. A file for "
                 "--config needs only the settings that differ. Made of settings.txt by "
                 "make_settings."},
                "#");

  for (const Section& section : sections) {
    std::cout << "\n[" << section.name << "]\n";
    for (const Setting& setting : section.settings) {
      write_comment(setting.text, "#");
      std::cout << setting.key << " = " << toml_value(setting) << "\n";
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  const std::map<std::string_view, void (*)(const std::vector<Section>&)> kParts = {
      {"structs", write_structs}, {"rows", write_rows}, {"toml", write_toml}};
  const auto part = kParts.find(argc == 3 ? argv[2] : "");
  std::ifstream file(argc == 3 ? argv[1] : "");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (text.empty() || part == kParts.end()) {
    std::cerr << "usage: make_settings SETTINGS.TXT structs|rows|toml\n";
    return 2;
  }

  part->second(TableReader::read(text));
  return std::cout.flush().good() ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << argv[1] << ": " << e.what() << "\n";
  return 1;
}
