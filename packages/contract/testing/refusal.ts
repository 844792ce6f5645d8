import { ConnectError } from "@connectrpc/connect";
import { codeOf, reasonOf, ruleOf } from "../src/index.ts";

/** Returns how a call was refused, in REST's terms: status, code and text. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "not refused";
  } catch (error) {
    const reason = reasonOf(error);
    const text = error instanceof ConnectError ? error.rawMessage : String(error);
    return `${ruleOf(reason).httpStatus} ${codeOf(reason)}: ${text}`;
  }
}
