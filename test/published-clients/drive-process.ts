/** Drives a published client, unchanged, through all steps: `node drive-process.ts <package>`. Prints a line of JSON for each. */
import { configureStore, type UnknownAction } from "@reduxjs/toolkit";
import { OTHERS, STEPS } from "./operations.ts";

interface Api {
  readonly reducerPath: string;
  readonly reducer: (state: object | undefined, action: UnknownAction) => object;
  // biome-ignore lint/suspicious/noExplicitAny: as the client has it
  readonly middleware: any;
  readonly endpoints: Readonly<Record<string, { initiate(args: object): UnknownAction }>>;
}

const { GATEWAY = "", TOKEN = "", IDS = "{}" } = process.env;
const ids = JSON.parse(IDS) as Record<string, string>;

// What a deployment of the client has in front of it: the brand in the name of a header, and the session of the user.
let last = { status: 0, request: "" };
const send = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const current = request.headers.get("x-current-orgid") ?? request.headers.get("layer5-current-orgid");
  if (current !== null) request.headers.set("service-current-orgid", current);
  request.headers.set("authorization", `Bearer ${TOKEN}`);
  const response = await send(request);
  last = { status: response.status, request: `${request.method} ${request.url.slice(GATEWAY.length)}` };
  return response;
};

process.env["RTK_CLOUD_ENDPOINT_PREFIX"] = GATEWAY;
const client = (await import(`${process.argv[2]}/cloudApi`)) as Readonly<Record<string, unknown>>;
const api = Object.values(client).find((value) => isApi(value)) as Api;
const store = configureStore({
  reducer: { [api.reducerPath]: api.reducer, organization: () => ({ value: { id: ids["orgId"] } }) },
  middleware: (defaults) => defaults().concat(api.middleware),
});

const driven = new Set<string>();
for (const { operation, args, makes } of STEPS) {
  const name = operation.find((one) => one in api.endpoints);
  if (name === undefined) continue;
  driven.add(name);
  const reply = (await store.dispatch(api.endpoints[name]?.initiate(args(ids)) as UnknownAction)) as { data?: unknown };
  print({ operation: name, ...last });
  if (makes !== undefined) ids[makes] = idIn(reply.data);
}
const ABOUT =
  /org|team|user|key|role|token|connection|credential|pattern|design|view|academy|curricula|workspace|environment/i;
for (const name of Object.keys(api.endpoints).filter((one) => ABOUT.test(one) && !/keychain/i.test(one))) {
  if (!driven.has(name)) print({ operation: name, reason: OTHERS.get(name) ?? "unexplained" });
}

function isApi(value: unknown): boolean {
  return typeof value === "object" && value !== null && "endpoints" in value && "reducerPath" in value;
}

function idIn(data: unknown): string {
  const { id, token } = (data ?? {}) as { id?: string; token?: { id?: string } };
  return id ?? token?.id ?? "";
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
