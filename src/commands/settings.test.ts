import { describe, expect, expectTypeOf, it } from "vitest";
import * as settings from "./settings.ts";

const example = {
  platformUrl: settings.required(settings.url, "where the platform answers"),
  rootGroup: settings.requiredList(settings.matching("UID", /^[0-9a-f]{40}$/, "a uid"), "groups that may be used"),
  resync: settings.withDefault(settings.duration, "10m", "how often"),
  workers: settings.withDefault(settings.integer(1, 64), "16", "how many at once"),
  listen: settings.optional(settings.listenAddress, "where to answer"),
  verbose: settings.toggle("say more"),
};
const root = "a".repeat(40);

describe("readSettings", () => {
  it("reads flags, variables and defaults, a flag before its variable", () => {
    const values = settings.readSettings(
      example,
      ["--platform-url", "https://p.example", "--root-group", root, "--verbose", "--workers=3"],
      { MUSTER_WORKERS: "9", MUSTER_RESYNC: "1h30m", MUSTER_LISTEN: "[::1]:0" },
    );
    expect(values).toMatchObject({
      rootGroup: [root],
      resync: 5_400_000,
      workers: 3,
      listen: { host: "::1", port: 0 },
      verbose: true,
    });
    expectTypeOf(values.resync).toEqualTypeOf<number>();
    expectTypeOf(values.rootGroup).toEqualTypeOf<readonly string[]>();
  });

  it("separates the values of a repeatable setting by commas in its variable", () => {
    const values = settings.readSettings(example, ["--platform-url=http://p"], {
      MUSTER_ROOT_GROUP: `${root}, ${root}`,
    });
    expect(values.rootGroup).toEqual([root, root]);
  });

  it("reads operands by their place, of a command that has them, and never from a variable", () => {
    const load = {
      files: settings.operands(settings.file, "what to load"),
      data: settings.optional(settings.file, "d"),
    };
    const read = (...args: string[]) => settings.readSettings(load, args, { MUSTER_FILES: "c" });
    expect(read("a", "--data", "d", "b")).toEqual({ files: ["a", "b"], data: "d" });
    expect(() => read("--data", "d")).toThrowError("FILE… is required: what to load");
    expect(() => read("--files", "a")).toThrowError("--files is not a setting of this command");
    const backup = { file: settings.operand(settings.file, "where to") };
    expect(settings.readSettings(backup, ["a"], {})).toEqual({ file: "a" });
    expect(() => settings.readSettings(backup, ["a", "b"], {})).toThrowError("FILE: give it once");
  });

  it("separates them by semicolons and new lines too, and by these alone where a value may hold commas", () => {
    const withCommas = { issuer: settings.optionalList({ ...settings.text, commas: true }, "URL[,ca=FILE]") };
    const read = (MUSTER_ISSUER: string) => settings.readSettings(withCommas, [], { MUSTER_ISSUER }).issuer;
    expect(read("https://a,ca=/a b.pem")).toEqual(["https://a,ca=/a b.pem"]);
    expect(read("https://a,ca=/a.pem; https://b")).toEqual(["https://a,ca=/a.pem", "https://b"]);
    expect(read("https://a,ca=/a.pem\nhttps://b\n")).toEqual(["https://a,ca=/a.pem", "https://b"]);
    expect(() => read("https://a;;https://b")).toThrowError("must not be empty");
    expect(settings.describeSettings(withCommas)).toContain("MUSTER_ISSUER with a semicolon between two]");
    const root2 = settings.readSettings(example, ["--platform-url=http://p"], {
      MUSTER_ROOT_GROUP: `${root};${root}\n${root}`,
    });
    expect(root2.rootGroup).toEqual([root, root, root]);
  });

  it("reports all mistakes at once, each with its flag", () => {
    const read = () =>
      settings.readSettings(example, ["--root-group", "nope", "--workers", "0", "--wrokers", "3", "stray"], {
        MUSTER_RESYNC: "soon",
      });
    expect(read).toThrowError(settings.SettingsError);
    let mistakes: readonly string[] = [];
    try {
      read();
    } catch (error) {
      mistakes = (error as settings.SettingsError).mistakes;
    }
    expect(mistakes.map((mistake) => mistake.split(/[ :]/)[0])).toEqual([
      "--wrokers",
      '"3"',
      '"stray"',
      "--platform-url",
      "--root-group",
      "MUSTER_RESYNC",
      "--workers",
    ]);
  });

  it.each(["", "5", "5 m", "m5", "-5s"])("refuses the duration %j", (value) => {
    expect(() => settings.readSettings({ resync: example.resync }, [`--resync=${value}`], {})).toThrowError(
      /duration|empty/,
    );
  });

  it("never takes an address with a password, which would reach the logs", () => {
    expect(() =>
      settings.readSettings({ u: example.platformUrl }, ["--u=https://me:secret@p.example"], {}),
    ).toThrowError("must not contain");
  });
});

describe("describeSettings", () => {
  it("tells flag, variable, meaning and default of each", () => {
    const help = settings.describeSettings(example);
    expect(help).toContain("--root-group UID");
    expect(help).toContain("[required, repeatable, MUSTER_ROOT_GROUP]");
    expect(help).toContain("how often (default: 10m)");
  });
});
