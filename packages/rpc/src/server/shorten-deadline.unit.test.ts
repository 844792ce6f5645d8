import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { describe, expect, test } from "@jest/globals";
import { shortenDeadline } from "./shorten-deadline.ts";

/** Returns the deadline that a handler of 30 s receives. */
async function received(methodKind: string, name: string, value: string): Promise<string | null> {
  const seen: Headers[] = [];
  const handle = async ({ header }: { header: Headers }) => {
    seen.push(header);
    return { status: 200 };
  };
  const handler = Object.assign(handle, { method: { methodKind } }) as unknown as UniversalHandler;
  const request = { header: new Headers({ [name]: value }) } as unknown as Parameters<UniversalHandler>[0];
  await shortenDeadline(handler, 30_000)(request);
  return seen[0]?.get(name) ?? null;
}

describe.each(["connect-timeout-ms", "grpc-timeout"])("%s", (name) => {
  const unit = name === "grpc-timeout" ? "m" : "";

  test.each([`30000${unit}`, `1${unit}`, "soon", "-1", `99999999999${unit}`])("%s stays", async (value) => {
    expect(await received("unary", name, value)).toBe(value);
  });

  test("a longer one becomes the longest; a stream has none", async () => {
    expect(await received("unary", name, `30001${unit}`)).toBe(`30000${unit}`);
    expect(await received("server_streaming", name, `30001${unit}`)).toBeNull();
  });
});

test.each(["31S", "1M", "99999999H", "30000001u"])("grpc-timeout: %s is too long", async (value) => {
  expect(await received("unary", "grpc-timeout", value)).toBe("30000m");
});

test("connect-timeout-ms of ten digits is too long for a timer", async () => {
  expect(await received("unary", "connect-timeout-ms", "9999999999")).toBe("30000");
});
