import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { refusal } from "@cloud/access/testing";
import { sql, statement } from "@cloud/postgres";
import { OrganizationCreatedSchema } from "@cloud/proto/identity/v1/events_pb";
import { countRows } from "@cloud/service/testing";
import { interleaveBefore } from "@cloud/service/testing/races";
import { COMPILE_CACHE, execute } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { bootstrapSystem } from "../src/bootstrap/bootstrap-system.ts";
import type { Context } from "../src/context.ts";
import { createSecret } from "../src/tokens/secret.ts";
import { type Fixture, startFixture } from "./fixture.ts";
import { openRaceContexts, type RaceContexts } from "./races/race-contexts.ts";

const COMMAND = [join(import.meta.dirname, "../src/operator.ts"), "bootstrap"];
const ADA = ["--organization", "Corp", "--email", "ada@example.test", "--first-name", "Ada"];

let fixture: Fixture;
let races: RaceContexts;
let folder: string;
let file: string;

beforeAll(async () => {
  fixture = await startFixture();
  races = openRaceContexts(fixture);
  folder = mkdtempSync(join(tmpdir(), "bootstrap-"));
  file = join(folder, "token");
});
beforeEach(async () => {
  const tables = [sql`tokens`, sql`memberships`, sql`preferences`, sql`organizations`, sql`users`, sql`audit_events`];
  for (const table of [...tables, sql`outbox`]) await execute(fixture.ownerDb, statement`delete from ${table}`);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await races.close();
  await fixture.stop();
});

/** Runs the command as a process, with the program's role. */
function bootstrap(...args: string[]) {
  const env = { DATABASE_URL: fixture.db.url, ...COMPILE_CACHE };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...COMMAND, ...args], { env, encoding: "utf8" });
  return { status, stdout, stderr };
}

const newFile = (text = createSecret().secret) => {
  writeFileSync(file, `${text}\n`);
  return text;
};

/** Returns the numbers of rows in the tables. */
async function census() {
  const tables = { users: sql`users`, organizations: sql`organizations`, tokens: sql`tokens`, log: sql`audit_events` };
  const counted = Object.entries(tables).map(async ([name, table]) => [name, await countRows(fixture.db, table)]);
  return Object.fromEntries(await Promise.all(counted)) as Record<keyof typeof tables, number>;
}

const ONE = { users: 1, organizations: 1, tokens: 1, log: 4 };
const NONE = { users: 0, organizations: 0, tokens: 0, log: 0 };
/** The statement in place of the insertion of a token: the server ends the session, as at its shutdown. */
const DIE =
  "select pg_terminate_backend(pg_backend_pid()) where num_nulls($1::text, $2::text, $3::text, $4::bytea, $5::text) = 0";

describe("in an empty system", () => {
  test("creates an organization, its Provider Admin and a token, and prints its secret", async () => {
    const { status, stdout, stderr } = bootstrap(...ADA, "--last-name", "Lovelace");
    expect([status, stderr]).toEqual([0, ""]);
    const lines = stdout.split("\n");
    expect(lines).toEqual([
      "created the user ada@example.test",
      'created the organization "Corp", with ada@example.test as Org Admin and Provider Admin',
      "created a token of ada@example.test",
      "its secret, which is stored nowhere and never shown again:",
      expect.stringMatching(/^cst_[\w-]{43}$/),
      "",
    ]);

    const ada = fixture.as(lines[4] ?? "");
    const { profile } = await ada.users.getProfile({});
    expect(profile).toMatchObject({ email: "ada@example.test", firstName: "Ada", lastName: "Lovelace" });
    expect(profile?.roleNames).toEqual(["Org Admin", "Provider Admin"]);
    expect(profile?.organizations?.organizationsWithRoles).toMatchObject([{ name: "Corp" }]);
    // Only a Provider Admin may do this.
    const { user } = await ada.users.createUser({ email: "grace@example.test" });
    expect(user?.email).toBe("grace@example.test");
  });

  test("writes the event and the entries of the audit log that the RPCs write", async () => {
    newFile();
    bootstrap(...ADA, "--token-file", file);
    const events = await fixture.events(OrganizationCreatedSchema);
    const text = statement<{ user_id: string; organization_id: string }>`
      select u.id as user_id, o.id as organization_id
      from users u, organizations o`;
    const { rows } = await fixture.db.read(text);
    const { user_id: owner, organization_id: organizationId } = rows[0] ?? { user_id: "", organization_id: "" };
    expect(events).toMatchObject([{ owner, organizationId }]);
    const { events: log } = await fixture.service.audit.listAuditEvents({});
    expect(log.map(({ actor, action }) => [actor, action]).toSorted()).toEqual([
      ["service:operator", "member.added"],
      ["service:operator", "organization.created"],
      ["service:operator", "token.created"],
      ["service:operator", "user.created"],
    ]);
    expect(log.find(({ action }) => action === "member.added")).toMatchObject({
      target: owner,
      organizationId,
      metadata: { roleNames: ["Org Admin", "Provider Admin"] },
    });
  });

  test("with --dry-run says what it would do, and does nothing", async () => {
    const { status, stdout } = bootstrap(...ADA, "--dry-run");
    expect([status, stdout]).toEqual([
      0,
      "would create the user ada@example.test\n" +
        'would create the organization "Corp", with ada@example.test as Org Admin and Provider Admin\n' +
        "would create a token of ada@example.test\n",
    ]);
    expect(await census()).toEqual(NONE);
  });

  test("takes a user who exists as they are", async () => {
    const { id } = await fixture.createPerson("Ada@Example.test");
    expect(bootstrap(...ADA).stdout).toMatch(/^created the organization/);
    expect((await fixture.service.users.getUser({ id })).user).toMatchObject({
      email: "Ada@Example.test",
      firstName: "",
    });
    expect(await census()).toMatchObject({ users: 1, organizations: 1, tokens: 2 });
  });
});

