/* The C ABI when things go wrong: every failure is a code and a sentence, and writes nothing. */
#include "tests/c_api/c_api_fixture.h"

#include <math.h>
#include <pthread.h>
#include <sys/stat.h>

static void null_ends_nothing(void) {
  kindred_close(NULL);
  kindred_related_free(NULL);
  kindred_classification_free(NULL);
}

static void what_is_no_database_does_not_open(void) {
  kindred_handle* const untouched = (kindred_handle*)(void*)&failures;
  kindred_handle* handle = untouched;
  CHECK_FAILS(open_path(path_to("absent"), &handle), KINDRED_NOT_FOUND, "absent");
  REQUIRE(mkdir(path_to("hollow"), 0700) == 0);
  CHECK_FAILS(open_path(path_to("hollow"), &handle), KINDRED_NOT_FOUND, "hollow");
  write_file(path_to("garbage"), "this is no database\n");
  CHECK_FAILS(open_path(path_to("garbage"), &handle), KINDRED_DATABASE, "garbage");
  write_file(path_to("hollow/iamglass"), "this is no glass database");
  CHECK_FAILS(open_path(path_to("hollow"), &handle), KINDRED_CORRUPT, "hollow");
  CHECK_FAILS(open_path("", &handle), KINDRED_INVALID_ARGUMENT, "database");
  CHECK_FAILS(kindred_open("a\0b", 3, NULL, &handle), KINDRED_INVALID_ARGUMENT, "'a\\x00b'");
  CHECK_FAILS(kindred_open("\0", 1, NULL, &handle), KINDRED_INVALID_ARGUMENT, "'\\x00'");
  CHECK(handle == untouched);
}

/* Error texts are one line of UTF-8 without control characters, whatever they are about. */
static void error_texts_can_be_shown(kindred_handle* handle) {
  static const char evil[] = "\0\033[2J\n\377\302\233\342\200\256";
  static const char shown[] = "\\x00\\x1b[2J\\n\\xff\\u009b\\u202e";
  const kindred_string text = {evil, sizeof evil - 1};
  kindred_example example = {KINDRED_BY_ID, 0, {NULL, 0}};
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_classification* tags = NULL;
  kindred_handle* none = NULL;
  example.value = text;
  CHECK_FAILS(kindred_classify(handle, &example, NULL, &tags), KINDRED_NOT_FOUND, shown);
  options.settings_path = text;
  CHECK_FAILS(kindred_open("x", 1, &options, &none), KINDRED_INVALID_ARGUMENT, shown);
  CHECK_FAILS(kindred_open(evil + 1, sizeof evil - 2, NULL, &none), KINDRED_NOT_FOUND, shown + 4);
  options.settings_path = str("");
  options.settings = str("[analyzer]\nstem_overrides = \"a\\u0000b\"\n");
  options.flags = KINDRED_CREATE;
  CHECK_FAILS(kindred_open(path_to("empty"), strlen(path_to("empty")), &options, &none),
              KINDRED_INVALID_ARGUMENT, "a\\x00b: expected the path of this file of");
}

static void create_makes_a_database_but_never_over_another_file(void) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* handle = NULL;
  const char* const garbage = path_to("garbage");
  options.flags = KINDRED_CREATE;
  CHECK(kindred_open(garbage, strlen(garbage), &options, &handle) == KINDRED_DATABASE);
  CHECK(handle == NULL);
  REQUIRE(mkdir(path_to("empty"), 0700) == 0);
  handle = create(path_to("empty"));
  kindred_close(handle);
  CHECK_OK(open_path(path_to("empty"), &handle));
  kindred_close(handle);
  options.flags = 64;
  CHECK_FAILS(kindred_open("x", 1, &options, &handle), KINDRED_UNSUPPORTED, "flag 64");
}

static kindred_errc open_with(const char* settings, const char* settings_path) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* handle = NULL;
  const char* const path = path_to("empty");
  options.settings = str(settings);
  options.settings_path = str(settings_path);
  const kindred_errc code = kindred_open(path, strlen(path), &options, &handle);
  kindred_close(handle);
  return code;
}

