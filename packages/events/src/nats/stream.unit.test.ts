import { expect, test } from "@jest/globals";
import { describeDifferences, differingFields } from "./stream.ts";

const expected = { subjects: ["cloud.v1.>"], storage: "file", no_ack: false, max_age: 7 };

test.each([
  ["as expected", { ...expected, max_bytes: 5 }, {}],
  ["a flag that the server omits counts as false", { subjects: ["cloud.v1.>"], storage: "file", max_age: 7 }, {}],
  ["a flag that is set", { ...expected, no_ack: true }, { no_ack: false }],
  ["an additional subject", { ...expected, subjects: ["cloud.v1.>", "b"] }, { subjects: ["cloud.v1.>"] }],
  ["a field that is absent", { ...expected, max_age: undefined }, { max_age: 7 }],
])("%s", (_what, actual, differing) => {
  expect(differingFields(expected, actual)).toEqual(differing);
});

test("a difference is described with the actual and the expected value", () => {
  const actual = { ...expected, storage: "memory", subjects: ["b.>"], max_age: undefined };
  expect(describeDifferences(differingFields(expected, actual), actual)).toBe(
    'subjects is ["b.>"] instead of ["cloud.v1.>"], storage is "memory" instead of "file", max_age is absent instead of 7',
  );
});
