import { fail } from "@cloud/access/errors";
import { TOKEN_PREFIX } from "@cloud/access/principal";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import type { Program, RemovedProtection } from "@cloud/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { type FakeService, startFakeService } from "./fake-services.ts";
import { startGatewayProgram } from "./start-gateway-program.ts";

/** A body of any size is read and parsed before its token is checked. */
const PARSED_FIRST = [{ marker: "caller-before-body" }];
/** Logs the size of each body that is parsed. */
const COUNTED: RemovedProtection = {
  marker: "parsed-depth",
  instead: `console.log("parsed " + bytes.length);
    return parseJsonText(decodeUtf8(bytes), depth);`,
};

/** 0.9 MB of JSON with 90,000 keys, which take long to parse. */
const BODY = JSON.stringify({
  metadata: Object.fromEntries(Array.from({ length: 90_000 }, (_, key) => [`k${key}`, 1])),
});
const TOKEN = TOKEN_PREFIX + "x".repeat(43);

let service: FakeService;
const programs: Program[] = [];
beforeAll(async () => {
  // Identity, which accepts no token, and the service that the request is for.
  service = await startFakeService((router) => {
    router.service(UserService, {
      getProfile: () => {
        throw fail(Reason.UNAUTHENTICATED);
      },
    });
  });
});
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.close()));
});
afterAll(() => service.stop());

/** Sends a request with an invented token. Returns what the gateway parses. */
async function parsedBy(removed: readonly RemovedProtection[]): Promise<string[]> {
  const program = await startGatewayProgram(service.url, [...removed, COUNTED]);
  programs.push(program);
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const response = await fetch(program.url + "/api/connections", { method: "POST", headers, body: BODY });
  await response.text();
  return program.log().flatMap(({ msg }) => (msg.startsWith("parsed ") ? [msg] : []));
}

test("of a large body with an invented token, nothing is parsed", async () => {
  expect(await parsedBy([])).toEqual([]);
});

test("control: without the check before it, the body is parsed", async () => {
  expect(await parsedBy(PARSED_FIRST)).toEqual([`parsed ${BODY.length}`]);
});
