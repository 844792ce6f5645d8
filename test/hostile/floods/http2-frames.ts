export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const FLAG = { none: 0, endStream: 1, endHeaders: 4 } as const;

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** SETTINGS_INITIAL_WINDOW_SIZE: how many bytes of a reply the server may send at first. */
export function windowOf(bytes: number): Buffer {
  const setting = Buffer.alloc(6);
  setting.writeUInt16BE(4, 0);
  setting.writeUInt32BE(bytes, 2);
  return frame(FRAME.settings, FLAG.none, 0, setting);
}

/** The start of a connection: the preface and empty settings. */
export const OPENING = Buffer.concat([PREFACE, frame(FRAME.settings, FLAG.none, 0)]);

/** The header block of a POST, without the table of HPACK, so that it is the same on every stream. */
export function headersOf(path: string, contentType: string, further: Readonly<Record<string, string>> = {}): Buffer {
  const fields = {
    ":method": "POST",
    ":scheme": "http",
    ":path": path,
    ":authority": "service",
    "content-type": contentType,
    te: "trailers",
    ...further,
  };
  return Buffer.concat(Object.entries(fields).map(literal));
}

/** RFC 7541, 6.2.2: a literal header field without indexing, with a new name; both at most 126 bytes. */
function literal([name, value]: [string, string]): Buffer {
  return Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)]);
}

/** A message with the five bytes before it that gRPC demands. */
export function grpcMessage(message: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
