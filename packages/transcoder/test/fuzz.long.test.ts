import type { Message } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { createPlay } from "./fuzz/play.ts";
import { fuzzed } from "./fuzz/requests.ts";
import { testRequests } from "./fuzz/test-requests.ts";

testRequests(50_000);

test("control: a message whose path is not bound is found", async () => {
  const play = createPlay((message: Message) => {
    if ("name" in message) message.name = "other";
  });
  const outcomes = await Promise.all(fc.sample(fuzzed, 2_000).map(play));
  expect(outcomes.filter(({ override }) => override !== undefined).length).toBeGreaterThan(10);
});
