import { create, createFileRegistry, type DescMethod, setExtension } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  type MethodOptions,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { FieldKind } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import {
  Audience,
  audience,
  callers,
  permission,
  Scope,
  ServiceCaller,
  scope,
} from "@cloud/proto/cloud/api/v1/options_pb";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { expect, test } from "@jest/globals";
import { accessRuleOf, fieldRuleOf, mayCall } from "./access-rule.ts";
import { parseListParameters, VISIBILITIES } from "./lists/lists.ts";

function methodWith(declare: (options: MethodOptions) => void): DescMethod {
  const options = create(MethodOptionsSchema);
  declare(options);
  const file = create(FileDescriptorProtoSchema, {
    name: "test.proto",
    package: "test.v1",
    syntax: "proto3",
    messageType: [{ name: "Empty" }],
    service: [
      {
        name: "TestService",
        method: [{ name: "Do", inputType: ".test.v1.Empty", outputType: ".test.v1.Empty", options }],
      },
    ],
  });
  const [method] =
    createFileRegistry(create(FileDescriptorSetSchema, { file: [file] })).getService("test.v1.TestService")?.methods ??
    [];
  if (method === undefined) throw new TypeError("no method");
  return method;
}

test("reads scope and permission", () => {
  const method = methodWith((options) => {
    setExtension(options, scope, Scope.RECORD);
    setExtension(options, permission, Permission.EDIT_WORKSPACE);
  });
  expect(accessRuleOf(method)).toEqual({
    method: "test.v1.TestService.Do",
    forServicesOnly: false,
    callers: [],
    scope: Scope.RECORD,
    permission: Permission.EDIT_WORKSPACE,
  });
});

test("reads callers; the operator need not be named", () => {
  const rule = accessRuleOf(
    methodWith((options) => {
      setExtension(options, audience, Audience.SERVICE);
      setExtension(options, callers, [ServiceCaller.WORKSPACE, ServiceCaller.IDENTITY]);
    }),
  );
  expect(rule.callers).toEqual(["workspace", "identity"]);
  const names = ["workspace", "environment", "identity", "operator"] as const;
  expect(names.filter((name) => mayCall(name, rule))).toEqual(["workspace", "identity", "operator"]);
});

const refused: readonly [string, string, (options: MethodOptions) => void][] = [
  ["nothing", "declare (cloud.api.v1.scope), or the audience AUDIENCE_SERVICE", () => undefined],
  [
    "a permission alone",
    "declare (cloud.api.v1.scope), or the audience AUDIENCE_SERVICE",
    (options) => setExtension(options, permission, Permission.EDIT_WORKSPACE),
  ],
  [
    "no callers for services",
    "AUDIENCE_SERVICE needs the option (cloud.api.v1.callers)",
    (options) => setExtension(options, audience, Audience.SERVICE),
  ],
  [
    "an unspecified caller",
    "the option callers does not accept 0",
    (options) => {
      setExtension(options, audience, Audience.SERVICE);
      setExtension(options, callers, [ServiceCaller.UNSPECIFIED]);
    },
  ],
  [
    "callers for users",
    "the option callers needs the audience AUDIENCE_SERVICE",
    (options) => {
      setExtension(options, scope, Scope.CALLER);
      setExtension(options, callers, [ServiceCaller.WORKSPACE]);
    },
  ],
  [
    "a scope for services",
    "AUDIENCE_SERVICE excludes the options scope and permission",
    (options) => {
      setExtension(options, audience, Audience.SERVICE);
      setExtension(options, scope, Scope.RECORD);
    },
  ],
  [
    "a permission for a caller's own records",
    "SCOPE_CALLER decides no organization in which the permission could be held",
    (options) => {
      setExtension(options, scope, Scope.CALLER);
      setExtension(options, permission, Permission.EDIT_WORKSPACE);
    },
  ],
  [
    "a creation without a permission",
    "SCOPE_CREATION needs a (cloud.api.v1.permission)",
    (options) => setExtension(options, scope, Scope.CREATION),
  ],
  [
    "a record or all without a permission",
    "SCOPE_RECORD_OR_ALL needs a (cloud.api.v1.permission)",
    (options) => setExtension(options, scope, Scope.RECORD_OR_ALL),
  ],
  [
    "a record or the caller's own records without a permission",
    "SCOPE_RECORD_OR_CALLER needs a (cloud.api.v1.permission)",
    (options) => setExtension(options, scope, Scope.RECORD_OR_CALLER),
  ],
];

test.each(refused)("refuses %s, naming the method", (_what, text, declare) => {
  expect(() => accessRuleOf(methodWith(declare))).toThrow("test.v1.TestService.Do: " + text);
});

const parse = (order: string, orderByName: boolean) => () =>
  parseListParameters({ search: "", order, page: 0n, pageSize: 0n }, { orderByName });

test("the visibilities match their kind of field", () => {
  expect(fieldRuleOf(FieldKind.VISIBILITY).values).toEqual(VISIBILITIES);
});

test("each order of its kind of field is taken, and no column of another kind", () => {
  const [plain, orName] = [FieldKind.ORDER, FieldKind.ORDER_OR_NAME].map((kind) => fieldRuleOf(kind).values);
  for (const order of plain ?? []) expect(parse(order, false)).not.toThrow();
  for (const order of orName ?? []) expect(parse(order, true)).not.toThrow();
  const byName = (orName ?? []).filter((order) => !plain?.includes(order));
  expect(byName).toEqual(["name", "name asc", "name desc"]);
  for (const order of byName) expect(parse(order, false)).toThrow("order must be created_at or updated_at");
});
