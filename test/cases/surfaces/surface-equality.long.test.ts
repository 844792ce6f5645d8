import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Case } from "../runner/case-file.ts";
import { readExamples } from "../runner/examples.ts";
import { fillIn } from "../runner/fill-in.ts";
import type { Method } from "../runner/find-method.ts";
import { setUpCase } from "../runner/play-case.ts";
import { createPlayer, type Play, type Player } from "../runner/player.ts";
import { findExposedMethods } from "./exposed-methods.ts";
import { normaliseReply } from "./normalise-reply.ts";
import { createSurfaces, type Outcome, type Surface } from "./surfaces.ts";

let stack: OwnTestStack;
let player: Player;
let methods: ReadonlyMap<string, Method>;
let called: ReturnType<typeof createSurfaces>;
beforeAll(async () => {
  stack = await startTestStack();
  player = await createPlayer(stack);
  methods = await findExposedMethods();
  called = createSurfaces(stack);
});
afterAll(async () => {
  called.close();
  await stack.stop();
});

const examples = readExamples();

test("every RPC with a REST form has cases", () => {
  expect([...methods.keys()].filter((name) => !examples.has(name))).toEqual([]);
});

test.each([...examples.values()])("$rpc", async ({ rpc, succeeds, fails }) => {
  const method = methods.get(rpc) as Method;
  const surfaces = Object.entries(called.surfaces);
  // Records that are only read are created once and must be equal to the letter; records that change are created for
  // each surface.
  const once = method.rule?.pattern.case === "get" ? await setUpCase(player, succeeds) : undefined;
  const seen: [surface: string, outcomes: unknown][] = [];
  for (const [surface, call] of surfaces) {
    const [failing, play] = [await setUpCase(player, fails), once ?? (await setUpCase(player, succeeds))];
    const failure = await attempt(call, method, fails, failing);
    const success = await attempt(call, method, succeeds, play);
    const stable = player.variables;
    seen.push([surface, { failure, success: normaliseReply(success, once ? undefined : play.variables, stable) }]);
  }
  const [[, reference] = []] = seen;
  expect(reference).toEqual({
    failure: expect.objectContaining({ reason: fails.expect.code }),
    success: { body: expect.anything() },
  });
  expect(seen).toEqual(surfaces.map(([surface]) => [surface, reference]));
});

const attempt = (call: Surface, method: Method, { request = {}, as }: Case, play: Play): Promise<Outcome> =>
  call(method, fillIn(request, play.variables), play.headersAs(as));
