import { expect, test } from "@jest/globals";
import { peerTlsPaths, peerTlsSettings, serverTlsPaths, serverTlsSettings } from "./file-settings.ts";
import { readConfig } from "./settings.ts";

const FILE = import.meta.filename;
const server = (env: Record<string, string>) => serverTlsPaths(readConfig(serverTlsSettings(), env));
const peer = (env: Record<string, string>) => peerTlsPaths(readConfig(peerTlsSettings(), env));

test.each<[string, () => unknown, object | undefined]>([
  ["a port without TLS", () => server({}), undefined],
  ["an empty variable as absent", () => server({ TLS_CERT_FILE: "", TLS_KEY_FILE: "" }), undefined],
  ["TLS", () => server({ TLS_CERT_FILE: FILE, TLS_KEY_FILE: FILE }), { certFile: FILE, keyFile: FILE }],
  [
    "mutual TLS",
    () => server({ TLS_CERT_FILE: FILE, TLS_KEY_FILE: FILE, TLS_CLIENT_CA_FILE: FILE }),
    { caFile: FILE, certFile: FILE, keyFile: FILE },
  ],
  ["peers verified by the authorities of the system", () => peer({}), undefined],
  ["peers verified by a file", () => peer({ PEER_CA_FILE: FILE }), { caFile: FILE }],
  [
    "a certificate for peers",
    () => peer({ PEER_CERT_FILE: FILE, PEER_KEY_FILE: FILE }),
    { certFile: FILE, keyFile: FILE },
  ],
])("reads %s", (_what, read, paths) => {
  expect(read()).toEqual(paths);
});

test.each<[string, () => unknown]>([
  ["TLS_KEY_FILE: is required with TLS_CERT_FILE", () => server({ TLS_CERT_FILE: FILE })],
  ["TLS_CERT_FILE: is required with TLS_KEY_FILE", () => server({ TLS_KEY_FILE: FILE })],
  ["TLS_CERT_FILE: is required with TLS_CLIENT_CA_FILE", () => server({ TLS_CLIENT_CA_FILE: FILE })],
  [
    "TLS_KEY_FILE: the file /nowhere/tls.key cannot be read: ENOENT",
    () => server({ TLS_KEY_FILE: "/nowhere/tls.key" }),
  ],
  ["PEER_KEY_FILE: is required with PEER_CERT_FILE", () => peer({ PEER_CERT_FILE: FILE })],
  ["PEER_CERT_FILE: is required with PEER_KEY_FILE", () => peer({ PEER_KEY_FILE: FILE })],
  ["PEER_CA_FILE: the file /nowhere/ca.crt cannot be read: ENOENT", () => peer({ PEER_CA_FILE: "/nowhere/ca.crt" })],
])("refuses: %s", (problem, read) => {
  expect(read).toThrow(new Error(`the configuration is not usable:\n  ${problem}`));
});
