import { describe, expect, test } from "@jest/globals";
import { freeSlug, slugOf } from "./slug-rules.ts";

describe("slugOf", () => {
  test.each([
    ["", "curriculum"],
    [" -- ", "curriculum"],
    ["Café: the Basics!", "cafe-the-basics"],
    ["C++ & Go 1.26", "c-go-1-26"],
    ["日本語 入門", "日本語-入門"],
    ["a/../b?c#d%2F", "a-b-c-d-2f"],
    ["x".repeat(255), "x".repeat(200)],
    ["x".repeat(199) + " y", "x".repeat(199)],
  ])("of %j is %j", (title, slug) => {
    expect(slugOf(title)).toBe(slug);
  });
});

describe("freeSlug", () => {
  test.each([
    ["go", [], "go"],
    ["go", ["go-2", "golang"], "go"],
    ["go", ["go"], "go-2"],
    ["go", ["go", "go-2", "go-4"], "go-3"],
  ])("for %j with %j taken is %j", (slug, taken, free) => {
    expect(freeSlug(slug, taken)).toBe(free);
  });
});
