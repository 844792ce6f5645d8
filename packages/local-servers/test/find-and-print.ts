// A program that prints the result of findNatsServer, for its own environment: see start-nats.int.test.ts.
import { findNatsServer } from "../src/index.ts";

const lines: string[] = [];
const found = await findNatsServer({ cacheFolder: process.argv[2] ?? "", log: (line) => lines.push(line) });
process.stdout.write(JSON.stringify({ found: found ?? "none", lines }));
