import { describe, expect, it } from "vitest";
import { apiVersion } from "#src/api/custom-resource.ts";
import { appliedFields } from "./applied-fields.ts";
import { mergeApplied } from "./merge-applied.ts";

interface Parts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

const objectOf = ({ labels, annotations, spec }: Parts) => ({
  apiVersion,
  kind: "Group",
  metadata: { name: "shop", ...(labels && { labels }), ...(annotations && { annotations }) },
  ...(spec && { spec }),
});
const manifestOf = (parts: Parts) => ({ object: objectOf(parts), spec: parts.spec, where: "" });

/** As kubectl leaves it: with what was applied in an annotation. */
function onClient(live: Parts, applied: Parts, file: Parts): Parts {
  const record = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(objectOf(applied)) };
  const { metadata, spec } = mergeApplied(
    objectOf(live),
    manifestOf(file),
    appliedFields(objectOf({ ...live, annotations: { ...live.annotations, ...record } })),
  );
  const { labels, annotations } = metadata;
  return {
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(spec !== undefined && { spec: spec as object }),
  };
}

const fieldsOf = (value: unknown): object =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? {}
    : Object.fromEntries(Object.entries(value).map(([field, within]) => [`f:${field}`, fieldsOf(within)]));

/** As the API server leaves it: with who applied which field. */
function onServer(live: Parts, applied: Parts, file: Parts): Parts {
  const managedFields = [{ operation: "Apply", fieldsV1: fieldsOf(objectOf(applied)) }];
  const object = objectOf(live);
  const { metadata, spec } = mergeApplied(
    object,
    manifestOf(file),
    appliedFields({ ...object, metadata: { ...object.metadata, managedFields } as typeof object.metadata }),
  );
  const { labels, annotations } = metadata;
  return {
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(spec !== undefined && { spec: spec as object }),
  };
}

describe.each([
  ["client", onClient],
  ["server", onServer],
])("on the %s", (where, apply) => {
  it("sets what the file names, and keeps what others have set", () => {
    const live = { labels: { hand: "1" }, spec: { parentUid: "a", policy: { drift: "Report" } } };
    const file = {
      labels: { team: "b" },
      spec: { parentUid: "a", description: "new", policy: { deletion: "Orphan" } },
    };
    expect(apply(live, { spec: { parentUid: "a" } }, file)).toEqual({
      labels: { hand: "1", team: "b" },
      spec: { parentUid: "a", description: "new", policy: { drift: "Report", deletion: "Orphan" } },
    });
  });

  it("removes what was applied and is not in the file any more", () => {
    const live = {
      labels: { hand: "1", team: "a" },
      annotations: { hand: "1", paused: "true" },
      spec: { parentUid: "a", description: "old", policy: { drift: "Report", deletion: "Orphan" } },
    };
    const applied = {
      labels: { team: "a" },
      annotations: { paused: "true" },
      spec: { parentUid: "a", description: "old", policy: { drift: "Report" } },
    };
    expect(apply(live, applied, { labels: {}, spec: { parentUid: "a", policy: {} } })).toEqual({
      labels: { hand: "1" },
      annotations: { hand: "1" },
      spec: { parentUid: "a", policy: { deletion: "Orphan" } },
    });
  });

  it(`removes ${where === "client" ? "all of a map" : "the applied fields of a map"} that the file does not name any more`, () => {
    const live = {
      labels: { hand: "1", team: "a" },
      spec: { policy: { drift: "Report", deletion: "Orphan" }, roleRef: { name: "a" } },
    };
    const applied = { labels: { team: "a" }, spec: { policy: { drift: "Report" }, roleRef: { name: "a" } } };
    const kept = { labels: { hand: "1" }, spec: { policy: { deletion: "Orphan" } } };
    expect(apply(live, applied, { spec: {} })).toEqual(where === "client" ? { spec: {} } : kept);
  });

  it("replaces lists", () => {
    const file = { spec: { capabilities: ["b"] } };
    expect(apply({ spec: { capabilities: ["a", "c"] } }, { spec: { capabilities: ["a"] } }, file)).toEqual(file);
  });

  it("changes nothing of an object that is as the file says", () => {
    const object = { labels: { team: "a" }, spec: { parentUid: "a", policy: { drift: "Report" } } };
    expect(apply(object, object, object)).toEqual(object);
  });
});
