/* Maps through the C ABI: training, canceling, topics, places, the vote of a unit, and documents
 * that store their topics. */
#include "tests/c_api/c_api_fixture.h"

static kindred_handle* kindred;

static int cancel_second_epoch(void* user, const kindred_topics_epoch* epoch) {
  int* const told = user;
  CHECK(epoch->epoch == (uint64_t)++ * told && epoch->epochs == 5 && epoch->sigma > 0);
  return epoch->epoch == 2;
}

static void topics_are_trained_named_and_asked(void) {
  kindred_train_request request = KINDRED_TRAIN_REQUEST_INIT;
  kindred_topics_result* trained = NULL;
  kindred_topics_result* result = NULL;
  kindred_topic_place place = KINDRED_TOPIC_PLACE_INIT;
  const kindred_example bread = by_id("b1"), nobody = by_id("nobody");
  const kindred_example strange = {KINDRED_BY_TEXT, 0, {"zzzz", 4}};
  int told = 0;
  CHECK_FAILS(kindred_topics(kindred, &result), KINDRED_NOT_FOUND, "there is no map");
  request.rows = request.columns = 2;
  request.epochs = 5;
  request.count = 2;
  request.progress = cancel_second_epoch;
  request.progress_user = &told;
  CHECK_FAILS(kindred_train_topics(kindred, &request, NULL), KINDRED_CANCELED, "epoch 2");
  CHECK(told == 2);
  CHECK_FAILS(kindred_topics(kindred, &result), KINDRED_NOT_FOUND, "there is no map");
  request.progress = NULL;
  CHECK_OK(kindred_train_topics(kindred, &request, &trained));
  CHECK_OK(kindred_topics(kindred, &result));
  REQUIRE(result != NULL && result->topic_count == 2 && trained->topic_count == 2);
  CHECK(result->units == 4 && result->documents > 0 && result->quantization_error > 0);
  CHECK(result->topics[0].number == 1 && result->topics[0].term_count > 0);
  CHECK(result->topics[0].name.size > 0 && result->topics[0].terms[0].word.size > 0);
  CHECK_OK(kindred_topic_of(kindred, &bread, &place));
  CHECK(place.topic >= 1 && place.topic <= 2 && place.unit < 4);
  CHECK(place.novelty >= 0 && place.novelty <= 1 && place.revision == result->revision);
  CHECK_FAILS(kindred_topic_of(kindred, &nobody, &place), KINDRED_NOT_FOUND, "nobody");
  CHECK_OK(kindred_topic_of(kindred, &strange, &place));
  CHECK(place.topic == 0 && place.novelty == 1 && place.revision == result->revision);
  request.rows = 0;
  CHECK_FAILS(kindred_train_topics(kindred, &request, NULL), KINDRED_INVALID_ARGUMENT, "rows");
  request.rows = 2;
  request.flags = 1;
  CHECK_FAILS(kindred_train_topics(kindred, &request, NULL), KINDRED_UNSUPPORTED, "flags");
  kindred_topics_free(trained);
  kindred_topics_free(result);
  kindred_topics_free(NULL);
}

static void a_unit_of_the_map_votes_and_says_who(void) {
  kindred_classify_request request = KINDRED_CLASSIFY_REQUEST_INIT;
  kindred_classification* result = NULL;
  kindred_topic_place place = KINDRED_TOPIC_PLACE_INIT;
  const kindred_example bread = by_id("b1");
  CHECK_OK(kindred_classify(kindred, &bread, &request, &result));
  CHECK(result->voters == 0);
  kindred_classification_free(result);
  request.vote.data = "unit";
  request.vote.size = 4;
  request.threshold = 0;
  request.flags = KINDRED_EXPLAIN;
  CHECK_OK(kindred_classify(kindred, &bread, &request, &result));
  CHECK_OK(kindred_topic_of(kindred, &bread, &place));
  CHECK(result->unit == place.unit && result->topic == place.topic && result->voters > 0);
  CHECK(result->tag_count > 0 && result->reason_count == result->tag_count);
  CHECK(result->neighbor_count > 0 && result->neighbor_count <= result->voters);
  kindred_classification_free(result);
}

static void documents_get_their_topics(void) {
  kindred_assign_request request = KINDRED_ASSIGN_REQUEST_INIT;
  kindred_assign_report report = KINDRED_ASSIGN_REPORT_INIT;
  kindred_status status = KINDRED_STATUS_INIT;
  CHECK_OK(kindred_get_status(kindred, &status));
  CHECK_OK(kindred_assign_topics(kindred, NULL, &report));
  CHECK(report.matched == status.documents && report.examined == report.matched);
  CHECK(report.written > 0 && report.continued == 0 && report.gone == 0);
  request.flags = KINDRED_RESTART;
  CHECK_OK(kindred_assign_topics(kindred, &request, &report));
  CHECK(report.examined == report.matched && report.written == 0);
  CHECK_OK(kindred_assign_topics(kindred, NULL, NULL));
  request.flags = 1;
  CHECK_FAILS(kindred_assign_topics(kindred, &request, NULL), KINDRED_UNSUPPORTED, "flags");
}

int main(void) {
  make_directory();
  kindred = create_notes(path_to("notes.db"));
  topics_are_trained_named_and_asked();
  a_unit_of_the_map_votes_and_says_who();
  documents_get_their_topics();
  kindred_close(kindred);
  remove_tree(directory);
  return failures != 0;
}
