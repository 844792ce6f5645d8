import type { DescService } from "@bufbuild/protobuf";

/** Health and reflection are for probes and tools: they need no token, and have their own errors. */
export function isOpenService(service: DescService): boolean {
  return /^grpc\.(health|reflection)\./.test(service.typeName);
}
