import { randomBytes } from "node:crypto";
import type { TestStack } from "@cloud/local-stack/test-stack";
import type { RestCalls } from "../rest.ts";
import { fillIn, type Variables } from "../runner/fill-in.ts";
import { GIVEN, type GivenName, type GivenStep } from "./examples/given.ts";
import type { SurfaceExample } from "./examples/surface-example.ts";

/** Creates what an example needs. Returns the values of its names, with a unique tag. */
export type Give = (example: SurfaceExample) => Promise<Variables>;

/** The names of what every example may use, with the records of the demo. */
export function variablesOf(demo: TestStack["demo"]): Variables {
  return new Map([
    ...Object.entries(demo.users).map(([name, { id }]) => [name, id] as const),
    ["first", demo.organizations[0]?.id ?? ""],
    ["second", demo.organizations[1]?.id ?? ""],
    ["foreignTeam", demo.teams.second[0] ?? ""],
    ["ordinary", demo.environments.ordinary],
    ["platform", demo.environments.platformProvisioned],
    ["nowhere", "00000000-0000-7000-8000-000000000000"],
    ["long", "x".repeat(256)],
  ]);
}

export function createGive(system: RestCalls, demo: Variables): Give {
  const make = async (name: GivenName, variables: Variables): Promise<string> => {
    const { method = "POST", path, body }: GivenStep = fillIn(GIVEN[name] as GivenStep, variables);
    const response = await (method === "PUT" ? system.put : system.post)("/" + path.join("/"), body);
    if (response.status >= 300) throw new Error("cannot give " + name + ": " + JSON.stringify(response.body));
    return response.body.id ?? response.body.token?.id ?? "";
  };
  return async ({ given = [] }) => {
    const tag = "t" + randomBytes(6).toString("hex");
    const texts = { takenEmail: tag + "@taken.example", email: tag + "@surface.example", tag };
    const variables: Variables = new Map([...demo, ...Object.entries(texts)]);
    for (const name of given) variables.set(name, await make(name, variables));
    return variables;
  };
}
