import {
  type DescMethod,
  type DescMethodServerStreaming,
  fromJson,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { codeOf, reasonOf } from "@cloud/access/errors";
import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import type { Database } from "@cloud/postgres";
import type { ServiceTransport } from "@cloud/rpc";
import { openTestDatabase } from "@cloud/testkit";
import { ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { systemRest } from "../system-rest.ts";
import { openTransports, type Transports } from "./open-transports.ts";
import type { DecidedBy, MethodRequest, PromisedMethod, ServiceName } from "./promised-methods.ts";
import { HOLDERS, OWN_HOLDERS } from "./promised-permissions.ts";
import { createRequestFiller } from "./record-makers.ts";
import { setRoleKeys } from "./role-keys.ts";
import { findServedMethods, type ServedMethod } from "./served-methods.ts";

// Calls every RPC of every service by its own protocol, without the gateway. The role User, which only the user of the
// demo holds, has all keys but the declared one, or that one alone.

type Who = "user" | "outsider" | "service" | "anonymous" | ServiceName;
type Method = ServedMethod & { readonly promised: PromisedMethod };

const EVERY_KEY = Object.keys({ ...HOLDERS, ...OWN_HOLDERS });
const served = await findServedMethods();
const methods = served.filter((method): method is Method => method.promised !== undefined);

let stack: OwnTestStack;
let identity: Database;
let fill: ReturnType<typeof createRequestFiller>;
let transports: Readonly<Record<Who, Transports>>;

beforeAll(async () => {
  stack = await startTestStack();
  const { demo, superuserUrl: url, serviceToken } = stack;
  identity = openTestDatabase({ url, schema: "identity" });
  fill = createRequestFiller(systemRest(stack), demo);
  transports = {
    user: openTransports(stack, demo.users.user.token),
    outsider: openTransports(stack, demo.users.outsider.token),
    service: openTransports(stack, serviceToken),
    workspace: openTransports(stack, stack.credentials.workspace),
    environment: openTransports(stack, stack.credentials.environment),
    identity: openTransports(stack, stack.credentials.identity),
    anonymous: openTransports(stack, "not-a-token"),
  };
});
afterAll(async () => {
  for (const transport of Object.values(transports)) transport.close();
  await identity.close();
  await stack.stop();
});

/** Calls with fresh records; returns `ok`, or the reason and the text of the failure. */
const attempt = async (who: Who, method: Method, request: MethodRequest): Promise<string> =>
  attemptWith(who, method, await fill(request));

/** Calls with records that exist. A refused call changes none, so its records serve the next call too. */
async function attemptWith(who: Who, { desc }: Method, request: MethodRequest): Promise<string> {
  const message = fromJson(desc.input, request as JsonValue);
  const transport = transports[who].of(desc.parent.file.proto.package);
  try {
    if (isStream(desc)) await readFirst(transport, desc, message);
    else await transport.unary(desc, undefined, undefined, undefined, message);
    return "ok";
  } catch (error) {
    return codeOf(reasonOf(error)) + ": " + ConnectError.from(error).rawMessage;
  }
}

const isStream = (desc: DescMethod): desc is DescMethodServerStreaming => desc.methodKind === "server_streaming";

/** Opens a stream, waits for its first message, and leaves. */
async function readFirst(transport: ServiceTransport, desc: DescMethodServerStreaming, message: Message) {
  const leaving = new AbortController();
  const input = (async function* () {
    yield message;
  })();
  const reply = await transport.stream(desc, leaving.signal, undefined, undefined, input);
  await reply.message[Symbol.asyncIterator]().next();
  leaving.abort();
}

const denied = (permission: string) => 'PERMISSION_DENIED: permission "' + permission + '" is required';
/** Matches a call that reached its rules: a failure, if any, is about the records. */
const reached = /^(ok$|(CONNECTION|DESIGN|ENVIRONMENT|TEAM|VIEW)_ASSIGNMENT_NOT_FOUND|(MEMBER|TEAM_MEMBER)_NOT_FOUND)/;
const keys = (...held: readonly string[]) => setRoleKeys(identity, "User", held);

const named = (...decidedBy: readonly DecidedBy[]) =>
  methods
    .filter(({ promised }) => decidedBy.includes(promised.decidedBy))
    .map((method) => [method.name, method] as const);
const withKey = methods.flatMap((method) => {
  const { permission } = method.promised;
  return permission === undefined ? [] : [[method.name, permission, method] as const];
});

test("every RPC of every service is called here", () => {
  expect(methods.map(({ name }) => name)).toEqual(served.map(({ name }) => name));
});

test.each(withKey)("%s needs %s", async (_name, key, method) => {
  const request = await fill(method.promised.request);
  await keys(...EVERY_KEY.filter((other) => other !== key));
  expect(await attemptWith("user", method, request)).toBe(denied(key));
  await keys(key);
  expect(await attemptWith("user", method, request)).toMatch(reached);
});

test.each(
  methods.filter(({ promised: { permission, decidedBy } }) => permission === undefined && decidedBy !== "service"),
)("$name needs no key", async (method) => {
  await keys();
  expect(await attempt("user", method, method.promised.request)).toMatch(reached);
});

describe("what decides the organization", () => {
  beforeAll(() => keys(...EVERY_KEY));

  test.each(named("record", "recordOrOwner", "recordOrCaller", "recordOrAll"))(
    "%s: a foreign record is not found",
    async (_name, method) => {
      expect(await attempt("outsider", method, method.promised.request)).toMatch(/^[A-Z_]*NOT_FOUND: /);
    },
  );

  test.each(named("recordOrAll"))("%s: without a record requires View All Organizations", async (_name, method) => {
    for (const who of ["user", "outsider"] as const) {
      expect(await attempt(who, method, {})).toBe(denied("View All Organizations"));
    }
  });

  test.each(named("creation"))("%s: a foreign organization is refused", async (_name, method) => {
    expect(await attempt("outsider", method, method.promised.request)).toBe(denied(method.promised.permission ?? ""));
  });

  test.each(named("list", "listOrCurrent"))(
    "%s: a foreign organization requires View All Organizations",
    async (_name, method) => {
      for (const request of [method.promised.request, { orgId: "all" }]) {
        expect(await attempt("outsider", method, request)).toBe(denied("View All Organizations"));
      }
    },
  );

  test.each(named("recordOrOwner", "recordOrCaller"))(
    "%s: the owner of the record needs no key",
    async (_name, method) => {
      await keys();
      expect(await attempt("user", method, method.promised.owned ?? {})).toBe("ok");
    },
  );
});

test.each(named("service"))("%s is for services only", async (_name, method) => {
  await keys(...EVERY_KEY);
  const request = await fill(method.promised.request);
  expect(await attemptWith("user", method, request)).toMatch(/^SERVICE_CREDENTIAL_REQUIRED: /);
  expect(await attemptWith("service", method, request)).toBe("ok");
});

/** Whose credentials each process accepts: it knows the credentials of its callers only. */
const ACCEPTED: Readonly<Record<ServiceName, readonly ServiceName[]>> = {
  workspace: ["identity"],
  environment: ["workspace"],
  identity: ["workspace", "environment"],
};
const SERVICES = ["workspace", "environment", "identity"] as const;

test.each(methods.map((method) => [method.name, method] as const))(
  "%s by each credential, and by none",
  async (_name, method) => {
    const { callers = [] } = method.promised;
    const accepted = ACCEPTED[processOf(method)];
    const request = await fill(method.promised.request);
    expect(await attemptWith("anonymous", method, request)).toMatch(/^UNAUTHENTICATED: /);
    for (const name of SERVICES) {
      const outcome = await attemptWith(name, method, request);
      if (accepted.includes(name)) {
        const refused = "SERVICE_NOT_ALLOWED: the service " + name + " may not call this operation";
        expect([name, outcome]).toEqual([name, callers.includes(name) ? "ok" : refused]);
      } else {
        expect([name, outcome]).toEqual([name, "UNAUTHENTICATED: a valid security token is required"]);
      }
    }
    expect(await attemptWith("service", method, request)).not.toMatch(/^(UNAUTHENTICATED|PERMISSION|SERVICE)/);
  },
);

function processOf({ desc }: Method): ServiceName {
  const [name = ""] = desc.parent.file.proto.package.split(".");
  return SERVICES.find((service) => service === name) ?? (name === "academy" ? "identity" : "workspace");
}
