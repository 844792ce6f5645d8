import { codeOf, reasonOf } from "@cloud/access/errors";
import { describe, expect, test } from "@jest/globals";
import { parseAvatarUrl, parseEmail } from "./rules.ts";

const outcome = (work: () => string) => {
  try {
    return work();
  } catch (error) {
    return codeOf(reasonOf(error));
  }
};

describe("parseEmail", () => {
  test.each([
    "",
    "a",
    "@example.test",
    "a@",
    "a@b@example.test",
    "a@example",
    "a@.test",
    "a@example.",
    "a@example..test",
    "a b@example.test",
    "a\u0000@example.test",
    "a@exam\u0007ple.test",
    "a".repeat(250) + "@b.cd",
    "\u{1f388}".repeat(250) + "@b.cd",
  ])("%j is refused", (value) => {
    expect(outcome(() => parseEmail(value))).toBe("INVALID_PARAMETER");
  });

  test("its length is counted in code points", () => {
    const longest = "\u{1f388}".repeat(249) + "@b.cd";
    expect(outcome(() => parseEmail(longest))).toBe(longest);
  });

  test.each(["a@b.cd", "first.last+tag@mail.example.test", "jürgen@münchen.example", "A@EXAMPLE.TEST"])(
    "%s is kept",
    (value) => {
      expect(outcome(() => parseEmail(" " + value + "\n"))).toBe(value);
    },
  );
});

describe("parseAvatarUrl", () => {
  test.each([
    "x",
    "//example.test/a.png",
    "ftp://example.test/a.png",
    "javascript:alert(1)",
    "java\nscript:alert(1)",
    "https://exa mple.test",
    "https://example.test/\u0000",
    "https://example.test/" + "x".repeat(2048),
  ])("%j is refused", (value) => {
    expect(outcome(() => parseAvatarUrl(value))).toBe("INVALID_PARAMETER");
  });

  test.each(["", "https://example.test/a.png?s=1", "http://example.test"])("%j is kept", (value) => {
    expect(outcome(() => parseAvatarUrl(value))).toBe(value);
  });
});
