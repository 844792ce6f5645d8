import { expect, test } from "@jest/globals";
import { parseAccess } from "./nats-access.ts";

const user = { user: "w", password: "p/@" };

test.each([
  ["nats://nats:4222", { servers: ["nats:4222"], login: undefined, tls: undefined }],
  ["nats://w:p%2F%40@nats", { servers: ["nats"], login: user, tls: undefined }],
  ["nats://w:p%2F%40@one, nats://w:p%2F%40@two:1", { servers: ["one", "two:1"], login: user, tls: undefined }],
  ["nats://t@nats", { servers: ["nats"], login: { token: "t" }, tls: undefined }],
  ["tls://[::1]:4222", { servers: ["[::1]:4222"], login: undefined, tls: {} }],
])("%s", (url, parsed) => {
  expect(parseAccess({ url })).toEqual(parsed);
});

test("a login besides the one in the URL is refused", () => {
  expect(() => parseAccess({ url: "nats://a:b@nats", login: user })).toThrow(
    "the URL contains a login besides the given one",
  );
});
