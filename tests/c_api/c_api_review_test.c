/* Suspects, the map, evaluation, progress of runs, and titles of neighbors, through the C ABI. */
#include "tests/c_api/c_api_fixture.h"

#include <math.h>

static kindred_handle* kindred;

struct told {
  int calls;
  int cancel_at; /* 0: never */
  uint64_t done;
  uint64_t all;
};

static int tell(void* user, const kindred_step* step) {
  struct told* const told = user;
  CHECK(step->size == sizeof *step && step->done <= step->all && step->done > 0);
  told->done = step->done;
  told->all = step->all;
  return ++told->calls == told->cancel_at;
}

static int has(kindred_string text, const char* part) { return strstr(text.data, part) != NULL; }

static void a_wrong_label_is_the_first_suspect(void) {
  kindred_suspects_request request = KINDRED_SUSPECTS_REQUEST_INIT;
  kindred_suspects_result* result = NULL;
  struct told told = {0, 0, 0, 0};
  kindred_status status = KINDRED_STATUS_INIT;
  const kindred_suspect* first = NULL;
  request.progress = tell;
  request.progress_user = &told;
  CHECK_OK(kindred_get_status(kindred, &status));
  CHECK_OK(kindred_suspects(kindred, &request, &result));
  REQUIRE(result != NULL && result->suspect_count > 0);
  CHECK(result->revision == status.revision && result->examined == status.labeled);
  CHECK(result->found == result->suspect_count && told.calls == 1 && told.all == status.labeled);
  first = &result->suspects[0];
  CHECK(equals(first->id, "wrong") && equals(first->title, "Dough") && first->docid == 9);
  CHECK(first->label_count == 1 && equals(first->labels[0], "sea"));
  CHECK(equals(first->weakest.label, "sea") && equals(first->strongest.label, "kitchen"));
  CHECK(first->margin == first->strongest.confidence - first->weakest.confidence);
  REQUIRE(first->proposed_count > 0 && first->reason_count == first->proposed_count);
  CHECK(equals(first->proposed[0].label, "kitchen") && first->reasons[0].voter_count > 0);
  CHECK(first->reasons[0].voters[0].neighbor->label_count > 0);
  REQUIRE(first->neighbor_count > 0);
  CHECK(first->neighbor_titles[0].size > 0 && first->neighbors[0].similarity > 0);
  for (size_t i = 0; i < result->suspect_count; ++i) {
    CHECK(result->suspects[i].margin > 0);
    CHECK(i == 0 || result->suspects[i].margin <= result->suspects[i - 1].margin);
  }
  kindred_suspects_free(result);
  kindred_suspects_free(NULL);
}

static void suspects_are_asked_for_among_documents_that_match(void) {
  kindred_suspects_request request = KINDRED_SUSPECTS_REQUEST_INIT;
  kindred_suspects_result* result = NULL;
  struct told told = {0, 1, 0, 0};
  request.query = str("label:kitchen");
  CHECK_OK(kindred_suspects(kindred, &request, &result));
  CHECK(result->examined == 3);
  for (size_t i = 0; i < result->suspect_count; ++i)
    CHECK(!equals(result->suspects[i].id, "wrong"));
  kindred_suspects_free(result);
  request = (kindred_suspects_request)KINDRED_SUSPECTS_REQUEST_INIT;
  request.limit = 1;
  request.filter = str("label:kitchen");
  CHECK_OK(kindred_suspects(kindred, &request, &result));
  CHECK(result->suspect_count == 1 && result->found >= 1);
  for (size_t i = 0; i < result->suspects[0].neighbor_count; ++i)
    CHECK(equals(result->suspects[0].neighbors[i].labels[0], "kitchen"));
  kindred_suspects_free(result);
  result = NULL;
  request.limit = 0;
  CHECK_FAILS(kindred_suspects(kindred, &request, &result), KINDRED_INVALID_ARGUMENT, "limit");
  request.limit = 1;
  request.progress = tell;
  request.progress_user = &told;
  CHECK_FAILS(kindred_suspects(kindred, &request, &result), KINDRED_CANCELED, "canceled after 7");
  request.query = str("label:");
  CHECK_FAILS(kindred_suspects(kindred, &request, &result), KINDRED_INVALID_ARGUMENT, "label");
  CHECK(result == NULL);
}