static void bad_settings_name_line_and_key(void) {
  CHECK_OK(open_with("[classify]\nk = 7\n", ""));
  CHECK_FAILS(open_with("[classify]\n\nkk = 7\n", ""), KINDRED_INVALID_ARGUMENT, "settings:3");
  CHECK(strstr(kindred_last_error(), "classify.kk") != NULL);
  CHECK_FAILS(open_with("[classify]\nk = 0\n", ""), KINDRED_INVALID_ARGUMENT, "classify.k");
  CHECK_FAILS(open_with("[classify\n", ""), KINDRED_INVALID_ARGUMENT, "settings:1");
  CHECK_FAILS(open_with("", path_to("absent.toml")), KINDRED_NOT_FOUND, "absent.toml");
  write_file(path_to("bad.toml"), "[related]\nslot = \"ten\"\n");
  CHECK_FAILS(open_with("", path_to("bad.toml")), KINDRED_INVALID_ARGUMENT, "bad.toml:2");
  CHECK_FAILS(open_with("[related]\n", "x"), KINDRED_INVALID_ARGUMENT, "settings");
}

static void settings_that_contradict_what_the_index_remembers_are_refused(void) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* other = NULL;
  const char* const path = path_to("notes.db");
  options.settings = str("[labels]\nprefix = \"XT\"\n");
  CHECK_FAILS(kindred_open(path, strlen(path), &options, &other), KINDRED_INVALID_ARGUMENT,
              "labels.prefix: expected \"K\", as the index remembers");
  options.settings = str("[labels]\nprefix = \"K\"\n");
  CHECK_OK(kindred_open(path, strlen(path), &options, &other));
  kindred_close(other);
}

/* The lemmas of an index's texts come from a list that is then changed. */
static void another_analysis_than_the_index_was_made_with_is_refused(void) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* handle = NULL;
  const char* const list = path_to("lemmas.tsv");
  const char* const path = path_to("lemmas.db");
  char settings[256];
  snprintf(settings, sizeof settings, "[analyzer]\nlemmas = [\"en=%s\"]\n", list);
  write_file(list, "bake\tbaking\n");
  options.settings = str(settings);
  options.flags = KINDRED_CREATE;
  REQUIRE(kindred_open(path, strlen(path), &options, &handle) == KINDRED_OK);
  CHECK_OK(ingest(handle, notes[0]));
  kindred_close(handle);
  options.flags = 0;
  CHECK_OK(kindred_open(path, strlen(path), &options, &handle));
  kindred_close(handle);
  write_file(list, "bake\tbaked\n");
  handle = NULL;
  CHECK_FAILS(kindred_open(path, strlen(path), &options, &handle), KINDRED_INVALID_ARGUMENT,
              "expected the analysis that the index was made with: analyzer.lemmas: en=file ");
  options.settings = str("[analyzer]\nlemmas = []\n");
  CHECK_FAILS(kindred_open(path, strlen(path), &options, &handle), KINDRED_INVALID_ARGUMENT,
              "analyzer.lemmas: expected [\"en=");
  CHECK(handle == NULL);
}

static void null_arguments_are_named(kindred_handle* handle) {
  const kindred_example bread = by_id("b1");
  kindred_related_request request = like(&bread);
  kindred_related_result* related = NULL;
  kindred_classification* tags = NULL;
  kindred_status status = KINDRED_STATUS_INIT;
  const kindred_errc bad = KINDRED_INVALID_ARGUMENT;
  CHECK_FAILS(kindred_open("x", 1, NULL, NULL), bad, "handle");
  CHECK_FAILS(kindred_open(NULL, 1, NULL, &handle), bad, "database");
  CHECK_FAILS(kindred_get_status(NULL, &status), bad, "handle");
  CHECK_FAILS(kindred_get_status(handle, NULL), bad, "status");
  CHECK_FAILS(kindred_refresh(NULL, NULL), bad, "handle");
  CHECK_FAILS(kindred_related(NULL, &request, &related), bad, "handle");
  CHECK_FAILS(kindred_related(handle, NULL, &related), bad, "request");
  CHECK_FAILS(kindred_related(handle, &request, NULL), bad, "result");
  CHECK_FAILS(kindred_classify(NULL, &bread, NULL, &tags), bad, "handle");
  CHECK_FAILS(kindred_classify(handle, NULL, NULL, &tags), bad, "example");
  CHECK_FAILS(kindred_classify(handle, &bread, NULL, NULL), bad, "result");
  CHECK_FAILS(kindred_classify_batch(handle, NULL, 1, NULL, &tags), bad, "records");
  CHECK_FAILS(kindred_classify_batch(handle, &bread, 1, NULL, NULL), bad, "results");
  const kindred_example unknown_kind = {9, 0, {NULL, 0}};
  CHECK_FAILS(kindred_classify_batch(handle, &unknown_kind, 1, NULL, &tags), bad, "records[0]");
  CHECK_FAILS(kindred_ingest(NULL, "{}", 2, NULL), bad, "handle");
  CHECK_FAILS(kindred_ingest(handle, NULL, 2, NULL), bad, "json");
  CHECK_FAILS(kindred_commit(NULL, NULL), bad, "handle");
  CHECK_FAILS(kindred_end_ingest(NULL, NULL), bad, "handle");
  request.like = NULL;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "like");
  request = like(&bread);
  request.filter.size = 3;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "filter");
  CHECK(related == NULL && tags == NULL && status.documents == 0);
}

