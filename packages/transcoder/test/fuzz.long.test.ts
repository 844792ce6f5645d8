import { testRequests } from "./fuzz/test-requests.ts";

testRequests(50_000);
