/**
 * Drives a published client, unchanged, through all steps: `node drive-process.ts <package> <the folder that it is
 * installed in>`. Prints a line of JSON for each.
 */
import { importFrom } from "@cloud/testkit/packages";
import { OTHERS, STEPS } from "./operations.ts";

/** The part of a client that is used here. */
interface Api {
  readonly reducerPath: string;
  readonly reducer: object;
  readonly middleware: object;
  readonly endpoints: Readonly<Record<string, { initiate(args: object): object }>>;
}

/** The part of Redux Toolkit that is used here. */
interface Toolkit {
  configureStore(options: {
    readonly reducer: Readonly<Record<string, object>>;
    readonly middleware: (defaults: () => object[]) => object[];
  }): { dispatch(action: object | undefined): Promise<{ readonly data?: unknown }> };
}

const { GATEWAY = "", TOKEN = "", IDS = "{}" } = process.env;
const ids = JSON.parse(IDS) as Record<string, string>;

// Stands for the proxy in front of a deployed client, which replaces the brand in a header's name and adds the session.
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
const [published = "", installed = ""] = process.argv.slice(2);
const client = await importFrom<Readonly<Record<string, unknown>>>(installed, `${published}/cloudApi`);
const { configureStore } = await importFrom<Toolkit>(installed, "@reduxjs/toolkit");
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
  const reply = await store.dispatch(api.endpoints[name]?.initiate(args(ids)));
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
