/* The typed C ABI as a host uses it: ingest, related, classify, refresh. Compiled as C99, so it also
 * holds plugin/kindred.h to being C. Programs of their own: questions, c_api_ask_test.c; failures,
 * c_api_errors_test.c. */
#include "tests/c_api/c_api_fixture.h"
#include "plugin/kindred.h" /* a second time: harmless */

#include <math.h>

static kindred_handle* kindred;

static void the_descriptor_has_every_function(void) {
  const kindred_descriptor* const api = kindred_plugin();
  CHECK(api->size == sizeof *api);
  CHECK(api->abi_version == KINDRED_ABI_VERSION);
  CHECK(strchr(api->version, '.') != NULL);
  CHECK(api->last_error == kindred_last_error);
  CHECK(api->open == kindred_open && api->close == kindred_close);
  CHECK(api->refresh == kindred_refresh);
  CHECK(api->related == kindred_related && api->related_free == kindred_related_free);
  CHECK(api->classify == kindred_classify && api->classify_batch == kindred_classify_batch);
  CHECK(api->classification_free == kindred_classification_free);
  CHECK(api->ingest == kindred_ingest && api->commit == kindred_commit);
  CHECK(api->end_ingest == kindred_end_ingest);
  CHECK(api->documents_changed == kindred_documents_changed);
  CHECK(api->ask == kindred_ask && api->answer_free == kindred_answer_free);
}

static void ingest_commit_refresh_and_status(void) {
  kindred_ingest_report report = KINDRED_INGEST_REPORT_INIT;
  kindred_handle* reader = NULL;
  int changed = -1;
  kindred = create(path_to("notes.db"));
  CHECK(documents_of(kindred) == 0);
  CHECK_OK(open_path(path_to("notes.db"), &reader));

  for (size_t i = 0; i < kNotes; ++i) CHECK_OK(ingest(kindred, notes[i]));
  CHECK_OK(kindred_commit(kindred, &report));
  CHECK(report.added == kNotes && report.replaced == 0 && report.failed == 0);
  CHECK(report.tagged == 1); /* u1; e1 has nothing to go by */
  CHECK_OK(ingest(kindred, notes[0]));
  CHECK_OK(kindred_end_ingest(kindred, &report));
  CHECK(report.added == kNotes && report.replaced == 1);

  const char* const status = ask(kindred, "status", "{}");
  CHECK(number_in(status, "documents") == kNotes && number_in(status, "labels") == 3);
  CHECK(number_in(status, "labeled") == 6 && number_in(status, "terms") > 20);
  CHECK(number_in(status, "bytes") > 0 && strstr(status, "\"revision\":0") == NULL);
  CHECK_SAYS(status, "\"profile\":\"none\"");
  CHECK(documents_of(reader) == 0);
  CHECK_OK(kindred_refresh(reader, &changed));
  CHECK(changed == 1);
  CHECK(documents_of(reader) == kNotes);
  CHECK_OK(kindred_refresh(reader, &changed));
  CHECK(changed == 0);
  CHECK_OK(kindred_refresh(reader, NULL));
  kindred_close(reader);
}

static void finds_neighbors_in_order(int with_feedback) {
  const kindred_example bread = by_id("b1");
  kindred_related_request request = like(&bread);
  kindred_related_result* result = NULL;
  request.limit = INT64_MAX; /* more than there are */
  request.flags = with_feedback ? 0 : KINDRED_NO_FEEDBACK;
  CHECK_OK(kindred_related(kindred, &request, &result));
  REQUIRE(result != NULL && result->document_count >= 3);
  CHECK(result->revision > 0 && result->document_count < kNotes);
  for (size_t i = 0; i < result->document_count; ++i) {
    const kindred_related_document* const document = &result->documents[i];
    CHECK(!equals(document->id, "b1")); /* not the example itself */
    CHECK(document->similarity > 0 && document->similarity <= 1);
    CHECK(with_feedback || document->rank_score == document->similarity);
    CHECK(i == 0 || document->rank_score <= document[-1].rank_score);
    CHECK(document->group_count == 0);
  }
  CHECK(equals(result->documents[0].id, "u1") && equals(result->documents[0].title, "Oven"));
  kindred_related_free(result);
}

