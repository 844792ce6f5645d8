import { type GrowthRequest, requestsOf } from "./growth-request.ts";
import { WITH_DEEP_PAGE } from "./organization-requests.ts";
import { nameOf } from "./scale.ts";
import { type GrownLinks, LINKED } from "./seed/seed-links.ts";

const LISTS = {
  "first page": "",
  "page 1,000": "&page=999",
  "search, none": "&search=qqqq",
  "search, all": "&search=record",
};

/** The lists of workspaces with several numbers of links: of teams and environments, which other services own, too. */
export function linkRequests({ workspaces }: GrownLinks, token: string): GrowthRequest[] {
  const { reading } = requestsOf(token);
  const lists = Object.keys(LINKED).flatMap((records) =>
    [true, false].flatMap((assigned) =>
      Object.entries(LISTS).map(([what, parameters]) => ({
        what: `${records}, ${assigned ? "linked" : "others"}: ${what}`,
        status: 200,
        sides: workspaces
          .filter(({ links }) => !what.startsWith("page") || links >= WITH_DEEP_PAGE)
          .map(({ id, links }) => ({
            name: nameOf(links),
            next: reading(`/workspaces/${id}/${records}?filter.assigned=${assigned}${parameters}`),
          })),
      })),
    ),
  );
  return lists;
}