static void the_map_has_units_and_places(void) {
  kindred_train_request train = KINDRED_TRAIN_REQUEST_INIT;
  kindred_map_request request = KINDRED_MAP_REQUEST_INIT;
  kindred_map_result* result = NULL;
  uint64_t documents = 0;
  CHECK_FAILS(kindred_map(kindred, NULL, &result), KINDRED_NOT_FOUND, "map");
  train.rows = 3;
  train.columns = 4;
  train.epochs = 2;
  CHECK_OK(kindred_train_topics(kindred, &train, NULL));
  CHECK_OK(kindred_map(kindred, NULL, &result));
  REQUIRE(result != NULL && result->unit_count == 12);
  CHECK(result->rows == 3 && result->columns == 4 && result->toroidal == 0);
  CHECK(result->hexagonal == 1 && result->revision == result->index_revision);
  CHECK(result->place_count == 0 && result->places == NULL && result->stamp.size > 0);
  CHECK(result->units[0].x == 0 && result->units[1].x == 1 && result->units[4].x == 0.5);
  CHECK(fabs(result->units[4].y - sqrt(3) / 2) < 1e-12);
  for (size_t i = 0; i < 12; ++i) documents += result->units[i].documents;
  CHECK(documents == 9);
  kindred_map_free(result);
  kindred_map_free(NULL);
  request.flags = KINDRED_PLACES | KINDRED_IDS;
  CHECK_OK(kindred_map(kindred, &request, &result));
  REQUIRE(result->place_count == 9);
  for (size_t i = 0; i < 9; ++i) {
    kindred_topic_place place = KINDRED_TOPIC_PLACE_INIT;
    const kindred_example example = {KINDRED_BY_DOCID, result->places[i].docid, {NULL, 0}};
    CHECK_OK(kindred_topic_of(kindred, &example, &place));
    CHECK(place.topic == result->places[i].topic);
    CHECK(place.topic == 0 || place.unit == result->places[i].unit);
    CHECK(result->place_ids[i].size > 0);
  }
  kindred_map_free(result);
  request.flags = KINDRED_PLACES;
  request.query = str("label:kitchen");
  CHECK_OK(kindred_map(kindred, &request, &result));
  CHECK(result->place_count == 3 && result->place_ids == NULL && result->places[2].docid == 3);
  kindred_map_free(result);
  result = NULL;
  request.flags = 1;
  CHECK_FAILS(kindred_map(kindred, &request, &result), KINDRED_UNSUPPORTED, "flag 1");
  CHECK(result == NULL);
}

static void a_map_tells_that_the_index_has_changed_since(void) {
  kindred_map_result* result = NULL;
  CHECK_OK(ingest(kindred, "{\"id\":\"after\",\"text\":\"bread\",\"labels\":[\"kitchen\"]}"));
  CHECK_OK(kindred_end_ingest(kindred, NULL));
  CHECK_OK(kindred_map(kindred, NULL, &result));
  CHECK(result->revision < result->index_revision);
  kindred_map_free(result);
}

static void tags_are_evaluated(void) {
  kindred_evaluate_request request = KINDRED_EVALUATE_REQUEST_INIT;
  kindred_classify_request how = KINDRED_CLASSIFY_REQUEST_INIT;
  kindred_json* result = NULL;
  struct told told = {0, 0, 0, 0};
  CHECK_OK(kindred_evaluate(kindred, NULL, &result));
  REQUIRE(result != NULL);
  CHECK(has(result->json, "\"micro_f1\":") && has(result->json, "\"documents\":8"));
  CHECK(!has(result->json, "\"per_label\"") && !has(result->json, "\"confusion\""));
  kindred_json_free(result);
  kindred_json_free(NULL);
  request.folds = 2;
  request.flags = KINDRED_PER_LABEL | KINDRED_CONFUSION;
  request.how = &how;
  how.k = 3;
  request.progress = tell;
  request.progress_user = &told;
  CHECK_OK(kindred_evaluate(kindred, &request, &result));
  CHECK(has(result->json, "\"per_label\":[") && has(result->json, "\"confusion\":null"));
  CHECK(told.calls == 1 && told.done == 8 && told.all == 8);
  kindred_json_free(result);
  result = NULL;
  told.cancel_at = 2;
  CHECK_FAILS(kindred_evaluate(kindred, &request, &result), KINDRED_CANCELED, "8 of 8 documents");
  how.flags = KINDRED_EXPLAIN;
  CHECK_FAILS(kindred_evaluate(kindred, &request, &result), KINDRED_UNSUPPORTED, "how.flags");
  how.flags = 0;
  request.folds = 1;
  CHECK_FAILS(kindred_evaluate(kindred, &request, &result), KINDRED_INVALID_ARGUMENT, "folds");
  request.folds = 0;
  request.seed = -1;
  CHECK_FAILS(kindred_evaluate(kindred, &request, &result), KINDRED_INVALID_ARGUMENT, "seed");
  CHECK(result == NULL);
}

