import { describe, expect, test } from "@jest/globals";
import { shortenDeadline } from "./authenticate-request.ts";

/** Returns the deadline that a handler of 30 s receives. */
function received(methodKind: string, name: string, value: string): string | null {
  const header = new Headers({ [name]: value });
  shortenDeadline(header, 30_000, methodKind !== "unary");
  return header.get(name);
}

describe.each(["connect-timeout-ms", "grpc-timeout"])("%s", (name) => {
  const unit = name === "grpc-timeout" ? "m" : "";

  test.each([`30000${unit}`, `1${unit}`, "soon", "-1", `99999999999${unit}`])("%s stays", (value) => {
    expect(received("unary", name, value)).toBe(value);
  });

  test("a longer one becomes the longest; a stream has none", () => {
    expect(received("unary", name, `30001${unit}`)).toBe(`30000${unit}`);
    expect(received("server_streaming", name, `30001${unit}`)).toBeNull();
  });
});

test.each(["31S", "1M", "99999999H", "30000001u"])("grpc-timeout: %s is too long", (value) => {
  expect(received("unary", "grpc-timeout", value)).toBe("30000m");
});

test("connect-timeout-ms of ten digits is too long for a timer", () => {
  expect(received("unary", "connect-timeout-ms", "9999999999")).toBe("30000");
});
