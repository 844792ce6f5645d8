import { expect, test } from "@jest/globals";
import { createSbom } from "./create-sbom.ts";
import { judgeAdvisories } from "./judge-advisories.ts";
import { allowedScripts, lockedPackages, lockFilesOfTests } from "./lock-file.ts";

const packages = lockedPackages().filter(({ isOwn }) => !isOwn);

test("every package of the lock files has a sha512 of its contents", () => {
  expect(packages.length).toBeGreaterThan(300);
  expect(lockFilesOfTests.length).toBeGreaterThan(4);
  const ofTests = lockFilesOfTests.flatMap((file) => lockedPackages(file)).filter(({ isOwn }) => !isOwn);
  const unlocked = [...packages, ...ofTests].filter(({ integrity = "" }) => !/^sha512-[\w+/]{86}==$/.test(integrity));
  expect(unlocked).toEqual([]);
});

test("allowScripts decides on each package with an install script, and names no other", () => {
  const withScript = new Set(packages.filter((one) => one.hasInstallScript === true).map(({ name }) => name));
  expect(new Set(Object.keys(allowedScripts()))).toEqual(withScript);
});

const sbomOf = (folder: string, time: string, components: readonly string[]) =>
  createSbom(
    JSON.stringify({
      bomFormat: "CycloneDX",
      serialNumber: "urn:uuid:" + time,
      metadata: { timestamp: time, component: { name: folder, "bom-ref": "@a/b@1.0.0" } },
      components: components.map((ref) => ({ "bom-ref": ref })),
      dependencies: components.map((ref) => ({ ref, dependsOn: [] })),
    }),
  );

test("the bill of materials depends on the lock file only", () => {
  const one = sbomOf("here", "2026-01-01", ["x@1", "y@1"]);
  expect(sbomOf("there", "2026-02-02", ["y@1", "x@1"])).toBe(one);
  expect(JSON.parse(one)).toMatchObject({
    serialNumber: expect.stringMatching(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/),
    metadata: { component: { name: "@a/b" } },
  });
  expect(sbomOf("here", "2026-01-01", ["x@1"])).not.toBe(one);
});

test("an advisory fails the check, and so does a registry that gives no answer", () => {
  const metadata = { vulnerabilities: {} };
  expect(judgeAdvisories(JSON.stringify({ metadata, vulnerabilities: {} })).exitCode).toBe(0);
  const vulnerabilities = { left: { severity: "high", range: "<1.2.0" } };
  expect(judgeAdvisories(JSON.stringify({ metadata, vulnerabilities }))).toEqual({
    exitCode: 1,
    text: "high: left <1.2.0",
  });
  const refused = JSON.stringify({ message: "405 Method Not Allowed", error: { summary: "" } });
  expect(judgeAdvisories(refused)).toEqual({
    exitCode: 2,
    text: "The advisories could not be read from the registry, so nothing is known: 405 Method Not Allowed",
  });
  expect(judgeAdvisories("").exitCode).toBe(2);
});
