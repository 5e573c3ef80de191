#include "config/settings.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <variant>

#include "config/error.h"
#include "config/regular_file.h"
#include "config/setting_keys.h"
#include "config/settings_check.h"
#include "config/shown.h"
#include "config/toml.h"

namespace kindred {
namespace {

[[noreturn]] void fail(const std::string& file, const toml::source_region& where,
                       const std::string& what) {
  throw Error(Errc::kInvalidArgument, file + ":" + std::to_string(where.begin.line) + ": " + what);
}

void require_known_keys(const toml::table& root, const std::string& name) {
  // Each error has the nearest key that there is, since an unknown one is mostly a slip.
  const auto& keys = known_keys();
  const auto unknown = [&](const toml::source_region& where, const std::string& key) {
    fail(name, where,
         "unknown key '" + key + "'; did you mean '" + nearest_of(key, keys, 1)[0] + "'?");
  };

  for (const auto& [section, node] : root) {
    const std::string section_name(section.str());
    const toml::table* table = node.as_table();
    if (table == nullptr) return unknown(section.source(), section_name);

    for (const auto& entry : *table) {
      const std::string key = section_name + "." + std::string(entry.first.str());
      if (std::ranges::find(keys, key) == keys.end()) unknown(entry.first.source(), key);
    }

    // A section without keys is an error, too, if there is none of its name.
    const auto is_of_section = [&](const std::string& key) {
      return key.starts_with(section_name + ".");
    };
    const bool known = std::ranges::any_of(keys, is_of_section);
    if (!known) unknown(section.source(), section_name);
  }
}

/// False if the text is no value in TOML of the field's type.
bool assign_toml(const std::string& value, const SettingField& field) {
  // The text is parsed as it would be in a file, so that both take the same.
  check_toml_text(value, "value");

  try {
    const toml::table root = toml::parse("value = " + value);
    return root.size() == 1 && assign_value(*root.get("value"), field);
  } catch (const toml::parse_error&) {
    return false;
  }
}

/// True if an item of a list stands for the value (is_listed()).
bool stands_for(std::string_view item, std::string_view value) {
  const bool is_open_before = item.size() > 1 && item.starts_with('*');
  const bool is_open_behind = item.ends_with('*');
  if (is_open_before) item.remove_prefix(1);
  if (is_open_behind) item.remove_suffix(1);

  if (is_open_before && is_open_behind) return value.find(item) != std::string_view::npos;
  if (is_open_before) return value.ends_with(item);
  if (is_open_behind) return value.starts_with(item);
  return value == item;
}

}  // namespace

void check_settings(const Settings& settings) {
  if (const auto fault = find_fault(settings)) {
    throw Error(Errc::kInvalidArgument, fault->key + ": expected " + fault->expectation);
  }
}

void set_value(Settings& settings, const std::string& key, const std::string& value) {
  const auto fields = fields_of(settings);
  const auto known = fields.find(key);
  if (known == fields.end())
    throw Error(Errc::kInvalidArgument, "unknown setting '" + shortened(key) + "'; did you mean '" +
                                            nearest_of(key, known_keys(), 1)[0] + "'?");

  const SettingField& field = known->second;
  const auto devices = parse_device_list(value);

  // Strings and lists of devices need no quotes here; all else is written as in the file.
  if (auto* const text = std::get_if<std::string*>(&field)) {
    **text = value;
  } else if (auto* const list = std::get_if<DeviceList*>(&field); list != nullptr && devices) {
    **list = *devices;
  } else if (!assign_toml(value, field)) {
    throw Error(Errc::kInvalidArgument, key + ": expected " + std::string(expected_type(field)) +
                                            ", found '" + shortened(value) + "'");
  }

  settings.given.push_back(key);
}

Settings parse_settings(std::string_view text, const std::string& name) {
  // Text that overflows the stack of toml++ has to be refused before it sees it.
  check_toml_text(text, name);
  toml::table root;
  try {
    root = toml::parse(text, name);
  } catch (const toml::parse_error& e) {
    fail(name, e.source(), std::string(e.description()));
  }

  // Unknown keys before wrong values, since a slip in a key is the likelier mistake.
  require_known_keys(root, name);

  Settings settings;
  const auto fields = fields_of(settings);
  for (const std::string& key : known_keys()) {
    const auto node = toml::at_path(root, key);
    if (!node) continue;
    const SettingField& field = fields.at(key);
    if (!assign_value(*node.node(), field))
      fail(name, node.node()->source(), key + ": expected " + std::string(expected_type(field)));
    settings.given.push_back(key);
  }

  // A fault may lie between two settings: then the line is that of the one which the file has.
  if (const auto fault = find_fault(settings)) {
    auto node = toml::at_path(root, fault->key);
    if (!node && !fault->other_key.empty()) node = toml::at_path(root, fault->other_key);
    fail(name, node ? node.node()->source() : root.source(),
         fault->key + ": expected " + fault->expectation);
  }

  return settings;
}

bool is_listed(const std::vector<std::string>& list, std::string_view value) {
  return std::ranges::any_of(list, [&](const std::string& item) {
    return stands_for(item, value);
  });
}

bool is_id(const IndexSettings& settings, std::string_view value) {
  return !is_listed(settings.not_ids, value);
}

bool is_system_label(const LabelSettings& settings, std::string_view value) {
  return is_listed(settings.system, value);
}

std::optional<std::pair<std::uint32_t, std::string_view>> slot_value(std::string_view text) {
  constexpr std::string_view kValue = "value:";
  if (!text.starts_with(kValue)) return std::nullopt;

  std::uint32_t slot = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data() + kValue.size(), end, slot);
  if (fault != std::errc() || (rest != end && *rest != '=')) return std::nullopt;

