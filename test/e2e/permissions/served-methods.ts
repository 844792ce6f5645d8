import { type DescMethodUnary, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "@cloud/proto/google/api/annotations_pb";
import type { HttpRule } from "@cloud/proto/google/api/http_pb";
import { loadServices, nameOf } from "../../cases/surfaces/exposed-methods.ts";

export interface ServedMethod {
  /** `<package>.<service>/<method>`. */
  readonly name: string;
  readonly desc: DescMethodUnary;
  /** Undefined if the method is not exposed by REST. */
  readonly rule: HttpRule | undefined;
}

/** Lists every RPC of the generated code but health and reflection, which need no caller. */
export async function findServedMethods(): Promise<ServedMethod[]> {
  const services = (await loadServices()).filter(({ typeName }) => !typeName.startsWith("grpc."));
  const methods = services.flatMap(({ methods }) => methods as DescMethodUnary[]);
  return methods.map((desc) => ({
    name: nameOf(desc),
    desc,
    rule: hasOption(desc, http) ? getOption(desc, http) : undefined,
  }));
}
