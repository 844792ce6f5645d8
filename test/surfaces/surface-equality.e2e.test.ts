import { randomBytes } from "node:crypto";
import { startTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { RestCalls } from "../rest.ts";
import { fillIn, type Variables } from "../runner/fill-in.ts";
import type { Method } from "../runner/find-method.ts";
import { systemRest } from "../system-rest.ts";
import { findExposedMethods } from "./exposed-methods.ts";
import { normaliseReply } from "./normalise-reply.ts";
import { GIVEN, type GivenName, type GivenStep, SURFACE_EXAMPLES, type SurfaceExample } from "./surface-examples.ts";
import { createSurfaces, type Outcome, type Surface } from "./surfaces.ts";

let stack: TestStack;
let system: RestCalls;
let methods: ReadonlyMap<string, Method>;
let called: ReturnType<typeof createSurfaces>;
let demoVariables: Variables;
beforeAll(async () => {
  stack = await startTestStack();
  system = systemRest(stack);
  methods = await findExposedMethods();
  called = createSurfaces(stack);
  const { demo } = stack;
  demoVariables = new Map([
    ...Object.entries(demo.users).map(([name, { id }]) => [name, id] as const),
    ["first", demo.organizations[0]?.id ?? ""],
    ["second", demo.organizations[1]?.id ?? ""],
    ["foreignTeam", demo.teams.second[0] ?? ""],
    ["ordinary", demo.environments.ordinary],
    ["platform", demo.environments.platformProvisioned],
    ["nowhere", "00000000-0000-7000-8000-000000000000"],
    ["long", "x".repeat(256)],
  ]);
});
afterAll(async () => {
  called.close();
  await stack.stop();
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

/** Creates what an example needs. Returns the values of its names, with a unique tag. */
async function give({ given = [] }: SurfaceExample): Promise<Variables> {
  const tag = "t" + randomBytes(6).toString("hex");
  const texts = { takenEmail: tag + "@taken.example", email: tag + "@surface.example", tag };
  const variables: Variables = new Map([...demoVariables, ...Object.entries(texts)]);
  for (const name of given) variables.set(name, await make(name, variables));
  return variables;
}

async function make(name: GivenName, variables: Variables): Promise<string> {
  const { method = "POST", path, body }: GivenStep = fillIn(GIVEN[name] as GivenStep, variables);
  const response = await (method === "PUT" ? system.put : system.post)("/" + path.join("/"), body);
  if (response.status >= 300) throw new Error("cannot give " + name + ": " + JSON.stringify(response.body));
  return response.body.id ?? response.body.token?.id ?? "";
}
