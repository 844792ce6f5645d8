import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorSet, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/** Compiles the repository's proto files, including comments. Needs `buf`, a development dependency. */
export function compileProtos(): FileDescriptorSet {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const image = execFileSync(`${root}node_modules/.bin/buf`, ["build", "--output", "-"], {
    cwd: `${root}proto`,
    maxBuffer: 2 ** 26,
  });
  return fromBinary(FileDescriptorSetSchema, image);
}
