import { lstatSync, readFileSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createTestDatabase, startTestNats, takeStablePort } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { expectedFolders, unusualFiles } from "../image-files.ts";
import { type Program, programs, root } from "../programs.ts";
import { buildImage, provideBase } from "./build-image.ts";
import { configOf, type Mounted, mountImage, run } from "./buildah.ts";
import { type InImage, type RunningImage, runInImage, startImage } from "./run-image.ts";

interface Bill {
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly {
    name: string;
    version: string;
    licenses: readonly object[];
    hashes: readonly { content: string }[];
  }[];
}

const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string };
/** `IMAGES=identity,gateway` builds some of them. */
const wanted = process.env["IMAGES"]?.split(",") ?? programs.map(({ name }) => name);
const CREDENTIAL = "a-credential-of-this-test";
/** The most bytes of /app; the largest, identity, has 10 MB. */
const MAX_BYTES = 15_000_000;

describe.each(programs.filter(({ name }) => wanted.includes(name)))("the image of $name", (program) => {
  const resources = new AsyncDisposableStack();
  let image: InImage & { readonly base: string };
  beforeAll(() => {
    const [built, base] = [buildImage(program), provideBase()];
    const [mounted, below] = [built, base].map((one) => {
      const found: Mounted = mountImage(one);
      resources.defer(() => found.remove());
      return found.folder;
    });
    image = { folder: mounted ?? "", base: below ?? "", config: configOf(built) };
  }, 180_000);
  afterAll(() => resources.disposeAsync());

  test("has labels, an unprivileged user by number, and Node as its first process", () => {
    const { Labels, User, Cmd, WorkingDir, Entrypoint, Env } = image.config;
    expect(Labels).toMatchObject({
      "org.opencontainers.image.title": program.folder,
      "org.opencontainers.image.version": version,
      "org.opencontainers.image.revision": "0123456789abcdef",
      "org.opencontainers.image.licenses": "Apache-2.0",
      "org.opencontainers.image.base.name": provideBase(),
    });
    expect([User, Cmd, WorkingDir, Entrypoint ?? []]).toEqual(["1000:0", ["node", "main.mjs"], "/app", []]);
    expect(Env).toEqual(expect.arrayContaining(["NODE_ENV=production", "MALLOC_ARENA_MAX=1"]));
  });

  test("has /app besides the files of its base, which its user cannot change", async () => {
    const others = filesOf(image.folder).filter((file) => !/^app(\/| )/.test(file));
    expect(others).toEqual(filesOf(image.base));
    const own = await readdir(join(image.folder, "app"), { recursive: true });
    expect(unusualFiles(program, own)).toEqual(expectedFolders(program));
    const changeable = own.filter((file) => {
      const { uid, gid, mode } = lstatSync(join(image.folder, "app", file));
      return uid !== 0 || gid !== 0 || (mode & 0o022) !== 0;
    });
    expect(changeable).toEqual([]);
  });

  test("is small", async () => {
    const own = await readdir(join(image.folder, "app"), { recursive: true });
    const bytes = own.reduce((sum, file) => sum + statSync(join(image.folder, "app", file)).size, 0);
    process.stdout.write(`${program.name}: ${(bytes / 1e6).toFixed(1)} MB in /app\n`);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  test("lists the packages in it, as the lock file has them", () => {
    const bill = JSON.parse(readFileSync(join(image.folder, "app/sbom.cdx.json"), "utf8")) as Bill;
    const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")) as {
      packages: Readonly<Record<string, { version?: string; integrity?: string }>>;
    };
    expect(bill.metadata.component).toMatchObject({ version });
    const locked = new Set(
      Object.entries(packages).map(([path, entry]) => {
        const digest = Buffer.from(entry.integrity?.replace(/^sha512-/, "") ?? "", "base64").toString("hex");
        return `${path.split("node_modules/").at(-1)} ${entry.version} ${digest}`;
      }),
    );
    const listed = bill.components.map(({ name, version: own, hashes }) => `${name} ${own} ${hashes[0]?.content}`);
    expect(listed.filter((one) => !locked.has(one))).toEqual([]);
    expect(bill.components.filter(({ licenses }) => licenses.length === 0)).toEqual([]);
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["pino", "zod", ...(program.name === "gateway" ? [] : ["pg", "nats"])]),
    );
  });

  test("runs as its user, and cannot write", () => {
    const script = 'console.log(process.getuid(), process.pid); require("fs").writeFileSync("/app/main.mjs", "")';
    const { status, output } = runInImage(image, ["node", "-e", script], {});
    expect([status, output]).toEqual([
      1,
      expect.stringContaining("EROFS: read-only file system, open '/app/main.mjs'"),
    ]);
    expect(output).toMatch(/^1000 1$/m);
    const who = ["node", "-p", "[process.getuid(), process.getgid(), process.pid].join(' ')"];
    expect(runInImage(asAnyUser(image), who, {}).output).toBe("1234567 0 1\n");
  });

  const start = program.name === "gateway" ? startGateway : startService;
  test("starts with whatever user id in group 0 on a read-only root, is ready, and ends with 0 at SIGTERM", async () => {
    await using started = await start(program, asAnyUser(image));
    process.stdout.write(`${program.name}: ready after ${Math.round(started.program.readyMs)} ms\n`);
    expect(started.program.readyMs).toBeLessThan(10_000);
    if (program.name !== "gateway") {
      const commands = [["replay", "--dry-run"], ["rewind", "--dry-run"], ["purge", "--dry-run"], ["check-counts"]];
      const ended = commands.map((command) =>
        runInImage(asAnyUser(image), ["node", "operator.mjs", ...command], started.environment),
      );
      expect(ended.map(({ status, output }) => (status === 0 ? 0 : output))).toEqual([0, 0, 0, 0]);
    }
    if (program.name === "identity") {
      const bootstrap = ["node", "operator.mjs", "bootstrap", "--organization=Corp", "--email=ada@example.com"];
      const outputs = [1, 2].map(() => runInImage(image, bootstrap, started.environment));
      expect(outputs.map(({ status }) => status)).toEqual([0, 0]);
      expect(outputs.map(({ output }) => output.includes("cst_"))).toEqual([true, false]);
    }
    expect(await started.program.stop()).toBe(0);
  }, 60_000);

  test("control: without its variables it ends, and names them", () => {
    const { status, output } = runInImage(image, image.config.Cmd, {});
    expect([status, output]).toEqual([1, expect.stringContaining("the configuration is not usable")]);
  });
});

