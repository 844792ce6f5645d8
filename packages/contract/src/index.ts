export { type AccessRule, accessRuleOf, mayCall } from "./access-rule.ts";
export { authorizeCall, type CountOrganization } from "./authorization.ts";
export { bearerOf } from "./bearer.ts";
export {
  type AccessCheck,
  type Authorization,
  accessCheckKey,
  authorizationKey,
  authorizationOf,
  type Caller,
  callerOf,
} from "./caller.ts";
export { CALLER_ID_HEADER, CALLER_MARK } from "./caller-mark.ts";
export { isConnectionTrouble } from "./connection-trouble.ts";
export { afterCursor, type Cursor, formatCursor, parseCursor } from "./cursor.ts";
export { parseEntityTags, type RequiredTags } from "./entity-tags.ts";
export { codeOf, fail, metadataOf, type ReasonText, reasonOf, ruleOf } from "./fail.ts";
export { fieldRuleOf } from "./field-rule.ts";
export { found } from "./found.ts";
export {
  type AuditEventId,
  type ConnectionId,
  type CredentialId,
  type CurriculumId,
  type EnvironmentId,
  type Id,
  type InvitationId,
  isId,
  newId,
  type OrganizationId,
  parseId,
  parseOrganizationId,
  type TeamId,
  type TokenId,
  type UserId,
  type WorkspaceId,
} from "./id.ts";
export { createsRecord, parseIdempotencyKey } from "./idempotency-key.ts";
export { MAX_IDS, parseIds } from "./ids.ts";
export {
  type ListParameters,
  type ListRequest,
  parseAssigned,
  parseListParameters,
  parsePageSize,
} from "./list-parameters.ts";
export { advanceLogCursor, formatLogCursor, type LogCursor, parseLogCursor } from "./log-cursor.ts";
export { parseMetadata } from "./metadata.ts";
export { ownerFor } from "./owner-for.ts";
export { providerAdminRequired } from "./permission-denied.ts";
export { permissionName } from "./permission-name.ts";
export { type Identity, type Principal, servicePrincipal, userPrincipal } from "./principal.ts";
export { rateLimitHeaders } from "./rate-limit-headers.ts";
export { findRateLimit, type RateLimit, type RateLimitState, rateLimited } from "./rate-limited.ts";
export { type RolePermissions, setPermissions } from "./role-permissions.ts";
export { searchText } from "./search-text.ts";
export { packIds, parseSelectionParameters, type SelectionParameters } from "./selection-parameters.ts";
export {
  SERVICE_CALLER_NAMES,
  type ServiceCallerName,
  type ServiceCredential,
} from "./service-caller.ts";
export { taggedRecordOf, takesEtag } from "./tagged-record.ts";
export { isLongerThan, parseText, parseTextParameter } from "./text.ts";
export { timestampToProto } from "./timestamp.ts";
export { hasTokenForm, MAX_TOKENS, TOKEN_PREFIX } from "./token-form.ts";
export { parseVisibility, parseVisibilityFilter, type Visibility } from "./visibility.ts";
