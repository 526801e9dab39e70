import { defineCommand } from "#src/commands/command.ts";
import { answerFormats, formatAnswer } from "#src/commands/output/answer-format.ts";
import { outputSetting } from "#src/commands/output/output-format.ts";
import { groupNamed } from "./named.ts";
import { type OpenedAccess, printAccess } from "./open-access.ts";
import { reportContent } from "./report-content.ts";
import { reportPage } from "./report-page.ts";
import { reportCsv, reportText } from "./report-text.ts";
import { accessReaderSettings, group } from "./settings.ts";

const formats = [...answerFormats, "csv", "html"] as const;

export default defineCommand({
  summary: "print who may do what in a group and everything below it, for an access review",
  description: `Reads the platform with your login, and changes nothing:
  muster access report --group acme/shop -o html > shop.html
  muster access report --group acme/shop -o csv > shop.csv
html is one page that works without a network: a tree of the groups, a filter, and each role binding with who can use it, what it grants and which object declares it. csv is a table for spreadsheets. Undeclared access comes first. What you may not read is reported as unknown.`,
  settings: { group, output: outputSetting(formats, "table"), ...accessReaderSettings },
  run: (values, context) =>
    printAccess(values, context, (access) =>
      reportIn(values.output, access, groupNamed(access.model, values.group), context.terminal.tableColumns),
    ),
});

async function reportIn(
  format: (typeof formats)[number],
  access: OpenedAccess,
  at: string,
  tableColumns?: number,
): Promise<string> {
  const content = reportContent(access, at);
  const { declarationsNote } = access.view;
  if (format === "csv") return reportCsv(content);
  if (format === "html") return reportPage(content, declarationsNote);
  return formatAnswer(format, content, reportText(content, declarationsNote), tableColumns);
}
