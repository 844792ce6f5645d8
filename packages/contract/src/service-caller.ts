import { ServiceCaller } from "@cloud/proto/cloud/api/v1/options_pb";

/** The names of those who hold a service credential, as settings spell them. */
export const SERVICE_CALLER_NAMES = ["workspace", "environment", "identity", "operator"] as const;

export type ServiceCallerName = (typeof SERVICE_CALLER_NAMES)[number];

/** A credential that a service accepts. A caller may have several, so that one can be replaced. */
export interface ServiceCredential {
  readonly name: ServiceCallerName;
  readonly secret: string;
}

/** Returns undefined for UNSPECIFIED, and for a number that this release does not have. */
export function findServiceCallerName(caller: ServiceCaller): ServiceCallerName | undefined {
  return NAMES.get(caller);
}

const NAMES: ReadonlyMap<ServiceCaller, ServiceCallerName> = new Map([
  [ServiceCaller.WORKSPACE, "workspace"],
  [ServiceCaller.ENVIRONMENT, "environment"],
  [ServiceCaller.IDENTITY, "identity"],
  [ServiceCaller.OPERATOR, "operator"],
]);
