import { load, type LoadResult } from "#src/platform/load/load.ts";
import { sourceFiles } from "#src/platform/load/source-file.ts";
import { defineCommand } from "./command.ts";
import { showProgress } from "./load-progress.ts";
import { dataPlace, dataSettings, openExistingStore } from "./platform-data.ts";
import * as settings from "./settings.ts";

const groupUid = /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/;

export default defineCommand({
  summary: "fill a platform's data with repos, tags and advisories from files, all of them or nothing",
  settings: {
    files: settings.operands(
      settings.file,
      "YAML or JSON (.yaml, .yml, .json, .jsonl, .ndjson) with documents of kind Repo, Tag or Advisory, or OSV documents; or a folder of such files",
    ),
    ...dataSettings,
    group: settings.optional(
      settings.matching("UID", groupUid, "a uid: 40 hex digits, then / and 16 hex digits for each step down"),
      "the group of the documents that name none (default: the root group that the platform's first start made)",
    ),
  },
  run: async (values, { signal, stdout }) => {
    const place = dataPlace(values);
    const files = sourceFiles(values.files);
    const store = await openExistingStore(place);
    const progress = showProgress(stdout);
    try {
      const { group } = values;
      const result = await load({ database: store, files, group, now: Date.now(), signal, report: progress.report });
      progress.clear();
      stdout.write(`${summaryOf(result, files.length)}\n`);
    } finally {
      progress.clear();
      await store.close();
    }
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
  const sums = (["created", "updated", "unchanged"] as const).map((outcome) => {
    const sum = result.Repo[outcome] + result.Tag[outcome] + result.Advisory[outcome];
    return `${sum.toLocaleString("en")} ${outcome}`;
  });
  return `loaded ${counts.join(", ")} from ${counted(files, "file", "files")}: ${sums.join(", ")}`;
}

function counted(count: number, one: string, several: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
}
