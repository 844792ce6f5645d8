import type { DescService } from "@bufbuild/protobuf";

const OPEN = /^\/?grpc\.(health|reflection)\./;

/** Health and reflection are for probes and tools: they need no token, and have their own errors. */
export function isOpenService(service: DescService): boolean {
  return OPEN.test(service.typeName);
}

/** Returns whether a path is that of an RPC of health or reflection. */
export function isOpenPath(path = ""): boolean {
  return path.startsWith("/grpc.") && OPEN.test(path);
}
