import { expect, test } from "@jest/globals";
import { declaredRoutes } from "../../test/library.ts";
import { printRoutes } from "./route.ts";

test("the table has a line for each route, sorted by path", () => {
  expect(printRoutes(declaredRoutes())).toBe(`\
GET    /files/{path=**}                   library.v1.LibraryService.GetFile                 response: text
GET    /v1/books/{name}                   library.v1.LibraryService.GetBook
GET    /v1/search/{criteria.author}       library.v1.LibraryService.Search
PATCH  /v1/{book.name=shelves/*/books/*}  library.v1.LibraryService.UpdateBook  body: book
GET    /v1/{name=shelves/*/books/*}       library.v1.LibraryService.GetBook
POST   /v1/{name=shelves/*/books/*}:move  library.v1.LibraryService.MoveBook    body: *
GET    /v1/{parent=shelves/*}/books       library.v1.LibraryService.ListBooks
POST   /v1/{parent=shelves/*}/books       library.v1.LibraryService.CreateBook  body: book
`);
  expect(printRoutes([])).toBe("");
});
