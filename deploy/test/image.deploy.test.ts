import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readDockerfile } from "./dockerfile.ts";
import { buildByHand } from "./image-by-hand.ts";
import { expectedFolders, unusualFiles } from "./image-files.ts";
import { programs, root, settingsOf } from "./programs.ts";
import { complaintsOf } from "./run-program.ts";

// No Docker engine is needed: the test follows the instructions of the Dockerfile in temporary folders.
describe.each(programs)("the image of $name", (program) => {
  const stages = readDockerfile(program.folder);
  let folder = "";
  let app = "";

  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "image-")));
    const build = join(folder, "build");
    app = join(folder, "app");
    buildByHand(stages, program.folder, build);
    cpSync(join(build, stages.built), app, { recursive: true });
    rmSync(build, { recursive: true });
  }, 60_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("its command reaches the configuration, without any package", () => {
    const required = settingsOf(program).filter((setting) => setting.required);
    const complaints = complaintsOf(stages.command, join(app, stages.workingFolder), {});
    expect(complaints).toEqual(required.map(({ name }) => name));
  });

  if (program.folder.startsWith("services/")) {
    test.each([
      [[], "end-unknown"],
      ...(program.name === "identity" ? [[["bootstrap"], "--token-file"] as const] : []),
    ] as const)("its operator's commands %j run", (command, described) => {
      const args = [join(app, stages.workingFolder, "operator.mjs"), ...command, "--help"];
      const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8", env: {} });
      expect([status, stdout]).toEqual([0, expect.stringContaining(described)]);
    });

    test("it contains the migrations of the service and of the packages", async () => {
      for (const owner of [program.folder, "packages/events", "packages/service"]) {
        expect(await readdir(join(app, owner, "migrations"))).toEqual(await readdir(join(root, owner, "migrations")));
      }
    });
  }

  test("it contains what the program needs and nothing else", async () => {
    const files = await readdir(app, { recursive: true });
    expect(unusualFiles(program, files)).toEqual(expectedFolders(program));
    expect(existsSync(join(app, "gateway/openapi.json"))).toBe(program.folder === "gateway");
  });
});

test("it runs as an unprivileged user, by number, on the Node version of the tests, pinned by digest", () => {
  const { image, user } = readDockerfile("gateway");
  const { optionalDependencies } = JSON.parse(readFileSync(root + "package.json", "utf8")) as {
    optionalDependencies: { node: string };
  };
  expect(user).toBe("1000:0");
  const [tag, digest] = image.split("@");
  expect(tag).toBe(`node:${optionalDependencies.node}-slim`);
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
});
