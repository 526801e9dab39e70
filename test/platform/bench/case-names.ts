/** A List of identities: of the whole root or of a tenth of it, by an order, the first page or one in the middle. */
export interface PageCase {
  readonly where: "root" | "subtree";
  readonly order: "uid" | "name" | "created_at" | "created_at desc";
  readonly place: "first" | "deep";
}

const pages = new Map<string, PageCase>();
for (const where of ["root", "subtree"] as const)
  for (const order of ["uid", "name", "created_at", "created_at desc"] as const)
    for (const place of ["first", "deep"] as const)
      pages.set(`page ${where} ${order} ${place}`, { where, order, place });

/** What is measured, in the order in which it is: what changes the data comes last. */
export const caseNames: readonly string[] = [
  "get",
  ...pages.keys(),
  "exchange static",
  "exchange discovered",
  "create",
];

export function pageCase(name: string): PageCase | undefined {
  return pages.get(name);
}
