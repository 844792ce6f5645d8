import { expect, test } from "@jest/globals";
import { bench, measureSmall } from "./measure-small.ts";

test.each(["gateway", "path", "rpc", "relay", "start"])(
  "the part %s measures at its smallest size",
  async (part) => {
    await measureSmall(part);
  },
  300_000,
);

test("the command prints its usage", async () => {
  expect((await bench("--help")).stdout).toContain("npm run bench -- path gateway");
});

test("it lists the existing parts if another one is requested", async () => {
  const stderr = expect.stringContaining("no part is named paths; there are gateway, path,");
  await expect(bench("paths")).rejects.toMatchObject({ code: 2, stderr });
});