static void values_out_of_range_are_refused(const kindred_handle* handle) {
  kindred_example bread = by_id("b1");
  kindred_related_request request = like(&bread);
  kindred_classify_request vote = KINDRED_CLASSIFY_REQUEST_INIT;
  kindred_related_result* related = NULL;
  kindred_classification* tags = NULL;
  const kindred_errc bad = KINDRED_INVALID_ARGUMENT;
  request.k = 0;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "k");
  request.k = -2;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "k");
  request = like(&bread);
  request.threshold = 1.5;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "threshold");
  request.threshold = NAN;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "threshold");
  request = like(&bread);
  request.like_count = 0;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "example");
  request = like(&bread);
  request.filter = str("(bread OR");
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "byte 1: a bracket");
  request.filter = str("bread tag:x");
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "byte 7: unknown field 'tag'");
  request.filter = str("\"bread");
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "byte 1: a quote");
  vote.filter = str("labels:x");
  CHECK_FAILS(kindred_classify(handle, &bread, &vote, &tags), bad, "did you mean 'label'?");
  vote.filter = str("(((");
  CHECK_FAILS(kindred_classify(handle, &bread, &vote, &tags), bad, "byte 3: a bracket");
  vote.filter = str("!!");
  CHECK_FAILS(kindred_classify(handle, &bread, &vote, &tags), bad, "no word or field");
  vote.filter = str("");
  request = like(&bread);
  request.flags = 128;
  CHECK_FAILS(kindred_related(handle, &request, &related), KINDRED_UNSUPPORTED, "128");
  vote.k = 0;
  CHECK_FAILS(kindred_classify(handle, &bread, &vote, &tags), bad, "k");
  vote.k = KINDRED_DEFAULT;
  vote.max_labels = 0;
  CHECK_FAILS(kindred_classify(handle, &bread, &vote, &tags), bad, "max_labels");
  vote = (kindred_classify_request)KINDRED_CLASSIFY_REQUEST_INIT;
  vote.threshold = NAN;
  CHECK_FAILS(kindred_classify(handle, &bread, &vote, &tags), bad, "threshold");
  bread.kind = 0;
  CHECK_FAILS(kindred_classify(handle, &bread, NULL, &tags), bad, "kind");
  bread = by_id("nobody");
  CHECK_FAILS(kindred_classify(handle, &bread, NULL, &tags), KINDRED_NOT_FOUND, "nobody");
  bread.kind = KINDRED_BY_DOCID;
  bread.docid = 4000000;
  CHECK_FAILS(kindred_classify(handle, &bread, NULL, &tags), KINDRED_NOT_FOUND, "4000000");
  bread = by_json("{\"text\": ");
  CHECK_FAILS(kindred_classify(handle, &bread, NULL, &tags), bad, "JSON");
  CHECK(related == NULL && tags == NULL);
}

static void a_batch_with_a_bad_record_writes_nothing(const kindred_handle* handle) {
  const kindred_example records[2] = {by_text("bread"), by_json("[]")};
  kindred_classification* results[2] = {NULL, NULL};
  CHECK_FAILS(kindred_classify_batch(handle, records, 2, NULL, results), KINDRED_INVALID_ARGUMENT,
              "records[1]");
  CHECK(results[0] == NULL && results[1] == NULL);
}

