import type { TestStack } from "@cloud/local-stack/test-stack";
import { createServiceTransport, type ServiceTransport } from "@cloud/rpc";

export interface Transports {
  /** Returns the transport to the service that serves a package. @throws Error for an unknown package */
  of(packageName: string): ServiceTransport;
  close(): void;
}

/** Opens transports to the services of a stack, which send the token with each call. */
export function openTransports({ services }: Pick<TestStack, "services">, token?: string): Transports {
  const open = (url: string) =>
    createServiceTransport({ url, deadlineMs: 30_000, ...(token === undefined ? {} : { serviceToken: token }) });
  const [workspace, environment, identity] = [
    open(services.workspace),
    open(services.environment),
    open(services.identity),
  ];
  const byPackage = new Map([
    ["workspace.v1", workspace],
    ["cloud.api.v1", workspace],
    ["environment.v1", environment],
    ["identity.v1", identity],
    ["academy.v1", identity],
  ]);
  return {
    of(packageName) {
      const transport = byPackage.get(packageName);
      if (transport === undefined) throw new Error("add who serves the package " + packageName);
      return transport;
    },
    close: () => {
      for (const transport of byPackage.values()) transport.close();
    },
  };
}
