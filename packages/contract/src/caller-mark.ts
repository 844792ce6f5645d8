/**
 * The header with which the gateway marks a call as a user's. No service credential is accepted on such a call, so that
 * one that leaked is worth nothing at the public port. The gateway never forwards the header of a client.
 */
export const CALLER_MARK = { header: "x-cloud-caller", value: "user" } as const;

/** The header of a reply to a marked call with the id of its caller, for the gateway's log. */
export const CALLER_ID_HEADER = "x-cloud-caller-id";
