import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TlsPaths } from "@cloud/runtime/settings";
import { type Program, type RemovedProtection, startProgram, takeStablePort, without } from "@cloud/testkit";
import { createAuthority } from "@cloud/testkit/faults";
import { afterEach, describe, expect, test } from "@jest/globals";
import { writeTlsFolder } from "./tls-folder.ts";

// The protections of TLS. Each time one is removed from the program, the connection that it refuses is served.

const authority = createAuthority();
const other = createAuthority("other");
const owner = writeTlsFolder({ issuer: authority });
const { caFile, certFile, keyFile } = owner;

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

interface Connection {
  /** The files of the server; cleartext if absent. */
  readonly server?: TlsPaths;
  readonly client: TlsPaths;
}

async function startServer(paths: TlsPaths | undefined, removed: readonly RemovedProtection[]): Promise<Program> {
  const main = fileURLToPath(new URL("tls-controls/program.ts", import.meta.url));
  const { preload, env } = without(removed);
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const tlsPaths = paths === undefined ? "" : JSON.stringify(paths);
  const program = await startProgram({
    name: "rpc",
    main,
    port,
    operatorPort,
    env: { ...env, TLS_PATHS: tlsPaths },
    preload,
  });
  resources.push(() => program.close());
  return program;
}

/** Calls the server from a program of its own: returns "served", or why not. */
async function call({ server, client }: Connection, removed: readonly RemovedProtection[]): Promise<string> {
  const { port } = await startServer(server, removed);
  const { preload, env } = without(removed);
  const main = fileURLToPath(new URL("tls-controls/call-process.ts", import.meta.url));
  const settings = { SERVER_URL: `https://localhost:${port}`, TLS_PATHS: JSON.stringify(client) };
  const args = [...preload.flatMap((module) => ["--import", module]), main];
  const options = { env: { ...process.env, ...env, ...settings }, timeout: 30_000 };
  return (await promisify(execFile)(process.execPath, args, options)).stdout;
}

/**
 * With TLS 1.3 a client is refused after its own part of the handshake: an alert, a reset or the end, whichever it
 * sees.
 */
const UNAVAILABLE = /^\[unavailable\]/;

test("with the certificates that both demand, a call is served", async () => {
  expect(await call({ server: owner, client: owner }, [])).toBe("served");
});

describe.each<[string, Connection, RegExp, RemovedProtection]>([
  [
    "a client without a certificate, by a server that demands one",
    { server: owner, client: { caFile } },
    UNAVAILABLE,
    { marker: "client-certificate", instead: "requestCert: false," },
  ],
  [
    "a client whose certificate another authority has signed",
    { server: owner, client: writeTlsFolder({ issuer: other, trusts: authority }) },
    UNAVAILABLE,
    { marker: "client-authority", instead: "rejectUnauthorized: false," },
  ],
  [
    "a server whose certificate another authority has signed",
    { server: { certFile, keyFile }, client: { caFile: writeTlsFolder({ issuer: other }).caFile } },
    /unable to verify the first certificate/,
    {
      marker: "peer-certificate",
      instead: "return tls.connect({ ...options, rejectUnauthorized: false }).setNoDelay(true);",
    },
  ],
  [
    "a server whose certificate has another name than the URL",
    { server: writeTlsFolder({ issuer: authority, host: "other.example.test" }), client: owner },
    /Hostname\/IP does not match certificate's altnames/,
    {
      marker: "peer-certificate",
      instead: "return tls.connect({ ...options, checkServerIdentity: () => undefined }).setNoDelay(true);",
    },
  ],
  [
    "a server without TLS, by a client that demands it",
    { client: owner },
    UNAVAILABLE,
    { marker: "encrypted-peer", instead: "const isEncrypted = false;" },
  ],
])("%s", (_what, connection, reason, protection) => {
  test("is refused", async () => {
    const outcome = await call(connection, []);
    expect(outcome).not.toBe("served");
    expect(outcome).toMatch(reason);
  });
  test("control: without the protection it is served", async () => {
    expect(await call(connection, [protection])).toBe("served");
  });
});

describe("cleartext to a port with TLS", () => {
  const statusOf = async (removed: readonly RemovedProtection[]) => {
    const { port } = await startServer(owner, removed);
    const status = await fetch(`http://localhost:${port}/`).then(
      (response) => response.status,
      () => "no response",
    );
    return status;
  };
  test("is refused", async () => {
    expect(await statusOf([])).toBe("no response");
  });
  test("control: without the protection it is served", async () => {
    expect(await statusOf([{ marker: "encrypted-port", instead: "true" }])).toBe(404);
  });
});
