export {
  type AccessRule,
  accessRuleOf,
  createsRecord,
  mayCall,
  SERVICE_CALLER_NAMES,
  type ServiceCallerName,
  type ServiceCredential,
  taggedRecordOf,
  takesEtag,
} from "./access-rule.ts";
export {
  accessCheckKey,
  authorizationKey,
  authorizationOf,
  authorizeCall,
  type CountOrganization,
  callerOf,
} from "./authorization.ts";
export { type AccessCheck, type Authorization, type Caller, ownerFor } from "./caller.ts";
export { parseEntityTags, parseIdempotencyKey, type RequiredTags } from "./request-headers.ts";
