import { describe, expect, test } from "@jest/globals";
import { httpUrl, natsServers, peerUrl } from "./settings.ts";

const reasonOf = (setting: { safeParse(text: string): { error?: unknown } }, text: string) => {
  const { error } = setting.safeParse(text) as { error?: { issues: { message: string }[] } };
  return error?.issues.map(({ message }) => message).join("; ");
};

describe("the URL of a service", () => {
  test.each(["http://workspace", "http://workspace:8081", "https://workspace.cloud.svc:8081/", "http://[::1]:8081"])(
    "%s is accepted",
    (text) => expect(peerUrl().parse(text)).toBe(text),
  );

  test.each([
    ["http://h/mesh/workspace", "must have no path: a service has its RPCs at the root"],
    ["http://h:8081//", "must have no path: a service has its RPCs at the root"],
    ["http://h?cluster=a", "must have no login, query or fragment"],
    ["http://h/?", "must have no login, query or fragment"],
    ["http://h#a", "must have no login, query or fragment"],
    ["http://user:secret@h", "must have no login, query or fragment"],
    ["http://user@h", "must have no login, query or fragment"],
    ["ftp://h", "must be a URL that starts with http:// or https://"],
    ["workspace:8081", "must be a URL that starts with http:// or https://"],
  ])("%s is refused", (text, reason) => expect(reasonOf(peerUrl(), text)).toBe(reason));
});

test("a collector may have a path", () => {
  expect(httpUrl().parse("http://otel:4318/v1/traces")).toBe("http://otel:4318/v1/traces");
  expect(reasonOf(httpUrl(), "http://a:b@otel:4318")).toBe("must have no login, query or fragment");
});

test.each([
  ["nats://nats:4222", undefined],
  ["nats://a:b@one:4222/, tls://[::1]:4222", undefined],
  ["nats://nats/path", "must have no path, query or fragment"],
  ["nats://one,nats://two?tls=true", "must have no path, query or fragment"],
  ["nats://one#a", "must have no path, query or fragment"],
])("of NATS, %s: %s", (text, reason) => expect(reasonOf(natsServers(), text)).toBe(reason));
