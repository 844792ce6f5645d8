/** An event on its way. */
export interface EventMessage {
  /** Two messages of one id within the stream's duplicate window (2 minutes) are stored once. */
  readonly id: string;
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Uint8Array;
}

/** A message in the hands of a consumer, until it is acknowledged, released or its session ends. */
export interface Delivery extends Omit<EventMessage, "id"> {
  /** Aborted when the session that delivered it ended: it will be delivered again, so nothing is to be done any more. */
  readonly session: AbortSignal;
  /** How often it was delivered, this time included, to anybody who shares the durable. */
  readonly deliveries: number;
  ack(): void;
  /** Asks for more time before the message is delivered again. */
  working(): void;
  /** Gives it back, to be delivered again at once, perhaps elsewhere. */
  release(): void;
}

export interface StreamState {
  /** Tells one incarnation of the stream from another: it differs after the stream was lost and created again. */
  readonly createdAt: string;
  readonly lastSequence: number;
}

/** Carries events at least once. Made by `connectNats` or `createInProcessTransport`. */
export interface EventTransport {
  isConnected(): boolean;
  /** Calls `listener` on every change of `isConnected`; answers the function that ends it. */
  onStatusChange(listener: () => void): () => void;
  /** Creates the stream when it is missing. */
  readStream(): Promise<StreamState>;
  /** Resolves with the sequence once the message is stored. */
  publish(message: EventMessage): Promise<number>;
  /** The `id` of the message that is stored there; undefined when there is none. */
  readMessageId(sequence: number): Promise<string | undefined>;
  /** Delivers every message of a subject, from the first, until it is acknowledged, to one of those who share `durable`. */
  consume(
    source: { durable: string; subject: string },
    onDelivery: (delivery: Delivery) => void,
  ): { stop(): Promise<void> };
}
