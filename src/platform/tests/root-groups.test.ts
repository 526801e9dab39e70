import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hours } from "#src/time/durations.ts";
import { rootGroupLimits } from "../limits/root-group-limits.ts";
import { dayOf, reserveShare } from "../store/daily-share.ts";
import { type Client, RunningPlatform } from "./running-platform.testing.ts";

const [ofCreator, ofRootGroup] = [rootGroupLimits.ofCreator.value, rootGroupLimits.ofRootGroup.value];

describe("root groups, if everybody may create them", () => {
  let platform: RunningPlatform;
  beforeEach(async () => {
    platform = await RunningPlatform.start({ rootGroupCreators: "anyone" });
    platform.freeze();
    // Not at the end of a day.
    platform.advance(hours(24) - (platform.now % hours(24)));
  });
  afterEach(() => platform.stop());

  const createRoot = (client: Client) => client.post("/iam/v2beta1/groups", { name: "mine" });
  /** A caller in a root group that the owner has created. */
  const callerIn = async (owner: Client, root: string): Promise<Client> => {
    const identity = await platform.makeIdentity(root);
    await owner.bind(root, identity, await platform.admin.role("owner"));
    const { token } = (await platform.exchange(await platform.subjectToken(identity), identity)).body;
    return platform.as(token);
  };
  const refused = (subject: string) => ({
    status: 429,
    body: { code: 8, details: [{}, { violations: [{ subject }] }] },
  });

  it("are bounded for each creator and day, deleted ones included", async () => {
    const creator = await platform.callerWith("viewer", platform.root);
    for (let n = 0; n < ofCreator; n++) {
      const { status, body } = await createRoot(creator);
      expect(status).toBe(200);
      expect((await creator.delete(`/iam/v2beta1/groups/${body.uid}`)).status).toBe(200);
    }
    expect(await createRoot(creator)).toMatchObject(refused(creator.identity));
    expect((await createRoot(await platform.callerWith("viewer", platform.root))).status).toBe(200);
    for (let n = 0; n <= ofCreator; n++) expect((await createRoot(platform.admin)).status).toBe(200);
    platform.advance(hours(24));
    const later = await platform.exchange(await platform.subjectToken(creator.identity), creator.identity);
    expect((await createRoot(platform.as(later.body.token))).status).toBe(200);
  });

  it.each(["&scope=ROOT", "&cap=groups.list"])("are created with no downscoped token: %s", async (parameters) => {
    const creator = await platform.callerWith("owner", platform.root, parameters.replace("ROOT", platform.root));
    expect(await createRoot(creator)).toMatchObject({ status: 403, body: { code: 7 } });
  });

  it("count for the first creator, whatever identities it makes in them", async () => {
    const creator = await platform.callerWith("viewer", platform.root);
    let client: Client = creator;
    for (let n = 0; n < ofCreator; n++) {
      const { status, body } = await createRoot(client);
      expect(status).toBe(200);
      client = await callerIn(client, body.uid);
    }
    for (const one of [creator, client]) expect(await createRoot(one)).toMatchObject(refused(creator.identity));
  });

  it("are bounded for all identities of a root group and day", async () => {
    const database = await platform.openDatabase();
    const share = { owner: `root groups of ${platform.root}`, day: dayOf(platform.now), amount: ofRootGroup - 1 };
    await database.write((tx) => tx.first(reserveShare, share));
    await database.close();
    expect((await createRoot(await platform.callerWith("viewer", platform.root))).status).toBe(200);
    const another = await platform.callerWith("viewer", platform.root);
    expect(await createRoot(another)).toMatchObject(refused(platform.root));
    const other = (await createRoot(platform.admin)).body.uid;
    expect((await createRoot(await callerIn(platform.admin, other))).status).toBe(200);
  });
});
