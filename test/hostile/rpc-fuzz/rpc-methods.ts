import type { DescMethod } from "@bufbuild/protobuf";
import { loadServices } from "../../cases/surfaces/exposed-methods.ts";
import { SERVICES, type ServiceName } from "../../chaos/system/services.ts";

/** An RPC, and a service that serves it. */
export interface ServedRpc {
  readonly method: DescMethod;
  readonly service: ServiceName;
  readonly path: string;
}

/** Returns every RPC of every service: also those for services only, health and reflection. */
export async function findRpcs(): Promise<ServedRpc[]> {
  return (await loadServices()).flatMap(({ typeName, methods }) =>
    servicesOf(typeName).flatMap((service) =>
      methods.map((method) => ({ method, service, path: "/" + typeName + "/" + method.name })),
    ),
  );
}

function servicesOf(typeName: string): readonly ServiceName[] {
  if (typeName.startsWith("academy.")) return ["identity"];
  const own = SERVICES.filter((name) => typeName.startsWith(name + "."));
  return own.length > 0 ? own : SERVICES;
}
