import { randomBytes } from "node:crypto";
import type { ServiceCallerName, ServiceCredential } from "@cloud/contract";

export type ServiceName = Exclude<ServiceCallerName, "operator">;

/** Who calls each service, besides the gateway: docs/architecture.md. */
const CALLERS: Readonly<Record<ServiceName, readonly ServiceCallerName[]>> = {
  workspace: ["identity", "operator"],
  environment: ["workspace", "operator"],
  identity: ["workspace", "environment", "operator"],
};

export type StackCredentials = Readonly<Record<ServiceCallerName, string>>;

/** Creates a credential for each service; the operator's is given, because clients keep it. */
export function createCredentials(operator: string): StackCredentials {
  const create = () => randomBytes(24).toString("base64url");
  return { workspace: create(), environment: create(), identity: create(), operator };
}

/** Returns what a service accepts: the credentials of its callers only. */
export function credentialsFor(service: ServiceName, credentials: StackCredentials): ServiceCredential[] {
  return CALLERS[service].map((name) => ({ name, secret: credentials[name] }));
}
