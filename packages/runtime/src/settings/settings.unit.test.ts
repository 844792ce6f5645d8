import { describe, expect, test } from "@jest/globals";
import {
  ConfigError,
  corsOrigins,
  credentials,
  httpUrl,
  natsServers,
  peerUrl,
  port,
  readConfig,
  secret,
  url,
} from "./settings.ts";

const shape = {
  PORT: port(8081),
  DATABASE_URL: url("postgres", "postgresql"),
  SERVICE_TOKEN: secret(),
};

describe("readConfig", () => {
  test("reports every bad variable at once, and no value", () => {
    const attempt = () => readConfig(shape, { PORT: "70000", DATABASE_URL: "mysql://hidden", SERVICE_TOKEN: "short" });
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(
      "the configuration is not usable:\n" +
        "  PORT: must be a whole number from 0 to 65535\n" +
        "  DATABASE_URL: must be a URL that starts with postgres:// or postgresql://\n" +
        "  SERVICE_TOKEN: must have at least 16 characters",
    );
  });

  test("an empty variable counts as absent", () => {
    expect(() => readConfig(shape, { DATABASE_URL: "", SERVICE_TOKEN: "x".repeat(16) })).toThrow(
      "DATABASE_URL: is required",
    );
  });

  test("returns typed, frozen values with defaults", () => {
    const config = readConfig(shape, {
      DATABASE_URL: "postgres://localhost/cloud",
      SERVICE_TOKEN: "0123456789abcdef",
      UNRELATED: "x",
    });
    expect(config).toEqual({
      PORT: 8081,
      DATABASE_URL: "postgres://localhost/cloud",
      SERVICE_TOKEN: "0123456789abcdef",
    });
    expect(Object.isFrozen(config)).toBe(true);
  });
});

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

test.each([
  [undefined, undefined],
  ["", undefined],
  ["*", "*"],
  ["https://a.example", ["https://a.example"]],
  [" https://a.example , http://localhost:3000", ["https://a.example", "http://localhost:3000"]],
])("%j is %j", (text, origins) => {
  expect(corsOrigins().parse(text)).toEqual(origins);
});

test.each([
  "a.example",
  "https://a.example/",
  "https://A.example",
  "*, https://a.example",
  "null",
  "https://a.example/x",
  "https://*.example.com",
  "https://a.example, https://*.example.com",
  "http://localhost:*",
  "*.example.com",
  "**",
  "https://a.example:443",
  "ftp://a.example",
])("%j is refused", (text) => {
  expect(() => corsOrigins().parse(text)).toThrow("must be * or whole origins such as https://app.example.com");
});

const A = "a".repeat(16);
const B = "b".repeat(16);
const read = (text: string) => readConfig({ PEERS: credentials("workspace", "operator") }, { PEERS: text }).PEERS;

test("each entry is a name and a secret; a name may have several", () => {
  expect(read(`workspace:${A}, operator : ${B}:with-colon ,workspace:${A}x`)).toEqual([
    { name: "workspace", secret: A },
    { name: "operator", secret: `${B}:with-colon` },
    { name: "workspace", secret: `${A}x` },
  ]);
});

const NAMES = "must be <name>:<secret> with one of the names workspace, operator";

describe("no problem contains a part of the text", () => {
  test.each([
    ["", "is required"],
    [A, `entry 1 ${NAMES}`],
    [`:${A}`, `entry 1 ${NAMES}`],
    [`gateway:${A}`, `entry 1 ${NAMES}`],
    [`workspace:${A},`, `entry 2 ${NAMES}`],
    [`workspace:${A},operator:a`, "entry 2 must have at least 16 characters"],
    [`workspace:${" ".repeat(16)}`, "entry 1 must have at least 16 characters"],
    [`workspace:${A} ${A}`, "entry 1 must be printable ASCII without spaces and commas"],
    [`workspace:${A},operator:${A}`, "entry 2 has the secret of entry 1, which has another name"],
  ])("%j", (text, problem) => {
    expect(() => read(text)).toThrow(new RegExp(`PEERS: ${problem.replace(/[.*+?^$()|[\]\\]/g, "\\$&")}$`));
  });

  test("every bad entry is reported", () => {
    expect(() => read("x,y")).toThrow(`PEERS: entry 1 ${NAMES}\n  PEERS: entry 2 ${NAMES}`);
  });
});

test("a secret is trimmed, and can be sent in a header and listed as a credential", () => {
  const own = (SERVICE_TOKEN: string) => readConfig({ SERVICE_TOKEN: secret() }, { SERVICE_TOKEN }).SERVICE_TOKEN;
  expect(own(` ${A}\n`)).toBe(A);
  for (const text of [`${A},${A}`, `${A} ${A}`, `${A}é`]) {
    expect(() => own(text)).toThrow("SERVICE_TOKEN: must be printable ASCII without spaces and commas");
  }
});
