/* Near-duplicates through the C ABI: groups, canceling, wrong requests, folding. */
#include "tests/c_api/c_api_fixture.h"

static kindred_handle* kindred;

static const char* const copies[] = {
    "{\"id\":\"b4\",\"title\":\"Bread\",\"labels\":[\"copy\",\"kitchen\"],"
    "\"text\":\"Knead the dough, let the dough rise, bake the bread in a hot oven.\"}",
    "{\"id\":\"b5\",\"title\":\"Bread\",\"labels\":[\"copy\"],"
    "\"text\":\"Knead the dough, let the dough rise, bake the bread in a hot oven.\"}",
    "{\"id\":\"s4\",\"title\":\"Waves\",\"labels\":[],"
    "\"text\":\"Wind raises waves; sailors reef the sails when the waves grow.\"}"};

static void groups_have_their_documents_and_labels(void) {
  kindred_duplicates_result* result = NULL;
  const kindred_duplicate_group* group = NULL;
  kindred_status status = KINDRED_STATUS_INIT;
  CHECK_OK(kindred_get_status(kindred, &status));
  CHECK_OK(kindred_duplicates(kindred, NULL, &result));
  REQUIRE(result != NULL && result->group_count == 2);
  CHECK(result->revision == status.revision && result->examined == status.documents);
  CHECK(result->found == 2 && result->grouped == 5);
  group = &result->groups[0];
  REQUIRE(group->document_count == 3);
  CHECK(group->least_similarity == 1 && group->greatest_similarity == 1);
  CHECK(equals(group->documents[0].id, "b1") && group->documents[0].docid == 1);
  CHECK(equals(group->documents[1].id, "b4") && equals(group->documents[2].id, "b5"));
  REQUIRE(group->documents[1].label_count == 2);
  CHECK(equals(group->documents[1].labels[0], "copy"));
  CHECK(equals(group->documents[1].labels[1], "kitchen"));
  group = &result->groups[1];
  REQUIRE(group->document_count == 2);
  CHECK(equals(group->documents[0].id, "s3") && equals(group->documents[1].id, "s4"));
  CHECK(group->documents[1].label_count == 0);
  kindred_duplicates_free(result);
  kindred_duplicates_free(NULL);
}

static int cancel(void* user, const kindred_duplicates_step* step) {
  ++*(int*)user;
  CHECK(step->size == sizeof *step && step->compared <= step->all && step->all > 0);
  return *(int*)user == 2;
}

static void progress_is_told_and_may_cancel(void) {
  kindred_duplicates_request request = KINDRED_DUPLICATES_REQUEST_INIT;
  kindred_duplicates_result* result = NULL;
  int told = 0;
  request.progress = cancel;
  request.progress_user = &told;
  CHECK_OK(kindred_duplicates(kindred, &request, &result));
  CHECK(told == 1);
  kindred_duplicates_free(result);
  result = NULL;
  CHECK_FAILS(kindred_duplicates(kindred, &request, &result), KINDRED_CANCELED, "canceled after");
  CHECK(told == 2 && result == NULL);
}

static void wrong_requests_are_refused(void) {
  kindred_duplicates_request request = KINDRED_DUPLICATES_REQUEST_INIT;
  kindred_duplicates_result* result = NULL;
  CHECK_FAILS(kindred_duplicates(NULL, &request, &result), KINDRED_INVALID_ARGUMENT, "handle");
  CHECK_FAILS(kindred_duplicates(kindred, &request, NULL), KINDRED_INVALID_ARGUMENT, "result");
  request.threshold = 0;
  CHECK_FAILS(kindred_duplicates(kindred, &request, &result), KINDRED_INVALID_ARGUMENT,
              "threshold: expected a number above 0 and not above 1");
  request.threshold = KINDRED_DEFAULT;
  request.filter = str("tag:x");
  CHECK_FAILS(kindred_duplicates(kindred, &request, &result), KINDRED_INVALID_ARGUMENT,
              "unknown field");
  request.filter = str("");
  request.limit = 0;
  CHECK_FAILS(kindred_duplicates(kindred, &request, &result), KINDRED_INVALID_ARGUMENT, "limit");
  request.size = offsetof(kindred_duplicates_request, progress_user);
  CHECK_FAILS(kindred_duplicates(kindred, &request, &result), KINDRED_INVALID_ARGUMENT,
              "request.size");
  CHECK(result == NULL);
}

