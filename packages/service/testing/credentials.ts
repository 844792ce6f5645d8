import type { ServiceCallerName, ServiceCredential } from "@cloud/access";

/** The operator's credential, which the service under test and its peers accept for every RPC. */
export const SERVICE_TOKEN = "service-token-of-the-tests";

/** Returns the credential that a service sends to its peers. */
export const credentialOf = (name: ServiceCallerName): string =>
  name === "operator" ? SERVICE_TOKEN : `credential-of-${name}-in-tests`;

/**
 * The credentials that the service under test and its peers accept: one of its own for every caller, as in production.
 */
export const SERVICE_CREDENTIALS: readonly ServiceCredential[] = (
  ["workspace", "environment", "identity", "operator"] as const
).map((name) => ({ name, secret: credentialOf(name) }));
