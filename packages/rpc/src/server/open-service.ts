import type { DescService } from "@bufbuild/protobuf";

/** Health and reflection are for probes and tools: they hold no token, and have errors of their own. */
export function isOpenService(service: DescService): boolean {
  return /^grpc\.(health|reflection)\./.test(service.typeName);
}
