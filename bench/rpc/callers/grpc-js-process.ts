// Calls through the client of grpc-js as it is.
import type { CheckAccessResponse } from "@cloud/proto/workspace/v1/access_service_pb";
import grpc from "@grpc/grpc-js";
import { checkAccess } from "../grpc-js-method.ts";
import { AUTHORIZATION, request } from "../trivial.ts";
import { runCaller } from "./run-caller.ts";

const client = new grpc.Client(new URL(process.env["SERVER"] ?? "").host, grpc.credentials.createInsecure());
const { path, requestSerialize, responseDeserialize } = checkAccess;

runCaller(() => {
  const { promise, resolve, reject } = Promise.withResolvers<CheckAccessResponse>();
  const metadata = new grpc.Metadata();
  metadata.set("authorization", AUTHORIZATION);
  const options = { deadline: Date.now() + 5_000 };
  client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, options, (error, reply) => {
    if (error !== null) reject(error);
    else if (reply === undefined) reject(new Error("there is no reply"));
    else resolve(reply);
  });
  return promise;
});
