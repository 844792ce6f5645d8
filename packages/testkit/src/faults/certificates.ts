import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** A certificate and its key, as PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** An authority of a test's own, which no other program trusts. */
export interface Authority {
  /** The authority's own certificate, as PEM. */
  readonly certificate: string;
  /** Issues a certificate to a client of the name, or to a server that is reached as `host`: `localhost` if absent. */
  issue(name: string, host?: string): Certificate;
}

/**
 * Creates an authority for certificates that are always valid (X.509 version 3, P-256). Node can read certificates
 * only.
 */
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

interface Key {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const createKey = (): Key => generateKeyPairSync("ec", { namedCurve: "P-256" });

interface Content {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** Creates and signs a certificate (RFC 5280, 4.1). */
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

/** Returns the extension of a server: a subject alternative name. */
const isReachedAs = (host: string) =>
  sequence(identifier("2.5.29.17"), octets(sequence(encode(0x82, Buffer.from(host)))));

function toPem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/**
 * Encodes a value in DER (X.690): its tag, its length and its contents. A certificate consists of few types of ASN.1.
 */
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

/** Encodes an integer. The first byte decides its sign: below 0x80 it is positive, and a 0 would be padding. */
const integer = (...bytes: readonly number[]): Buffer => encode(0x02, Buffer.from(bytes));

/** Encodes a UTCTime, `YYMMDDhhmmssZ`: 1950 to 2049. */
const time = (value: string): Buffer => encode(0x17, Buffer.from(value));

/** Encodes an object identifier, such as `2.5.4.3`. */
function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split(".").map(Number);
  return encode(0x06, Buffer.of(first * 40 + second, ...others.flatMap(base128)));
}

function base128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}

const ECDSA_WITH_SHA256 = sequence(identifier("1.2.840.10045.4.3.2"));
const VALID = sequence(time("000101000000Z"), time("491231235959Z"));

/** The extension of an authority: basic constraints, critical. */
const isAuthority = sequence(identifier("2.5.29.19"), trueValue, octets(sequence(trueValue)));
