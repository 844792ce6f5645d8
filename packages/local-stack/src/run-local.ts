import { setTimeout as delay } from "node:timers/promises";
import type { Demo } from "./demo.ts";
import { localFolder } from "./local-folder.ts";
import type { LocalSettings } from "./local-settings.ts";
import { type LocalSystem, startLocal } from "./start-local.ts";

/**
 * Milliseconds for the current step of a start, which may take long (a download); the servers end with this process
 * anyway.
 */
const START_GRACE_MS = 3_000;
/** Milliseconds for the services when Postgres or NATS has stopped permanently. */
const FAILED_GRACE_MS = 10_000;

/**
 * Starts everything, prints the banner, and stops everything when `stopRequested` settles, even during the start, or
 * when a server keeps ending.
 *
 * @throws LocalServerError with one line for users
 */
export async function runLocal(
  settings: LocalSettings,
  stopRequested: Promise<void>,
  print: (line: string) => void,
): Promise<void> {
  const stopping = new AbortController();
  const failed = Promise.withResolvers<undefined>();
  const starting = startLocal(settings, { print, giveUp: failed.reject, signal: stopping.signal });
  const ended = Promise.race([stopRequested, failed.promise]).finally(() => stopping.abort());

  let started: LocalSystem | undefined;
  try {
    started = (await Promise.race([starting, ended])) ?? undefined;
    if (started === undefined) return;
    print(banner(started, settings.folder));
    await ended;
    print("stopping (Ctrl-C once more to force)");
    await started.stop();
  } catch (error) {
    // A failed start has stopped what it had started.
    await Promise.race([started?.stop(), delay(FAILED_GRACE_MS)]);
    throw error;
  } finally {
    const startedLate = starting.then((local) => local.stop()).catch(() => undefined);
    if (started === undefined) await Promise.race([startedLate, delay(START_GRACE_MS)]);
  }
}

/** Returns the most important facts for users: all addresses, and the tokens for them. */
function banner({ stack, demo, natsUrl, postgresUrl, prometheusUrl }: LocalSystem, folder: string): string {
  const { gateway, services, operators } = stack;
  const paths = localFolder(folder);
  const database = new URL(postgresUrl);
  const noNats = "delivered within this process: no NATS_URL, and no nats-server was found or could be fetched";
  return `
Everything runs. Ctrl-C stops it; the data is kept in ${folder}

  API reference   ${gateway}/api/docs
  Status, live    ${operators.gateway}/status
  REST API        ${gateway}/api
  gRPC, gRPC-Web  workspace ${services.workspace}  environment ${services.environment}  identity ${services.identity}
  Operators       gateway ${operators.gateway}  workspace ${operators.workspace}  environment ${operators.environment}  identity ${operators.identity}: /readyz, /metrics
  Events          ${natsUrl === undefined ? noNats : `${natsUrl}, users and passwords in ${paths.nats}/nats.conf`}
  Postgres        ${database.host}/cloud, user postgres, password in ${paths.postgres}/superuser-password
  Logs            ${paths.logs}
${prometheusUrl === undefined ? "" : `  Prometheus      ${prometheusUrl}\n`}${demo === undefined ? firstSteps(database, paths.postgres) : demoLines(demo, paths.demo)}`;
}

function firstSteps({ host }: URL, folder: string): string {
  const url = `postgres://postgres@${host}/cloud?passwordfile=${encodeURI(folder)}/superuser-password`;
  return `
The first organization, its Provider Admin and their token; docs/first-day.md continues from there

  export DATABASE_URL='${url}'
  npm run --silent bootstrap -- --organization Corp --email ada@example.com
`;
}

function demoLines(demo: Demo, file: string): string {
  const [first, second] = demo.organizations;
  const token = ([name, user]: [string, { token: string }]) => `  ${name.padEnd(14)}  ${user.token}`;
  return `
Tokens of the demo, also in ${file}: all users are in ${first?.name}, but the outsider in ${second?.name}
${Object.entries(demo.users).map(token).join("\n")}

  curl -H 'Authorization: Bearer ${demo.users.orgAdmin.token}' '${demo.gateway}/api/workspaces?orgId=${first?.id}'
`;
}