/**
 * Returns each file with its type, mode and size, without following links. Folders, whose times a build changes, have
 * no size.
 */
function filesOf(folder: string): string[] {
  const format = ["-type", "d", "-printf", "%P %y %m\\n", "-o", "-printf", "%P %y %m %s\\n"];
  return run("find", [folder, "-mindepth", "1", "(", ...format, ")"])
    .split("\n")
    .sort();
}

/** The user that OpenShift runs a container as: the namespace chooses it, in the group 0. */
const asAnyUser = (image: InImage): InImage => ({ ...image, config: { ...image.config, User: "1234567:0" } });

interface Started extends AsyncDisposable {
  readonly program: RunningImage;
  readonly environment: Readonly<Record<string, string>>;
}

/** A service with a Postgres and a NATS, whose schema its image has migrated; its peers are away. */
async function startService({ name }: Program, image: InImage): Promise<Started> {
  const resources = new AsyncDisposableStack();
  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  const database = await createTestDatabase(name);
  resources.defer(() => database.drop());
  const migration = { MIGRATE: "only", MIGRATION_DATABASE_URL: database.ownerUrl, DATABASE_URL: database.url };
  expect(runInImage(image, image.config.Cmd, migration)).toMatchObject({ status: 0 });
  const away = "http://127.0.0.1:1";
  const environment = {
    ...(await addresses()),
    MIGRATE: "off",
    DATABASE_URL: database.url,
    NATS_URL: nats.urlOf(name),
    SERVICE_TOKEN: CREDENTIAL,
    SERVICE_CREDENTIALS: `operator:${CREDENTIAL}`,
    WORKSPACE_URL: away,
    ENVIRONMENT_URL: away,
    IDENTITY_URL: away,
  };
  return startWith(image, environment, resources);
}

/** A gateway with one service, that any server stands in for: its readiness asks only whether one replies. */
async function startGateway(_program: Program, image: InImage): Promise<Started> {
  const resources = new AsyncDisposableStack();
  const peer = createServer((_request, response) => response.writeHead(404).end()).listen(0, "127.0.0.1");
  resources.defer(() => void peer.close());
  const url = await new Promise<string>((done) => {
    peer.once("listening", () => done(`http://127.0.0.1:${(peer.address() as AddressInfo).port}`));
  });
  const environment = { ...(await addresses()), WORKSPACE_URL: url, ENVIRONMENT_URL: url, IDENTITY_URL: url };
  return startWith(image, environment, resources);
}

async function addresses() {
  const [PORT, OPERATOR_PORT] = [await takeStablePort(), await takeStablePort()].map(String);
  return {
    HOST: "127.0.0.1",
    PORT: PORT ?? "",
    OPERATOR_HOST: "127.0.0.1",
    OPERATOR_PORT: OPERATOR_PORT ?? "",
    LAME_DUCK_MS: "0",
  };
}

async function startWith(
  image: InImage,
  environment: Started["environment"],
  resources: AsyncDisposableStack,
): Promise<Started> {
  try {
    const program = await startImage(image, environment, `http://127.0.0.1:${environment["OPERATOR_PORT"]}/readyz`);
    resources.defer(() => program.close());
    return { program, environment, [Symbol.asyncDispose]: () => resources.disposeAsync() };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}
