import { describe, expect, test } from "@jest/globals";
import { credentials, readConfig, secret } from "./index.ts";

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
