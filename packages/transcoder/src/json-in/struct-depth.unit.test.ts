import { create, fromBinary, type JsonObject, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import {
  CopySchema,
  GetCopyResponseSchema,
  LibraryService,
  SearchRequestSchema,
} from "../../test/gen/library/v1/library_pb.ts";
import { overrides } from "../../test/overrides.ts";
import { NO_TRANSPORT } from "../../test/routes.ts";
import { createTranscoder } from "../create-transcoder.ts";
import { COMPILED_FORM, type JsonOptions } from "../json-out/render-json.ts";
import type { RouteTransport } from "../rules/route.ts";
import type { TranscoderOptions } from "../transcoder-options.ts";

/** Arrays in one another, within an object. */
const nest = (levels: number): JsonValue => (levels === 1 ? [] : [nest(levels - 1)]);
const post = (body: JsonObject) =>
  new Request("https://x.example/search", {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

/** Serves an RPC whose request and reply are bytes. */
function serve(reply: Uint8Array, options: Partial<TranscoderOptions> = {}) {
  const received: Uint8Array[] = [];
  const transport: RouteTransport = {
    ...NO_TRANSPORT,
    unaryBinary: async (_method, _signal, _deadlineMs, _headers, message) => {
      received.push(message);
      return { message: reply, headers: {} };
    },
  };
  const rules = overrides({ Search: { post: "/search", body: "*" }, GetBook: { get: "/copy" } });
  // No RPC of the example replies with a Struct.
  const methods = LibraryService.methods.map((method) =>
    method.name === "GetBook" ? ({ ...method, output: GetCopyResponseSchema } as typeof method) : method,
  );
  const services = [{ service: { ...LibraryService, methods }, transport }];
  return { transcoder: createTranscoder({ services, ...rules, ...options }), received };
}

describe("Struct, ListValue and Value are as deep as JSON may be:", () => {
  test.each([
    ["63 levels and the message around them by default", {}, 63, 200],
    ["64 levels are 65 with the message", {}, 64, 400],
    ["500 levels, if jsonDepth is 1,000", { jsonDepth: 1_000 }, 500, 200],
    ["501 levels, which are too many for the stack", { jsonDepth: 1_000 }, 501, 400],
    ["5 levels, if jsonDepth is 5", { jsonDepth: 5 }, 5, 400],
    ["32 levels, if structDepth is 32", { structDepth: 32 }, 32, 200],
    ["33 levels, if structDepth is 32", { structDepth: 32 }, 33, 400],
  ])("%s", async (_name, binding, levels, status) => {
    for (const body of [{ extra: { a: nest(levels - 1) } }, { anyValue: nest(levels) }]) {
      const { transcoder, received } = serve(new Uint8Array(), { binding });
      const response = await transcoder.fetch(post(body));
      expect([response.status, received.length]).toEqual([status, status === 200 ? 1 : 0]);
      if (received[0] !== undefined) fromBinary(SearchRequestSchema, received[0], { recursionLimit: 3_000 });
    }
  });

  test("the refusal names the limit", async () => {
    const { transcoder } = serve(new Uint8Array(), { binding: { structDepth: 2 } });
    const response = await transcoder.fetch(post({ extra: { a: [[]] } }));
    expect(await response.json()).toMatchObject({ message: "extra must be a JSON object nested at most 2 deep" });
    expect(() => serve(new Uint8Array(), { binding: { structDepth: 0 } })).toThrow(
      "structDepth must be a whole number from 1 to 500, not 0",
    );
  });

  test.each<[string, JsonOptions]>([
    ["compiled", COMPILED_FORM],
    ["general", {}],
  ])("of a reply, too, as bytes: %s", async (_name, json) => {
    for (const [jsonDepth, levels] of [
      [undefined, 64],
      [200, 200],
      [1_000, 500],
    ] as const) {
      const notes = { a: nest(levels - 1) } as JsonObject;
      const message = create(GetCopyResponseSchema, { copy: create(CopySchema, { notes }) });
      const { transcoder } = serve(toBinary(GetCopyResponseSchema, message), {
        json,
        ...(jsonDepth && { binding: { jsonDepth } }),
      });
      const response = await transcoder.fetch(new Request("https://x.example/copy"));
      expect([response.status, await response.json()]).toEqual([
        200,
        expect.objectContaining({ copy: expect.objectContaining({ notes }) }),
      ]);
    }
  });
});
