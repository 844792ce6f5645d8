import { fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type CheckAccessRequest,
  CheckAccessRequestSchema,
  type CheckAccessResponse,
  CheckAccessResponseSchema,
} from "@cloud/proto/workspace/v1/access_service_pb";
import type { MethodDefinition } from "@grpc/grpc-js";

/** The RPC for grpc-js, with the messages of Protobuf-ES. */
export const checkAccess: MethodDefinition<CheckAccessRequest, CheckAccessResponse> = {
  path: "/workspace.v1.AccessService/CheckAccess",
  requestStream: false,
  responseStream: false,
  requestSerialize: (message) => Buffer.from(toBinary(CheckAccessRequestSchema, message)),
  requestDeserialize: (bytes) => fromBinary(CheckAccessRequestSchema, bytes),
  responseSerialize: (message) => Buffer.from(toBinary(CheckAccessResponseSchema, message)),
  responseDeserialize: (bytes) => fromBinary(CheckAccessResponseSchema, bytes),
};
