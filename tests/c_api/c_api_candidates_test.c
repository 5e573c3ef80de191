/* Documents that a label would suit, through the C ABI: ranks, reasons, canceling, wrong requests. */
#include "tests/c_api/c_api_fixture.h"

static kindred_handle* kindred;

static const char* const more[] = {
    "{\"id\":\"u2\",\"title\":\"Loaf\",\"labels\":[],\"rejected_labels\":[\"kitchen\"],"
    "\"text\":\"Bake the bread and the dough in an oven.\"}",
    "{\"id\":\"u3\",\"title\":\"Cake\",\"labels\":[\"sea\",\"trade\"],"
    "\"text\":\"Sailors bake bread from dough in the oven of the ship.\"}"};

static kindred_candidates_request of_label(const char* label) {
  kindred_candidates_request request = KINDRED_CANDIDATES_REQUEST_INIT;
  request.label = str(label);
  return request;
}

static const kindred_candidate* find(const kindred_candidates_result* result, const char* id) {
  for (size_t i = 0; i < result->candidate_count; ++i)
    if (equals(result->candidates[i].id, id)) return &result->candidates[i];
  return NULL;
}

static void documents_are_ranked_and_shown_with_their_tags(void) {
  kindred_candidates_request request = of_label("kitchen");
  kindred_candidates_result* result = NULL;
  kindred_status status = KINDRED_STATUS_INIT;
  const kindred_candidate* candidate = NULL;
  CHECK_OK(kindred_get_status(kindred, &status));
  CHECK_OK(kindred_candidates(kindred, &request, &result));
  REQUIRE(result != NULL && result->candidate_count > 0);
  CHECK(result->revision == status.revision && result->found == result->candidate_count);
  CHECK(result->examined == status.documents - 3);
  CHECK(find(result, "u1") == NULL && find(result, "u2") == NULL && find(result, "b1") == NULL);
  candidate = find(result, "u3");
  REQUIRE(candidate != NULL);
  CHECK(candidate->docid == 10 && equals(candidate->title, "Cake"));
  CHECK(candidate->label_count == 2 && equals(candidate->labels[1], "trade"));
  CHECK(candidate->predicted_count == 0 && candidate->reason == NULL);
  for (size_t i = 1; i < result->candidate_count; ++i)
    CHECK(result->candidates[i].confidence <= result->candidates[i - 1].confidence);
  kindred_candidates_free(result);
  kindred_candidates_free(NULL);
}

static void reasons_are_those_of_a_classification(void) {
  kindred_candidates_request request = of_label("kitchen");
  kindred_classify_request classify = KINDRED_CLASSIFY_REQUEST_INIT;
  kindred_candidates_result* result = NULL;
  kindred_classification* classified = NULL;
  const kindred_example example = by_id("u1");
  const kindred_reason *reason = NULL, *expected = NULL;
  request.flags = KINDRED_EXPLAIN | KINDRED_INCLUDE_PREDICTED;
  CHECK_OK(kindred_candidates(kindred, &request, &result));
  REQUIRE(result != NULL && result->candidate_count > 0);
  REQUIRE(equals(result->candidates[0].id, "u1") && result->candidates[0].predicted_count > 0);
  CHECK(equals(result->candidates[0].predicted[0], "kitchen"));
  classify.flags = KINDRED_EXPLAIN;
  CHECK_OK(kindred_classify(kindred, &example, &classify, &classified));
  REQUIRE(classified->tag_count > 0 && equals(classified->tags[0].label, "kitchen"));
  CHECK(result->candidates[0].confidence == classified->tags[0].confidence);
  reason = result->candidates[0].reason;
  expected = &classified->reasons[0];
  REQUIRE(reason != NULL && reason->voter_count == expected->voter_count);
  CHECK(equals(reason->label, "kitchen") && reason->threshold == expected->threshold);
  for (size_t i = 0; i < reason->voter_count; ++i) {
    CHECK(reason->voters[i].share == expected->voters[i].share);
    CHECK(reason->voters[i].neighbor->docid == expected->voters[i].neighbor->docid);
    CHECK(reason->voters[i].neighbor->label_count > 0);
    CHECK(equals(reason->voters[i].neighbor->labels[0], "kitchen"));
  }
  CHECK(reason->term_count > 0 && reason->term_count == expected->term_count);
  CHECK(reason->terms[0].contribution == expected->terms[0].contribution);
  kindred_classification_free(classified);
  kindred_candidates_free(result);
}

static int cancel(void* user, const kindred_candidates_step* step) {
  ++*(int*)user;
  CHECK(step->size == sizeof *step && step->classified == step->all && step->all > 0);
  return *(int*)user == 2;
}

static void progress_is_told_and_may_cancel(void) {
  kindred_candidates_request request = of_label("sea");
  kindred_candidates_result* result = NULL;
  int told = 0;
  request.progress = cancel;
  request.progress_user = &told;
  CHECK_OK(kindred_candidates(kindred, &request, &result));
  CHECK(told == 1);
  kindred_candidates_free(result);
  result = NULL;
  CHECK_FAILS(kindred_candidates(kindred, &request, &result), KINDRED_CANCELED, "canceled after");
  CHECK(told == 2 && result == NULL);
}

static void wrong_requests_are_refused(void) {
  kindred_candidates_request request = of_label("kitchen");
  kindred_candidates_result* result = NULL;
  CHECK_FAILS(kindred_candidates(NULL, &request, &result), KINDRED_INVALID_ARGUMENT, "handle");
  CHECK_FAILS(kindred_candidates(kindred, NULL, &result), KINDRED_INVALID_ARGUMENT, "request");
  CHECK_FAILS(kindred_candidates(kindred, &request, NULL), KINDRED_INVALID_ARGUMENT, "result");
  request.label = str("kitchens");
  CHECK_FAILS(kindred_candidates(kindred, &request, &result), KINDRED_NOT_FOUND,
              "no document has the label 'kitchens'; the nearest names are 'kitchen'");
  request = of_label("kitchen");
  request.limit = 0;
  CHECK_FAILS(kindred_candidates(kindred, &request, &result), KINDRED_INVALID_ARGUMENT, "limit");
  request = of_label("kitchen");
  request.min_confidence = 1.1;
  CHECK_FAILS(kindred_candidates(kindred, &request, &result), KINDRED_INVALID_ARGUMENT,
              "confidence");
  request = of_label("kitchen");
  request.flags = 64;
  CHECK_FAILS(kindred_candidates(kindred, &request, &result), KINDRED_UNSUPPORTED, "flag 64");
  request = of_label("kitchen");
  request.size = offsetof(kindred_candidates_request, progress_user);
  CHECK_FAILS(kindred_candidates(kindred, &request, &result), KINDRED_INVALID_ARGUMENT,
              "request.size");
  CHECK(result == NULL);
}

int main(void) {
  make_directory();
  kindred = create_notes(path_to("notes.db"));
  for (size_t i = 0; i < sizeof more / sizeof *more; ++i)
    REQUIRE(ingest(kindred, more[i]) == KINDRED_OK);
  REQUIRE(kindred_end_ingest(kindred, NULL) == KINDRED_OK);
  documents_are_ranked_and_shown_with_their_tags();
  reasons_are_those_of_a_classification();
  progress_is_told_and_may_cancel();
  wrong_requests_are_refused();
  kindred_close(kindred);
  remove_tree(directory);
  return failures != 0;
}
