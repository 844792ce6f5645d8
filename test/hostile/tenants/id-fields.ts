import { type DescField, type DescMethod, ScalarType } from "@bufbuild/protobuf";

/** The segment under which records.ts keeps the ids of a record, by the field that names one. */
const OF_FIELD: Readonly<Record<string, string>> = {
  organization_id: "organizations",
  org_id: "organizations",
  selected_organization: "organizations",
  workspace_id: "workspaces",
  selected_workspace: "workspaces",
  environment_id: "environments",
  team_id: "teams",
  design_id: "designs",
  view_id: "views",
  connection_id: "connections",
  credential_id: "credentials",
  curriculum_id: "curricula",
  token_id: "tokens",
  user_id: "users",
  owner: "users",
  resource_id: "teams",
};

/** The kinds for `id` and `ids`, by the service whose records they name. */
const OF_SERVICE: Readonly<Record<string, string>> = {
  WorkspaceService: "workspaces",
  DesignService: "designs",
  ViewService: "views",
  EnvironmentService: "environments",
  ConnectionService: "connections",
  CredentialService: "credentials",
  OrganizationService: "organizations",
  InvitationService: "invitations",
  TeamService: "teams",
  TokenService: "tokens",
  UserService: "users",
  CurriculumService: "curricula",
  RecordStateService: "workspaces",
};

/** The kinds for the RPCs of the directories, by the record that their name ends with. */
const OF_DIRECTORY = /(Organization|Team|Workspace|Environment)s(Among)?$/;

export interface IdField {
  readonly field: DescField;
  readonly segment: string;
}

/** Returns the fields of a request that name a record. @throws Error for one whose record is not known here */
export function idFieldsOf({ input, parent, name }: DescMethod): IdField[] {
  const named = input.fields.filter(
    (field) => !standsIn(field) && (/(^|_)ids?$/.test(field.name) || field.name in OF_FIELD),
  );
  return named.map((field) => {
    const directory = OF_DIRECTORY.exec(name)?.[1]?.toLowerCase();
    const ofService = OF_SERVICE[parent.name] ?? (directory === undefined ? undefined : directory + "s");
    const segment = OF_FIELD[field.name] ?? (/^ids?$/.test(field.name) ? ofService : undefined);
    if (segment === undefined) throw new Error(`what does ${field.name} of ${parent.typeName}/${name} name?`);
    return { field, segment };
  });
}

/** Returns the value in JSON of a field that names one record. */
export function idsOf({ field }: IdField, id: string): unknown {
  if (field.fieldKind === "list") return [id];
  const isPacked = field.fieldKind === "scalar" && field.scalar === ScalarType.BYTES;
  return isPacked ? Buffer.from(id.replaceAll("-", ""), "hex").toString("base64") : id;
}

/** The field, by request, that counts only where the id before it is absent: the handler looks up either alike. */
const STANDING_IN: Readonly<Record<string, string>> = {
  "identity.v1.RevokeTokenRequest": "token_id",
  "environment.v1.DeleteCredentialRequest": "credential_id",
  "academy.v1.RegisterForCurriculumRequest": "content_id",
  "academy.v1.CreateCurriculumRequest": "org_id",
};

const standsIn = ({ parent, name }: DescField) => STANDING_IN[parent.typeName] === name;
