import type { DescService } from "@bufbuild/protobuf";
import { fail } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { RecordStateService } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { startRpcServer } from "@cloud/rpc";
import { testTelemetry } from "@cloud/testkit";
import type { ConnectRouter } from "@connectrpc/connect";
import { SERVICE_CREDENTIALS } from "./credentials.ts";
import { type RecordOwner, serveRecordStates } from "./record-owner.ts";

/** A real server that implements the RPCs that the service under test calls at one of its peers. */
export interface Peer {
  readonly url: string;
  /** Makes calls to the peer fail from now on, as to a service that is down. */
  stop(): Promise<void>;
}

export interface PeerOptions {
  readonly owner: RecordOwner;
  /** The services that `routes` registers; record states are served in addition. */
  readonly services: readonly DescService[];
  readonly routes: (router: ConnectRouter) => void;
}

/** Starts a peer on a free port, for services only. */
export async function startPeer({ owner, services, routes }: PeerOptions): Promise<Peer> {
  const server = await startRpcServer({
    host: "127.0.0.1",
    port: 0,
    services: [...services, RecordStateService],
    routes: (router) => {
      routes(router);
      serveRecordStates(router, owner);
    },
    authenticate: () => Promise.reject(fail(Reason.UNAUTHENTICATED)),
    organizationIsLive: async () => false,
    serviceCredentials: SERVICE_CREDENTIALS,
    checkReady: async () => undefined,
    translate: () => undefined,
    telemetry: testTelemetry(),
  });
  return { url: server.url, stop: () => server.stop() };
}
