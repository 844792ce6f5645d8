// A program that takes the given number of ports from a range, prints them, and holds them until its input ends: see
// free-port.int.test.ts.
import { takeStablePort } from "../src/free-port.ts";

const [count, first, last] = process.argv.slice(2).map(Number) as [number, number, number];
const ports = await Promise.all(Array.from({ length: count }, () => takeStablePort({ first, last })));
process.stdout.write(JSON.stringify(ports));
process.stdin.resume();
