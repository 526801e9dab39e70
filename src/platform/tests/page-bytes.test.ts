import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { identities } from "../collections/identities.ts";
import { newUidIn } from "../contract/uid.ts";
import { IdentitiesService, IdentitySchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { sizeLimits } from "../limits/size-limits.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
let uids: string[];

/** A large identity. Half of its text needs an escape in JSON. */
function largeIdentity(name: string, time: number) {
  const createTime = timestampFromMs(time);
  const claims = Object.fromEntries(["a", "b", "c", "d"].map((claim) => [claim, '"x'.repeat(30_000)]));
  const value = {
    iss: { case: "issuer" as const, value: "https://a" },
    sub: { case: "subject" as const, value: name },
    claims,
  };
  return create(IdentitySchema, {
    uid: newUidIn(team),
    name,
    createTime,
    updateTime: createTime,
    relationship: { case: "claimMatch", value: value as never },
  });
}

beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root, "team");
  uids = [];
  const database = await platform.openDatabase();
  await database.write(async (writer) => {
    const tx = new AuthoredWriter(writer, { kind: "host", command: "test" }, 0);
    for (let n = 0; n < 24; n++) {
      const identity = largeIdentity(`name ${n % 5}`, 1_700_000_000_000 + (n % 3));
      uids.push(identity.uid);
      await identities.insert(tx, identity);
    }
  });
  await database.close();
  for (let n = 0; n < 4; n++) uids.push(await platform.admin.identity(team, `small ${n}`));
}, 60_000);
afterAll(() => platform.stop());

describe("pages are bounded in bytes", () => {
  it.each(["uid", "name desc", "created_at"])(
    "a page of large resources has at most 4 MiB and fewer resources than page_size, in the order %s",
    async (order) => {
      const seen: string[] = [];
      let [pages, token] = [0, ""];
      do {
        const query = `uidp.children_of=${team}&page_size=200&order_by=${order.replace(" ", "%20")}${token}`;
        const { text, body } = await platform.admin.get(`/iam/v2beta1/identities?${query}`);
        expect(text.length).toBeLessThanOrEqual(sizeLimits.page.value);
        expect(body.totalCount).toBe("28");
        expect(body.identities.length).toBeGreaterThan(0);
        seen.push(...body.identities.map(({ uid }) => uid));
        token = body.nextPageToken === undefined ? "" : `&page_token=${body.nextPageToken}`;
        pages += 1;
      } while (token !== "");
      expect(seen.toSorted()).toEqual(uids.toSorted());
      expect(pages).toBeGreaterThan(1);
    },
  );

  it("a page fits into a gRPC message of 4 MiB, the default of clients", async () => {
    const client = createClient(
      IdentitiesService,
      createGrpcTransport({ baseUrl: platform.url, readMaxBytes: sizeLimits.page.value }),
    );
    const { identities: items, nextPageToken } = await client.listIdentities(
      { uidp: { childrenOf: team }, pageSize: 200 },
      { headers: { authorization: `Bearer ${platform.admin.token}` } },
    );
    expect(items.length).toBeGreaterThan(5);
    expect(nextPageToken).toBeDefined();
  });
});