static void struct_sizes_tell_old_and_new_hosts(const kindred_handle* handle) {
  struct {
    kindred_status status;
    uint64_t later;
  } grown = {KINDRED_STATUS_INIT, 77};
  const kindred_example bread = by_id("b1");
  struct {
    kindred_related_request request;
    uint64_t later;
  } asked = {KINDRED_RELATED_REQUEST_INIT, 0};
  kindred_related_result* result = NULL;
  grown.status.size = sizeof grown;
  CHECK_OK(kindred_get_status(handle, &grown.status));
  CHECK(grown.status.size == sizeof grown && grown.status.documents == kNotes && grown.later == 0);
  grown.status.size = offsetof(kindred_status, device_bytes); /* the first hosts' */
  grown.status.device_bytes = 77;
  CHECK_OK(kindred_get_status(handle, &grown.status));
  CHECK(grown.status.documents == kNotes && grown.status.device_bytes == 77);
  grown.status.size = 8;
  CHECK_FAILS(kindred_get_status(handle, &grown.status), KINDRED_INVALID_ARGUMENT, "status.size");

  asked.request = like(&bread);
  asked.request.size = sizeof asked;
  CHECK_OK(kindred_related(handle, &asked.request, &result));
  kindred_related_free(result);
  result = NULL;
  asked.later = 1;
  CHECK_FAILS(kindred_related(handle, &asked.request, &result), KINDRED_UNSUPPORTED, "request");
  asked.request.size = 0;
  CHECK_FAILS(kindred_related(handle, &asked.request, &result), KINDRED_INVALID_ARGUMENT, "size");
  CHECK(result == NULL);
}

/* A struct of this type whose size is smaller than that of the first hosts, or 0. */
#define CHECK_SIZES(type, init, first, call, name)                                  \
  do {                                                                              \
    type given = init;                                                              \
    size_t sizes[] = {0, 1, sizeof(size_t), (first)-1};                             \
    size_t i;                                                                       \
    for (i = 0; i < sizeof sizes / sizeof *sizes; ++i) {                            \
      given.size = sizes[i];                                                        \
      CHECK_FAILS(call, KINDRED_INVALID_ARGUMENT, name ".size: expected at least"); \
    }                                                                               \
  } while (0)

/* The size of a struct that ends with this member. */
#define THROUGH(type, member) (offsetof(type, member) + sizeof(((type*)NULL)->member))

static void every_growing_struct_needs_its_size(kindred_handle* handle) {
  const char* const path = path_to("notes.db");
  const kindred_example bread = by_id("b1");
  kindred_handle* other = NULL;
  kindred_related_result* related = NULL;
  kindred_classification* classes = NULL;
  CHECK_SIZES(kindred_open_options, KINDRED_OPEN_OPTIONS_INIT,
              THROUGH(kindred_open_options, log_user),
              kindred_open(path, strlen(path), &given, &other), "options");
  CHECK_SIZES(kindred_status, KINDRED_STATUS_INIT, THROUGH(kindred_status, device),
              kindred_get_status(handle, &given), "status");
  CHECK_SIZES(kindred_related_request, KINDRED_RELATED_REQUEST_INIT,
              THROUGH(kindred_related_request, flags), kindred_related(handle, &given, &related),
              "request");
  CHECK_SIZES(kindred_classify_request, KINDRED_CLASSIFY_REQUEST_INIT,
              THROUGH(kindred_classify_request, flags),
              kindred_classify(handle, &bread, &given, &classes), "request");
  CHECK_SIZES(kindred_tune_request, KINDRED_TUNE_REQUEST_INIT, sizeof(kindred_tune_request),
              kindred_tune(handle, &given, NULL), "request");
  CHECK_SIZES(kindred_train_request, KINDRED_TRAIN_REQUEST_INIT, sizeof(kindred_train_request),
              kindred_train_topics(handle, &given, NULL), "request");
  CHECK_SIZES(kindred_topic_place, KINDRED_TOPIC_PLACE_INIT, sizeof(kindred_topic_place),
              kindred_topic_of(handle, &bread, &given), "place");
  CHECK_SIZES(kindred_assign_request, KINDRED_ASSIGN_REQUEST_INIT,
              THROUGH(kindred_assign_request, flags), kindred_assign_topics(handle, &given, NULL),
              "request");
  CHECK_SIZES(kindred_assign_report, KINDRED_ASSIGN_REPORT_INIT, sizeof(kindred_assign_report),
              kindred_assign_topics(handle, NULL, &given), "report");
  CHECK_SIZES(kindred_store_related_request, KINDRED_STORE_RELATED_REQUEST_INIT,
              THROUGH(kindred_store_related_request, flags),
              kindred_store_related(handle, &given, NULL), "request");
  CHECK_SIZES(kindred_store_related_report, KINDRED_STORE_RELATED_REPORT_INIT,
              sizeof(kindred_store_related_report), kindred_store_related(handle, NULL, &given),
              "report");
  CHECK_SIZES(kindred_ingest_report, KINDRED_INGEST_REPORT_INIT,
              THROUGH(kindred_ingest_report, pending), kindred_commit(handle, &given), "report");
  CHECK_SIZES(kindred_tag_request, KINDRED_TAG_REQUEST_INIT, THROUGH(kindred_tag_request, flags),
              kindred_tag_documents(handle, &given, NULL), "request");
  CHECK_SIZES(kindred_tag_report, KINDRED_TAG_REPORT_INIT, THROUGH(kindred_tag_report, rejected),
              kindred_tag_documents(handle, NULL, &given), "report");
  CHECK(other == NULL && related == NULL && classes == NULL);
}

