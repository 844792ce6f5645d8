import { describe, expect, test } from "@jest/globals";
import { ConfigError, port, readConfig, secret, url } from "./index.ts";

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