describe("a further run", () => {
  test("changes nothing, says what is there, and prints no secret", async () => {
    bootstrap(...ADA);
    expect(bootstrap("--organization", "Corp", "--email", "ADA@example.test")).toEqual({
      status: 0,
      stdout: 'nothing to do: ADA@example.test is a Provider Admin of the organization "Corp"\n',
      stderr: "",
    });
    expect(await census()).toEqual(ONE);
  });

  test("with another organization is refused, and names the one that there is", async () => {
    bootstrap(...ADA);
    expect(bootstrap("--organization", "Other", "--email", "ada@example.test")).toEqual({
      status: 1,
      stdout: "",
      stderr:
        'the user is a Provider Admin of "Corp", and of no organization "Other": nothing was changed. Name the one that ' +
        "there is; a further one is created by POST /api/identity/organizations\n",
    });
    expect(await census()).toEqual(ONE);
  });

  test("with the same token in the file changes nothing; a new one becomes a token of theirs", async () => {
    const first = newFile();
    expect(bootstrap(...ADA, "--token-file", file).stdout).not.toContain(first);
    expect(bootstrap(...ADA, "--token-file", file).stdout).toBe(
      'nothing to do: ada@example.test is a Provider Admin of the organization "Corp", and the token in the file is theirs\n',
    );
    expect(await census()).toEqual(ONE);

    const second = newFile();
    const { stdout } = bootstrap(...ADA, "--token-file", file);
    expect(stdout).toBe("created a token of ada@example.test, which is that in the file\n");
    for (const secret of [first, second]) {
      expect((await fixture.as(secret).users.getProfile({})).profile?.email).toBe("ada@example.test");
    }
    expect(await census()).toEqual({ ...ONE, tokens: 2, log: 5 });
  });

  test("does not bring back a token that was revoked", async () => {
    const secret = newFile();
    bootstrap(...ADA, "--token-file", file);
    const ada = fixture.as(secret);
    const { tokens } = await ada.tokens.listTokens({});
    await ada.tokens.revokeToken({ id: tokens[0]?.id ?? "" });
    expect(bootstrap(...ADA, "--token-file", file)).toEqual({
      status: 1,
      stdout: "",
      stderr: "the token in the file was revoked: nothing was changed. Put a new one into the file\n",
    });
    expect(await refusal(ada.users.getProfile({}))).toMatch(/^401/);
  });

  test("for another user is refused while there is a Provider Admin", async () => {
    bootstrap(...ADA);
    const { status, stderr } = bootstrap("--organization", "Corp", "--email", "grace@example.test");
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^the system has a Provider Admin, who is another user/),
    ]);
    expect(await census()).toEqual(ONE);
  });

  test("with another user's token is refused", async () => {
    const grace = await fixture.createPerson();
    newFile(grace.token);
    const { status, stderr } = bootstrap(...ADA, "--token-file", file);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^the token in the file belongs to another user/)]);
    expect(await census()).toMatchObject({ users: 1, organizations: 0, tokens: 1 });
  });
});

