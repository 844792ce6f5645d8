import { readConfig } from "@cloud/runtime/settings";
import { expect, test } from "@jest/globals";
import { natsAccess, natsSettings } from "./nats-settings.ts";

const FILE = import.meta.filename;
const read = (env: Record<string, string>) =>
  natsAccess(readConfig(natsSettings(), { NATS_URL: "nats://nats", ...env }));

test.each<[string, Record<string, string>, object]>([
  ["no login", {}, { url: "nats://nats" }],
  ["a user", { NATS_USER: "w", NATS_PASSWORD: "p" }, { url: "nats://nats", login: { user: "w", password: "p" } }],
  [
    "a user with the password in a file",
    { NATS_USER: "w", NATS_PASSWORD_FILE: FILE },
    { url: "nats://nats", login: { user: "w", passwordFile: FILE } },
  ],
  ["a token", { NATS_TOKEN: "t" }, { url: "nats://nats", login: { token: "t" } }],
  ["a token in a file", { NATS_TOKEN_FILE: FILE }, { url: "nats://nats", login: { tokenFile: FILE } }],
  ["a creds file", { NATS_CREDS_FILE: FILE }, { url: "nats://nats", login: { credsFile: FILE } }],
  ["an nkey", { NATS_NKEY_FILE: FILE }, { url: "nats://nats", login: { nkeyFile: FILE } }],
  [
    "TLS with a client certificate",
    { NATS_CA_FILE: FILE, NATS_CERT_FILE: FILE, NATS_KEY_FILE: FILE },
    { url: "nats://nats", tls: { caFile: FILE, certFile: FILE, keyFile: FILE } },
  ],
])("reads %s", (_what, env, access) => {
  expect(read(env)).toEqual(access);
});

test.each<[string, Record<string, string>]>([
  [
    "NATS_TOKEN: only one login can be set, but there are NATS_PASSWORD, NATS_TOKEN",
    { NATS_USER: "w", NATS_PASSWORD: "p", NATS_TOKEN: "t" },
  ],
  [
    "NATS_NKEY_FILE: only one login can be set, but there are NATS_CREDS_FILE, NATS_NKEY_FILE",
    { NATS_CREDS_FILE: FILE, NATS_NKEY_FILE: FILE },
  ],
  [
    "NATS_PASSWORD: only one login can be set, but there are NATS_URL, NATS_PASSWORD",
    { NATS_URL: "nats://a:b@nats", NATS_USER: "w", NATS_PASSWORD: "p" },
  ],
  [
    "NATS_PASSWORD_FILE: only one login can be set, but there are NATS_PASSWORD, NATS_PASSWORD_FILE",
    { NATS_USER: "w", NATS_PASSWORD: "p", NATS_PASSWORD_FILE: FILE },
  ],
  ["NATS_USER: needs NATS_PASSWORD or NATS_PASSWORD_FILE", { NATS_USER: "w" }],
  ["NATS_USER: is required, since there is a password", { NATS_PASSWORD: "p" }],
  ["NATS_KEY_FILE: is required with NATS_CERT_FILE", { NATS_CERT_FILE: FILE }],
  ["NATS_CERT_FILE: is required with NATS_KEY_FILE", { NATS_KEY_FILE: FILE }],
  ["NATS_URL: the servers have different logins in their URLs", { NATS_URL: "nats://a:b@one,nats://two" }],
  ["NATS_URL: the login is not percent-encoded", { NATS_URL: "nats://a:%zz@one" }],
  ["NATS_CA_FILE: the file /nowhere/ca.crt cannot be read: ENOENT", { NATS_CA_FILE: "/nowhere/ca.crt" }],
])("refuses: %s", (problem, env) => {
  expect(() => read(env)).toThrow(new Error(`the configuration is not usable:\n  ${problem}`));
});
