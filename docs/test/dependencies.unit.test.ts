import { expect, test } from "@jest/globals";
import { list, readText } from "./documents.ts";

interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type Lockfile = Readonly<Record<string, LockedPackage>>;
type Manifest = Readonly<Record<"dependencies" | "devDependencies" | "optionalDependencies", Record<string, string>>>;

const readLockfile = (path: string) => (JSON.parse(readText(path)) as { packages: Lockfile }).packages;

/** Returns the dependencies for some platforms that the lockfile lacks: `npm ci` refuses such a lockfile. */
function missingPlatformPackages(packages: Lockfile): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !foldersAbove(path).some((folder) => packages[`${folder}node_modules/${name}`]?.version))
      .map((name) => `${path} -> ${name}`),
  );
}

/** Returns the folders whose node_modules a package resolves, its own first. */
function foldersAbove(path: string): string[] {
  const parts = path === "" ? [] : path.split("/node_modules/");
  return parts.map((_, index) => `${parts.slice(0, parts.length - index).join("/node_modules/")}/`).concat("");
}

test.each(list(["package-lock.json", "{test,deploy,bench,gateway}/**/packages/package-lock.json"]))(
  "%s has the packages of every platform",
  (path) => {
    expect(missingPlatformPackages(readLockfile(path))).toEqual([]);
  },
);

test("a lockfile without the package of a platform is reported", () => {
  const tool = { version: "1.0.0", optionalDependencies: { "tool-linux": "1.0.0", "tool-darwin": "1.0.0" } };
  const linux = { version: "1.0.0" };
  const packages = {
    "": {},
    "node_modules/tool": tool,
    "node_modules/tool-linux": linux,
    "node_modules/tool-darwin": {},
  };
  expect(missingPlatformPackages(packages)).toEqual(["node_modules/tool -> tool-darwin"]);
});

test("the code that replaces a package has about as many lines as the page says", () => {
  const named = [...readText("docs/dependencies.md").matchAll(/\(((?:`[\w-]+\.ts`, )+)(\d+) lines\)/g)];
  const said = named.map(([, files = "", lines]) => ({
    files: files.match(/[\w-]+\.ts/g) ?? [],
    lines: Number(lines),
  }));
  const linesOf = (file: string) => readText(list([`packages/*/src/**/${file}`])[0] ?? file).split("\n").length - 1;
  const counted = said.map(({ files }) => files.map(linesOf).reduce((sum, lines) => sum + lines));
  expect(
    said.map(({ lines }, index) => lines / (counted[index] ?? 0)).filter((share) => share < 0.8 || share > 1.2),
  ).toEqual([]);
  expect(said).toHaveLength(2);
});

test("docs/dependencies.md has every direct dependency", () => {
  const page = readText("docs/dependencies.md");
  const direct = list([
    "package.json",
    "{packages,services}/*/package.json",
    "{gateway,proto}/package.json",
    "{test,deploy,bench,gateway}/**/packages/package.json",
  ]).flatMap((path) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readText(path)) as Partial<Manifest>;
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  });
  const foreign = new Set(direct.filter((name) => !name.startsWith("@cloud/")));
  expect([...foreign].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
