import type { DescService } from "@bufbuild/protobuf";
import { createServiceTransport } from "@cloud/rpc";
import { type Client, createClient } from "@connectrpc/connect";

export type ClientsOf<Services extends Readonly<Record<string, DescService>>> = {
  readonly [Name in keyof Services]: Client<Services[Name]>;
};

/** Creates a client of each service at `url`; all of them send the token. */
export function createClients<Services extends Readonly<Record<string, DescService>>>(
  services: Services,
  url: string,
  token: string,
): ClientsOf<Services> {
  // A busy machine is no reason to give up.
  const transport = createServiceTransport({ url, serviceToken: token, deadlineMs: 30_000 });
  const clients = Object.entries(services).map(([name, service]) => [name, createClient(service, transport)]);
  return Object.fromEntries(clients) as ClientsOf<Services>;
}
