import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { fillIn, type Variables } from "../runner/fill-in.ts";
import type { Method } from "../runner/find-method.ts";
import { systemRest } from "../system-rest.ts";
import type { SurfaceExample } from "./examples/surface-example.ts";
import { findExposedMethods } from "./exposed-methods.ts";
import { createGive, type Give, variablesOf } from "./give.ts";
import { normaliseReply } from "./normalise-reply.ts";
import { SURFACE_EXAMPLES } from "./surface-examples.ts";
import { createSurfaces, type Outcome, type Surface } from "./surfaces.ts";

let stack: TestStack;
let methods: ReadonlyMap<string, Method>;
let called: ReturnType<typeof createSurfaces>;
let demoVariables: Variables;
let give: Give;
beforeAll(async () => {
  stack = await joinTestStack();
  methods = await findExposedMethods();
  called = createSurfaces(stack);
  demoVariables = variablesOf(stack.demo);
  give = createGive(systemRest(stack), demoVariables);
});
afterAll(async () => {
  called.close();
});

test("every RPC with a REST form has an example, and every example an RPC", () => {
  expect(Object.keys(SURFACE_EXAMPLES).sort()).toEqual([...methods.keys()].sort());
  for (const { fails } of Object.values(SURFACE_EXAMPLES)) expect(fails.length).toBeGreaterThan(0);
});

test.each(Object.entries(SURFACE_EXAMPLES))("%s", async (name, example) => {
  const method = methods.get(name) as Method;
  // Records that are only read are created once and must be equal to the letter; records that change are created for
  // each surface.
  const once = method.rule?.pattern.case === "get" ? await give(example) : undefined;
  const play = async ([surface, call]: [string, Surface]) => {
    const variables = once ?? (await give(example));
    const failing = example.fails.map(({ as, request }) => {
      // Whatever the operator may do, the gateway refuses its credential.
      const by = as === "service" && surface === "REST" ? called.surfaces["gRPC"] : call;
      return attempt(by ?? call, as, request, variables);
    });
    const failures = await Promise.all(failing);
    const success = await attempt(call, undefined, example.succeeds, variables);
    const seen = once === undefined ? normaliseReply(success, variables, demoVariables) : normaliseReply(success);
    return [surface, { success: seen, failures }] as const;
  };
  const attempt = (call: Surface, as: string | undefined, request: SurfaceExample["succeeds"], variables: Variables) =>
    call(method, fillIn(request, variables), headersOf(as ?? example.as ?? "orgAdmin"));

  const [[, reference] = [], ...others] = await Promise.all(Object.entries(called.surfaces).map(play));
  expect(reference?.success).toEqual({ body: expect.anything() });
  expect(reference?.failures.map(reasonOf)).toEqual(example.fails.map(({ reason }) => reason));
  for (const [surface, seen] of others) expect([surface, seen]).toEqual([surface, reference]);
});

const reasonOf = (outcome: Outcome) => ("reason" in outcome ? outcome.reason : "succeeded");

function headersOf(caller: string): Readonly<Record<string, string>> {
  const users: Readonly<Record<string, { token: string }>> = {
    ...stack.demo.users,
    service: { token: stack.serviceToken },
  };
  return caller === "anonymous" ? {} : { authorization: "Bearer " + users[caller]?.token };
}
