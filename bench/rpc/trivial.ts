import { create } from "@bufbuild/protobuf";
import { CheckAccessRequestSchema } from "@cloud/proto/workspace/v1/access_service_pb";

/** A credential of the operator, who may call every RPC. */
export const CREDENTIAL = "credential-of-the-operator";
export const AUTHORIZATION = `Bearer ${CREDENTIAL}`;

/** The request of every caller; the reply is that access is allowed. */
export const request = create(CheckAccessRequestSchema, {
  userId: "01930000-0000-7000-8000-bbbbbbbbbbbb",
  resourceKind: "workspace",
  resourceId: "01930000-0000-7000-8000-aaaaaaaaaaaa",
});
