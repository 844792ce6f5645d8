import { request } from "node:http";
import { create } from "@bufbuild/protobuf";
import { BookSchema } from "./gen/library/v1/library_pb.ts";

/** The path of the stream of books. */
export const WATCH = "/v1/shelves/1/books:watch";
/** The records of the books "a" and "b\n". */
export const A = '{"title":"a"}';
export const B = '{"title":"b\\n"}';
export const RETRY = "retry: 1000\n\n";

export const book = (title: string) => create(BookSchema, { title });

export async function* twoBooks() {
  yield book("a");
  yield book("b\n");
}

/** Reads the stream of books to its end, or until it is cut; `onData` is called with all that has arrived. */
export function readStream(url: string, accept: string | undefined, onData?: (text: string) => void) {
  return new Promise<{ status: number; type: string | undefined; text: string; isWhole: boolean }>(
    (resolve, reject) => {
      const headers = accept === undefined ? {} : { Accept: accept };
      const sent = request(url + WATCH, { headers }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
          onData?.(text);
        });
        response.on("error", () => {});
        response.on("close", () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers["content-type"],
            text,
            isWhole: response.complete,
          }),
        );
      });
      sent.on("error", reject).end();
    },
  );
}