static void related_finds_neighbors_in_order(void) {
  finds_neighbors_in_order(1);
  finds_neighbors_in_order(0);
}

/* The docid of a document, by asking for what a text of its own finds first. */
static uint32_t docid_of(const char* id) {
  const kindred_example all = by_text("bake bread dough tide harbor waves");
  kindred_related_request request = like(&all);
  kindred_related_result* result = NULL;
  uint32_t docid = 0;
  CHECK_OK(kindred_related(kindred, &request, &result));
  for (size_t i = 0; i < result->document_count; ++i) {
    if (equals(result->documents[i].id, id)) docid = result->documents[i].docid;
  }
  kindred_related_free(result);
  return docid;
}

static void every_kind_of_example_names_the_same_document(void) {
  kindred_example examples[4];
  float first[4];
  examples[0] = by_id("b2");
  examples[1] = examples[0];
  examples[1].kind = KINDRED_BY_DOCID;
  examples[1].docid = docid_of("b2");
  examples[2] = by_json(notes[1]);
  examples[3] = by_json("{\"terms\": {\"bake\": 1, \"dough\": 1}}");
  for (int i = 0; i < 4; ++i) {
    kindred_related_request request = like(&examples[i]);
    kindred_related_result* result = NULL;
    request.filter = str("starter OR knead");
    CHECK_OK(kindred_related(kindred, &request, &result));
    REQUIRE(result != NULL && result->document_count > 0);
    first[i] = result->documents[0].similarity;
    CHECK(!equals(result->documents[0].id, "b2"));
    kindred_related_free(result);
  }
  CHECK(first[0] == first[1]);
  CHECK(first[0] == first[2]); /* it analyzes to what the index holds */
}

static void counter_examples_push_away_and_are_no_results(void) {
  const kindred_example likes[2] = {by_id("b1"), by_id("s1")};
  const kindred_example unlike = by_id("s2");
  kindred_related_request request = like(likes);
  kindred_related_result* both = NULL;
  kindred_related_result* pushed = NULL;
  request.like_count = 2;
  CHECK_OK(kindred_related(kindred, &request, &both));
  CHECK(both->document_count > 0);
  request.unlike = &unlike;
  request.unlike_count = 1;
  CHECK_OK(kindred_related(kindred, &request, &pushed));
  int had_s2 = 0;
  for (size_t i = 0; i < both->document_count; ++i) had_s2 |= equals(both->documents[i].id, "s2");
  CHECK(had_s2);
  for (size_t i = 0; i < pushed->document_count; ++i) {
    CHECK(!equals(pushed->documents[i].id, "s2"));
    CHECK(!equals(pushed->documents[i].id, "b1") && !equals(pushed->documents[i].id, "s1"));
  }
  kindred_related_free(both);
  kindred_related_free(pushed);
}

static void limit_min_similarity_and_filter_limit_results(void) {
  const kindred_example bread = by_id("b1");
  kindred_related_request request = like(&bread);
  kindred_related_result* result = NULL;
  request.limit = 1;
  CHECK_OK(kindred_related(kindred, &request, &result));
  CHECK(result->document_count == 1);
  kindred_related_free(result);
  request.limit = KINDRED_DEFAULT;
  request.min_similarity = 1;
  CHECK_OK(kindred_related(kindred, &request, &result));
  CHECK(result->document_count == 0);
  kindred_related_free(result);
  request.min_similarity = KINDRED_DEFAULT;
  request.filter = str("rolls");
  CHECK_OK(kindred_related(kindred, &request, &result));
  CHECK(result->document_count == 2); /* b2 and u1 */
  kindred_related_free(result);
}