/* b4 and b5 are copies of b1, s4 is one of s3. */
static void near_duplicates_are_folded_in_related_documents(void) {
  const kindred_example example = by_id("b2");
  kindred_related_request request = like(&example);
  kindred_related_result *plain = NULL, *folded = NULL;
  request.threshold = 0;
  CHECK_OK(kindred_related(kindred, &request, &plain));
  CHECK(plain->folded_count == 0);
  request.fold = 0.95;
  CHECK_OK(kindred_related(kindred, &request, &folded));
  REQUIRE(folded->folded_count == 2 && folded->document_count + 2 == plain->document_count);
  CHECK(equals(folded->folded[0].id, "b4") && equals(folded->folded[1].id, "b5"));
  for (size_t i = 0; i < folded->folded_count; ++i) {
    const kindred_folded_document* const document = &folded->folded[i];
    REQUIRE(document->result < folded->document_count);
    CHECK(equals(folded->documents[document->result].id, "b1"));
    CHECK(document->similarity == folded->documents[document->result].similarity);
    CHECK(document->docid > folded->documents[document->result].docid);
  }
  kindred_related_free(folded);
  kindred_related_free(plain);
  folded = NULL;
  request.fold = 1.5;
  CHECK_FAILS(kindred_related(kindred, &request, &folded), KINDRED_INVALID_ARGUMENT, "fold");
  CHECK(folded == NULL);
}

/* What the reports of ingest said, as one line for each. */
static char reported[1024];

static void report_document(void* user, const kindred_document_report* report) {
  char line[256];
  CHECK(user == reported && report->size == sizeof *report && report->compared == 1);
  CHECK(report->pending == 0 && report->reason.size == 0 && report->tag_count == 0);
  snprintf(line, sizeof line, "%s %d %s %u %.4f\n", report->id.data, (int)report->outcome,
           report->near_id.data, (unsigned)report->near_docid, (double)report->near_similarity);
  strcat(reported, line);
}

/* b4 and b5 are copies of b1. */
static void ingest_tells_of_near_duplicates_if_asked_to(void) {
  const char* const path = path_to("compared.db");
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_ingest_report report = KINDRED_INGEST_REPORT_INIT;
  kindred_handle* handle = create_notes(path);
  CHECK_OK(kindred_end_ingest(handle, &report));
  CHECK(report.near_duplicates == 0 && report.uncompared == 0);
  kindred_close(handle);
  options.settings = str("[ingest]\nnear_duplicates = 0.95\n");
  options.on_document = report_document;
  options.on_document_user = reported;
  REQUIRE(kindred_open(path, strlen(path), &options, &handle) == KINDRED_OK);
  REQUIRE(ingest(handle, copies[0]) == KINDRED_OK && ingest(handle, copies[1]) == KINDRED_OK);
  REQUIRE(ingest(handle, notes[4]) == KINDRED_OK);
  CHECK_OK(kindred_end_ingest(handle, &report));
  CHECK(report.added == 2 && report.replaced == 1);
  CHECK(report.near_duplicates == 2 && report.uncompared == 0);
  CHECK(strcmp(reported, "b4 1 b1 1 1.0000\nb5 1 b1 1 1.0000\ns2 2  0 0.0000\n") == 0);
  kindred_close(handle);
}

int main(void) {
  make_directory();
  kindred = create_notes(path_to("notes.db"));
  for (size_t i = 0; i < sizeof copies / sizeof *copies; ++i)
    REQUIRE(ingest(kindred, copies[i]) == KINDRED_OK);
  REQUIRE(kindred_end_ingest(kindred, NULL) == KINDRED_OK);
  groups_have_their_documents_and_labels();
  progress_is_told_and_may_cancel();
  wrong_requests_are_refused();
  near_duplicates_are_folded_in_related_documents();
  kindred_close(kindred);
  ingest_tells_of_near_duplicates_if_asked_to();
  remove_tree(directory);
  return failures != 0;
}
