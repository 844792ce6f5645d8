import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import { afterEach, expect, test } from "@jest/globals";
import { type Listening, listen } from "../src/listen.ts";
import { host } from "../src/settings/settings.ts";

const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);

let listening: Listening;
afterEach(() => listening.close());

async function start(on: string): Promise<void> {
  listening = await listen(
    createServer({ keepAlive: false }, (_request, response) => response.end("here")),
    on,
    0,
  );
}

const read = async (at: string) =>
  (await fetch(`http://${at}:${listening.port}/`, { headers: { connection: "close" } })).text();

test("by default, a program listens on all addresses of IPv4 and IPv6", async () => {
  await start(host().parse(undefined));
  expect(await read("127.0.0.1")).toBe("here");
  if (hasIPv6) expect(await read("[::1]")).toBe("here");
  expect(listening.url).toBe(`http://127.0.0.1:${listening.port}`);
});

test("a program that listens on localhost listens on both of its addresses, and on no other", async () => {
  await start("localhost");
  expect(await read("127.0.0.1")).toBe("here");
  if (hasIPv6) expect(await read("[::1]")).toBe("here");
  await expect(read("127.0.0.2")).rejects.toThrow("fetch failed");
  expect(listening.url).toBe(`http://127.0.0.1:${listening.port}`);
});

test("control: an address of IPv4 is one of IPv4 only", async () => {
  await start("0.0.0.0");
  expect(await read("127.0.0.1")).toBe("here");
  await expect(read("[::1]")).rejects.toThrow("fetch failed");
});

test("the URL of an IPv6 address can be requested", async () => {
  await start(hasIPv6 ? "::1" : "127.0.0.1");
  expect(await (await fetch(listening.url, { headers: { connection: "close" } })).text()).toBe("here");
});
