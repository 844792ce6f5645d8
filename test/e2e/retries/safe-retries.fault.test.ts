import { randomUUID } from "node:crypto";
import { statement } from "@cloud/postgres";
import { execute, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Answer, type Replicas, type Sent, startReplicas } from "./start-replicas.ts";

let replicas: Replicas;
/** Unique for each test: the name of the environments that it creates. */
let name: string;
let key: string;
beforeAll(async () => {
  replicas = await startReplicas();
}, 60_000);
afterAll(() => replicas.stop());
beforeEach(() => {
  [name, key] = [randomUUID(), randomUUID()];
});

const create = (replica: number, sent: Sent & { readonly description?: string } = {}) => {
  const { description = "", ...options } = sent;
  const body = { organizationId: replicas.identity.home, name, description };
  return replicas.send(replica, "POST", "/environments", { body, ...options });
};
const withKey = (replica: number, sent: Parameters<typeof create>[1] = {}) =>
  create(replica, { headers: { "idempotency-key": key }, ...sent });

async function created(): Promise<string[]> {
  const text = statement<{ id: string }>`
    select id
    from environments
    where name = $1`;
  return (await replicas.db.read(text, [name])).rows.map(({ id }) => id);
}

/** All that must be equal in the replies to equal requests. */
const replyOf = ({ status, headers, text }: Answer) => ({
  status,
  text,
  location: headers.get("location"),
  etag: headers.get("etag"),
});
const isReplayed = ({ headers }: Answer) => headers.get("idempotent-replayed");
const codeOf = ({ status, text }: Answer) => `${status} ${(JSON.parse(text) as { code: string }).code}`;

describe("64 parallel equal requests over two replicas", () => {
  const all = (send: (replica: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: 64 }, (_, index) => send(index)));

  test("create one record, and get equal replies", async () => {
    const answers = await all(withKey);
    const [id] = await created();
    expect(await created()).toHaveLength(1);
    const replies = new Set(answers.map((answer) => JSON.stringify(replyOf(answer))));
    expect(replies.size).toBe(1);
    expect(replyOf(answers[0] as Answer)).toMatchObject({ status: 201, location: `/api/environments/${id}` });
    expect(answers.map(isReplayed).filter((replayed) => replayed === null)).toHaveLength(1);
  });

  test("control: without a key, they create 64", async () => {
    await all(create);
    expect(await created()).toHaveLength(64);
  });
});

describe("a replica is killed after its commit, before its reply arrives", () => {
  /** Sends by a replica whose replies are held back, and kills it once the record is there. */
  async function createAndKill(send: typeof create): Promise<void> {
    const [program] = replicas.programs;
    const [proxy] = replicas.proxies;
    proxy.delay(60_000);
    const answer = send(0);
    await waitFor(async () => (await created()).length || undefined, { deadlineMs: 30_000 });
    await program.kill();
    proxy.cut();
    expect((await answer).status).toBe(503);
    proxy.heal();
    await program.start();
  }

  test("the retry gets the reply of the first request, from the other replica, and from the one that is back", async () => {
    await createAndKill(withKey);
    const answers = [await withKey(1), await withKey(0)];
    expect(answers.map(isReplayed)).toEqual(["true", "true"]);
    const [id] = await created();
    expect(await created()).toHaveLength(1);
    expect(answers.map(replyOf)).toEqual(Array(2).fill(replyOf(answers[0] as Answer)));
    expect(replyOf(answers[0] as Answer)).toMatchObject({ status: 201, location: `/api/environments/${id}` });
  }, 60_000);

  test("control: without a key, the retry creates another record", async () => {
    await createAndKill(create);
    await create(1);
    expect(await created()).toHaveLength(2);
  }, 60_000);
});

test("a retry after a restart of both replicas gets the first reply", async () => {
  const first = await withKey(0);
  for (const program of replicas.programs) {
    await program.stop();
    await program.start();
  }
  const retry = await withKey(1);
  expect([replyOf(retry), isReplayed(retry)]).toEqual([replyOf(first), "true"]);
}, 60_000);

test("a retry after the record was changed gets the first reply, whose tag is outdated", async () => {
  const first = await withKey(0);
  const path = (first.headers.get("location") ?? "").replace("/api", "");
  const changed = await replicas.send(0, "PUT", path, { body: { name, description: "changed" } });
  expect(changed.status).toBe(200);
  const retry = await withKey(1);
  expect(replyOf(retry)).toEqual(replyOf(first));
  const headers = { "if-match": retry.headers.get("etag") ?? "" };
  expect(codeOf(await replicas.send(0, "DELETE", path, { headers }))).toBe("412 PRECONDITION_FAILED");
});

test("another body with the key is 422", async () => {
  await withKey(0);
  const other = await withKey(1, { description: "another" });
  expect(codeOf(other)).toBe("422 IDEMPOTENCY_KEY_REUSED");
  expect(await created()).toHaveLength(1);
});

test("another caller with the key creates a record of their own", async () => {
  const mine = await withKey(0);
  const theirs = await withKey(1, { as: "provider" });
  expect([theirs.status, isReplayed(theirs)]).toEqual([201, null]);
  expect(theirs.text).not.toBe(mine.text);
  expect(await created()).toHaveLength(2);
});

test("another path with the key creates a record of its own", async () => {
  await withKey(0);
  const body = { organizationId: replicas.identity.home, name };
  const sendOther = (replica: number) =>
    replicas.send(replica, "POST", "/credentials", { headers: { "idempotency-key": key }, body });
  const [other, retry] = [await sendOther(1), await sendOther(0)];
  expect([other.status, isReplayed(other)]).toEqual([201, null]);
  expect([replyOf(retry), isReplayed(retry)]).toEqual([replyOf(other), "true"]);
  expect(other.headers.get("location")).toMatch(/^\/api\/credentials\//);
  expect([isReplayed(await withKey(1)), (await created()).length]).toEqual(["true", 1]);
});

test("until 24 hours have passed, the reply is replayed; then the key is unknown", async () => {
  const age = (interval: string) =>
    execute(replicas.db, statement`update idempotent_replies set created_at = now() - $1::interval`, [interval]);
  await withKey(0);
  await age("23:59");
  expect(isReplayed(await withKey(1))).toBe("true");
  await age("24:00:01");
  const later = await withKey(1, { description: "another" });
  expect([later.status, isReplayed(later)]).toEqual([201, null]);
  expect(await created()).toHaveLength(2);
});

test("a request that is refused stores nothing", async () => {
  expect(codeOf(await withKey(0, { description: "x".repeat(256) }))).toBe("500 ENVIRONMENT_CREATE_FAILED");
  expect(codeOf(await withKey(0, { as: "member" }))).toBe("403 PERMISSION_DENIED");
  const sent = await withKey(1);
  expect([sent.status, isReplayed(sent)]).toEqual([201, null]);
});

test("a caller who may no longer create gets no reply", async () => {
  await withKey(0);
  const { organizations, home, users } = replicas.identity;
  organizations.delete(home);
  expect(codeOf(await withKey(0))).toBe("403 PERMISSION_DENIED");
  organizations.set(home, users.admin);
  expect((await withKey(0)).status).toBe(201);
});
