/** A server-sent event as the HTML standard parses it. */
export interface ServerSentEvent {
  /** The last id that was sent, by this event or before. */
  readonly id: string;
  /** `message` if the event has no name. */
  readonly type: string;
  readonly data: string;
}

export interface EventStream {
  readonly status: number;
  readonly headers: Headers;
  /** Dispatched events in their order. */
  readonly events: AsyncGenerator<ServerSentEvent>;
  /** The last id received, with which a client continues. */
  lastId(): string;
  /** The milliseconds after which the server wants its clients to connect again; undefined until it has said so. */
  retryMs(): number | undefined;
  /** Calls `report` with each id that is received, also without an event. */
  onId(report: (id: string) => void): void;
  /** The number of comments received: signs of life. */
  comments(): number;
  leave(): void;
}

/** Opens a stream of server-sent events with `fetch`, as a page does. @throws Error if the connection is lost */
export async function openEventStream(url: string, headers: Readonly<Record<string, string>>): Promise<EventStream> {
  const leaving = new AbortController();
  const response = await fetch(url, { headers, signal: leaving.signal });
  let id = "";
  let comments = 0;
  let retry: number | undefined;
  let reportId: (id: string) => void = () => undefined;

  async function* read(): AsyncGenerator<ServerSentEvent> {
    let buffer = "";
    let [type, data] = ["", ""];
    for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const lines = (buffer + text).split("\n");
      buffer = lines.pop() ?? "";
      for (const line of lines) {
        const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
        if (line.startsWith(":")) comments++;
        else if (field === "id") id = value;
        else if (field === "retry") retry = Number(value);
        else if (field === "event") type = value;
        else if (field === "data") data += value;
        else if (line === "") {
          if (data !== "") yield { id, type: type || "message", data };
          else if (id !== "") reportId(id);
          [type, data] = ["", ""];
        }
      }
    }
  }

  return {
    status: response.status,
    headers: response.headers,
    events: read(),
    lastId: () => id,
    onId: (report) => {
      reportId = report;
    },
    comments: () => comments,
    retryMs: () => retry,
    leave: () => leaving.abort(),
  };
}
