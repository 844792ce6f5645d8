import type { Demo } from "./demo.ts";
import { localFolder } from "./local-folder.ts";
import type { LocalSystem } from "./start-local.ts";

/** Returns the most important facts for users: all addresses, and the tokens for them. */
export function banner({ stack, demo, natsUrl, postgresUrl, prometheusUrl }: LocalSystem, folder: string): string {
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
