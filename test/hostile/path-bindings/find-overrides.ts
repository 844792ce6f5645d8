import type { DescField, DescMethodUnary } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { Program } from "@cloud/testkit";
import { createRandom } from "@cloud/testkit/figures";
import { findExposedMethods } from "../../cases/surfaces/exposed-methods.ts";
import { mapAtOnce } from "../../chaos/system/map-at-once.ts";
import { hostileText } from "../wire/hostile-values.ts";
import { createWireClient, type WireRequest } from "../wire/send-http.ts";
import { overridingBody, overridingQuery } from "./override-requests.ts";
import { newRequestId, type Recorder } from "./start-recorder.ts";

interface BoundRoute {
  readonly method: string;
  readonly path: string;
  readonly takesBody: boolean;
  readonly bound: readonly DescField[];
}

export interface Overridden {
  readonly routes: number;
  readonly trials: number;
  /** Trials that reached a service; the others were refused for their form. */
  readonly reached: number;
  readonly overrides: readonly string[];
}

/** Tries to change what the path of a request binds, `perRoute` times on every route that binds something. */
export async function findOverrides(
  gateway: Program,
  recorder: Recorder,
  seed: number,
  perRoute: number,
): Promise<Overridden> {
  const random = createRandom(seed);
  const routes = await boundRoutes();
  const client = createWireClient(gateway.url);
  const overrides: string[] = [];
  let reached = 0;
  const work = routes.flatMap((route) => Array.from({ length: perRoute }, () => route));
  await mapAtOnce(8, work, async ({ method, path, takesBody, bound }) => {
    const values = bound.map(() => (random.chance(50) ? newRequestId() : hostileText(random).toWellFormed() || "x"));
    let next = 0;
    const filled = path.replace(/\{\w+\}/g, () => encodeURIComponent(values[next++] ?? "").replaceAll(".", "%2E"));
    const query = overridingQuery(random, bound);
    const requestId = newRequestId();
    const request: WireRequest = {
      method,
      path: query === "" ? filled : filled + "?" + query,
      headers: [
        ["authorization", "Bearer cst_" + "x".repeat(43)],
        ["x-request-id", requestId],
        ...(takesBody ? ([["content-type", "application/json"]] as const) : []),
      ],
      body: takesBody || random.chance(10) ? Buffer.from(overridingBody(random, bound)) : undefined,
    };
    await client.send(request);
    const message = recorder.take(requestId);
    if (message === undefined || !bound.every((field) => field.parent.typeName === message.$typeName)) return;
    reached++;
    const seen = reflect(bound[0]?.parent as never, message as never);
    bound.forEach((field, index) => {
      if (seen.get(field) !== values[index]) overrides.push(JSON.stringify({ ...request, body: String(request.body) }));
    });
  });
  client.close();
  return { routes: routes.length, trials: work.length, reached, overrides };
}

async function boundRoutes(): Promise<BoundRoute[]> {
  return [...(await findExposedMethods()).values()].flatMap(({ desc, rule }) =>
    [rule, ...(rule?.additionalBindings ?? [])].flatMap((one) => {
      if (one?.pattern.case === undefined || one.pattern.case === "custom") return [];
      const path = one.pattern.value;
      const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
      if (names.length === 0) return [];
      const bound = names.map((name) => fieldOf(desc, name));
      return [{ method: one.pattern.case.toUpperCase(), path, takesBody: one.body === "*", bound }];
    }),
  );
}

function fieldOf({ input }: DescMethodUnary, name: string): DescField {
  const field = input.fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`${input.typeName} has no ${name}`);
  return field;
}