static void every_growing_struct_for_curation_needs_its_size(kindred_handle* handle) {
  const kindred_string id = str("nobody");
  kindred_matching_result* matching = NULL;
  kindred_suspects_result* suspects = NULL;
  kindred_map_result* map = NULL;
  kindred_json* json = NULL;
  CHECK_SIZES(kindred_matching_request, KINDRED_MATCHING_REQUEST_INIT,
              sizeof(kindred_matching_request), kindred_matching(handle, &given, &matching),
              "request");
  CHECK_SIZES(kindred_suspects_request, KINDRED_SUSPECTS_REQUEST_INIT,
              sizeof(kindred_suspects_request), kindred_suspects(handle, &given, &suspects),
              "request");
  CHECK_SIZES(kindred_map_request, KINDRED_MAP_REQUEST_INIT, sizeof(kindred_map_request),
              kindred_map(handle, &given, &map), "request");
  CHECK_SIZES(kindred_evaluate_request, KINDRED_EVALUATE_REQUEST_INIT,
              sizeof(kindred_evaluate_request), kindred_evaluate(handle, &given, &json), "request");
  CHECK_SIZES(kindred_delete_report, KINDRED_DELETE_REPORT_INIT, sizeof(kindred_delete_report),
              kindred_delete_documents(handle, &id, 1, &given), "report");
  CHECK(matching == NULL && suspects == NULL && map == NULL && json == NULL);
}

/* Hosts that were built before a member came pass a smaller struct, and get what they got. */
static void hosts_of_earlier_versions_are_answered(kindred_handle* handle) {
  kindred_tag_request tag = KINDRED_TAG_REQUEST_INIT;
  kindred_assign_request assign = KINDRED_ASSIGN_REQUEST_INIT;
  kindred_store_related_request store = KINDRED_STORE_RELATED_REQUEST_INIT;
  kindred_status status = KINDRED_STATUS_INIT;
  tag.size = THROUGH(kindred_tag_request, flags);
  assign.size = THROUGH(kindred_assign_request, flags);
  store.size = THROUGH(kindred_store_related_request, flags);
  tag.progress = assign.progress = store.progress = (kindred_progress)(void (*)(void))abort;
  CHECK_OK(kindred_tag_documents(handle, &tag, NULL));
  CHECK_FAILS(kindred_assign_topics(handle, &assign, NULL), KINDRED_NOT_FOUND, "map");
  CHECK_OK(kindred_store_related(handle, &store, NULL));
  status.size = THROUGH(kindred_status, profile);
  status.tuning_due = 77;
  CHECK_OK(kindred_get_status(handle, &status));
  CHECK(strcmp(status.profile, "none") == 0 && status.tuning_due == 77);
}