  const auto behind = text.substr(static_cast<std::size_t>(rest - text.data()));
  return std::pair(slot, behind.substr(behind.empty() ? 0 : 1));
}

std::pair<std::string_view, std::string_view> split_filter_field(std::string_view field) {
  const std::size_t equals = field.find('=');
  if (equals == std::string_view::npos) return {field, {}};
  return {field.substr(0, equals), field.substr(equals + 1)};
}

BodyField body_field(std::string_view item) {
  const auto [key, times] = split_filter_field(item);
  BodyField field{key, 0};

  const auto [end, error] = std::from_chars(times.data(), times.data() + times.size(), field.times);
  const bool good = error == std::errc() && end == times.data() + times.size() && !key.empty();
  if (!good || field.times < 1 || field.times > 1000) field.times = 0;
  return field;
}

std::vector<std::string> keys_set(const Settings& settings) {
  Settings copy = settings;
  Settings defaults;
  const auto fields = fields_of(copy);
  const auto initial = fields_of(defaults);

  // A setting that was given counts as set even if it has the value of the default.
  std::vector<std::string> keys;
  for (const auto& [key, field] : fields) {
    const auto& given = settings.given;
    if (std::find(given.begin(), given.end(), key) != given.end() ||
        !equal_values(field, initial.at(key)))
      keys.push_back(key);
  }
  return keys;
}

Settings overlaid(const Settings& over, const Settings& under) {
  Settings result = over;
  Settings lower = under;
  const auto fields = fields_of(result);
  const auto others = fields_of(lower);

  const std::vector<std::string> own = keys_set(over);

  // Only what the lower settings set goes in: their defaults would be no better than those above.
  for (const std::string& key : keys_set(under)) {
    if (std::binary_search(own.begin(), own.end(), key)) continue;
    std::visit(
        [&](auto* value) {
          *value = *std::get<decltype(value)>(others.at(key));
        },
        fields.at(key));
  }

  return result;
}

bool shapes_index(std::string_view key) {
  constexpr std::string_view kKeys[] = {
      "index.profile",       "index.id_prefix",      "index.not_ids",     "index.id_scheme",
      "index.title_fields",  "index.title_slot",     "index.title_boost", "index.body_fields",
      "index.stemmed_words", "mirror.term_prefixes", "topics.prefix",     "topics.unit_prefix",
      "topics.slot",         "index.term_generator", "index.ids",         "index.id_slot",
      "mirror.documents",    "related.group"};

  // One key of labels is about what is written at a time; all else below these three names changes
  // terms.
  if (key == "labels.max_per_document") return false;
  return key.starts_with("analyzer.") || key.starts_with("filter.") || key.starts_with("labels.") ||
         std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

std::string setting_text(const Settings& settings, const std::string& key) {
  Settings copy = settings;
  return toml_value(key, fields_of(copy).at(key));
}

std::string settings_toml(const Settings& settings, const std::vector<std::string>& keys) {
  std::string text;
  std::string section;

  // In order, so that the keys of a section stand together.
  std::vector<std::string> sorted = keys;
  std::sort(sorted.begin(), sorted.end());

  for (const std::string& key : sorted) {
    const std::size_t dot = key.find('.');
    if (key.substr(0, dot) != section) {
      section = key.substr(0, dot);
      text += "[" + section + "]\n";
    }
    text += key.substr(dot + 1) + " = " + setting_text(settings, key) + "\n";
  }
  return text;
}

std::string settings_json(const Settings& settings) {
  const toml::table table = toml::parse(settings_toml(settings, known_keys()));
  return toml_print(toml::json_formatter(table));
}

std::string shaping_settings_toml(const Settings& settings) {
  const std::vector<std::string> set = keys_set(settings);

  // Choices of how an index is read, not of what is in it, are kept only where they were made:
  // others follow the profile, which may learn better.
  std::vector<std::string> keys;
  for (const std::string& key : known_keys()) {
    const bool is_choice =
        key.starts_with("filter.") || key == "labels.system" || key == "index.not_ids" ||
        key == "mirror.term_prefixes" || key == "index.profile" || key == "index.body_fields" ||
        key == "index.ids" || key == "index.id_slot" || key == "mirror.documents" ||
        key == "related.group" || key == "labels.shards" || key == "index.id_scheme" ||
        key.starts_with("index.title_");

    const bool is_set = std::binary_search(set.begin(), set.end(), key);
    if (shapes_index(key) && (is_set || !is_choice || key == "index.title_boost"))
      keys.push_back(key);
  }
  return settings_toml(settings, keys);
}

std::string settings_text(const Settings& settings) {
  std::string text;
  Settings copy = settings;
  const auto fields = fields_of(copy);

  // Where Kindred computes and how it writes changes no answer.
  for (const std::string& key : known_keys()) {
    const std::string section = key.substr(0, key.find('.'));
    if (section == "backend" || section == "ingest" || section == "write" || section == "history")
      continue;
    text += key + " = " + toml_value({}, fields.at(key)) + "\n";
  }

  return text;
}

Settings load_settings(const std::string& path) {
  constexpr std::size_t kMaxBytes = 1 << 20;
  return parse_settings(read_regular_file(path, "the settings file", kMaxBytes).bytes, path);
}

}  // namespace kindred
