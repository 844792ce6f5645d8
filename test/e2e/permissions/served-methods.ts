import type { DescMethodUnary } from "@bufbuild/protobuf";
import { loadServices, nameOf } from "../../cases/surfaces/exposed-methods.ts";
import { PROMISED_METHODS, type PromisedMethod } from "./promised-methods.ts";

export interface ServedMethod {
  /** `<package>.<service>/<method>`. */
  readonly name: string;
  readonly desc: DescMethodUnary;
  /** Undefined for an RPC that promised-methods.ts does not name. */
  readonly promised: PromisedMethod | undefined;
}

/** Lists every RPC of the generated code but health and reflection, which need no caller. */
export async function findServedMethods(): Promise<ServedMethod[]> {
  const services = (await loadServices()).filter(({ typeName }) => !typeName.startsWith("grpc."));
  return services
    .flatMap(({ methods }) => methods as DescMethodUnary[])
    .map((desc) => ({
      name: nameOf(desc),
      desc,
      promised: PROMISED_METHODS[desc.parent.typeName]?.[desc.name],
    }));
}
