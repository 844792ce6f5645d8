import { type Readiness, startOperatorServer } from "@cloud/program";
import type { Telemetry } from "@cloud/telemetry";
import type { Operators, StackPorts } from "./stack-addresses.ts";

export interface OperatorsOptions {
  readonly host: string;
  /** Free ones if absent or 0. */
  readonly ports: Partial<StackPorts>;
  readonly programs: Readonly<Record<keyof StackPorts, { readiness(): Promise<Readiness> }>>;
  readonly telemetryFor: (program: string) => Telemetry;
}

/** Opens the operator's port of each program, until `resources` are disposed. */
export async function startOperators(
  { host, ports, programs, telemetryFor }: OperatorsOptions,
  resources: AsyncDisposableStack,
): Promise<Operators> {
  const start = async (name: keyof StackPorts) => {
    const { readiness } = programs[name];
    const server = await startOperatorServer({
      host,
      port: ports[name] ?? 0,
      readiness,
      telemetry: telemetryFor(name),
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
