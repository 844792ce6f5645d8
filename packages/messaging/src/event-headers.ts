/** What happened and when, as consumers receive it. */
export interface Envelope {
  /** The same in every delivery of the event. */
  id: string;
  /** When the change was made. */
  time: Date;
}

export interface EventAttributes extends Envelope {
  /** The service that owns the change. */
  source: string;
  /** The full name of the Protobuf message. */
  type: string;
}

/** Writes CloudEvents 1.0 in binary mode: one header per attribute. */
export function writeEventHeaders({ id, source, type, time }: EventAttributes): Record<string, string> {
  return {
    "ce-specversion": "1.0",
    "ce-id": id,
    "ce-source": source,
    "ce-type": type,
    "ce-time": time.toISOString(),
    "ce-datacontenttype": "application/protobuf",
  };
}

/** @throws Error if the id, the time or the expected type is missing */
export function readEventHeaders(headers: Readonly<Record<string, string>>, type: string): Envelope {
  const id = headers["ce-id"];
  const time = new Date(headers["ce-time"] ?? "");
  if (id === undefined || id === "") throw new Error("the header ce-id is missing");
  if (Number.isNaN(time.getTime())) throw new Error("the header ce-time is not a time");
  if (headers["ce-type"] !== type) throw new Error(`the header ce-type is not ${type}`);
  return { id, time };
}