static void refused_records_are_counted_and_cost_nothing(kindred_handle* handle) {
  kindred_ingest_report report = KINDRED_INGEST_REPORT_INIT;
  kindred_status status = KINDRED_STATUS_INIT;
  CHECK_FAILS(ingest(handle, "not json"), KINDRED_INVALID_ARGUMENT, "JSON");
  CHECK_FAILS(ingest(handle, "{\"text\": \"no id\"}"), KINDRED_INVALID_ARGUMENT, "id");
  CHECK_FAILS(ingest(handle, ""), KINDRED_INVALID_ARGUMENT, "JSON");
  CHECK_FAILS(ingest(handle, "{\"id\":\"a\xff\"}"), KINDRED_INVALID_ARGUMENT, "id: expected UTF-8");
  CHECK_FAILS(ingest(handle, "{\"id\":\"a\",\"terms\":{\"x\":65536}}"), KINDRED_INVALID_ARGUMENT,
              "terms: 'x'");
  CHECK_OK(kindred_ingest(handle, notes[0], strlen(notes[0]), &report));
  CHECK(report.failed == 5);
  report.size = 1;
  CHECK_FAILS(kindred_ingest(handle, notes[0], strlen(notes[0]), &report), KINDRED_INVALID_ARGUMENT,
              "report.size");
  report.size = sizeof report;
  CHECK_OK(kindred_end_ingest(handle, &report));
  CHECK(report.failed == 5 && report.replaced == 1 && report.added == 0);
  CHECK_OK(kindred_get_status(handle, &status));
  CHECK(status.documents == kNotes);
  CHECK_OK(kindred_commit(handle, &report)); /* nothing ingested since */
  CHECK(report.failed == 0 && report.replaced == 0);
}

static void one_handle_at_a_time_has_the_write_lock(kindred_handle* handle) {
  kindred_handle* other = NULL;
  CHECK_OK(open_path(path_to("notes.db"), &other));
  CHECK_OK(ingest(handle, notes[0]));
  CHECK_FAILS(ingest(other, notes[1]), KINDRED_DATABASE, "lock");
  CHECK_OK(kindred_end_ingest(handle, NULL));
  CHECK_OK(ingest(other, notes[1]));
  kindred_close(other); /* commits and unlocks */
  CHECK_OK(ingest(handle, notes[2]));
  CHECK_OK(kindred_end_ingest(handle, NULL));
}

static void* fail_in_another_thread(void* own_error) {
  kindred_handle* handle = NULL;
  CHECK(strcmp(kindred_last_error(), "") == 0);
  CHECK_FAILS(open_path(path_to("elsewhere"), &handle), KINDRED_NOT_FOUND, "elsewhere");
  *(const char**)own_error = kindred_last_error();
  CHECK(strstr(kindred_last_error(), "lonely") == NULL);
  return NULL;
}

static void error_text_belongs_to_its_thread(const kindred_handle* handle) {
  const kindred_example nobody = by_id("lonely");
  kindred_classification* result = NULL;
  const char* other = NULL;
  pthread_t thread;
  CHECK_FAILS(kindred_classify(handle, &nobody, NULL, &result), KINDRED_NOT_FOUND, "lonely");
  REQUIRE(pthread_create(&thread, NULL, fail_in_another_thread, (void*)&other) == 0);
  pthread_join(thread, NULL);
  CHECK(other != NULL && other != kindred_last_error());
  CHECK(strstr(kindred_last_error(), "lonely") != NULL);
  kindred_status status = KINDRED_STATUS_INIT;
  CHECK_OK(kindred_get_status(handle, &status));
  CHECK(strstr(kindred_last_error(), "lonely") != NULL); /* success leaves it */
}

struct heard {
  int messages;
  int mirrored;
};

static void listen_to(void* user, const char* message, size_t size) {
  struct heard* const heard = user;
  ++heard->messages;
  heard->mirrored += strstr(message, "mirrored") != NULL && message[size] == '\0';
}

static void the_log_callback_hears_of_a_new_mirror(void) {
  struct heard heard = {0, 0};
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* handle = NULL;
  const char* const path = path_to("notes.db");
  options.log = listen_to;
  options.log_user = &heard;
  CHECK_OK(kindred_open(path, strlen(path), &options, &handle));
  CHECK(heard.messages >= 1 && heard.mirrored == 1);
  kindred_close(handle);
}

