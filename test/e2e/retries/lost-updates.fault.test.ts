import { countEach } from "@cloud/testkit/races";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Replicas, startReplicas } from "./start-replicas.ts";

const WRITERS = 16;
/** Each writer goes on until it has written so often. */
const WRITES = 3;

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas();
}, 120_000);
afterAll(() => replicas.stop());

interface Counter {
  readonly count: number;
  readonly etag: string;
}

/** Reads a number, and writes the next one if it may: the number counts its writes unless one of them is lost. */
type Write = (replica: number, path: string, counter: Counter) => Promise<number>;

const read = async (replica: number, path: string): Promise<Counter> => {
  const { headers, text } = await replicas.send(replica, "GET", path);
  const { description, etag } = JSON.parse(text) as { description: string; etag: string };
  expect(headers.get("etag")).toBe(etag);
  return { count: Number(description), etag };
};

const put = async (replica: number, path: string, count: number, headers: Readonly<Record<string, string>>) => {
  const body = { name: "counter", description: String(count) };
  return (await replicas.send(replica, "PUT", path, { headers, body })).status;
};

async function createCounter(): Promise<string> {
  const organizationId = replicas.identity.home;
  const created = await replicas.send(0, "POST", "/environments", {
    body: { organizationId, name: "counter", description: "0" },
  });
  return `/environments/${(JSON.parse(created.text) as { id: string }).id}`;
}

async function race(write: Write) {
  const path = await createCounter();
  const statuses: number[] = [];
  const tags = new Set<string>();
  const writer = async (_: unknown, replica: number) => {
    for (let written = 0; written < WRITES; ) {
      const counter = await read(replica, path);
      tags.add(counter.etag);
      const status = await write(replica, path, counter);
      statuses.push(status);
      if (status === 200) written++;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  return { last: (await read(0, path)).count, outcomes: countEach(statuses.map(String)) };
}

test("of 16 writers over two replicas, each write has seen the last one, or is 412", async () => {
  const { last, outcomes } = await race((replica, path, { count, etag }) =>
    put(replica, path, count + 1, { "if-match": etag }),
  );
  expect(outcomes).toEqual({ "200": WRITERS * WRITES, "412": expect.any(Number) });
  expect(last).toBe(WRITERS * WRITES);
}, 120_000);

test("control: with a comparison before the write, one of two writes is lost", async () => {
  const path = await createCounter();
  const seen = await read(0, path);
  const compared = await Promise.all([0, 1].map(async (replica) => (await read(replica, path)).etag === seen.etag));
  const written = [await put(0, path, seen.count + 1, {}), await put(1, path, seen.count + 1, {})];
  expect([compared, written, (await read(0, path)).count]).toEqual([[true, true], [200, 200], 1]);
});
