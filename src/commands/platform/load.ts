import { load, type LoadResult } from "#src/platform/load/load.ts";
import { sourceFiles } from "#src/platform/load/source-file.ts";
import { defineCommand } from "#src/commands/command.ts";
import { showProgress } from "./load-progress.ts";
import { dataLocation, dataSettings, withExistingDatabase } from "./data.ts";
import * as settings from "#src/commands/settings/settings.ts";

const groupUid = /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/;

export default defineCommand({
  summary: "load repos, tags and advisories from files into a platform's data, all or none",
  settings: {
    files: settings.operands(
      settings.file,
      "A YAML or JSON file (.yaml, .yml, .json, .jsonl, .ndjson) with documents of kind Repo, Tag or Advisory, or with OSV documents; or a folder of such files.",
    ),
    ...dataSettings,
    group: settings.optional(
      settings.matching("UID", groupUid, "a uid: 40 hex digits, then / and 16 hex digits for each level below"),
      "The group of documents without a group. (default: the root group that the platform's first start created)",
    ),
  },
  run: async (values, { signal, stdout }) => {
    const location = dataLocation(values);
    const files = sourceFiles(values.files);
    await withExistingDatabase(location, async (database) => {
      const progress = showProgress(stdout);
      try {
        const { group } = values;
        const result = await load({ database, files, group, now: Date.now(), signal, report: progress.report });
        progress.clear();
        stdout.write(`${summaryOf(result, files.length)}\n`);
      } finally {
        progress.clear();
      }
    });
  },
});

/** `loaded 3 repos, 9 tags, 5 advisories from 4 files: 17 created, 0 updated, 0 unchanged` */
function summaryOf(result: LoadResult, files: number): string {
  const all = ({ created, updated, unchanged }: LoadResult["Repo"]) => created + updated + unchanged;
  const counts = [
    counted(all(result.Repo), "repo", "repos"),
    counted(all(result.Tag), "tag", "tags"),
    counted(all(result.Advisory), "advisory", "advisories"),
  ];
  const totals = (["created", "updated", "unchanged"] as const).map((outcome) => {
    const total = result.Repo[outcome] + result.Tag[outcome] + result.Advisory[outcome];
    return `${total.toLocaleString("en")} ${outcome}`;
  });
  return `loaded ${counts.join(", ")} from ${counted(files, "file", "files")}: ${totals.join(", ")}`;
}

function counted(count: number, singular: string, plural: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? singular : plural}`;
}
