import { expect, test } from "@jest/globals";
import { classifyFault, DatabaseUnavailable } from "./database-errors.ts";

const withCode = (code: string) => Object.assign(new Error("said by the server"), { code });

test.each([
  "08006",
  "28P01",
  "28000",
  "3D000",
  "53300",
  "57P01",
  "57P03",
  "25006",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
])("%s is a fault of the server", (code) =>
  expect(classifyFault(withCode(code))).toMatchObject({ name: "DatabaseUnavailable", timedOut: false }),
);

test.each(["57014", "55P03", "25P03", "ETIMEDOUT"])("%s is a time-out", (code) =>
  expect(classifyFault(withCode(code))).toMatchObject({ name: "DatabaseUnavailable", timedOut: true }),
);

test.each(["23505", "40001", "42P01", "22P02"])("%s is an error of the caller", (code) => {
  const error = withCode(code);
  expect(classifyFault(error)).toBe(error);
});

test("keeps the cause, and is not wrapped twice", () => {
  const cause = new Error("Connection terminated unexpectedly");
  const fault = classifyFault(cause);
  expect(fault).toMatchObject({ cause, timedOut: false });
  expect(classifyFault(fault)).toBe(fault);
  expect(fault).toBeInstanceOf(DatabaseUnavailable);
});
