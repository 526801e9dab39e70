import * as z from "zod";

/** A time of the wall clock, in milliseconds since the epoch, as Kubernetes writes it: RFC 3339 with whole seconds. */
export function timestamp(wallClock: number): string {
  return `${new Date(wallClock).toISOString().slice(0, -".000Z".length)}Z`;
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}t\d{2}:\d{2}:\d{2}(\.\d+)?(z|[+-]\d{2}:\d{2})$/i;

/**
 * A time that a person writes. The API server checks the format, too; it accepts what is not a time to `Date`, such as a
 * comma in the seconds, and the letters T and Z in lowercase, as RFC 3339 does.
 */
export const time = z
  .string()
  .meta({ format: "date-time" })
  .superRefine((text, context) => {
    if (rfc3339.test(text) && !Number.isNaN(Date.parse(text))) return;
    context.addIssue({
      // As for every other format, the API server's message is its own.
      code: "invalid_format",
      format: "datetime",
      message: "must be a time in the format of RFC 3339, such as 2027-01-31T00:00:00Z",
    });
  });