static void texts_without_known_terms_find_nothing(void) {
  static const char* const texts[] = {"", "   ", "xyzzy plugh", "\xff\xfe\x80"};
  for (int i = 0; i < 4; ++i) {
    const kindred_example text = by_text(texts[i]);
    const kindred_related_request request = like(&text);
    kindred_related_result* related = NULL;
    kindred_classification* classification = NULL;
    CHECK_OK(kindred_related(kindred, &request, &related));
    CHECK(related != NULL && related->document_count == 0);
    kindred_related_free(related);
    CHECK_OK(kindred_classify(kindred, &text, NULL, &classification));
    CHECK(classification->tag_count == 0 && classification->best == NULL);
    kindred_classification_free(classification);
  }
}

static void classify_gives_tags_and_the_voters(void) {
  const kindred_example text = by_text("bread dough in the oven by the harbor");
  kindred_classify_request request = KINDRED_CLASSIFY_REQUEST_INIT;
  kindred_classification* result = NULL;
  request.flags = KINDRED_VOTERS;
  request.min_confidence = 0;
  request.neighbors = INT64_MAX;
  request.limit = INT64_MAX;
  CHECK_OK(kindred_classify(kindred, &text, &request, &result));
  REQUIRE(result != NULL && result->tag_count >= 2);
  CHECK(equals(result->tags[0].label, "kitchen") && result->best != NULL);
  CHECK(equals(result->best->label, "kitchen"));
  CHECK(result->best->confidence == result->tags[0].confidence && result->best->name.size == 0);
  size_t kitchen = 0;
  REQUIRE(result->voter_count >= 3);
  for (size_t i = 0; i < result->voter_count; ++i) {
    const kindred_neighbor* const voter = &result->voters[i];
    CHECK(voter->label_count > 0 && voter->docid > 0);
    for (size_t l = 0; l < voter->label_count; ++l) {
      if (equals(voter->labels[l], "kitchen")) ++kitchen;
    }
    CHECK(i == 0 || voter->similarity <= voter[-1].similarity);
  }
  CHECK(kitchen > 0 && result->tags[0].confidence > .5 && result->tags[0].confidence < 1);
  kindred_classification_free(result);

  request.flags = 0;
  request.limit = 1;
  request.neighbors = 1;
  CHECK_OK(kindred_classify(kindred, &text, &request, &result));
  CHECK(result->tag_count == 1 && result->tags[0].confidence == .5 && result->voter_count == 0);
  kindred_classification_free(result);
}

static void a_document_does_not_vote_for_itself(void) {
  const kindred_example rolls = by_id("b2");
  kindred_classify_request request = KINDRED_CLASSIFY_REQUEST_INIT;
  kindred_classification* result = NULL;
  request.flags = KINDRED_VOTERS;
  request.min_confidence = 0;
  CHECK_OK(kindred_classify(kindred, &rolls, &request, &result));
  for (size_t i = 0; i < result->voter_count; ++i) CHECK(!equals(result->voters[i].id, "b2"));
  for (size_t i = 0; i < result->tag_count; ++i) CHECK(!equals(result->tags[i].label, "quick"));
  kindred_classification_free(result);
}

