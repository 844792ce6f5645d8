import { writeFileSync } from "node:fs";
import { createTelemetry } from "@cloud/runtime/telemetry";
import { openTestDatabase, testTelemetry, waitFor } from "@cloud/testkit";
import { createAuthority, startTlsPostgres, type TlsPostgres, testFile } from "@cloud/testkit/faults";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { DatabaseUnavailable } from "../src/database-errors.ts";
import { migrate } from "../src/migrations/migrate.ts";
import { statement } from "../src/statement.ts";

const { log } = testTelemetry();
const authority = createAuthority();
const other = createAuthority("other");

let server: TlsPostgres;

/** A Postgres with a certificate, which demands one of its clients for the role `certified`. */
beforeAll(async () => {
  server = await startTlsPostgres(authority, "hostssl all certified all cert\n");
  await server.run("create role certified login superuser");
  await waitFor(async () => (await encrypted(url())) || undefined, { deadlineMs: 30_000 });
}, 60_000);

afterAll(() => server.stop());

/** Returns the URL by name, with verified TLS. */
function url(parameters: Readonly<Record<string, string>> = {}, user?: string): string {
  const made = new URL(server.superuserUrl);
  made.hostname = "localhost";
  if (user !== undefined) [made.username, made.password] = [user, ""];
  const all = { sslmode: "verify-full", sslrootcert: testFile(authority.certificate), ...parameters };
  for (const [name, value] of Object.entries(all)) made.searchParams.set(name, value);
  return made.href;
}

async function encrypted(from: string): Promise<boolean> {
  const db = openTestDatabase({ url: from, schema: "public", log });
  try {
    const { rows } = await db.read(statement<{ ssl: boolean }>`
      select ssl
      from pg_stat_ssl
      where pid = pg_backend_pid()`);
    return rows[0]?.ssl === true;
  } finally {
    await db.close();
  }
}

const reasonOf = async (from: string) => {
  const error: unknown = await encrypted(from).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(DatabaseUnavailable);
  return String((error as DatabaseUnavailable).cause);
};

test("sslmode=verify-full with the CA file encrypts; without a mode, nothing does", async () => {
  expect(await encrypted(url())).toBe(true);
  expect(await encrypted(server.superuserUrl)).toBe(false);
});

test("a server whose certificate another authority signed is refused", async () => {
  expect(await reasonOf(url({ sslrootcert: testFile(other.certificate) }))).toContain("certificate");
});

test("control: without verification, it is connected to", async () => {
  expect(await encrypted(url({ sslmode: "no-verify", sslrootcert: testFile(other.certificate) }))).toBe(true);
});

test("a CA file that is replaced needs no restart", async () => {
  const sslrootcert = testFile(other.certificate);
  const db = openTestDatabase({ url: url({ sslrootcert }), schema: "public", log });
  await expect(db.read(statement`select 1`)).rejects.toThrow(DatabaseUnavailable);
  writeFileSync(sslrootcert, authority.certificate);
  expect((await db.read(statement`select 1`)).rowCount).toBe(1);
  await db.close();
});

test("a server with another name than the URL is refused", async () => {
  await server.presentCertificateFor("db.example.test");
  try {
    const reason = await waitFor(() => reasonOf(url()).catch(() => undefined), { deadlineMs: 30_000 });
    expect(reason).toContain("Hostname/IP does not match");
    // The control: without verification, it is connected to.
    expect(await encrypted(url({ sslmode: "no-verify" }))).toBe(true);
  } finally {
    await server.presentCertificateFor("localhost");
    await waitFor(async () => (await encrypted(url())) || undefined, { deadlineMs: 30_000 });
  }
});

test("a client certificate is the login of a role that demands one", async () => {
  const { certificate, key } = authority.issue("certified");
  const files = { sslcert: testFile(certificate), sslkey: testFile(key) };
  expect(await encrypted(url(files, "certified"))).toBe(true);
});

test.each([
  ["no certificate", () => ({})],
  ["the certificate of another role", () => authority.issue("uncertified")],
  ["a certificate of another authority", () => other.issue("certified")],
])("a role that demands a client certificate is refused with %s", async (_what, issue) => {
  const issued: { certificate?: string; key?: string } = issue();
  const files =
    issued.key === undefined ? {} : { sslcert: testFile(issued.certificate ?? ""), sslkey: testFile(issued.key) };
  await expect(encrypted(url(files, "certified"))).rejects.toThrow();
});

test("a service does not wait at its start for a server that it does not trust", async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const { log } = createTelemetry({ service: "test", level: "info", destination, processMetrics: false });
  const starting = migrate({ url: url({ sslrootcert: testFile(other.certificate) }), schema: "x", sources: [], log });
  await expect(starting).rejects.toThrow(DatabaseUnavailable);
  expect(lines.filter((line) => line.includes("migrations wait for Postgres"))).toEqual([]);
});
