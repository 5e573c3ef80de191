/* Texts as the index analyzes them, through the C ABI. */
#include "tests/c_api/c_api_fixture.h"

static kindred_handle* open_with(const char* path, const char* settings) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* handle = NULL;
  options.flags = KINDRED_CREATE;
  options.settings = str(settings);
  REQUIRE(kindred_open(path, strlen(path), &options, &handle) == KINDRED_OK);
  return handle;
}

static kindred_analysis* analyze(const kindred_handle* handle, const char* text,
                                 const char* language) {
  kindred_analyze_request request = KINDRED_ANALYZE_REQUEST_INIT;
  kindred_analysis* result = NULL;
  request.text = str(text);
  request.language = str(language);
  CHECK_OK(kindred_analyze(handle, &request, &result));
  REQUIRE(result != NULL);
  return result;
}

static int is_word(const kindred_analysis* analysis, size_t place, const char* word,
                   const char* term) {
  return place < analysis->word_count && equals(analysis->words[place].word, word) &&
         equals(analysis->words[place].term, term) && analysis->words[place].position == place + 1;
}

static void words_have_the_terms_that_the_index_has(const kindred_handle* handle) {
  kindred_analysis* const analysis = analyze(handle, "The Sailors' RISING tides", "");
  CHECK(equals(analysis->language, "en") && equals(analysis->prefix, "Z"));
  CHECK(analysis->word_count == 4);
  CHECK(is_word(analysis, 0, "the", ""));
  CHECK(is_word(analysis, 1, "sailors", "Zsailor"));
  CHECK(is_word(analysis, 2, "rising", "Zrise"));
  CHECK(is_word(analysis, 3, "tides", "Ztide"));
  CHECK(analysis->words[0].stop_word == 1 && analysis->words[1].stop_word == 0);
  CHECK(analysis->words[3].joined == NULL && analysis->words[3].joined_count == 0);
  kindred_analysis_free(analysis);
}

static void a_text_may_be_in_another_language(const kindred_handle* handle) {
  kindred_analysis* const analysis = analyze(handle, "die H\303\244user", "de");
  CHECK(equals(analysis->language, "de"));
  CHECK(is_word(analysis, 0, "die", ""));
  CHECK(is_word(analysis, 1, "h\303\244user", "Zhaus"));
  kindred_analysis_free(analysis);
}

static void malformed_bytes_and_no_text_are_no_error(const kindred_handle* handle) {
  kindred_analysis* analysis = analyze(handle, "", "");
  CHECK(analysis->word_count == 0);
  kindred_analysis_free(analysis);
  analysis = analyze(handle, "tide\377 \300\200 wave", "");
  CHECK(analysis->word_count >= 2 && equals(analysis->words[0].word, "tide"));
  kindred_analysis_free(analysis);
  kindred_analysis_free(NULL);
}

static void queries_have_the_words_of_the_index(const kindred_handle* handle) {
  kindred_parse_request request = KINDRED_PARSE_REQUEST_INIT;
  kindred_query* query = NULL;
  request.query = str("RISING node.js -moon label:sea gui");
  request.partial = 1;
  CHECK_OK(kindred_parse_query(handle, &request, &query));
  REQUIRE(query != NULL && query->word_count == 3);
  CHECK(query->serialized.size > 0);
  CHECK(equals(query->words[0].word, "rising") && query->words[0].term_count == 2);
  CHECK(equals(query->words[0].terms[0], "Zrise") && equals(query->words[0].terms[1], "rising"));
  CHECK(equals(query->words[1].word, "node.js"));
  kindred_query_free(query);
  request.query = str("-moon");
  CHECK_OK(kindred_parse_query(handle, &request, &query));
  CHECK(query->word_count == 0 && query->serialized.size > 0);
  kindred_query_free(query);
  kindred_query_free(NULL);
}

static void mistakes_in_queries_are_refused(const kindred_handle* handle) {
  kindred_parse_request request = KINDRED_PARSE_REQUEST_INIT;
  kindred_query* query = NULL;
  CHECK_FAILS(kindred_parse_query(handle, &request, &query), KINDRED_INVALID_ARGUMENT, "no word");
  request.query = str("moon \"sun");
  CHECK_FAILS(kindred_parse_query(handle, &request, &query), KINDRED_INVALID_ARGUMENT, "byte 6");
  CHECK_FAILS(kindred_parse_query(NULL, &request, &query), KINDRED_INVALID_ARGUMENT, "handle");
  CHECK_FAILS(kindred_parse_query(handle, NULL, &query), KINDRED_INVALID_ARGUMENT, "request");
  CHECK_FAILS(kindred_parse_query(handle, &request, NULL), KINDRED_INVALID_ARGUMENT, "result");
  request.size = 1;
  CHECK_FAILS(kindred_parse_query(handle, &request, &query), KINDRED_INVALID_ARGUMENT, "size");
  CHECK(query == NULL);
}

static void mistakes_are_refused(const kindred_handle* handle) {
  kindred_analyze_request request = KINDRED_ANALYZE_REQUEST_INIT;
  kindred_analysis* result = NULL;
  CHECK_FAILS(kindred_analyze(NULL, &request, &result), KINDRED_INVALID_ARGUMENT, "handle");
  CHECK_FAILS(kindred_analyze(handle, NULL, &result), KINDRED_INVALID_ARGUMENT, "request");
  CHECK_FAILS(kindred_analyze(handle, &request, NULL), KINDRED_INVALID_ARGUMENT, "result");
  request.size = 1;
  CHECK_FAILS(kindred_analyze(handle, &request, &result), KINDRED_INVALID_ARGUMENT, "size");
  CHECK(result == NULL);
}

static void words_are_joined_where_the_settings_say_so(void) {
  kindred_handle* const handle = open_with(path_to("pairs.db"), "analyzer.ngrams = 2\n");
  kindred_analysis* analysis = NULL;
  CHECK_OK(ingest(handle, notes[0]));
  CHECK_OK(kindred_end_ingest(handle, NULL));
  CHECK_OK(kindred_refresh(handle, NULL));
  analysis = analyze(handle, "high tide", "");
  CHECK(is_word(analysis, 1, "tide", "Ztide"));
  REQUIRE(analysis->words[1].joined_count == 1);
  CHECK(analysis->words[1].joined[0].data[0] == 'Z');
  CHECK(strstr(analysis->words[1].joined[0].data, "tide") != NULL);
  kindred_analysis_free(analysis);
  kindred_close(handle);
}

int main(void) {
  kindred_handle* handle = NULL;
  make_directory();
  handle = create_notes(path_to("notes.db"));
  words_have_the_terms_that_the_index_has(handle);
  a_text_may_be_in_another_language(handle);
  malformed_bytes_and_no_text_are_no_error(handle);
  mistakes_are_refused(handle);
  queries_have_the_words_of_the_index(handle);
  mistakes_in_queries_are_refused(handle);
  kindred_close(handle);
  words_are_joined_where_the_settings_say_so();
  remove_tree(directory);
  return failures != 0;
}
