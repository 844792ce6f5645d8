import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clusterFolderOf, startPostgres } from "@cloud/local-servers";
import pg from "pg";
import { noteOpened, testFolder } from "../test-servers.ts";

/** The few types of ASN.1 in DER (X.690) of which a certificate consists. */

/** Encodes a value of any type: its tag, its length and its contents. */
function encode(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const length = content.length;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...long), content]);
}

const sequence = (...values: readonly Uint8Array[]): Buffer => encode(0x30, ...values);
const setOf = (value: Uint8Array): Buffer => encode(0x31, value);
const octets = (value: Uint8Array): Buffer => encode(0x04, value);
const bits = (value: Uint8Array): Buffer => encode(0x03, Buffer.of(0), value);
const utf8 = (value: string): Buffer => encode(0x0c, Buffer.from(value));
const trueValue: Buffer = encode(0x01, Buffer.of(0xff));

/** The first byte decides: below 0x80 the integer is positive, and a 0 would be padding. */
const integer = (...bytes: readonly number[]): Buffer => encode(0x02, Buffer.from(bytes));

/** UTCTime, `YYMMDDhhmmssZ`: 1950 to 2049. */
const time = (value: string): Buffer => encode(0x17, Buffer.from(value));

/** An object identifier, such as `2.5.4.3`. */
function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split(".").map(Number);
  return encode(0x06, Buffer.of(first * 40 + second, ...others.flatMap(base128)));
}

function base128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}

/** A certificate and its key, as PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** An authority of a test's own, which no other program trusts. */
export interface Authority {
  /** Its certificate, as PEM. */
  readonly certificate: string;
  /** Issues a certificate to a client of the name, or to a server that is reached as `host`: `localhost` if absent. */
  issue(name: string, host?: string): Certificate;
}

interface Key {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const ECDSA_WITH_SHA256 = sequence(identifier("1.2.840.10045.4.3.2"));
const VALID = sequence(time("000101000000Z"), time("491231235959Z"));

/** Creates an authority for certificates that are always valid (X.509 version 3, P-256). Node can read certificates only. */
export function createAuthority(name = "test authority"): Authority {
  const own = createKey();
  const sign = (subject: string, publicKey: KeyObject, extensions: readonly Buffer[]) =>
    toPem(certify({ subject, issuer: name, publicKey, extensions }, own.privateKey));
  return {
    certificate: sign(name, own.publicKey, [isAuthority]),
    issue: (subject, host = "localhost") => {
      const { publicKey, privateKey } = createKey();
      const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      return { certificate: sign(subject, publicKey, [isReachedAs(host)]), key };
    },
  };
}

const createKey = (): Key => generateKeyPairSync("ec", { namedCurve: "P-256" });

interface Content {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** RFC 5280, 4.1. */
function certify({ subject, issuer, publicKey, extensions }: Content, signer: KeyObject): Buffer {
  const content = sequence(
    encode(0xa0, integer(2)), // version 3
    integer(1, ...randomBytes(8)),
    ECDSA_WITH_SHA256,
    commonName(issuer),
    VALID,
    commonName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    encode(0xa3, sequence(...extensions)),
  );
  return sequence(content, ECDSA_WITH_SHA256, bits(sign("sha256", content, signer)));
}

const commonName = (name: string) => sequence(setOf(sequence(identifier("2.5.4.3"), utf8(name))));

/** Basic constraints, critical. */
const isAuthority = sequence(identifier("2.5.29.19"), trueValue, octets(sequence(trueValue)));

/** A subject alternative name. */
const isReachedAs = (host: string) =>
  sequence(identifier("2.5.29.17"), octets(sequence(encode(0x82, Buffer.from(host)))));

function toPem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

export interface TlsPostgres {
  /** Without TLS, by address. */
  readonly superuserUrl: string;
  /** Runs a statement as the superuser. */
  run(statement: string): Promise<void>;
  /** Presents another certificate of the authority, for this host. Connections may see the previous one for a moment. */
  presentCertificateFor(host: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a Postgres that offers TLS, with a certificate for `localhost`, and trusts client certificates of the same
 * authority. `rules` are lines of pg_hba.conf, before those that accept passwords.
 */
export async function startTlsPostgres(authority: Authority, rules: string): Promise<TlsPostgres> {
  const folder = testFolder();
  const server = await startPostgres({ folder, persistent: false });
  const noteClosed = noteOpened("Postgres", `TLS-${server.port}`);
  const cluster = clusterFolderOf(folder);
  // The server runs as another user if the test runs as root, and accepts a key only of its own.
  const writeServerFile = (name: string, content: string) => {
    const file = join(cluster, name);
    writeFileSync(file, content, { mode: 0o600 });
    const { uid, gid } = statSync(cluster);
    chownSync(file, uid, gid);
  };
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: server.superuserUrl });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  const presentCertificateFor = async (host: string) => {
    const { certificate, key } = authority.issue("postgres", host);
    writeServerFile("server.crt", certificate);
    writeServerFile("server.key", key);
    await run("select pg_reload_conf()");
  };
  writeServerFile("ca.crt", authority.certificate);
  const file = join(cluster, "pg_hba.conf");
  writeFileSync(file, rules + readFileSync(file, "utf8"));
  for (const setting of ["ssl_ca_file='ca.crt'", "ssl=on"]) await run(`alter system set ${setting}`);
  await presentCertificateFor("localhost");
  const stop = async () => {
    await server.stop();
    noteClosed();
  };
  return { superuserUrl: server.superuserUrl, run, presentCertificateFor, stop };
}
