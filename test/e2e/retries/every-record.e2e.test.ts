import { type DescMethodUnary, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { taggedRecordOf, takesEtag } from "@cloud/access";
import { codeOf, reasonOf } from "@cloud/access/errors";
import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { Code, ConnectError } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Mapping } from "../../cases/runner/case-file.ts";
import { deriveRestRequest } from "../../cases/runner/derive-rest-request.ts";
import { type Example, readExamples } from "../../cases/runner/examples.ts";
import { fillIn } from "../../cases/runner/fill-in.ts";
import type { Method } from "../../cases/runner/find-method.ts";
import { setUpCase } from "../../cases/runner/play-case.ts";
import { createPlayer, type Player } from "../../cases/runner/player.ts";
import { findExposedMethods, nameOf } from "../../cases/surfaces/exposed-methods.ts";

/** The RPCs that get, update and delete one record by its id; undefined where it has none. */
const RECORDS: Readonly<Record<string, readonly [get: string, put?: string | undefined, remove?: string]>> = {
  "workspace.v1.WorkspaceService": ["GetWorkspace", "UpdateWorkspace", "DeleteWorkspace"],
  "workspace.v1.DesignService": ["GetDesign", "UpdateDesign", "DeleteDesign"],
  "workspace.v1.ViewService": ["GetView", "UpdateView", "DeleteView"],
  "environment.v1.EnvironmentService": ["GetEnvironment", "UpdateEnvironment", "DeleteEnvironment"],
  "environment.v1.ConnectionService": ["GetConnection", "UpdateConnection", "DeleteConnection"],
  "environment.v1.CredentialService": ["GetCredential", undefined, "DeleteCredential"],
  "identity.v1.OrganizationService": ["GetOrganization", "UpdateOrganization", "DeleteOrganization"],
  "identity.v1.InvitationService": ["GetInvitation", undefined, "RevokeInvitation"],
  "identity.v1.TeamService": ["GetTeam", "UpdateTeam", "DeleteTeam"],
  "identity.v1.TokenService": ["GetToken", undefined, "RevokeToken"],
  "identity.v1.UserService": ["GetUser"],
  "academy.v1.CurriculumService": ["GetCurriculum"],
};
const having = (rpc: 1 | 2) => Object.keys(RECORDS).filter((service) => RECORDS[service]?.[rpc] !== undefined);

interface Answer {
  /** `ok`, or the status, the code and the text of an error. */
  readonly outcome: string;
  readonly etag: string | null;
  /** The reply as JSON. */
  readonly text: string;
}

let stack: TestStack;
let methods: ReadonlyMap<string, Method>;
let player: Player;
beforeAll(async () => {
  stack = await joinTestStack();
  methods = await findExposedMethods();
  player = await createPlayer(stack);
});

test("every RPC that gets, updates or deletes a record by its id is among them", () => {
  const found = (is: (desc: DescMethodUnary, verb: string | undefined, path: unknown) => boolean) =>
    [...methods.values()]
      .filter(({ desc, rule }) => is(desc, rule?.pattern.case, rule?.pattern.value))
      .map(({ desc }) => nameOf(desc));
  const known = (rpc: 0 | 1 | 2) =>
    Object.entries(RECORDS).flatMap(([service, names]) => (names[rpc] === undefined ? [] : `${service}/${names[rpc]}`));
  const byId = (its: string) => found((_, verb, path) => verb === its && String(path).endsWith("/{id}"));
  const sorted = (lists: string[][]) => lists.map((names) => names.toSorted());
  expect(sorted([byId("get"), byId("put"), byId("delete")])).toEqual(sorted([known(0), known(1), known(2)]));
  const tagged = found((desc, verb) => verb === "get" && taggedRecordOf(desc) !== undefined);
  expect(sorted([tagged, found(takesEtag)])).toEqual(sorted([known(0), [...known(1), ...known(2)]]));
});

/** An RPC with a request. */
interface Call {
  readonly name: string;
  readonly request: Mapping;
  /** The headers of the caller. */
  readonly caller: Readonly<Record<string, string>>;
}

