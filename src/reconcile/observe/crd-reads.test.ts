import { expect, it } from "vitest";
import type { KubeApi } from "#src/kube/api.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { CrdReads } from "./crd-reads.ts";
import { kindNamed } from "./observed-world.testing.ts";

const kind = kindNamed("Group");

it("a read has ended when it is known whether the definition is being deleted, and serves all who wait for it", async () => {
  const clock = new ManualClock();
  const metadata: { deletionTimestamp?: string } = {};
  let gets = 0;
  const get = async () => {
    gets += 1;
    return { metadata };
  };
  const reads = new CrdReads({ get } as unknown as Pick<KubeApi, "get">, clock, new AbortController().signal);
  expect(reads.lastRead(kind)).toBeUndefined();
  const both = Promise.all([reads.read(kind), reads.read(kind)]);
  await clock.advance(10);
  await both;
  expect(reads.lastRead(kind)).toEqual({ readAt: 10, deleting: false });
  metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
  const later = reads.read(kind);
  await clock.advance(10);
  await later;
  expect(reads.lastRead(kind)).toEqual({ readAt: 20, deleting: true });
  expect(gets).toBe(2);
});