static void a_vanished_database_still_answers(void) {
  kindred_handle* const handle = create_notes(path_to("vanish.db"));
  const kindred_example bread = by_id("b1");
  const kindred_related_request request = like(&bread);
  kindred_related_result* result = NULL;
  kindred_status status = KINDRED_STATUS_INIT;
  int changed = -1;
  remove_tree(path_to("vanish.db"));
  for (int i = 0; i < 2; ++i) { /* before and after the refresh that fails */
    result = NULL;
    CHECK_OK(kindred_related(handle, &request, &result));
    CHECK(result != NULL && result->document_count > 0 && equals(result->documents[0].id, "u1"));
    CHECK(result != NULL && equals(result->documents[0].title, "Oven"));
    kindred_related_free(result);
    CHECK_OK(kindred_get_status(handle, &status));
    CHECK(status.documents == kNotes);
    const kindred_errc code = kindred_refresh(handle, &changed);
    CHECK(code == KINDRED_DATABASE || code == KINDRED_NOT_FOUND);
    CHECK(strstr(kindred_last_error(), "vanish.db") != NULL);
    CHECK(changed == -1);
  }
  CHECK(ingest(handle, notes[0]) != KINDRED_OK || kindred_commit(handle, NULL) != KINDRED_OK);
  kindred_close(handle);
}

static void what_cannot_be_tagged_is_refused(kindred_handle* handle) {
  kindred_tag_request request = KINDRED_TAG_REQUEST_INIT;
  kindred_handle* other = NULL;
  request.query = str("bread XOR");
  CHECK_FAILS(kindred_tag_documents(handle, &request, NULL), KINDRED_INVALID_ARGUMENT, "bread XOR");
  request.query = str("bread subject:x");
  CHECK_FAILS(kindred_tag_documents(handle, &request, NULL), KINDRED_INVALID_ARGUMENT, "byte 7");
  request.flags = 64;
  CHECK_FAILS(kindred_tag_documents(handle, &request, NULL), KINDRED_UNSUPPORTED, "flag 64");
  CHECK_FAILS(kindred_tag_documents(NULL, NULL, NULL), KINDRED_INVALID_ARGUMENT, "handle");
  CHECK_FAILS(kindred_edit_tag(handle, "no", 2, KINDRED_REMOVE_TAG, "x", 1), KINDRED_NOT_FOUND,
              "'no'");
  CHECK_FAILS(kindred_edit_tag(handle, "u1", 2, KINDRED_REMOVE_TAG, "", 0),
              KINDRED_INVALID_ARGUMENT, "label");
  CHECK_FAILS(kindred_edit_tag(handle, "u1", 2, KINDRED_OPT_OUT, "x", 1), KINDRED_INVALID_ARGUMENT,
              "label");
  CHECK_FAILS(kindred_edit_tag(handle, "u1", 2, 9, "x", 1), KINDRED_INVALID_ARGUMENT, "edit");
  CHECK_OK(open_path(path_to("notes.db"), &other));
  CHECK_OK(ingest(other, notes[0]));
  CHECK_FAILS(kindred_tag_documents(handle, NULL, NULL), KINDRED_DATABASE, "lock");
  CHECK_FAILS(kindred_edit_tag(handle, "u1", 2, KINDRED_OPT_OUT, NULL, 0), KINDRED_DATABASE,
              "lock");
  kindred_close(other);
  CHECK_OK(kindred_tag_documents(handle, NULL, NULL));
}

int main(void) {
  make_directory();
  null_ends_nothing();
  what_is_no_database_does_not_open();
  create_makes_a_database_but_never_over_another_file();
  bad_settings_name_line_and_key();
  kindred_handle* const handle = create_notes(path_to("notes.db"));
  settings_that_contradict_what_the_index_remembers_are_refused();
  another_analysis_than_the_index_was_made_with_is_refused();
  null_arguments_are_named(handle);
  values_out_of_range_are_refused(handle);
  a_batch_with_a_bad_record_writes_nothing(handle);
  struct_sizes_tell_old_and_new_hosts(handle);
  every_growing_struct_needs_its_size(handle);
  every_growing_struct_for_curation_needs_its_size(handle);
  hosts_of_earlier_versions_are_answered(handle);
  refused_records_are_counted_and_cost_nothing(handle);
  one_handle_at_a_time_has_the_write_lock(handle);
  what_cannot_be_tagged_is_refused(handle);
  error_texts_can_be_shown(handle);
  error_text_belongs_to_its_thread(handle);
  the_log_callback_hears_of_a_new_mirror();
  a_vanished_database_still_answers();
  kindred_close(handle);
  remove_tree(directory);
  return failures != 0;
}
