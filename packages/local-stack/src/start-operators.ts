import { type Readiness, startOperatorServer } from "@cloud/runtime";
import type { Telemetry } from "@cloud/runtime/telemetry";
import { createStatusPages } from "./status/status-pages.ts";

export interface StackPorts {
  gateway: number;
  workspace: number;
  environment: number;
  identity: number;
}

/** The URL of each program's operator port. */
export type Operators = Readonly<Record<keyof StackPorts, string>>;

interface OperatorsOptions {
  readonly host: string;
  /** Free ones if absent or 0. */
  readonly ports: Partial<StackPorts>;
  readonly programs: Readonly<Record<keyof StackPorts, { readiness(): Promise<Readiness> }>>;
  readonly telemetryFor: (program: string) => Telemetry;
}

/**
 * Opens the operator's port of each program, until `resources` are disposed. The gateway's has the status page of all.
 */
export async function startOperators(
  { host, ports, programs, telemetryFor }: OperatorsOptions,
  resources: AsyncDisposableStack,
): Promise<Operators> {
  const names = ["gateway", "workspace", "environment", "identity"] as const;
  const observed = names.map((name) => {
    const { readiness } = programs[name];
    return [name, { telemetry: telemetryFor(name), readiness }] as const;
  });
  const status = createStatusPages(new Map(observed));
  const start = async (name: keyof StackPorts) => {
    const { readiness } = programs[name];
    const server = await startOperatorServer({
      host,
      port: ports[name] ?? 0,
      readiness,
      telemetry: telemetryFor(name),
      ...(name === "gateway" && { pages: status }),
    });
    resources.defer(() => server.stop());
    return server.url;
  };
  return {
    gateway: await start("gateway"),
    workspace: await start("workspace"),
    environment: await start("environment"),
    identity: await start("identity"),
  };
}
