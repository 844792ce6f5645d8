import { nkeys } from "nats";

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** A nats-server's own operator and account, whose users show a JWT that the account has signed. */
export interface Accounts {
  /** The server's configuration. */
  readonly configuration: string;
  /** Returns a user's creds file, as `nsc generate creds` writes it. */
  createCreds(): string;
}

/** Creates the keys and JWTs that `nsc` would. */
export function createAccounts(): Accounts {
  const operator = nkeys.createOperator();
  const [account, system] = [nkeys.createAccount(), nkeys.createAccount()];
  const unlimited = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const preload = (owner: KeyPair) =>
    `${owner.getPublicKey()}: ${signJwt(operator, owner.getPublicKey(), { type: "account", limits: unlimited })}`;
  return {
    configuration: [
      `operator: ${signJwt(operator, operator.getPublicKey(), { type: "operator" })}`,
      "resolver: MEMORY",
      `resolver_preload: { ${preload(account)}, ${preload(system)} }`,
      `system_account: ${system.getPublicKey()}`, // JetStream needs one
    ].join("\n"),
    createCreds: () => {
      const user = nkeys.createUser();
      const jwt = signJwt(account, user.getPublicKey(), { type: "user", subs: -1, data: -1, payload: -1 });
      const block = (name: string, value: string) => `-----BEGIN ${name}-----\n${value}\n------END ${name}------\n`;
      return block("NATS USER JWT", jwt) + block("USER NKEY SEED", Buffer.from(user.getSeed()).toString());
    },
  };
}

function signJwt(issuer: KeyPair, subject: string, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const body = { jti: subject, iat: 1_700_000_000, iss: issuer.getPublicKey(), sub: subject };
  const signed = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode({ ...body, nats: { ...claims, version: 2 } })}`;
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString("base64url")}`;
}