test("wrong arguments are reported with exit code 2, and help with 0", async () => {
  const wrong = bootstrap("--organization", "Corp");
  expect(wrong).toEqual({ status: 2, stdout: "", stderr: "--email is required; --help describes the arguments\n" });
  expect(await census()).toEqual(NONE);
  expect(bootstrap("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("--token-file <path>") });
});

test("without its database, or a usable setting, it is not done, in one line", () => {
  const run = (env: Record<string, string>) => {
    const { status, stderr } = spawnSync(process.execPath, [...COMMAND, ...ADA], {
      env: { ...env, ...COMPILE_CACHE },
      encoding: "utf8",
    });
    return [status, stderr];
  };
  expect(run({})).toEqual([1, "the configuration is not usable:\n  DATABASE_URL: is required\n"]);
  const unknown = new URL(fixture.db.url);
  unknown.password = "wrong";
  expect(run({ DATABASE_URL: unknown.href })).toEqual([1, expect.not.stringContaining("wrong")]);
  const away = new URL(fixture.db.url);
  away.port = "1";
  expect(run({ DATABASE_URL: away.href })).toEqual([1, expect.stringMatching(/^[^\n]*ECONNREFUSED[^\n]*\n$/)]);
});

test("when its database goes away during the run, nothing is half made", async () => {
  const wanted = { organization: "Corp", email: "ada@example.test", firstName: "", lastName: "", dryRun: false };
  // The token is the last that a run creates.
  const { db } = races.contextWith((text) => (text.includes("insert into tokens") ? DIE : text));
  await expect(bootstrapSystem(db, { ...wanted, secret: undefined })).rejects.toThrow("the database is unavailable");
  expect(await census()).toEqual(NONE);
  expect(bootstrap(...ADA).status).toBe(0);
  expect(await census()).toEqual(ONE);
});

describe("runs at once", () => {
  /** Eight runs for eight users; returns how many have created a Provider Admin. */
  async function race(context: Pick<Context, "db">): Promise<number> {
    const wanted = { organization: "Corp", firstName: "", lastName: "", secret: undefined, dryRun: false };
    const runs = Array.from({ length: 8 }, (_, n) =>
      bootstrapSystem(context.db, { ...wanted, email: `ada${n}@example.test` }).catch((error: Error) => error.message),
    );
    const ended = await Promise.all(runs);
    for (const one of ended) {
      if (typeof one === "string") expect(one).toMatch(/^the system has a Provider Admin, who is another user/);
    }
    return await countRows(fixture.db, sql`memberships where role_name = 'Provider Admin'`);
  }

  test("for different users create one Provider Admin", async () => {
    expect(await race(races.contextWith())).toBe(1);
    expect(await census()).toEqual(ONE);
  });

  test("as two processes print one secret, and nothing to do", async () => {
    const env = { DATABASE_URL: fixture.db.url, ...COMPILE_CACHE };
    const run = () => promisify(execFile)(process.execPath, [...COMMAND, ...ADA], { env });
    const outputs = (await Promise.all([run(), run()])).map(({ stdout }) => stdout);
    expect(outputs.filter((output) => /^cst_/m.test(output))).toHaveLength(1);
    expect(outputs).toContain('nothing to do: ada@example.test is a Provider Admin of the organization "Corp"\n');
    expect(await census()).toEqual(ONE);
  });

  test("for one user create one", async () => {
    const wanted = { organization: "Corp", email: "ada@example.test", firstName: "", lastName: "", dryRun: false };
    const { db } = races.contextWith();
    const runs = Array.from({ length: 8 }, () => bootstrapSystem(db, { ...wanted, secret: undefined }));
    const secrets = (await Promise.all(runs)).flatMap(({ secret }) => secret ?? []);
    expect(secrets).toHaveLength(1);
    expect(await census()).toEqual(ONE);
  });

  /** Starts two runs for two users; the second begins before the COMMIT of the first. */
  async function runTwo({ db }: Pick<Context, "db">): Promise<number> {
    const wanted = { organization: "Corp", firstName: "", lastName: "", secret: undefined, dryRun: false };
    const runFor = (email: string, on: Pick<Context, "db">["db"]) =>
      bootstrapSystem(on, { ...wanted, email }).catch((error: Error) => error.message);
    await interleaveBefore(
      db,
      undefined,
      (held) => runFor("ada@example.test", held),
      () => runFor("bob@example.test", db),
    );
    return await countRows(fixture.db, sql`memberships where role_name = 'Provider Admin'`);
  }

  test("while one is uncommitted create one Provider Admin", async () => {
    expect(await runTwo(races.contextWith())).toBe(1);
  });

  test("control: without the lock they create two", async () => {
    const unlocked = races.contextWith((text) => (text.includes("identity: bootstrap") ? "select" : text));
    expect(await runTwo(unlocked)).toBe(2);
  });
});
