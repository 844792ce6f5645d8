import type { RestResponse } from "../../e2e/rest.ts";

/** Returns the body of a 2xx. @throws Error for any other response */
export async function made(responding: Promise<RestResponse>): Promise<RestResponse["body"]> {
  const { status, body } = await responding;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}
