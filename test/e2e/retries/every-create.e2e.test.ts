import { randomUUID } from "node:crypto";
import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { createsRecord } from "@cloud/access";
import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { beforeAll, expect, test } from "@jest/globals";
import type { Mapping } from "../../cases/runner/case-file.ts";
import { deriveRestRequest } from "../../cases/runner/derive-rest-request.ts";
import { type Example, readExamples } from "../../cases/runner/examples.ts";
import { fillIn } from "../../cases/runner/fill-in.ts";
import type { Method } from "../../cases/runner/find-method.ts";
import { setUpCase } from "../../cases/runner/play-case.ts";
import { createPlayer, type Player } from "../../cases/runner/player.ts";
import { findExposedMethods } from "../../cases/surfaces/exposed-methods.ts";

let stack: TestStack;
let methods: ReadonlyMap<string, Method>;
let player: Player;
beforeAll(async () => {
  stack = await joinTestStack();
  methods = await findExposedMethods();
  player = await createPlayer(stack);
});

const examples = readExamples();

/** Creates what a valid request of an RPC needs. Returns the request, and the headers of its caller. */
async function giveRequest(name: string) {
  const { succeeds } = examples.get(name) as Example;
  const play = await setUpCase(player, succeeds);
  return { request: fillIn(succeeds.request ?? {}, play.variables), caller: play.headersAs(succeeds.as) };
}

/** Every RPC that creates a record, with a field that makes another request of the one of its example. */
const OTHER: Readonly<Record<string, Mapping>> = {
  "workspace.v1.WorkspaceService/CreateWorkspace": { description: "another" },
  "workspace.v1.DesignService/CreateDesign": { description: "another" },
  "workspace.v1.ViewService/CreateView": { description: "another" },
  "environment.v1.EnvironmentService/CreateEnvironment": { description: "another" },
  "environment.v1.ConnectionService/CreateConnection": { metadata: { a: [1, null, { b: false }] } },
  "environment.v1.CredentialService/CreateCredential": { name: "another" },
  "identity.v1.OrganizationService/CreateOrganization": { description: "another" },
  "identity.v1.InvitationService/CreateInvitation": { roleNames: ["Org Admin"] },
  "identity.v1.TeamService/CreateTeam": { description: "another" },
  "identity.v1.UserService/CreateUser": { lastName: "another" },
  "identity.v1.TokenService/CreateToken": { name: "another" },
  "academy.v1.CurriculumService/CreateCurriculum": { description: "another" },
};

test("every RPC that creates a record is among them", () => {
  const creating = [...methods].filter(([, { desc }]) => createsRecord(desc)).map(([name]) => name);
  expect(creating.toSorted()).toEqual(Object.keys(OTHER).toSorted());
});

test.each(Object.entries(OTHER))("%s is done once for a key, by REST and by RPC", async (name, other) => {
  const method = methods.get(name) as Method;
  const { request, caller } = await giveRequest(name);
  const headers = { ...caller, "idempotency-key": randomUUID() };
  const rest = async (message: Mapping) => {
    const { method: httpMethod, path, body } = deriveRestRequest(method, message);
    const response = await fetch(`${stack.gateway}/api${path}`, {
      method: httpMethod,
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { status, headers: received } = response;
    const [location, etag] = [received.get("location"), received.get("etag")];
    return { status, location, etag, text: await response.text(), replayed: received.get("idempotent-replayed") };
  };

  const first = await rest(request);
  expect(first).toMatchObject({ status: 201, location: expect.any(String), etag: expect.any(String), replayed: null });
  expect(await rest(request)).toEqual({ ...first, replayed: "true" });
  expect(await rest({ ...request, ...other })).toMatchObject({
    status: 422,
    text: expect.stringContaining("IDEMPOTENCY_KEY_REUSED"),
  });

  const transport = createGrpcTransport({ baseUrl: stack.services[method.process] });
  const input = fromJson(method.desc.input, request as JsonValue);
  const { message, header } = await transport.unary(method.desc, undefined, 10_000, headers, input);
  expect([header.get("idempotent-replayed"), header.get("etag")]).toEqual(["true", first.etag]);
  const id = /"id":"([^"]+)"/.exec(first.text)?.[1];
  expect(JSON.stringify(toJson(method.desc.output, message))).toContain(id);
});

/** Returns the created record. The reply to the creation of a token also has the secret, which is shown once. */
const recordOf = (body: Mapping): unknown => ("secret" in body ? body["token"] : body);

test.each(Object.keys(OTHER))(
  "the Location of what %s creates leads to the record, on each of its paths",
  async (name) => {
    const method = methods.get(name) as Method;
    const rules = [method.rule, ...(method.rule?.additionalBindings ?? [])];
    for (const rule of rules.filter((one) => one?.pattern.case === "post")) {
      const { request, caller } = await giveRequest(name);
      const headers = { ...caller, "content-type": "application/json" };
      const { path, body } = deriveRestRequest({ ...method, rule }, request);
      const created = await fetch(`${stack.gateway}/api${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      expect(created.status).toBe(201);
      const location = created.headers.get("location") ?? "none";
      const found = await fetch(new URL(location, stack.gateway), { headers });
      expect([location, found.status, await found.json()]).toEqual([
        location,
        200,
        recordOf((await created.json()) as Mapping),
      ]);
    }
  },
);
