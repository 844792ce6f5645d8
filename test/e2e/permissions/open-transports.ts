import type { TestStack } from "@cloud/local-stack/test-stack";
import { createServiceTransport } from "@cloud/rpc";

export type Transports = ReturnType<typeof openTransports>;

/** Opens transports to the services of a stack, which send the token with each call, if there is one. */
export function openTransports({ services }: Pick<TestStack, "services">, token?: string) {
  const open = (url: string) =>
    createServiceTransport({ url, deadlineMs: 30_000, ...(token === undefined ? {} : { serviceToken: token }) });
  const workspace = open(services.workspace);
  const identity = open(services.identity);
  const environment = open(services.environment);
  const byPackage = new Map([
    ["workspace.v1", workspace],
    ["cloud.api.v1", workspace],
    ["environment.v1", environment],
    ["identity.v1", identity],
    ["academy.v1", identity],
  ]);
  return {
    /** Returns the transport to the service that serves a package. @throws Error for an unknown package */
    of(packageName: string) {
      const transport = byPackage.get(packageName);
      if (transport === undefined) throw new Error("add who serves the package " + packageName);
      return transport;
    },
    close() {
      for (const transport of [workspace, environment, identity]) transport.close();
    },
  };
}
