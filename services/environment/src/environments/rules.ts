import { fail } from "@cloud/access/errors";
import { parseText } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";

/** The operation for which texts are parsed; selects the error for a text over 255 characters. */
type TextPurpose = "create" | "update";

/**
 * Parses name and description: at most 255 characters each, either may be empty.
 *
 * @throws ENVIRONMENT_CREATE_FAILED or ENVIRONMENT_UPDATE_FAILED.
 */
export function parseEnvironmentTexts(
  texts: { name: string; description: string },
  purpose: TextPurpose,
): { name: string; description: string } {
  const tooLong = () =>
    fail(purpose === "create" ? Reason.ENVIRONMENT_CREATE_FAILED : Reason.ENVIRONMENT_UPDATE_FAILED);
  return { name: parseText(texts.name, tooLong), description: parseText(texts.description, tooLong) };
}

/** Refuses a platform-provisioned environment: only the platform deletes it. @throws ENVIRONMENT_NOT_DELETABLE. */
export function assertDeletable(environment: { platform_provisioned: boolean }): void {
  if (environment.platform_provisioned) {
    throw fail(Reason.ENVIRONMENT_NOT_DELETABLE);
  }
}
