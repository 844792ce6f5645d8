import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { bits, encode, identifier, integer, octets, sequence, setOf, time, trueValue, utf8 } from "./der.ts";

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
