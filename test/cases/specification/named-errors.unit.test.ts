import { codeOf } from "@cloud/access/errors";
import { Scope } from "@cloud/proto/cloud/api/v1/options_pb";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { expect, test } from "@jest/globals";
import { INTERNAL_FAILURES } from "./internal-failures.ts";
import { findInternal, findOperations, findScoped } from "./named-errors.ts";

// Each RPC has one set of errors: its comment in proto/ names them, its cases in test/cases and its examples in
// test/cases/surfaces produce them, and the OpenAPI document lists them. RPCs for services only have
// internal-failures.ts instead.

/** Errors of every RPC: of the caller, of the form of a request, and faults. Comments do not repeat them. */
const ANY_RPC = [
  Reason.UNAUTHENTICATED,
  Reason.SERVICE_CREDENTIAL_REQUIRED,
  Reason.INVALID_JSON,
  Reason.BODY_TOO_LARGE,
  Reason.UNSUPPORTED_MEDIA_TYPE,
  Reason.INTERNAL,
  Reason.RATE_LIMITED,
  Reason.OVERLOADED,
  Reason.UNAVAILABLE,
  Reason.DEADLINE_EXCEEDED,
  Reason.ANSWER_TOO_LARGE,
].map(codeOf);
/** Errors of requests that reach no RPC. */
const BEFORE_ANY_RPC = [
  Reason.INVALID_PATH,
  Reason.METHOD_NOT_ALLOWED,
  Reason.MALFORMED_REQUEST,
  Reason.HEADERS_TOO_LARGE,
  Reason.REQUEST_TIMEOUT,
].map(codeOf);

const INVALID_PARAMETER = codeOf(Reason.INVALID_PARAMETER);
const operations = findOperations();
const without = (codes: Iterable<string>) =>
  [...new Set(codes)].filter((code) => ![...ANY_RPC, ...BEFORE_ANY_RPC].includes(code)).sort();

test.each(operations)("$name names the errors that it produces", ({ named, produced }) => {
  // Any body can hold a value of the wrong type: the comment names the parameters that the RPC itself refuses.
  expect(without(named).filter((code) => !produced.includes(code))).toEqual([]);
  expect(without(produced).filter((code) => !named.includes(code) && code !== INVALID_PARAMETER)).toEqual([]);
});

test.each(operations)("$name: the OpenAPI document lists the same errors", ({ named, produced, listed }) => {
  for (const codes of listed) {
    expect(produced.filter((code) => !codes.includes(code) && !BEFORE_ANY_RPC.includes(code))).toEqual([]);
    const own = without(codes).filter((code) => code !== INVALID_PARAMETER);
    expect(own).toEqual(without(named).filter((code) => code !== INVALID_PARAMETER));
  }
});

test.each(findInternal())("$name, which is for services only, names the errors that it produces", ({ name, named }) => {
  expect(named.toSorted()).toEqual([...new Set(INTERNAL_FAILURES[name]?.map(({ reason }) => reason))].toSorted());
});

/** The errors that an RPC of a scope can always return. */
const OF_SCOPE: Readonly<Partial<Record<Scope, readonly Reason[]>>> = {
  [Scope.CREATION]: [Reason.ORGANIZATION_ID_REQUIRED, Reason.ORGANIZATION_ID_INVALID],
  [Scope.LIST]: [Reason.ORG_ID_REQUIRED, Reason.PERMISSION_DENIED, Reason.ORGANIZATION_NOT_FOUND],
  [Scope.LIST_OR_CURRENT]: [Reason.PERMISSION_DENIED, Reason.ORGANIZATION_NOT_FOUND],
};

const OF_A_RECORD: readonly Scope[] = [
  Scope.RECORD,
  Scope.RECORD_OR_OWNER,
  Scope.RECORD_OR_CALLER,
  Scope.RECORD_OR_ALL,
];

test.each(findScoped())("$name names the errors of its scope and permission", ({ named, scope, permission }) => {
  const denied = permission === Permission.UNSPECIFIED ? [] : [Reason.PERMISSION_DENIED];
  expect(named).toEqual(expect.arrayContaining([...(OF_SCOPE[scope] ?? []), ...denied].map(codeOf)));
  if (OF_A_RECORD.includes(scope)) {
    expect(named).toContainEqual(expect.stringMatching(/_NOT_FOUND$/));
  }
});
