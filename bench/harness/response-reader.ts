/** Returns a function for the bytes of a connection with one request in flight; it reports each complete response. */
export function createResponseReader(onResponse: (status: number) => void): (chunk: Buffer) => void {
  let received: Buffer = Buffer.alloc(0);
  return (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    if (!isComplete(received)) return;
    const status = Number(received.toString("latin1", 9, 12));
    received = Buffer.alloc(0);
    onResponse(status);
  };
}

const LAST_CHUNK = Buffer.from("0\r\n\r\n");

function isComplete(bytes: Buffer): boolean {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const head = bytes.toString("latin1", 0, end);
  // JSON contains no bare line break, so the bytes of the last chunk end nothing else.
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return bytes.length >= end + 4 + length;
}
