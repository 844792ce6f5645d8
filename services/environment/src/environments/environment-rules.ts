import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail, parseText } from "@cloud/rpc";

/** What the texts of an environment were given for; it decides which error a text over 255 characters is. */
export type TextPurpose = "create" | "update";

/** Name and description, at most 255 characters each; either may be empty. */
export function parseEnvironmentTexts(
  texts: { name: string; description: string },
  purpose: TextPurpose,
): { name: string; description: string } {
  const tooLong = () =>
    fail(purpose === "create" ? Reason.ENVIRONMENT_CREATE_FAILED : Reason.ENVIRONMENT_UPDATE_FAILED);
  return { name: parseText(texts.name, tooLong), description: parseText(texts.description, tooLong) };
}

/** Only the platform deletes what the platform provisioned. */
export function assertDeletable(environment: { platform_provisioned: boolean }): void {
  if (environment.platform_provisioned) {
    throw fail(Reason.ENVIRONMENT_NOT_DELETABLE);
  }
}
