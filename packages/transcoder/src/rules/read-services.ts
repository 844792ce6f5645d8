import { createFileRegistry, type DescService, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorSet, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { nearestNames } from "../binding/nearest-names.ts";

/** Thrown for bytes that do not describe the services. */
export class InvalidDescriptors extends Error {
  override readonly name = "InvalidDescriptors";
}

/**
 * Reads services, with their options, from a `FileDescriptorSet` as `buf build --output` and
 * `protoc --include_imports --descriptor_set_out` write it: the services with these full names, in this order, or all
 * services, imported ones included.
 *
 * @throws InvalidDescriptors
 */
export function readServices(descriptors: Uint8Array, names?: readonly string[]): DescService[] {
  const set = readSet(descriptors);
  assertComplete(set);
  const services = [...readRegistry(set)].filter((type) => type.kind === "service");
  if (services.length === 0) throw new InvalidDescriptors("the FileDescriptorSet has no service");
  return names === undefined ? services : names.map((name) => findService(services, name));
}

function readSet(descriptors: Uint8Array): FileDescriptorSet {
  try {
    return fromBinary(FileDescriptorSetSchema, descriptors);
  } catch (cause) {
    throw new InvalidDescriptors("the bytes are no FileDescriptorSet", { cause });
  }
}

function assertComplete({ file: files }: FileDescriptorSet): void {
  const known = new Set(files.map(({ name }) => name));
  const missing = files.flatMap(({ name, dependency }) =>
    dependency.filter((imported) => !known.has(imported)).map((imported) => `${name}: imports ${imported}`),
  );
  if (missing.length === 0) return;
  const hint = "which the FileDescriptorSet lacks; protoc adds it by --include_imports";
  throw new InvalidDescriptors(missing.map((line) => `${line}, ${hint}`).join("\n"));
}

function readRegistry(set: FileDescriptorSet): FileRegistry {
  try {
    return createFileRegistry(set);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidDescriptors(`the FileDescriptorSet is invalid: ${message}`, { cause });
  }
}

function findService(services: readonly DescService[], name: string): DescService {
  const found = services.find(({ typeName }) => typeName === name);
  if (found !== undefined) return found;
  const near = nearestNames(
    name,
    services.map(({ typeName }) => typeName),
  );
  const hint = near.length === 0 ? "" : `: did you mean ${near.join(" or ")}?`;
  throw new InvalidDescriptors(`the FileDescriptorSet has no service "${name}"${hint}`);
}
