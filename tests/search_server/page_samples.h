#pragma once

#include <string>

#include "page/html/page_context.h"

// Answers of the API with a bit of everything, for tests of the pages.
namespace search_server::samples {

Json search_answer();
Json document();
Json related_answer();
Json classify_answer();
Json map_answer(int rows = 12, int columns = 16, int topics = 9);
Json suspects_answer();
Json labels_answer();
Json candidates_answer();
Json duplicates_answer();
Json status_answer();
Json jobs_answer();

/// The same with another text instead of every string, and instead of the names of values.
Json with_texts(const Json& answer, const std::string& text);

}  // namespace search_server::samples
