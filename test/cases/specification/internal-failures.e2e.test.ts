import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { accessRuleOf } from "@cloud/access";
import { codeOf, reasonOf } from "@cloud/access/errors";
import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openTransports, type Transports } from "../../e2e/permissions/open-transports.ts";
import type { MethodRequest } from "../../e2e/permissions/promised-methods.ts";
import { createRequestFiller, type FillRequest } from "../../e2e/permissions/record-makers.ts";
import { findServedMethods, type ServedMethod } from "../../e2e/permissions/served-methods.ts";
import { systemRest } from "../../e2e/system-rest.ts";
import { INTERNAL_FAILURES } from "./internal-failures.ts";

const methods = (await findServedMethods()).filter(({ desc }) => accessRuleOf(desc).forServicesOnly);

let stack: TestStack;
let transports: Transports;
let fill: FillRequest;
beforeAll(async () => {
  stack = await joinTestStack();
  transports = openTransports(stack, stack.serviceToken);
  fill = createRequestFiller(systemRest(stack), stack.demo);
});
afterAll(async () => {
  transports.close();
});

test("every RPC for services only is listed", () => {
  expect(Object.keys(INTERNAL_FAILURES).toSorted()).toEqual(methods.map(({ name }) => name).toSorted());
});

test.each(methods)("$name fails as listed", async (method) => {
  const failures = INTERNAL_FAILURES[method.name] ?? [];
  const reasons = await Promise.all(failures.map(({ request }) => reasonFor(method, request)));
  expect(reasons).toEqual(failures.map(({ reason }) => reason));
});

async function reasonFor({ desc }: ServedMethod, request: MethodRequest): Promise<string> {
  const message = fromJson(desc.input, (await fill(request)) as JsonValue);
  const transport = transports.of(desc.parent.file.proto.package);
  return transport.unary(desc, undefined, undefined, undefined, message).then(
    () => "succeeded",
    (error: unknown) => codeOf(reasonOf(error)),
  );
}
