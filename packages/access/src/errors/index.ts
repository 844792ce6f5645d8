export { providerAdminRequired } from "../lists/lists.ts";
export { codeOf, fail, metadataOf, reasonOf, ruleOf, sharedRefusal } from "./fail.ts";
export { findRateLimit, type RateLimit, type RateLimitState, rateLimited, rateLimitHeaders } from "./rate-limits.ts";
