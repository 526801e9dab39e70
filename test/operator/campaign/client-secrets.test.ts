import { expect, it } from "vitest";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import { clientSecret } from "#test/support/harness/secret-objects.ts";
import { findClientSecretViolations } from "./client-secrets.ts";
import { Journal } from "./journal.ts";
import type { Picture } from "./picture.ts";

const uid = "root/group/provider";
const secret = withValue("2", "rotated");
const provider = ready(musterObject("IdentityProvider", "team", "people", { clientSecretRef: { name: "login" } }), "2");
const withoutReference = ready(musterObject("IdentityProvider", "team", "people", {}));

function withValue(resourceVersion: string, value: string): KubeObject {
  const { metadata, ...rest } = clientSecret("team", "login", "https://accounts.example.com", "");
  const data = { clientSecret: Buffer.from(value).toString("base64") };
  return { ...rest, metadata: { ...metadata, uid: "secret-1", resourceVersion }, data };
}

function ready(one: KubeObject, sentVersion?: string): KubeObject {
  const conditions = [{ type: "Ready", status: "True", observedGeneration: 1 }];
  const sent = sentVersion === undefined ? {} : { secret: { uid: "secret-1", resourceVersion: sentVersion } };
  return { ...one, metadata: { ...one.metadata, generation: 1 }, status: { uid, conditions, ...sent } };
}

function permitted(): Journal {
  const journal = new Journal();
  journal.permit({ namespace: "team", name: "login" });
  return journal;
}

function picture(object: KubeObject, stored: string): Picture {
  const clientSecrets = new Map([[uid, stored]]);
  const resources = {} as Picture["resources"];
  const others = { teams: new Map(), reportedOrphans: new Set<string>(), ownerId: "", undeclaredInvites: 0 };
  return { objects: [object], secrets: [secret], clientSecrets, resources, ...others };
}

const violationsOf = (one: Picture, journal = permitted()) => findClientSecretViolations(journal, one).violations;

it("finds nothing where the platform has the value of the Secret, or none where the object names no Secret", () => {
  expect(findClientSecretViolations(permitted(), picture(provider, "rotated"))).toEqual({
    violations: [],
    reported: [],
    compared: { "client secrets": 1 },
  });
  expect(violationsOf(picture(withoutReference, ""))).toEqual([]);
});

it("finds an earlier value, whatever the status says, and names no value", () => {
  const [text = "", ...more] = violationsOf(picture(provider, "planted"));
  expect(text).toMatch(/the platform does not have the client secret of version 2 of Secret secret-1$/);
  expect(text).not.toMatch(/planted|rotated/);
  expect(more).toEqual([]);
});

it("finds a status that names an earlier version", () => {
  const outdated = ready(provider, "1");
  expect(violationsOf(picture(outdated, "rotated"))).toEqual([expect.stringMatching(/version 1 .* was sent/)]);
});

it("finds a client secret that the object no longer names", () => {
  expect(violationsOf(picture(withoutReference, "rotated"))).toEqual([expect.stringMatching(/of no Secret$/)]);
});

it("compares nothing until somebody requested that the replaced Secret is read", () => {
  const journal = permitted();
  const requested = journal.noteReplacedSecret({ namespace: "team", name: "login" });
  expect(findClientSecretViolations(journal, picture(provider, "planted"))).toMatchObject({
    violations: [],
    compared: { "client secrets": 0 },
  });
  requested();
  expect(violationsOf(picture(provider, "planted"), journal)).toHaveLength(1);
});
