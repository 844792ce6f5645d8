import { Code } from "@connectrpc/connect";

export interface RpcCode {
  /** Its name in google.rpc.Code. */
  readonly name: string;
  readonly httpStatus: number;
}

/** The HTTP status of each code, as google/rpc/code.proto has them. */
export const RPC_CODES: Readonly<Record<Code, RpcCode>> = {
  // The client closed the request; the status is that of nginx.
  [Code.Canceled]: { name: "CANCELLED", httpStatus: 499 },
  [Code.Unknown]: { name: "UNKNOWN", httpStatus: 500 },
  [Code.InvalidArgument]: { name: "INVALID_ARGUMENT", httpStatus: 400 },
  [Code.DeadlineExceeded]: { name: "DEADLINE_EXCEEDED", httpStatus: 504 },
  [Code.NotFound]: { name: "NOT_FOUND", httpStatus: 404 },
  [Code.AlreadyExists]: { name: "ALREADY_EXISTS", httpStatus: 409 },
  [Code.PermissionDenied]: { name: "PERMISSION_DENIED", httpStatus: 403 },
  [Code.ResourceExhausted]: { name: "RESOURCE_EXHAUSTED", httpStatus: 429 },
  [Code.FailedPrecondition]: { name: "FAILED_PRECONDITION", httpStatus: 400 },
  [Code.Aborted]: { name: "ABORTED", httpStatus: 409 },
  [Code.OutOfRange]: { name: "OUT_OF_RANGE", httpStatus: 400 },
  [Code.Unimplemented]: { name: "UNIMPLEMENTED", httpStatus: 501 },
  [Code.Internal]: { name: "INTERNAL", httpStatus: 500 },
  [Code.Unavailable]: { name: "UNAVAILABLE", httpStatus: 503 },
  [Code.DataLoss]: { name: "DATA_LOSS", httpStatus: 500 },
  [Code.Unauthenticated]: { name: "UNAUTHENTICATED", httpStatus: 401 },
};
