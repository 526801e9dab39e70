/** A part of a line with one style. */
interface Run {
  readonly text: string;
  readonly column: number;
  readonly fill: string;
  readonly isBold: boolean;
}

const colours: Readonly<Record<number, string>> = {
  31: "#ff8a80",
  32: "#7ddc8b",
  33: "#f2c66d",
  34: "#7db4f5",
  35: "#d6a2f2",
  36: "#6fd3d8",
  90: "#93a1af",
};
const plain = "#e3e8ee";
const faint = "#a3b0bc";
const size = { font: 13, column: 7.8, line: 19, margin: 18, bar: 30 };

/** Draws the output of a terminal. Of its control sequences, it knows those of colour, bold and dim text (SGR). */
export function terminalSvg(lines: readonly string[], title: string): string {
  const runs = lines.map(runsOf);
  const columns = Math.max(...runs.map((line) => Math.max(0, ...line.map(({ text, column }) => column + text.length))));
  const width = Math.ceil(columns * size.column + 2 * size.margin);
  const height = lines.length * size.line + 2 * size.margin + size.bar;
  const texts = runs.flatMap((line, row) => {
    const y = size.bar + size.margin + row * size.line + size.font;
    return line.map(({ text, column, fill, isBold }) => {
      const x = (size.margin + column * size.column).toFixed(1);
      // The length keeps columns in line, whatever font the viewer has; spaces would collapse.
      const length = (text.length * size.column).toFixed(1);
      return `<text x="${x}" y="${y}" fill="${fill}"${isBold ? ' font-weight="700"' : ""} textLength="${length}">${escape(text).replaceAll(" ", "\u00a0")}</text>`;
    });
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace" font-size="${size.font}">
<rect width="${width}" height="${height}" rx="9" fill="#12181f" stroke="#3a4753"/>
<path d="M0 9a9 9 0 0 1 9-9h${width - 18}a9 9 0 0 1 9 9v${size.bar - 9}H0z" fill="#222c36"/>
<circle cx="18" cy="15" r="5" fill="#ff6b60"/><circle cx="35" cy="15" r="5" fill="#f5bf4f"/><circle cx="52" cy="15" r="5" fill="#5fc454"/>
<text x="${width / 2}" y="20" fill="${faint}" text-anchor="middle">${escape(title)}</text>
${texts.join("\n")}
</svg>
`;
}

function runsOf(line: string): Run[] {
  const runs: Run[] = [];
  let column = 0;
  let fill = plain;
  let isBold = false;
  // oxlint-disable-next-line no-control-regex -- the escape character begins a control sequence
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    // oxlint-disable-next-line no-control-regex -- as above
    const [, codes] = /^\u001b\[([\d;]*)m$/.exec(part) ?? [];
    if (codes === undefined) {
      const lead = part.length - part.trimStart().length;
      if (part.trim() !== "") runs.push({ text: part.trim(), column: column + lead, fill, isBold });
      column += part.length;
    } else
      for (const code of codes.split(";").map(Number)) {
        if (code === 0 || code === 39) fill = plain;
        if (code === 0 || code === 22) isBold = false;
        if (code === 22 && fill === faint) fill = plain;
        if (code === 1) isBold = true;
        if (code === 2) fill = faint;
        fill = colours[code] ?? fill;
      }
  }
  return runs;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
