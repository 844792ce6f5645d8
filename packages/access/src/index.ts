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
  type AccessCheck,
  accessCheckKey,
  Caller,
  type CountOrganization,
  callerKey,
  callerOf,
  ownerFor,
} from "./caller.ts";
export { parseEntityTags, parseIdempotencyKey, type RequiredTags } from "./request-headers.ts";
