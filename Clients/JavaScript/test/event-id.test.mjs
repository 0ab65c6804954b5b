import assert from "node:assert/strict";
import { test } from "node:test";
import { EventCursor, parseEventId } from "../sightline/event-id.js";

test("an event id has an origin, a partition and four ordered numbers", () => {
  assert.deepEqual(parseEventId("3-184467"), { origin: "raw", partition: 3, order: [184467, 0, 0, 0] });
  assert.deepEqual(parseEventId("t3-512"), { origin: "trips", partition: 3, order: [512, 0, 0, 0] });
  assert.deepEqual(parseEventId("0-7.0+2/1").order, [7, 1, 2, 1]);
});

test("malformed event ids are rejected", () => {
  for (const text of ["", "3", "3-", "-4", "x3-4", "3-4.", "3-4/1+2", "3-4 ", null, undefined, 34]) {
    assert.equal(parseEventId(text), null, String(text));
  }
});

test("ids of one origin and partition are ordered by offset, fix, punctuation and message", () => {
  const cursor = new EventCursor();
  for (const id of ["3-9", "3-9/1", "3-9+1", "3-9+1/1", "3-9+2", "3-9.0", "3-9.0/1", "3-9.1", "3-10"]) {
    assert.ok(cursor.advance(id), id);
    assert.ok(!cursor.advance(id), `${id} again`);
  }
  assert.ok(!cursor.advance("3-9.5"), "an older id");
  assert.equal(cursor.last, "3-10");
});

test("ids of different origins or partitions are not compared", () => {
  const cursor = new EventCursor();
  for (const id of ["3-900", "t3-5", "4-1", "t4-1"]) assert.ok(cursor.advance(id), id);
  assert.deepEqual(cursor.ids, ["3-900", "t3-5", "4-1", "t4-1"], "the last received of each origin and partition");
});

test("an id of unknown form counts as new and does not move the cursor", () => {
  const cursor = new EventCursor();
  cursor.advance("3-1");
  assert.ok(cursor.advance("later-form"));
  assert.ok(cursor.advance("later-form"));
  assert.equal(cursor.last, "3-1");
});
