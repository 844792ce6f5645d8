import { createRandom, type Random } from "@cloud/testkit/figures";
import { mapAtOnce } from "../../chaos/system/map-at-once.ts";
import { mutateBytes, randomBytesOf } from "../wire/hostile-values.ts";
import { sendRaw } from "../wire/send-raw.ts";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const POST = Buffer.from(
  "POST /identity.v1.UserService/GetProfile HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
);

export interface FuzzedBytes {
  readonly connections: number;
  /** Messages of connections that the server did not close in time, or refused. */
  readonly stuck: readonly string[];
}

/** Opens `count` connections, 20 at a time, and sends bytes that are almost a protocol, or none. */
export async function fuzzBytes(url: string, seed: number, count: number): Promise<FuzzedBytes> {
  const random = createRandom(seed);
  const stuck: string[] = [];
  await mapAtOnce(20, Array.from({ length: count }), async () => {
    const bytes = generateBytes(random);
    await sendRaw(url, bytes, 30_000).catch((error: Error) =>
      stuck.push(error.message + ": " + bytes.subarray(0, 100).toString("hex")),
    );
  });
  return { connections: count, stuck };
}

function generateBytes(random: Random): Buffer {
  const frames = () => Buffer.concat(Array.from({ length: random.between(1, 20) }, () => randomFrame(random)));
  return random.pick([
    () => randomBytesOf(random, random.between(0, 2000)),
    () => mutateBytes(random, POST),
    () => PREFACE.subarray(0, random.between(1, PREFACE.length)),
    () => mutateBytes(random, Buffer.concat([PREFACE, SETTINGS])),
    () => Buffer.concat([PREFACE, randomBytesOf(random, random.between(0, 2000))]),
    () => Buffer.concat([PREFACE, SETTINGS, frames()]),
    () => Buffer.concat([PREFACE, SETTINGS, frames()]),
  ])();
}

/** A frame of HTTP/2 of any type, whose length may be a lie. */
function randomFrame(random: Random): Buffer {
  const payload = randomBytesOf(random, random.between(0, 64));
  const length = random.chance(85) ? payload.length : random.between(0, 0xffffff);
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head.writeUInt8(random.chance(90) ? random.between(0, 9) : random.between(0, 255), 3);
  head.writeUInt8(random.between(0, 255), 4);
  head.writeUInt32BE(random.chance(60) ? random.between(0, 9) : random.between(0, 0x7fffffff), 5);
  return Buffer.concat([head, payload]);
}
