import { connect } from "node:net";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const [DATA, HEADERS, RST_STREAM, SETTINGS] = [0, 1, 3, 4];
const [END_STREAM, END_HEADERS] = [1, 4];

/** Header fields as they are sent, in order and with repetitions, which Node's client refuses to send. */
export type Fields = readonly (readonly [name: string, value: string])[];

/**
 * Sends one request over cleartext HTTP/2 and returns the text of the reply, or `reset: <code>` if the server resets
 * the stream.
 */
export function sendFields(port: number, fields: Fields, body: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port });
  socket.write(
    Buffer.concat([
      PREFACE,
      frame(SETTINGS, 0, 0, Buffer.alloc(0)),
      frame(HEADERS, END_HEADERS, 1, Buffer.concat(fields.map(literal))),
      frame(DATA, END_STREAM, 1, Buffer.from(body)),
    ]),
  );
  let received = Buffer.alloc(0);
  let text = "";
  return new Promise<string>((resolve, reject) => {
    socket.on("error", reject).on("close", () => reject(new Error("closed without a reply")));
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
        const end = 9 + received.readUIntBE(0, 3);
        const [type, flags, payload] = [received.readUInt8(3), received.readUInt8(4), received.subarray(9, end)];
        received = received.subarray(end);
        if (type === DATA) text += payload.toString();
        if (type === RST_STREAM) resolve(`reset: ${payload.readUInt32BE(0)}`);
        if ((type === DATA || type === HEADERS) && (flags & END_STREAM) !== 0) resolve(text);
      }
    });
  }).finally(() => socket.destroy());
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** RFC 7541, 6.2.2: a literal header field without indexing, with a new name. */
function literal([name, value]: Fields[number]): Buffer {
  return Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)]);
}