async function rest(call: Call, conditions: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const { method, path, body } = deriveRestRequest(methods.get(call.name) as Method, call.request);
  const response = await fetch(`${stack.gateway}/api${path}`, {
    method,
    headers: { ...call.caller, "content-type": "application/json", ...conditions },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const { code, error } = text === "" ? {} : (JSON.parse(text) as Mapping);
  const outcome = response.ok ? "ok" : [response.status, code, error].join(" ").trim();
  return { outcome, etag: response.headers.get("etag"), text };
}

async function rpc(call: Call): Promise<Answer> {
  const { desc, process } = methods.get(call.name) as Method;
  const transport = createConnectTransport({ baseUrl: stack.services[process], httpVersion: "1.1" });
  const input = fromJson(desc.input, call.request as JsonValue);
  try {
    const sent = await transport.unary(desc, undefined, 10_000, call.caller, input);
    const { message, header } = sent;
    return { outcome: "ok", etag: header.get("etag"), text: JSON.stringify(toJson(desc.output, message)) };
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    return { outcome: [Code[code], codeOf(reasonOf(error)), rawMessage].join(" "), etag: null, text: "" };
  }
}

const examples = readExamples();

/** Creates a record, and returns the calls that get, update and delete it, by a user who may do all three. */
async function giveRecord(service: string) {
  const names = (RECORDS[service] ?? []).map((name) => `${service}/${name}`);
  const { succeeds } = examples.get(names.findLast((name) => examples.has(name)) ?? "") as Example;
  const play = await setUpCase(player, succeeds);
  const calls = names.map((name) => {
    const request = fillIn({ ...examples.get(name)?.succeeds.request, id: succeeds.request?.["id"] }, play.variables);
    return { name, request, caller: play.headersAs(succeeds.as) };
  });
  return calls as unknown as [get: Call, put: Call, remove: Call];
}

const etagIn = ({ text }: Answer) => /"etag":"(.*?)(?<!\\)"/.exec(text)?.[1]?.replaceAll("\\", "");

test.each(Object.keys(RECORDS))(
  "GET of one record of %s has its tag, which If-None-Match may name",
  async (service) => {
    const [get] = await giveRecord(service);
    const found = await rest(get);
    const etag = found.etag ?? "none";
    expect(etag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect([found.outcome, etagIn(found)]).toEqual(["ok", etag]);
    for (const named of [etag, `W/${etag}`, `"other", ${etag}`, `"other",W/${etag}`, "*"]) {
      expect(await rest(get, { "if-none-match": named })).toEqual({ outcome: "304", etag, text: "" });
    }
    for (const named of ['"other"', 'W/"other", "another"']) {
      expect(await rest(get, { "if-none-match": named })).toEqual(found);
    }
    expect((await rest(get, { "if-none-match": etag.replaceAll('"', "") })).outcome).toMatch(/^400 INVALID_PARAMETER/);
    const received = await rpc(get);
    expect([received.outcome, received.etag, etagIn(received)]).toEqual(["ok", etag, etag]);
  },
);

type SendWith = (call: Call, tag: string) => Promise<Answer>;

describe.each<[surface: string, send: SendWith, outdated: string, malformed: string]>([
  ["REST", (call, tag) => rest(call, { "if-match": tag }), "412", "400"],
  ["RPC", (call, etag) => rpc({ ...call, request: { ...call.request, etag } }), "Aborted", "InvalidArgument"],
])("by %s", (_surface, send, outdatedStatus, malformedStatus) => {
  async function expectRefused(call: Call, tag: string, outdated: string): Promise<void> {
    for (const named of [outdated, `"other", ${outdated}`, `W/${tag}`]) {
      const expected = `${outdatedStatus} PRECONDITION_FAILED the record has changed`;
      expect([named, (await send(call, named)).outcome]).toEqual([named, expected]);
    }
    for (const named of [tag.replaceAll('"', ""), `${tag} ${tag}`, `*, ${tag}`]) {
      const expected = expect.stringMatching(`^${malformedStatus} INVALID_PARAMETER (If-Match|etag) must be`);
      expect([named, (await send(call, named)).outcome]).toEqual([named, expected]);
    }
  }

  test.each(having(1))("PUT of %s takes the present tag only, and changes it", async (service) => {
    const [get, put] = await giveRecord(service);
    const before = (await rest(get)).etag ?? "none";
    const first = await send(put, `"other", ${before}`);
    const after = await rest(get);
    const tag = after.etag ?? "none";
    expect([first.outcome, first.etag, etagIn(first)]).toEqual(["ok", tag, tag]);
    expect(tag).not.toBe(before);
    await expectRefused(put, tag, before);
    expect(await rest(get)).toEqual(after);
    const second = await send(put, "*");
    expect([second.outcome, second.etag]).toEqual(["ok", (await rest(get)).etag]);
    expect([before, tag]).not.toContain(second.etag);
  });

  test.each(having(2))("DELETE of %s takes the present tag only", async (service) => {
    const [get, put, remove] = await giveRecord(service);
    const before = (await rest(get)).etag ?? "none";
    const isUpdated = RECORDS[service]?.[1] !== undefined;
    if (isUpdated) await rest(put);
    const kept = await rest(get);
    const tag = kept.etag ?? "none";
    await expectRefused(remove, tag, isUpdated ? before : '"outdated"');
    expect(await rest(get)).toEqual(kept);
    expect((await send(remove, tag)).outcome).toBe("ok");
    // Not found, or another state, such as that of a revoked token.
    expect((await rest(get)).etag).not.toBe(tag);
    const [, , another] = await giveRecord(service);
    expect((await send(another, "*")).outcome).toBe("ok");
  });
});
