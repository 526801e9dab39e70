import { describe, expect, expectTypeOf, it } from "vitest";
import * as settings from "./settings.ts";

const example = {
  platformUrl: settings.required(settings.url, "The platform's address."),
  rootGroup: settings.requiredList(settings.matching("UID", /^[0-9a-f]{40}$/, "a uid"), "A group."),
  resync: settings.withDefault(settings.duration, "10m", "The interval."),
  workers: settings.withDefault(settings.integer(1, 64), "16", "The number of workers."),
  listen: settings.optional(settings.listenAddress, "The listen address."),
  verbose: settings.toggle("Log more."),
};
const root = "a".repeat(40);

describe("readSettings", () => {
  it("reads flags, variables and defaults, with precedence for flags", () => {
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

  it("splits the flag of a repeatable setting at commas, too", () => {
    const read = (...args: string[]) => settings.readSettings(example, ["--platform-url=http://p", ...args], {});
    expect(read("--root-group", `${root},${root}`, "--root-group", root).rootGroup).toEqual([root, root, root]);
    expect(() => read("--root-group", `${root},`)).toThrowError('--root-group: "" is not a uid');
    const withCommas = { issuer: settings.optionalList({ ...settings.text, commas: true }, "URL[,ca=FILE]") };
    expect(settings.readSettings(withCommas, ["--issuer", "https://a,ca=b"], {}).issuer).toEqual(["https://a,ca=b"]);
    const files = { files: settings.operands(settings.file, "The files.") };
    expect(settings.readSettings(files, ["a,b"], {}).files).toEqual(["a,b"]);
  });

  it("splits the variable of a repeatable setting at commas", () => {
    const values = settings.readSettings(example, ["--platform-url=http://p"], {
      MUSTER_ROOT_GROUP: `${root}, ${root}`,
    });
    expect(values.rootGroup).toEqual([root, root]);
  });

  it("reads operands by position, and never from a variable", () => {
    const load = {
      files: settings.operands(settings.file, "The files."),
      data: settings.optional(settings.file, "d"),
    };
    const read = (...args: string[]) => settings.readSettings(load, args, { MUSTER_FILES: "c" });
    expect(read("a", "--data", "d", "b")).toEqual({ files: ["a", "b"], data: "d" });
    expect(() => read("--data", "d")).toThrowError("FILE… is required: The files.");
    expect(() => read("--files", "a")).toThrowError("--files is not a setting of this command");
    const backup = { file: settings.operand(settings.file, "The target.") };
    expect(settings.readSettings(backup, ["a"], {})).toEqual({ file: "a" });
    expect(() => settings.readSettings(backup, ["a", "b"], {})).toThrowError("FILE: must be given only once");
  });

  it("gives several operands their values in the order of declaration", () => {
    const call = {
      method: settings.operand(settings.oneOf("GET", "POST"), "The method."),
      data: settings.flagOnly(settings.optional(settings.text, "The body.")),
      path: settings.operand(settings.text, "The path."),
    };
    const read = (...args: string[]) => settings.readSettings(call, args, {});
    expect(read("GET", "--data", "d", "/a")).toEqual({ method: "GET", path: "/a", data: "d" });
    expect(() => read("GET")).toThrowError("TEXT is required: The path.");
    expect(() => read("/a", "GET")).toThrowError('GET|POST: "/a" is not valid');
    expect(() => read("GET", "/a", "/b")).toThrowError("TEXT: must be given only once");
    // The value of the unknown flag is not a second path.
    expect(() => read("GET", "/a", "--nope", "/b")).toThrowError(
      /^--nope is not a setting of this command; --help lists all settings$/,
    );
  });

  it("reads a setting that is only a flag never from a variable", () => {
    const only = { data: settings.flagOnly(settings.required(settings.text, "The body.")) };
    expect(() => settings.readSettings(only, [], { MUSTER_DATA: "d" })).toThrowError(
      /^--data is required: The body\.$/,
    );
    expect(settings.describeSettings(only)).toBe("  --data TEXT\n      The body. [required]");
  });

  it("splits the variable at semicolons and line breaks, and not at commas where a value may contain them", () => {
    const withCommas = { issuer: settings.optionalList({ ...settings.text, commas: true }, "URL[,ca=FILE]") };
    const read = (MUSTER_ISSUER: string) => settings.readSettings(withCommas, [], { MUSTER_ISSUER }).issuer;
    expect(read("https://a,ca=/a b.pem")).toEqual(["https://a,ca=/a b.pem"]);
    expect(read("https://a,ca=/a.pem; https://b")).toEqual(["https://a,ca=/a.pem", "https://b"]);
    expect(read("https://a,ca=/a.pem\nhttps://b\n")).toEqual(["https://a,ca=/a.pem", "https://b"]);
    expect(() => read("https://a;;https://b")).toThrowError("must not be empty");
    expect(settings.describeSettings(withCommas)).toContain("MUSTER_ISSUER separated by semicolons]");
    const root2 = settings.readSettings(example, ["--platform-url=http://p"], {
      MUSTER_ROOT_GROUP: `${root};${root}\n${root}`,
    });
    expect(root2.rootGroup).toEqual([root, root, root]);
  });

  it("reports all mistakes at once, each with its flag or variable", () => {
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
      '"stray"',
      "--platform-url",
      "--root-group",
      "MUSTER_RESYNC",
      "--workers",
    ]);
  });

  it("suggests the flag or the value that was probably meant", () => {
    const level = { logLevel: settings.withDefault(settings.oneOf("debug", "info"), "info", "The level.") };
    const read = (...args: string[]) => settings.readSettings(level, args, {});
    expect(() => read("--loglevel", "info")).toThrow(
      '--loglevel is not a setting of this command; did you mean "--log-level"?',
    );
    expect(() => read("--log-level", "inof")).toThrow(
      '--log-level: "inof" is not valid; valid values are debug, info; did you mean "info"?',
    );
    expect(() => read("--colour", "red")).toThrow(
      "--colour is not a setting of this command; --help lists all settings",
    );
  });

  it.each(["", "5", "5 m", "m5", "-5s"])("rejects the duration %j", (value) => {
    expect(() => settings.readSettings({ resync: example.resync }, [`--resync=${value}`], {})).toThrowError(
      /duration|empty/,
    );
  });

  it("rejects a URL with a password, which would appear in logs", () => {
    expect(() =>
      settings.readSettings({ u: example.platformUrl }, ["--u=https://me:secret@p.example"], {}),
    ).toThrowError("must not contain");
  });

  it.each(["https://p.example?a=1", "https://p.example/#a", "https://p.example?"])(
    "rejects the URL %s, to which no path can be appended",
    (url) =>
      expect(() => settings.readSettings({ u: example.platformUrl }, [`--u=${url}`], {})).toThrowError(
        "must not have a query or a fragment",
      ),
  );
});

describe("describeSettings", () => {
  it("shows flag, variable, help and default of each setting", () => {
    const help = settings.describeSettings(example);
    expect(help).toContain("--root-group UID");
    expect(help).toContain("[required, repeatable, MUSTER_ROOT_GROUP]");
    expect(help).toContain("The interval. (default: 10m)");
  });

  it("fits the width of the terminal", () => {
    const long = { note: settings.optional(settings.text, "word ".repeat(60).trim()) };
    for (const columns of [40, 80, 120]) {
      const lengths = settings
        .describeSettings(long, columns)
        .split("\n")
        .map(({ length }) => length);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(columns);
      expect(Math.max(...lengths)).toBeGreaterThan(columns - 5);
    }
  });
});
