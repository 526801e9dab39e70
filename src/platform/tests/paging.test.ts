import { expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

const day = 24 * 3_600_000;

it("restarts the query if a page token is older than 3 days, even with other filters", async () => {
  const platform = await RunningPlatform.start();
  for (const name of ["a", "b", "c"]) await platform.admin.group(platform.root, name);
  const first = await platform.admin.ok("GET", "/iam/v2beta1/groups?page_size=2");
  const query = `/iam/v2beta1/groups?page_size=2&page_token=${first.nextPageToken}`;
  platform.advance(3 * day - 60_000);
  expect(await platform.admin.ok("GET", query)).not.toMatchObject({ groups: first.groups });
  platform.advance(120_000);
  for (const other of ["", "&order_by=uid%20asc"])
    expect(await platform.admin.ok("GET", query + other)).toMatchObject({ groups: first.groups });
  expect((await platform.admin.get(`${query}&name=a`)).status).toBe(200);
  await platform.stop();
});
