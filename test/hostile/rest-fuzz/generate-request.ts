import type { JsonValue } from "@bufbuild/protobuf";
import type { Random } from "@cloud/testkit/figures";
import { hostileJson, hostileText, mutateBytes } from "../wire/hostile-values.ts";
import type { WireRequest } from "../wire/send-http.ts";
import { fillPath } from "./fill-path.ts";
import type { Operation, Schema } from "./operations.ts";
import type { Records } from "./records.ts";

export interface Sources {
  readonly random: Random;
  readonly records: Records;
  /** The tokens of users with different rights. */
  readonly tokens: readonly [string, ...string[]];
}

/** Generates a request that an operation's route matches; each of its parts is right, wrong or absurd by chance. */
export function generateRequest(operation: Operation, sources: Sources): WireRequest {
  const path = pathOf(operation, sources);
  const query = queryOf(operation, sources);
  const body = bodyOf(operation, sources);
  return {
    method: operation.method,
    path: query === "" ? path : path + "?" + query,
    headers: headersOf(body !== undefined, sources),
    body,
  };
}

/** Segments that a proxy or a careless decoder would change. None is empty, so that the route still matches. */
const ODD_SEGMENTS: readonly [string, ...string[]] = [
  "%2F",
  "a%2Fb",
  "%00",
  "%zz",
  "%",
  "%ff",
  "%C0%AF",
  "%ED%A0%80",
  "%25",
  "%2e%2e",
  "a;b=c",
  "a:b",
  "+",
  "x".repeat(2000),
];

function pathOf({ method, path }: Operation, { random, records }: Sources): string {
  // Most records survive, so that later requests find them.
  const known = method === "DELETE" ? 30 : 75;
  return fillPath(path, (_variable, collection) => {
    if (random.chance(known)) return records.pick(random, collection);
    if (random.chance(40)) return random.pick(ODD_SEGMENTS);
    return encode(hostileText(random)) || "none";
  });
}

function queryOf({ parameters }: Operation, { random, records }: Sources): string {
  const query = parameters.filter((parameter) => parameter.in === "query");
  const pairs = query.flatMap(({ name, schema }) => {
    const needed = name === "orgId";
    if (!random.chance(needed ? 90 : 40)) return [];
    const value = random.chance(60) ? rightText(name, schema, { random, records }) : hostileText(random);
    const spelled = random.chance(10) ? name.toUpperCase() : name;
    const pair = spelled + "=" + encode(value);
    return random.chance(5) ? [pair, pair] : [pair];
  });
  if (random.chance(10)) pairs.push(encode(hostileText(random)) + "=" + encode(hostileText(random)));
  if (random.chance(5)) pairs.push(random.pick(["%zz=1", "a=%zz", "&&", "=", "filter[assigned]=no", "id=1"]));
  return random.shuffle(pairs).join("&");
}

function rightText(name: string, schema: Schema | undefined, { random, records }: Omit<Sources, "tokens">): string {
  if (name === "orgId") return records.organizationId;
  if (name === "order") return random.pick(["created_at", "updated_at asc", "created_at desc"]);
  if (name === "filter") return '{"assigned":false}';
  if (name === "visibility") return random.pick(["public", "private,published"]);
  if (schema?.type === "integer") return String(random.between(0, 100));
  return random.pick(["a", "demo", "attacked"]);
}

function bodyOf({ body: schema }: Operation, sources: Sources): Buffer | undefined {
  const { random } = sources;
  if (schema === undefined) return random.chance(5) ? Buffer.from("{}") : undefined;
  if (random.chance(4)) return undefined;
  const value = random.chance(90) ? fieldsOf(schema, sources) : hostileJson(random);
  let text = JSON.stringify(value);
  if (random.chance(4)) text = text.replace("{", '{"name":"twice","name":"twice",');
  if (random.chance(3)) text = "\u{FEFF}" + text;
  const bytes = Buffer.from(text);
  if (random.chance(8)) return mutateBytes(random, bytes);
  // Just over what the gateway reads.
  if (random.chance(1)) return Buffer.alloc(1_048_577, 0x20);
  return bytes;
}

function fieldsOf({ properties = {} }: Schema, sources: Sources): JsonValue {
  const { random } = sources;
  const fields = Object.entries(properties).flatMap(([name, schema]): [string, JsonValue][] => {
    if (!random.chance(name === "organizationId" ? 92 : 70)) return [];
    return [[name, random.chance(70) ? rightValue(name, schema, sources) : hostileJson(random)]];
  });
  if (random.chance(15)) fields.push([hostileText(random), hostileJson(random)]);
  return Object.fromEntries(fields);
}

function rightValue(name: string, schema: Schema, { random, records }: Sources): JsonValue {
  if (name === "organizationId" || name === "selectedOrganization") return records.organizationId;
  if (name === "selectedWorkspace") return records.pick(random, "workspaces");
  if (name === "credentialId") return records.pick(random, "credentials");
  if (name === "userId" || name === "owner") return records.pick(random, "users");
  if (name === "roleNames") return ["User"];
  if (name === "visibility") return "public";
  if (name === "email") return "fuzz" + random.between(0, 1e9) + "@attack.example";
  if (schema.type === "array") return [];
  if (schema.type === "object") return { zone: "a" };
  if (schema.type === "boolean") return true;
  if (schema.type === "integer") return 1;
  return "text " + random.between(0, 1e6);
}

type Header = readonly [string, string];

function headersOf(hasBody: boolean, { random, records, tokens }: Sources): Header[] {
  const headers: Header[] = [];
  if (random.chance(92)) headers.push(["authorization", "Bearer " + random.pick(tokens)]);
  else if (random.chance(70)) headers.push(["authorization", random.pick(ODD_CREDENTIALS)]);
  if (hasBody && random.chance(90)) headers.push(["content-type", "application/json"]);
  else if (random.chance(50)) headers.push(["content-type", random.pick(ODD_TYPES)]);
  if (random.chance(20)) headers.push(["service-current-orgid", oddHeader(random, records.organizationId)]);
  for (const name of ODD_HEADERS) if (random.chance(4)) headers.push([name, oddHeader(random, "1")]);
  return headers;
}

const ODD_CREDENTIALS: readonly [string, ...string[]] = [
  "Bearer",
  "Bearer ",
  "Bearer x",
  "Basic eDp4",
  "bearer\tx",
  "Bearer cst_" + "a".repeat(43),
  "Bearer " + "x".repeat(4000),
  "Bearer \u00ff\u00fe",
];
const ODD_TYPES: readonly [string, ...string[]] = [
  "text/plain",
  "application/json; charset=utf-16",
  "application/json;;",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/grpc",
  "/",
];
const ODD_HEADERS = [
  "x-request-id",
  "traceparent",
  "tracestate",
  "accept",
  "accept-encoding",
  "content-encoding",
  "x-forwarded-for",
  "x-http-method-override",
  "connect-protocol-version",
  "connect-timeout-ms",
  "grpc-timeout",
  "range",
  "cookie",
];

/** Returns a value that Node's client lets through: no control characters. */
function oddHeader(random: Random, right: string): string {
  if (random.chance(30)) return right;
  return hostileText(random)
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, "")
    .slice(0, 500);
}

/** Percent-encodes, also a lone surrogate, for which encodeURIComponent throws. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed());
