import { expect, test } from "@jest/globals";
import { corsOrigins } from "./cors-origins.ts";

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
