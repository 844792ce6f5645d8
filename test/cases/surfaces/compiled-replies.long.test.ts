import { readdirSync } from "node:fs";
import { type DescMessage, fromBinary, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { compileReply } from "../../../packages/transcoder/src/calls/call-route.ts";
import { COMPILED_FORM, renderJson, writeJson } from "../../../packages/transcoder/src/json-out/render-json.ts";
import { randomMessage } from "../../../packages/transcoder/test/random-message.ts";

const LIMIT = 2 ** 24;
const GENERATED = new URL("../../../proto/gen/", import.meta.url);

/** A value of a well-known type may have no JSON: both ways report the same. */
const outcomeOf = (act: () => string) => {
  try {
    return act();
  } catch (error) {
    return String(error);
  }
};

test("replies of every type of this system have the bytes of the general way", async () => {
  const names = readdirSync(GENERATED, { recursive: true }).map(String);
  const files = await Promise.all(
    names.filter((name) => name.endsWith("_pb.ts")).map((name) => import(new URL(name, GENERATED).href)),
  );
  const exported = files.flatMap((file) => Object.values(file as Record<string, DescMessage>));
  const types = exported.filter(({ kind }) => kind === "message");
  for (const type of types) {
    const write = compileReply(type, undefined, LIMIT, COMPILED_FORM);
    fc.assert(
      fc.property(fc.gen(), (draw) => {
        const bytes = toBinary(type, randomMessage(type, draw));
        const general = () => writeJson(renderJson(type, fromBinary(type, bytes), undefined, COMPILED_FORM), LIMIT);
        expect(outcomeOf(() => Buffer.from(write(bytes), "latin1").toString())).toBe(outcomeOf(general));
      }),
      { numRuns: 5 },
    );
  }
  expect(types.length).toBeGreaterThan(200);
}, 60_000);
