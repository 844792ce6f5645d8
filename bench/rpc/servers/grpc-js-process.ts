// The server of grpc-js as it is. It checks the credential and nothing else.
import { create } from "@bufbuild/protobuf";
import {
  type CheckAccessRequest,
  type CheckAccessResponse,
  CheckAccessResponseSchema,
} from "@cloud/proto/workspace/v1/access_service_pb";
import grpc from "@grpc/grpc-js";
import { announce } from "../../harness/serve.ts";
import { checkAccess } from "../grpc-js-method.ts";
import { AUTHORIZATION } from "../trivial.ts";

const handle: grpc.handleUnaryCall<CheckAccessRequest, CheckAccessResponse> = ({ metadata }, reply) => {
  if (metadata.get("authorization")[0] !== AUTHORIZATION) reply({ code: grpc.status.UNAUTHENTICATED });
  else reply(null, create(CheckAccessResponseSchema, { allowed: true }));
};

const server = new grpc.Server();
server.addService({ checkAccess }, { checkAccess: handle });
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  announce(port);
});