static void a_batch_answers_as_single_calls_do(void) {
  const kindred_example records[4] = {by_text("tide and harbor"), by_json(notes[6]), by_text(""),
                                      by_id("u1")};
  const kindred_example unknown = by_id("nobody");
  kindred_classification* batch[4] = {NULL, NULL, NULL, NULL};
  CHECK_OK(kindred_classify_batch(kindred, records, 4, NULL, batch));
  CHECK(batch[0]->tag_count > 0 && batch[3]->tag_count > 0);
  for (int i = 0; i < 4; ++i) {
    kindred_classification* one = NULL;
    CHECK_OK(kindred_classify(kindred, &records[i], NULL, &one));
    REQUIRE(batch[i] != NULL && one->tag_count == batch[i]->tag_count);
    for (size_t t = 0; t < one->tag_count; ++t) {
      CHECK(equals(batch[i]->tags[t].label, one->tags[t].label.data));
      CHECK(batch[i]->tags[t].confidence == one->tags[t].confidence);
    }
    kindred_classification_free(one);
    kindred_classification_free(batch[i]);
  }
  CHECK_OK(kindred_classify_batch(kindred, NULL, 0, NULL, NULL));
  CHECK_FAILS(kindred_classify_batch(kindred, &unknown, 1, NULL, batch), KINDRED_NOT_FOUND,
              "nobody");
}

static const char note[] =
    "{\"id\":\"b9\",\"title\":\"Rolls\",\"labels\":[\"kitchen\"],"
    "\"text\":\"Shape the dough into rolls and bake them in a hot oven.\"}";

/* Another handle writes; this one is told. */
static void documents_that_a_writer_names_are_seen(void) {
  kindred_handle* writer = NULL;
  const double before = documents_of(kindred);
  const char* const path = path_to("notes.db");
  const uint32_t docids[] = {(uint32_t)before + 1, 1};
  int changed = -1;
  CHECK_OK(kindred_open(path, strlen(path), NULL, &writer));
  CHECK_OK(ingest(writer, note));
  CHECK_OK(kindred_end_ingest(writer, NULL));
  kindred_close(writer);
  CHECK_OK(kindred_documents_changed(kindred, docids, 2, &changed));
  CHECK(changed == 1 && documents_of(kindred) == before + 1);
  CHECK_OK(kindred_documents_changed(kindred, NULL, 0, &changed));
  CHECK(changed == 0);
  CHECK_OK(kindred_documents_changed(kindred, docids, 2, NULL));
}

static void wrong_documents_are_refused(void) {
  const uint32_t docids[] = {1, 0};
  CHECK_FAILS(kindred_documents_changed(kindred, docids, 2, NULL), KINDRED_INVALID_ARGUMENT,
              "docids");
  CHECK_FAILS(kindred_documents_changed(kindred, NULL, 2, NULL), KINDRED_INVALID_ARGUMENT,
              "docids");
  CHECK_FAILS(kindred_documents_changed(NULL, docids, 1, NULL), KINDRED_INVALID_ARGUMENT, "handle");
}

static void a_mirror_is_saved_beside_the_database(void) {
  const char* const file = path_to("notes.db/kindred.mirror");
  CHECK(access(file, F_OK) != 0);
  CHECK_SAYS(ask(kindred, "save_mirror", ""), "kindred.mirror");
  CHECK(access(file, F_OK) == 0);
}

static void results_outlive_the_handle(void) {
  const kindred_example bread = by_id("b1");
  const kindred_related_request request = like(&bread);
  kindred_related_result* result = NULL;
  CHECK_OK(kindred_related(kindred, &request, &result));
  kindred_close(kindred);
  kindred = NULL;
  CHECK(equals(result->documents[0].id, "u1"));
  kindred_related_free(result);
}

int main(void) {
  make_directory();
  the_descriptor_has_every_function();
  ingest_commit_refresh_and_status();
  related_finds_neighbors_in_order();
  every_kind_of_example_names_the_same_document();
  counter_examples_push_away_and_are_no_results();
  limit_min_similarity_and_filter_limit_results();
  texts_without_known_terms_find_nothing();
  classify_gives_tags_and_the_voters();
  a_document_does_not_vote_for_itself();
  a_batch_answers_as_single_calls_do();
  documents_that_a_writer_names_are_seen();
  wrong_documents_are_refused();
  a_mirror_is_saved_beside_the_database();
  results_outlive_the_handle();
  remove_tree(directory);
  return failures != 0;
}
