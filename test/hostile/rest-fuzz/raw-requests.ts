/** Bytes that are no HTTP request, or that two programs in a row may read differently. */
export const RAW_REQUESTS: Readonly<Record<string, string>> = {
  "a character outside ASCII in the path": "GET /api/workspaces/\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n",
  "a space in the path": "GET /api/work spaces HTTP/1.1\r\nHost: x\r\n\r\n",
  "no version": "GET /api/workspaces\r\n\r\n",
  "another version": "GET /api/workspaces HTTP/9.9\r\nHost: x\r\n\r\n",
  "no host": "GET /api/workspaces HTTP/1.1\r\n\r\n",
  "an unknown method": "BREW /api/workspaces HTTP/1.1\r\nHost: x\r\n\r\n",
  "a header without a colon": "GET /api/workspaces HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n",
  "a header with NUL": "GET /api/workspaces HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n",
  "a folded header": "GET /api/workspaces HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
  "a space before the colon": "GET /api/workspaces HTTP/1.1\r\nHost: x\r\nContent-Length : 2\r\n\r\n{}",
  "headers over 16 KiB": "GET /api/workspaces HTTP/1.1\r\nHost: x\r\nA: " + "b".repeat(20_000) + "\r\n\r\n",
  "a path over 16 KiB": "GET /api/" + "a".repeat(20_000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
  "both lengths":
    "POST /api/workspaces HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "two lengths": "POST /api/workspaces HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 4\r\n\r\n{}",
  "a negative length": "POST /api/workspaces HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
  "a huge length": "POST /api/workspaces HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
  "a chunk of a wrong size":
    "POST /api/workspaces HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
  "an encoding beside chunked":
    "POST /api/workspaces HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\nConnection: close\r\n\r\n0\r\n\r\n",
  "lines that end with LF": "GET /api/workspaces HTTP/1.1\nHost: x\n\n",
  "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  TLS: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  "an absolute target of another host":
    "GET http://example.org/api/workspaces HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  CONNECT: "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n",
};
