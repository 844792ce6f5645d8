import { natsPermissions } from "@cloud/events/nats";
import type { Database } from "@cloud/postgres";
import { commitSubject, noCommitSignals, type ServiceDefinition } from "@cloud/service";
import { testTelemetry } from "@cloud/testkit";
import { stringify } from "yaml";
import { environmentParts } from "../../services/environment/src/service.ts";
import { identityParts } from "../../services/identity/src/service.ts";
import { workspaceParts } from "../../services/workspace/src/service.ts";

const HEAD = `# The users of NATS, for an "include" in the configuration of nats-server 2.11.15 or later: see "NATS" in deploy/README.md.
# Each password is a variable of nats-server's environment. Rendered from the services' code:
# UPDATE_DOCS=1 npm test -- deploy/test/nats-authorization
`;

/** Renders the configuration of nats-server: a user per service, with the permissions that its code needs. */
export function renderNatsAuthorization(): string {
  const users = natsServices().map(renderUser).join("\n");
  return `${HEAD}authorization {
  users: [
${users}
    # For the operator's own tools, such as the nats command: everything.
    { user: operator, password: $NATS_OPERATOR_PASSWORD }
  ]
}
`;
}

const ACCOUNTS_HEAD = `# The users of NATS for its Helm chart, beside values.yaml. Rendered from the services' code:
# UPDATE_DOCS=1 npm test -- deploy/test/nats-authorization
`;

/** Renders values of NATS' Helm chart: an account with the same users, and one that can only observe the servers. */
export function renderNatsAccounts(): string {
  const services = natsServices().map(({ name, publish, subscribe }) => ({
    user: name,
    password: variableOf(name),
    permissions: { publish: { allow: publish }, subscribe: { allow: subscribe } },
  }));
  const accounts = {
    CLOUD: { jetstream: "enabled", users: [...services, { user: "operator", password: variableOf("operator") }] },
    SYSTEM: { users: [{ user: "system", password: variableOf("system") }] },
  };
  const values = { config: { merge: { accounts, system_account: "SYSTEM" } } };
  return ACCOUNTS_HEAD + stringify(values, { lineWidth: 0 });
}

/** Spells a variable of the server's environment as the chart does. */
const variableOf = (user: string) => `<< $NATS_${user.toUpperCase()}_PASSWORD >>`;

interface ServiceUser {
  readonly name: string;
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

function natsServices(): ServiceUser[] {
  const services = [partsOf(workspaceParts), partsOf(environmentParts), partsOf(identityParts)];
  return services.map(({ name, subjects, signals }) => ({ name, ...natsPermissions(name, subjects, signals) }));
}

function renderUser({ name, publish, subscribe }: ServiceUser): string {
  const allow = (allowed: readonly string[]) =>
    `{ allow: [\n${allowed.map((subject) => `          "${subject}"\n`).join("")}        ] }`;
  return `    {
      user: ${name}
      password: $NATS_${name.toUpperCase()}_PASSWORD
      permissions: {
        publish: ${allow(publish)}
        subscribe: ${allow(subscribe)}
      }
    }`;
}

interface ServiceOnNats {
  readonly name: string;
  /** The subjects of the events that it consumes. */
  readonly subjects: readonly string[];
  readonly signals: readonly string[];
}

type Config = Parameters<typeof workspaceParts>[0] &
  Parameters<typeof environmentParts>[0] &
  Parameters<typeof identityParts>[0];

/** Wires a service without a database and without a call of its peers. */
function partsOf<Peer extends string>(create: (config: Config) => ServiceDefinition<Peer>): ServiceOnNats {
  const url = "http://127.0.0.1:1";
  const telemetry = testTelemetry();
  const parts = create({ serviceToken: "", workspaceUrl: url, environmentUrl: url, identityUrl: url, telemetry });
  const owners = Object.fromEntries(Object.keys(parts.peers).map((peer) => [peer, undefined]));
  const { effects } = parts.build(undefined as unknown as Database, owners as never, noCommitSignals);
  for (const peer of Object.values<{ close(): void }>(parts.peers)) peer.close();
  const { name } = parts.schema;
  const signals = parts.signalsCommits ? [commitSubject(name)] : [];
  return { name, subjects: effects.map(({ subject }) => subject).sort(), signals };
}
