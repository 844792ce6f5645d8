/** What happened in the last seconds. */
export interface Figures {
  readonly perSecond: number;
  /** Errors of the service, not of its callers. */
  readonly errorsPerSecond: number;
  /** Null if nothing happened. */
  readonly p99Ms: number | null;
}

export interface ProgramStatus extends Figures {
  readonly name: string;
  readonly ready: boolean;
  readonly inFlight: number;
  readonly refusedPerSecond: number;
  /** Connections to Postgres; null for a program without any. */
  readonly pool: { readonly used: number; readonly most: number; readonly waiting: number } | null;
  /** Null for a program that has none. */
  readonly watches: number | null;
  /** What an operator must act on, one line each. */
  readonly conditions: readonly string[];
}

/** The calls of one program to another. */
export interface CallStatus extends Figures {
  readonly from: string;
  readonly to: string;
}

export interface OperationStatus extends Figures {
  readonly program: string;
  readonly name: string;
}

export interface OutboxStatus {
  readonly service: string;
  readonly rows: number;
  readonly seconds: number;
  readonly publishedPerSecond: number;
}

export interface ConsumerStatus {
  readonly consumer: string;
  readonly type: string;
  /** Null while NATS is away. */
  readonly lag: number | null;
  readonly appliedPerSecond: number;
  readonly p99Ms: number | null;
}

/** What the status page shows at one moment. */
export interface Snapshot {
  readonly programs: readonly ProgramStatus[];
  readonly calls: readonly CallStatus[];
  /** The busiest ones. */
  readonly operations: readonly OperationStatus[];
  readonly outboxes: readonly OutboxStatus[];
  readonly consumers: readonly ConsumerStatus[];
  readonly parked: readonly { readonly consumer: string; readonly reason: string; readonly rows: number }[];
  /** `refused` and `unreachable` if that is so for any service. */
  readonly nats: "in process" | "connected" | "refused" | "unreachable";
  readonly process: { readonly cores: number; readonly memoryBytes: number; readonly eventLoopP99Ms: number };
}
