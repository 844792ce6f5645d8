// Clients that search and page, in a process of their own, each on one connection: `searching-process.ts <url> <token>
// <clients> <path>…`. A client that is refused waits for the seconds of Retry-After. Reports to its parent when
// the first has its answer, and the number of answers by status when the parent sends a message.
import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const [url = "", token = "", clients = "0", ...paths] = process.argv.slice(2);
const statuses: Record<string, number> = {};
let [sent, isOver] = [0, false];

/** Resolves with the seconds of Retry-After; 0 without it. */
function request(path: string, agent: http.Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: "Bearer " + token };
    const sending = http.get(url + path, { agent, headers }, (response) => {
      response.resume().once("error", reject);
      response.once("end", () => {
        const { statusCode = 0, headers: received } = response;
        const status = received["retry-after"] === undefined ? String(statusCode) : statusCode + " with Retry-After";
        statuses[status] = (statuses[status] ?? 0) + 1;
        resolve(Number(received["retry-after"] ?? 0));
      });
    });
    sending.once("error", reject);
  });
}

async function search(): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  while (!isOver) {
    const seconds = await request(paths[sent++ % paths.length] ?? "", agent);
    if (Object.values(statuses).reduce((sum, count) => sum + count) === 1) process.send?.("begun");
    await delay(seconds * 1_000);
  }
}

for (let client = 0; client < Number(clients); client++) void search();
process.once("message", () => {
  isOver = true;
  process.send?.(statuses, () => process.exit(0));
});
process.once("disconnect", () => process.exit(0));
