#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "page/html/html.h"
#include "page/html/page_context.h"

namespace search_server {

// Small parts that several views share.

/// "1,234"
std::string counted(std::uint64_t number);
/// "1 document", "1,234 documents"
std::string counted(std::uint64_t number, std::string_view one, std::string_view many);
/// A share in [0, 1] as "73 %".
std::string percent(double share);
/// A number for an attribute of a drawing: at most two decimals.
std::string decimal(double number);

/// "c" and 3 make "c3".
std::string numbered(std::string_view name, std::uint64_t number);

/// A string member, or "" if it is missing or null.
std::string text_of(const Json& object, std::string_view member);
/// A numeric member, or 0.
double number_of(const Json& object, std::string_view member);
std::uint64_t count_of(const Json& object, std::string_view member);
/// A member that is a list, or an empty list.
const Json& list_of(const Json& object, std::string_view member);
/// A member that is an object, or null.
const Json& part_of(const Json& object, std::string_view member);

/// A horizontal bar for a share in [0, 1]. What it shows is beside it in words, so it is hidden
/// from readers of the text.
Html bar(double share, std::string_view kind = "");

/// The title of a document, or its id if it has none.
std::string title_of(const Json& document);
Html title_link(const Json& document);
Address address_of(std::string_view id);

/// A topic {"number","name"} as a link to its documents, or nothing if there is none.
Html topic_chip(const Json& topic);

/// So many neighbors or words are shown as reasons, the strongest ones.
inline constexpr std::size_t kShownReasons = 6;

/// The first words of `terms` in one line.
Html words_line(const Json& terms);

/// Tags of people and of Kindred in one line of text.
Html tags_line(const Json& labels, const Json& predicted = Json::array());

/// Words and what they contribute: `terms` as the API gives them.
Html term_list(const Json& terms, std::string_view caption);

/// A box with help where there is nothing to show.
Html empty_box(std::string_view head, std::initializer_list<Html> help);

/// A hidden field of a form.
Html hidden(std::string_view name, std::string_view value);

/// The address of this page, where a form comes back to.
Html back_field(const PageContext& context);

/// Links to the pages before and after. `shown`: documents on this one. `pager_at` gives the
/// address for an offset.
Html pager(const Address& before, const Address& after, std::uint64_t offset, std::uint64_t limit,
           std::uint64_t shown, std::uint64_t total, bool exact);

}  // namespace search_server
