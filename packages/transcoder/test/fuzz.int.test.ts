import type { Message } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { createPlay } from "./fuzz/play.ts";
import { fuzzed } from "./fuzz/requests.ts";

/** `npm run fuzz --workspace packages/transcoder -- --long` plays a million. */
const REQUESTS = 50_000;

test("no request overrides its path, or fails otherwise than as a mistake of its client", async () => {
  const play = createPlay();
  let bound = 0;
  await fc.assert(
    fc.asyncProperty(fuzzed, async (request) => {
      const { status, isBound, override } = await play(request);
      if (isBound) bound++;
      if (override !== undefined || status >= 500) throw new Error(`${status}: overrides ${override}`);
    }),
    { numRuns: REQUESTS },
  );
  // Enough of them get as far as a message.
  expect(bound).toBeGreaterThan(REQUESTS / 10);
  expect(Object.keys(Object.prototype)).toEqual([]);
}, 300_000);

test("control: a message whose path is not bound is found", async () => {
  const play = createPlay((message: Message) => {
    if ("name" in message) message.name = "other";
  });
  const outcomes = await Promise.all(fc.sample(fuzzed, 2_000).map(play));
  expect(outcomes.filter(({ override }) => override !== undefined).length).toBeGreaterThan(10);
});
