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
export type {
  AccessCheck,
  Authorization,
  Caller,
} from "./caller.ts";
export { afterCursor, type Cursor, formatCursor, parseCursor } from "./cursor.ts";
export { codeOf, fail, isConnectionTrouble, metadataOf, type ReasonText, reasonOf, ruleOf } from "./fail.ts";
export { fieldRuleOf } from "./field-rule.ts";
export {
  type ListParameters,
  type ListRequest,
  packIds,
  parseAssigned,
  parseListParameters,
  parsePageSize,
  parseSelectionParameters,
  parseVisibility,
  parseVisibilityFilter,
  type SelectionParameters,
  type Visibility,
} from "./list-parameters.ts";
export { providerAdminRequired } from "./list-scope.ts";
export { advanceLogCursor, formatLogCursor, type LogCursor, parseLogCursor } from "./log-cursor.ts";
export { parseMetadata } from "./metadata.ts";
export { ownerFor } from "./owner-for.ts";
export {
  bearerOf,
  CALLER_ID_HEADER,
  CALLER_MARK,
  hasTokenForm,
  type Identity,
  MAX_TOKENS,
  type Principal,
  permissionName,
  type RolePermissions,
  servicePrincipal,
  setPermissions,
  TOKEN_PREFIX,
  userPrincipal,
} from "./principal.ts";
export { findRateLimit, type RateLimit, type RateLimitState, rateLimited, rateLimitHeaders } from "./rate-limits.ts";
export { parseEntityTags, parseIdempotencyKey, type RequiredTags } from "./request-headers.ts";
export {
  type AuditEventId,
  type ConnectionId,
  type CredentialId,
  type CurriculumId,
  type EnvironmentId,
  found,
  type Id,
  type InvitationId,
  isId,
  isLongerThan,
  MAX_IDS,
  newId,
  type OrganizationId,
  parseId,
  parseIds,
  parseNameChanges,
  parseOrganizationId,
  parseText,
  parseTextParameter,
  searchText,
  type TeamId,
  type TokenId,
  timestampToProto,
  type UserId,
  type WorkspaceId,
} from "./values.ts";
