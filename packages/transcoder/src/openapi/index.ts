export { commentOf } from "./comments.ts";
export { describeApi } from "./describe-api.ts";
export type {
  Components,
  Content,
  Header,
  Info,
  OpenapiDocument,
  Operation,
  Parameter,
  PathItem,
  Reference,
  RequestBody,
  Response,
  Schema,
} from "./document.ts";
export type { Failure, FieldNotes, OpenapiOptions, OperationNotes } from "./openapi-options.ts";
