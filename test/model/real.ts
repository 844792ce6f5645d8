import { Agent, request } from "node:http";
import type { Real } from "./step.ts";

export type Send = Real["send"];

/** Creates a client of a gateway with node:http, because `fetch` costs as much as the gateway itself at this rate. */
export function createSend(gateway: string): { send: Send; calls(): number; close(): void } {
  const agent = new Agent({ keepAlive: true });
  let calls = 0;
  const send: Send = (token, { method, path, body }) =>
    new Promise((resolve, reject) => {
      calls++;
      const headers = {
        ...(token === "" ? {} : { authorization: "Bearer " + token }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      };
      const call = request(gateway + "/api" + path, { method, agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const { statusCode = 0, headers } = response;
          resolve({ status: statusCode, location: headers.location, body: text === "" ? undefined : JSON.parse(text) });
        });
      });
      call.on("error", reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return { send, calls: () => calls, close: () => agent.destroy() };
}

/** Creates the REST side of one sequence. */
export function createReal(send: Send): Real {
  const trace: string[] = [];
  return {
    trace,
    send: async (token, step) => {
      const body = step.body === undefined ? "" : " " + JSON.stringify(step.body).slice(0, 200);
      const response = await send(token, step);
      trace.push(step.method + " " + step.path + body + " -> " + String(response.status));
      return response;
    },
  };
}