static void labels_are_measured(void) {
  kindred_json* result = NULL;
  struct told told = {0, 0, 0, 0};
  CHECK_OK(kindred_class_geometry(kindred, NULL, NULL, &result));
  CHECK(has(result->json, "\"informativeness\":"));
  kindred_json_free(result);
  result = NULL;
  told.cancel_at = 1;
  CHECK_FAILS(kindred_class_geometry(kindred, tell, &told, &result), KINDRED_CANCELED, "");
  CHECK(result == NULL);
}

static void runs_tell_how_far_they_are_and_can_be_canceled(void) {
  kindred_tag_request tag = KINDRED_TAG_REQUEST_INIT;
  kindred_assign_request assign = KINDRED_ASSIGN_REQUEST_INIT;
  kindred_store_related_request store = KINDRED_STORE_RELATED_REQUEST_INIT;
  kindred_tag_report report = KINDRED_TAG_REPORT_INIT;
  kindred_status status = KINDRED_STATUS_INIT;
  struct told told = {0, 1, 0, 0};
  tag.progress = assign.progress = store.progress = tell;
  tag.progress_user = assign.progress_user = store.progress_user = &told;
  CHECK_FAILS(kindred_tag_documents(kindred, &tag, &report), KINDRED_CANCELED,
              "canceled after 4 of 10 documents"); /* index.batch = 4 */
  CHECK(report.examined == 0);
  CHECK_OK(kindred_tag_documents(kindred, &tag, &report));
  CHECK(report.examined == 10 && told.done == 10 && told.all == 10 && told.calls == 4);
  told = (struct told){0, 2, 0, 0};
  CHECK_FAILS(kindred_assign_topics(kindred, &assign, NULL), KINDRED_CANCELED, "8 of 10");
  CHECK_OK(kindred_get_status(kindred, &status));
  told = (struct told){0, 0, 0, 0};
  CHECK_OK(kindred_assign_topics(kindred, &assign, NULL));
  CHECK(told.calls == 1 && told.done == 10); /* it continued */
  told = (struct told){0, 1, 0, 0};
  CHECK_FAILS(kindred_store_related(kindred, &store, NULL), KINDRED_CANCELED, "4 of 10");
  CHECK_OK(kindred_store_related(kindred, &store, NULL));
}

static void a_handle_tells_its_settings(void) {
  kindred_json* result = NULL;
  CHECK_OK(kindred_get_settings(kindred, &result));
  CHECK(has(result->json, "\"index\"") && has(result->json, "\"id_prefix\""));
  CHECK(has(result->json, "\"predicted_prefix\"") && has(result->json, "XAUTO"));
  kindred_json_free(result);
  CHECK_FAILS(kindred_get_settings(NULL, &result), KINDRED_INVALID_ARGUMENT, "handle");
  CHECK_FAILS(kindred_get_settings(kindred, NULL), KINDRED_INVALID_ARGUMENT, "result");
}

static void a_handle_tells_the_revisions_of_its_shards(void) {
  kindred_json* result = NULL;
  kindred_status status = KINDRED_STATUS_INIT;
  char expected[160];
  CHECK_OK(kindred_get_status(kindred, &status));
  CHECK_OK(kindred_get_shards(kindred, &result));
  snprintf(expected, sizeof expected,
           "{\"revision\":%llu,\"shards\":[{\"uuid\":\"%s\",\"revision\":%llu}]}",
           (unsigned long long)status.revision, status.uuid, (unsigned long long)status.revision);
  CHECK(has(result->json, expected));
  kindred_json_free(result);
  CHECK_FAILS(kindred_get_shards(NULL, &result), KINDRED_INVALID_ARGUMENT, "handle");
}

