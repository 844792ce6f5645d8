import { fileURLToPath } from "node:url";
import { startGateway } from "@cloud/gateway";
import { PATIENT_LIMITS } from "@cloud/local-stack/test-stack";
import type { Database } from "@cloud/postgres";
import {
  credentialOf,
  type IdentityPeer,
  SERVICE_TOKEN,
  startIdentityPeer,
  tokenOf,
  type UserName,
} from "@cloud/service/testing";
import {
  createProgram,
  createTestDatabase,
  openTestDatabase,
  type Program,
  takeStablePort,
  testTelemetry,
} from "@cloud/testkit";
import { type FaultProxy, startFaultProxy } from "@cloud/testkit/faults";

/** A response as a client sees it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The bytes, to compare replies. */
  readonly text: string;
}

/** Two replicas of the environment service, each a process with a gateway of its own, on one database. */
export interface Replicas {
  readonly identity: IdentityPeer;
  readonly programs: readonly [Program, Program];
  /** Between each replica and its gateway. */
  readonly proxies: readonly [FaultProxy, FaultProxy];
  /** The service's tables. */
  readonly db: Database;
  /** Sends a request to a replica, as `admin` if no other user is named. */
  send(replica: number, method: string, path: string, options?: Sent): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Sent {
  readonly as?: UserName;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const MAIN = fileURLToPath(new URL("../../../services/environment/src/main.ts", import.meta.url));

export async function startReplicas(): Promise<Replicas> {
  await using resources = new AsyncDisposableStack();
  const database = await createTestDatabase("environment");
  resources.defer(() => database.drop());
  const identity = await startIdentityPeer();
  resources.defer(() => identity.stop());
  const env = {
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: database.ownerUrl,
    NATS_URL: "nats://127.0.0.1:1", // none listens there; the service serves without
    IDENTITY_URL: identity.url,
    SERVICE_TOKEN: credentialOf("environment"),
    SERVICE_CREDENTIALS: `operator:${SERVICE_TOKEN}`,
    LAME_DUCK_MS: "0",
    // A busy machine is no reason to refuse a request.
    MAX_IN_FLIGHT: String(PATIENT_LIMITS.server.maxInFlight),
  };
  const startReplica = async (name: string) => {
    const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
    const program = createProgram({ name, main: MAIN, port, operatorPort, env });
    resources.defer(() => program.close());
    await program.start();
    const proxy = await startFaultProxy({ host: "127.0.0.1", port });
    resources.defer(() => proxy.stop());
    const environmentUrl = `http://127.0.0.1:${proxy.port}`;
    const urls = { workspaceUrl: environmentUrl, environmentUrl, identityUrl: identity.url };
    const { server: limits, requestDeadlineMs } = PATIENT_LIMITS;
    const telemetry = testTelemetry();
    const gateway = await startGateway({ host: "127.0.0.1", port: 0, ...urls, limits, requestDeadlineMs, telemetry });
    resources.defer(() => gateway.stop());
    return { program, proxy, gateway };
  };
  const replicas = [await startReplica("environment-0"), await startReplica("environment-1")] as const;
  const { log } = testTelemetry();
  const db = openTestDatabase({ url: database.url, schema: "environment", log });
  resources.defer(() => db.close());

  const running = resources.move();
  return {
    identity,
    programs: [replicas[0].program, replicas[1].program],
    proxies: [replicas[0].proxy, replicas[1].proxy],
    db,
    send: async (replica, method, path, { as = "admin", headers, body } = {}) => {
      const { gateway } = replicas[replica % 2] as (typeof replicas)[0];
      const json = body === undefined ? {} : { "content-type": "application/json" };
      const response = await fetch(`${gateway.url}/api${path}`, {
        method,
        headers: { authorization: `Bearer ${tokenOf(as)}`, ...json, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    stop: () => running.disposeAsync(),
  };
}
