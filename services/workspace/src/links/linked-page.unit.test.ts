import type { DescMessage } from "@bufbuild/protobuf";
import { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import {
  ListWorkspaceEnvironmentsResponseSchema,
  ListWorkspaceTeamsResponseSchema,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import { expect, test } from "@jest/globals";

const { selectTeams, selectTeamsAmong } = IdentityDirectory.method;
const { selectEnvironments, selectEnvironmentsAmong } = EnvironmentDirectory.method;

/** Describes the fields of a message by name and by what decides their encoding. */
const layoutOf = ({ fields }: DescMessage) =>
  fields.map(({ number, name, fieldKind, scalar, message, proto: { label, type } }) => {
    return { number, name, fieldKind, scalar, of: message?.typeName, label, type };
  });

test.each([
  [selectTeams.output, ListWorkspaceTeamsResponseSchema],
  [selectTeamsAmong.output, ListWorkspaceTeamsResponseSchema],
  [selectEnvironments.output, ListWorkspaceEnvironmentsResponseSchema],
  [selectEnvironmentsAmong.output, ListWorkspaceEnvironmentsResponseSchema],
])("$typeName has the fields of the reply as which it is passed on", (ofOwner, reply) => {
  expect(layoutOf(ofOwner)).toEqual(layoutOf(reply));
});

test("control: the replies of teams and environments differ", () => {
  expect(layoutOf(selectTeams.output)).not.toEqual(layoutOf(ListWorkspaceEnvironmentsResponseSchema));
});
