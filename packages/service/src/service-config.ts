import type { EventTransport } from "@cloud/messaging";
import type { Telemetry } from "@cloud/telemetry";
import type { ReconcilerTimes } from "./reconciler/start-reconciler.ts";

/** What every service is configured with; each adds the URLs of its peers. */
export interface ServiceConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Of the role that owns the service's schema and nothing else. */
  readonly databaseUrl: string;
  /** Empty where `transport` is given. */
  readonly natsUrl: string;
  readonly natsReplicas: number;
  /** What this service shows to its peers. */
  readonly serviceToken: string;
  /** What it accepts from them. */
  readonly acceptedServiceTokens: readonly string[];
  /** When it looks for references to records that are gone; the usual times where it is absent. */
  readonly reconciler?: ReconcilerTimes;
  readonly telemetry: Telemetry;
  /** Instead of NATS. Belongs to the caller, who closes it. */
  readonly transport?: EventTransport;
}

export interface RunningService {
  readonly url: string;
  readonly port: number;
  /** Not ready from now on, but serves on: to be called while balancers may still send new connections. */
  leave(): void;
  /** Finishes what is in flight. */
  stop(): Promise<void>;
}
