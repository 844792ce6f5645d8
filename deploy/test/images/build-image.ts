import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Program, root } from "../programs.ts";
import { buildah, run } from "./buildah.ts";

const BASE = `localhost/cloud-test-base:${process.version}`;
const DEBIAN = "bookworm";
/** The libraries that npm's Node is linked with, a shell for RUN, and the tools that npm's scripts expect. */
const PACKAGES = ["base-files", "ca-certificates", "coreutils", "dash", "libatomic1", "libstdc++6"];

/**
 * Builds the image of a program from the Dockerfile as it is. Only its base differs: Debian's packages and this Node,
 * for there is no registry of images here.
 */
export function buildImage({ name, folder }: Program): string {
  const image = `localhost/cloud-test/${name}`;
  const settings = npmSettings();
  const authority = authorityFile();
  try {
    buildah(
      "bud",
      "--isolation=chroot",
      "--pull-never",
      "--layers=false",
      "--file=deploy/docker/Dockerfile",
      `--build-arg=NODE_IMAGE=${provideBase()}`,
      `--build-arg=PROGRAM=${folder}`,
      "--build-arg=REVISION=0123456789abcdef",
      `--volume=${settings}:/usr/local/etc/npmrc:ro`,
      ...(authority === undefined ? [] : [`--volume=${authority}:${authority}:ro`]),
      `--tag=${image}`,
      ".",
    );
  } finally {
    rmSync(dirname(settings), { recursive: true });
  }
  return image;
}

/** Makes the base once for each version of Node, in 20 s. */
export function provideBase(): string {
  if (buildah("images", "--format={{.Name}}:{{.Tag}}").split("\n").includes(BASE)) return BASE;
  mkdirSync(`${root}.cache/images`, { recursive: true });
  const archive = `${root}.cache/images/debian.tar`;
  run("mmdebstrap", [
    "--mode=root",
    "--variant=extract",
    `--include=${PACKAGES.join()}`,
    DEBIAN,
    archive,
    ...debianMirror(),
  ]);
  const container = buildah("from", "scratch");
  buildah("add", container, archive, "/");
  rmSync(archive);
  buildah("copy", container, process.execPath, "/usr/local/bin/node");
  buildah("copy", container, npmFolder(), "/usr/local/lib/node_modules/npm");
  const folder = buildah("mount", container);
  run("ln", ["-s", "../lib/node_modules/npm/bin/npm-cli.js", `${folder}/usr/local/bin/npm`]);
  buildah("config", "--env=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container);
  buildah("commit", "--rm", container, BASE);
  return BASE;
}

/** The mirror that this machine uses, without its other suites. */
export function debianMirror(): string[] {
  const sites = run("apt-get", ["indextargets", "--format", "$(SITE)", "Created-By: Packages"]).split("\n");
  const site = sites.find((one) => one.endsWith("/debian"));
  return site === undefined ? [] : [site];
}

/** The npm that runs this test. */
export function npmFolder(): string {
  const executed = process.env["npm_execpath"] ?? "";
  if (!existsSync(executed)) throw new Error("run this by `npm run test:images`: the image gets the npm that runs it");
  return resolve(dirname(executed), "..");
}

/** Writes how this machine reaches its registry, without any credential, and returns the file. */
export function npmSettings(): string {
  const file = join(mkdtempSync(join(tmpdir(), "npmrc-")), "npmrc");
  const authority = authorityFile();
  const lines = [`registry=${npmSetting("registry")}`, ...(authority === undefined ? [] : [`cafile=${authority}`])];
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

/** Returns the certificates by which this machine trusts its registry, if it needs others than Node's. */
export function authorityFile(): string | undefined {
  const file = npmSetting("cafile");
  return file === "null" ? process.env["NODE_EXTRA_CA_CERTS"] : file;
}

const npmSetting = (key: string) => run("npm", ["config", "get", key], { npm_config_workspaces: "false" });
