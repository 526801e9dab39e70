/** The first half of the last segment of a planned uid. The platform draws segments at random. */
const mark = "ffffffff";
const planned = new RegExp(`/${mark}([0-9a-f]{8})(?![0-9a-f])`, "g");
/** What several resources are called has the last segment of each behind it, in parentheses. */
const behindName = new RegExp(`\\(${mark}([0-9a-f]{8})\\)`, "g");

/** The placeholder for the uid of the resource that is created as the `number`th, from 1 to 2³² - 1. */
export function plannedUid(parent: string, number: number): string {
  return `${parent}/${mark}${number.toString(16).padStart(8, "0")}`;
}

/** Whether a resource with this uid exists only in a plan, or is within such a resource. */
export function isPlanned(uid: string): boolean {
  return uid.search(planned) >= 0;
}

/** The text, with `(new NUMBER)` for the last segment of each planned uid in it. */
export function withNumbers(text: string): string {
  const newOne = (number: string) => `(new ${Number.parseInt(number, 16)})`;
  return text
    .replaceAll(planned, (_, number: string) => `/${newOne(number)}`)
    .replaceAll(behindName, (_, number: string) => newOne(number));
}
