import { readConfig } from "@cloud/runtime/settings";
import { expect, test } from "@jest/globals";
import { rateLimitConfig, rateLimitSettings } from "./rate-limits.ts";

const read = (env: Record<string, string>) => rateLimitConfig(readConfig(rateLimitSettings(), env));

test("there is no limit unless one is set", () => {
  expect(read({})).toEqual({ perToken: 0, perOrganization: 0 });
  expect(read({ RATE_LIMIT_PER_TOKEN: "600" })).toEqual({ perToken: 600, perOrganization: 0 });
});

test.each(["-1", "1.5", "1000001", "many"])("%s is refused", (value) => {
  expect(() => read({ RATE_LIMIT_PER_ORGANIZATION: value })).toThrow(
    "RATE_LIMIT_PER_ORGANIZATION: must be 0 (no limit) to 1000000",
  );
});
