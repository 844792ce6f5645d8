import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentTestRun, waitFor } from "@cloud/testkit";
import { runSeed, writeReport } from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import pg from "pg";
import { startSystem } from "../chaos/system/start-system.ts";
import { collectTexts } from "./secrets/collect-texts.ts";
import { findSecrets } from "./secrets/find-secrets.ts";
import { provokeErrors } from "./secrets/provoke-errors.ts";
import { secretsOf } from "./secrets/secrets-of.ts";

test("no log, command line, metric, table or error contains a token, a credential or a password", async () => {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ env: { ACCESS_LOG_SAMPLE: "1" } });
  resources.defer(() => system.stop());
  const errors = await provokeErrors(system, runSeed());
  const secrets = secretsOf(system);
  // Postgres has just been started again.
  const collected = await waitFor(() => collectTexts(system), { deadlineMs: 30_000 });
  const texts = { ...errors, ...collected };
  const size = Object.values(texts).reduce((sum, text) => sum + text.length, 0);
  const found = findSecrets(texts, secrets);
  const figures = { secrets: Object.keys(secrets).length, places: Object.keys(texts).length, characters: size };
  writeReport({ what: "hostile-secrets", promise: 6, ...figures, found: found.length });
  expect(found).toEqual([]);
  expect(figures.secrets).toBeGreaterThanOrEqual(13);
  const kinds = new Set(Object.keys(texts).map((place) => place.split(" ", 1)[0]));
  expect(kinds).toEqual(new Set(["bodies", "log", "command", "metrics", "table"]));
}, 180_000);

test("control: a planted secret is found in a table, a log and a command line", async () => {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem();
  resources.defer(() => system.stop());
  const { orgAdmin, user, outsider } = system.demo.users;
  const client = new pg.Client({ connectionString: system.databaseUrl });
  client.on("error", () => undefined); // the server may stop first
  await client.connect();
  await client.query("create table identity.planted (bytes bytea)");
  await client.query("insert into identity.planted values ($1)", [Buffer.from("Bearer " + orgAdmin.token)]);
  await client.end();
  const encoded = Buffer.from("user:" + user.token).toString("base64");
  writeFileSync(join(currentTestRun().folder, "planted.log"), `{"authorization":"Basic ${encoded}"}\n`);
  const process = spawn("/bin/sh", ["-c", "echo started; read _", outsider.token], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  await once(process.stdout, "data");
  const found = findSecrets(await collectTexts(system), secretsOf(system));
  process.kill();
  writeReport({ what: "hostile-secrets-control", promise: 6, found: found.length });
  expect(found.map((text) => text.replace(/\d+$/, "<pid>")).toSorted()).toEqual([
    "token of orgAdmin in table identity.planted",
    "token of outsider in command line <pid>",
    "token of user in log planted.log",
  ]);
}, 60_000);
