import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const HERE = fileURLToPath(new URL("./", import.meta.url));
const PROTOS = fileURLToPath(new URL("../../../proto/vendor", import.meta.url));
const CACHE = fileURLToPath(new URL("../../../.cache/grpc-gateway", import.meta.url));

/** The folder of Debian's packages of Go libraries. */
const DEBIAN = "/usr/share/gocode";

/** The command that installs on Debian what `buildGrpcGateway` needs. */
export const HOW_TO_INSTALL = "apt-get install golang golang-github-grpc-ecosystem-grpc-gateway-dev protobuf-compiler";

const SOURCES = ["workspace.proto", "main.go"].map((name) => readFileSync(HERE + name, "utf8"));
/** The file of the program, named by its sources, so that a program of other sources is not used. */
export const PROGRAM = `${CACHE}/grpc-gateway-${hash("sha256", SOURCES.join("\0")).slice(0, 16)}`;

/** The types of the version of Debian's packages; the protos of a newer protoc name another. */
const TYPES = ["struct", "timestamp"]
  .map((name) => `Mgoogle/protobuf/${name}.proto=github.com/golang/protobuf/ptypes/${name}`)
  .join(",");

/** Builds a program with grpc-gateway of Debian's packages, once; undefined where they are not installed. */
export async function buildGrpcGateway(): Promise<string | undefined> {
  if (existsSync(PROGRAM)) return PROGRAM;
  const library = `${DEBIAN}/src/github.com/grpc-ecosystem/grpc-gateway`;
  if (!existsSync("/usr/bin/go") || !existsSync("/usr/bin/protoc") || !existsSync(library)) return undefined;
  const generated = `${CACHE}/src/workspacev1`;
  await mkdir(generated, { recursive: true });
  const env = {
    PATH: "/usr/bin:/bin",
    GO111MODULE: "off",
    GOPATH: `${CACHE}:${DEBIAN}`,
    GOCACHE: `${CACHE}/compiled`,
    CGO_ENABLED: "0",
  };
  const build = (output: string, source: string) => run("/usr/bin/go", ["build", "-o", output, source], { env });
  await build(`${CACHE}/protoc-gen-go`, "github.com/golang/protobuf/protoc-gen-go");
  await build(`${CACHE}/protoc-gen-grpc-gateway`, "github.com/grpc-ecosystem/grpc-gateway/protoc-gen-grpc-gateway");
  await run("/usr/bin/protoc", [
    `--plugin=${CACHE}/protoc-gen-go`,
    `--plugin=${CACHE}/protoc-gen-grpc-gateway`,
    `--go_out=plugins=grpc,${TYPES}:${generated}`,
    `--grpc-gateway_out=${TYPES}:${generated}`,
    `-I${HERE}`,
    `-I${PROTOS}`,
    "workspace.proto",
  ]);
  await mkdir(`${CACHE}/src/gateway`, { recursive: true });
  await copyFile(`${HERE}main.go`, `${CACHE}/src/gateway/main.go`);
  await build(PROGRAM, "gateway");
  return PROGRAM;
}
