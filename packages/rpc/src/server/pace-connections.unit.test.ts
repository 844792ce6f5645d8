import { Socket } from "node:net";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { paceConnections } from "./pace-connections.ts";

const RATE = { atOnce: 16, perSecond: 200 };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Opens connections of an address; `begun` has the numbers of those that have begun, in order. */
function open(pace: ReturnType<typeof paceConnections>, address: string, count: number) {
  const begun: number[] = [];
  const sockets = Array.from({ length: count }, (_, index) => {
    const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: address });
    pace(socket, () => begun.push(index));
    return socket;
  });
  return { begun, sockets };
}

test("16 connections of an address begin at once, and then 200 a second in their order", () => {
  const { begun } = open(paceConnections(RATE), "10.0.0.1", 500);
  expect(begun).toHaveLength(16);
  jest.advanceTimersByTime(100);
  expect(begun).toHaveLength(36);
  jest.advanceTimersByTime(2_400);
  expect(begun).toEqual([...Array(500).keys()]);
});

test("those of another address do not wait for them", () => {
  const pace = paceConnections(RATE);
  open(pace, "10.0.0.1", 500);
  expect(open(pace, "10.0.0.2", 16).begun).toHaveLength(16);
});

test("after a while of fewer, as many begin at once again", () => {
  const pace = paceConnections(RATE);
  open(pace, "10.0.0.1", 40);
  jest.advanceTimersByTime(200);
  expect(open(pace, "10.0.0.1", 40).begun).toHaveLength(16);
});

test("one that fails or is closed while it waits never begins", () => {
  const { begun, sockets } = open(paceConnections(RATE), "10.0.0.1", 18);
  sockets[16]?.emit("error", new Error("ECONNRESET"));
  sockets[16]?.emit("close");
  sockets[17]?.emit("close");
  jest.advanceTimersByTime(1_000);
  expect(begun).toHaveLength(16);
});

test("addresses of long ago are forgotten", () => {
  const pace = paceConnections(RATE);
  for (let address = 0; address < 2_000; address++) {
    open(pace, `10.0.${address}`, 32);
    jest.advanceTimersByTime(100);
  }
  expect(open(pace, "10.0.0", 40).begun).toHaveLength(16);
});
