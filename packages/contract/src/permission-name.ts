import { getOption } from "@bufbuild/protobuf";
import {
  type Permission,
  PermissionSchema,
  permission_name as permissionNameOption,
} from "@cloud/proto/cloud/api/v1/permission_pb";

const names = new Map(PermissionSchema.values.map((value) => [value.number, getOption(value, permissionNameOption)]));

/** Returns the key as it is displayed and stored by identity, such as `Create Workspace`. */
export function permissionName(permission: Permission): string {
  return names.get(permission) ?? "";
}
