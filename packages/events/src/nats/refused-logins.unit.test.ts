import { createTelemetry } from "@cloud/runtime/telemetry";
import { expect, test } from "@jest/globals";
import { ErrorCode, NatsError } from "nats";
import { watchRefusals } from "./refused-logins.ts";

const refusal = () => new NatsError("'Authorization Violation'", ErrorCode.AuthorizationViolation);

function watch() {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const telemetry = createTelemetry({ service: "test", level: "warn", destination, processMetrics: false });
  const login = { user: "workspace", password: "secret" };
  const errors = () => lines.filter((line) => line.includes('"level":"error"')).length;
  return { refusals: watchRefusals(login, telemetry), telemetry, errors, lines };
}

test("a refused login is logged once while it lasts, and again after an accepted one", () => {
  const { refusals, errors } = watch();
  for (let attempt = 0; attempt < 180; attempt++) refusals.onFailure(refusal());
  expect(errors()).toBe(1);
  refusals.onConnected();
  refusals.onFailure(refusal());
  expect(errors()).toBe(2);
});

test("a refusal is a condition without the secret, until a login is accepted", () => {
  const { refusals, telemetry, lines } = watch();
  expect(refusals.onFailure(refusal())).toBe(true);
  expect(telemetry.conditions.list()).toEqual([
    {
      name: "nats-login",
      message: "NATS cannot be used as the user workspace: the server refuses it ('Authorization Violation')",
    },
  ]);
  expect(lines.join("")).not.toContain("secret");
  refusals.onConnected();
  expect(telemetry.conditions.list()).toEqual([]);
});

test("a server that is not reached is no refusal", () => {
  const { refusals, telemetry, errors } = watch();
  expect(refusals.onFailure(NatsError.errorForCode(ErrorCode.ConnectionRefused))).toBe(false);
  expect(refusals.onFailure(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }))).toBe(false);
  expect([telemetry.conditions.list(), errors()]).toEqual([[], 0]);
});

test("the state of the login is what the last attempt led to", async () => {
  const { refusals, telemetry } = watch();
  const state = async () => {
    const text = await telemetry.metrics.metrics();
    return [...text.matchAll(/^messaging_nats_login\{state="(\w+)".*\} 1$/gm)].map(([, name]) => name);
  };
  expect(await state()).toEqual(["unreachable"]);
  refusals.onFailure(refusal());
  expect(await state()).toEqual(["refused"]);
  refusals.onConnected();
  expect(await state()).toEqual(["accepted"]);
  refusals.onFailure(new Error("connect ECONNREFUSED"));
  expect(await state()).toEqual(["unreachable"]);
});