static void neighbors_have_titles_if_they_are_wanted(void) {
  const kindred_example examples[2] = {by_text("bake the bread"), by_text("harbor and tide")};
  kindred_classify_request request = KINDRED_CLASSIFY_REQUEST_INIT;
  kindred_candidates_request candidates = KINDRED_CANDIDATES_REQUEST_INIT;
  kindred_classification* results[2] = {NULL, NULL};
  kindred_candidates_result* found = NULL;
  request.flags = KINDRED_NEIGHBORS;
  CHECK_OK(kindred_classify(kindred, examples, &request, results));
  CHECK(results[0]->neighbor_count > 0 && results[0]->neighbor_titles == NULL);
  kindred_classification_free(results[0]);
  request.flags = KINDRED_NEIGHBORS | KINDRED_TITLES;
  CHECK_OK(kindred_classify_batch(kindred, examples, 2, &request, results));
  for (size_t i = 0; i < 2; ++i) {
    REQUIRE(results[i]->neighbor_count > 0 && results[i]->neighbor_titles != NULL);
    for (size_t n = 0; n < results[i]->neighbor_count; ++n) {
      kindred_documents_result* documents = NULL;
      const kindred_example example = {KINDRED_BY_DOCID, results[i]->neighbors[n].docid, {NULL, 0}};
      CHECK_OK(kindred_documents(kindred, &example, 1, &documents));
      const kindred_string title = documents->documents[0].title;
      if (title.size > 0) CHECK(equals(results[i]->neighbor_titles[n], title.data));
      CHECK(results[i]->neighbor_titles[n].size > 0); /* else the first words of the text */
      kindred_documents_free(documents);
    }
    kindred_classification_free(results[i]);
  }
  candidates.label = str("kitchen");
  candidates.flags = KINDRED_EXPLAIN | KINDRED_TITLES;
  CHECK_OK(kindred_candidates(kindred, &candidates, &found));
  REQUIRE(found->candidate_count > 0 && found->neighbor_count > 0);
  for (size_t i = 0; i < found->candidate_count; ++i) {
    const kindred_reason* const reason = found->candidates[i].reason;
    for (size_t v = 0; v < reason->voter_count; ++v) {
      const size_t place = (size_t)(reason->voters[v].neighbor - found->neighbors);
      REQUIRE(place < found->neighbor_count);
      CHECK(equals(found->neighbors[place].id, "after") || found->neighbor_titles[place].size > 0);
    }
  }
  kindred_candidates_free(found);
}

static void tags_that_must_not_be_given_are_withheld(void) {
  const kindred_edit edit = {KINDRED_REMOVE_TAG, {"u1", 2}, {"kitchen", 7}};
  const kindred_example example = by_id("u1");
  kindred_classification* result = NULL;
  CHECK_OK(kindred_edit_tags(kindred, &edit, 1, NULL));
  CHECK_OK(kindred_classify(kindred, &example, NULL, &result));
  REQUIRE(result->withheld_count == 1);
  CHECK(equals(result->withheld[0].label, "kitchen") && result->tag_count == 0);
  kindred_classification_free(result);
}

int main(void) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  make_directory();
  kindred_close(create_notes(path_to("notes.db")));
  options.settings = str("index.batch = 4\n");
  REQUIRE(kindred_open(path_to("notes.db"), strlen(path_to("notes.db")), &options, &kindred) ==
          KINDRED_OK);
  CHECK_OK(
      ingest(kindred,
             "{\"id\":\"wrong\",\"title\":\"Dough\",\"labels\":[\"sea\"],"
             "\"text\":\"Knead the dough and bake the bread in the oven, crust and rolls.\"}"));
  CHECK_OK(kindred_end_ingest(kindred, NULL));
  a_wrong_label_is_the_first_suspect();
  suspects_are_asked_for_among_documents_that_match();
  the_map_has_units_and_places();
  a_map_tells_that_the_index_has_changed_since();
  tags_are_evaluated();
  labels_are_measured();
  runs_tell_how_far_they_are_and_can_be_canceled();
  a_handle_tells_its_settings();
  a_handle_tells_the_revisions_of_its_shards();
  neighbors_have_titles_if_they_are_wanted();
  tags_that_must_not_be_given_are_withheld();
  kindred_close(kindred);
  remove_tree(directory);
  return failures != 0;
}
