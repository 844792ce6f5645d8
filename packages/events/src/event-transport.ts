/**
 * Carries events at least once. Created by `connectNats`, and by `createInProcessTransport` on machines without NATS.
 */
export interface EventTransport {
  isConnected(): boolean;
  /** Calls `listener` on every change of `isConnected`. Returns a function that removes it. */
  onStatusChange(listener: () => void): () => void;
  /** Returns the stream's state; creates the stream if it is missing. */
  readStream(): Promise<StreamState>;
  /** Resolves once the stream has stored the event. */
  publish(message: EventMessage): Promise<Publication>;
  /**
   * Delivers every message of a subject, from the first, until it is acknowledged, to one of the consumers sharing
   * `durable`. `signal` is aborted when the consumer is to handle no more.
   */
  consume(source: Source, onDelivery: OnDelivery): Subscription;
  /**
   * Sends a signal to the processes that listen to its subject now: without content, at most once, and to none while
   * NATS is away.
   */
  signal(subject: string): void;
  /** Calls `listener` with each signal of the subject, also with signals of this process. */
  onSignal(subject: string, listener: () => void): SignalSubscription;
}

/** An event to be published. */
export interface EventMessage {
  /**
   * The id of the event. If two messages within the stream's duplicate window (2 minutes) have the same id, one is
   * stored.
   */
  readonly id: string;
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Uint8Array;
}

export interface Publication {
  readonly sequence: number;
  /** False if the stream has stored the event before. */
  readonly isNew: boolean;
}

export interface StreamState {
  /** Differs between incarnations of the stream (after it was lost and created again). Stamps have no order. */
  readonly createdAt: string;
  readonly lastSequence: number;
}

export interface Source {
  readonly durable: string;
  readonly subject: string;
  readonly signal: AbortSignal;
}

/** Resolves when the delivery was acknowledged, released, or left to be delivered again. Never rejects. */
export type OnDelivery = (delivery: Delivery) => Promise<void>;

/** A message held by a consumer until it is acknowledged, released or its session ends. */
export interface Delivery extends Omit<EventMessage, "id"> {
  /**
   * Aborted when the session that delivered the message ends, or its consumer. The message will be redelivered, so its
   * handling must stop.
   */
  readonly signal: AbortSignal;
  /** Number of deliveries, including this one, to any process that shares the durable. */
  readonly deliveries: number;
  ack(): void;
  /** Extends the time before the message is redelivered. */
  working(): void;
  /** Returns the message, to be redelivered immediately, possibly to another process. */
  release(): void;
}

export interface Subscription {
  /** Messages of the subject that were not yet delivered to any consumer; undefined while that is not known. */
  pending(): number | undefined;
  stop(): Promise<void>;
}

export interface SignalSubscription {
  /** False while NATS is away, or refuses the subscription. */
  isHeard(): boolean;
  stop(): void;
}
