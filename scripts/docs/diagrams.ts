import { renderMermaidSVG } from "beautiful-mermaid";

/** The two drawings of a diagram. They are files, because their colours are styles within the SVG. */
export interface Drawing {
  readonly light: string;
  readonly dark: string;
}

const themes = {
  light: { bg: "#ffffff", fg: "#1d2733", line: "#7b8794", muted: "#4a5663", accent: "#0b63c5" },
  dark: { bg: "#12181f", fg: "#e3e8ee", line: "#76828f", muted: "#aab5c0", accent: "#7db4f5" },
};

/** Draws a diagram of Mermaid. @throws {Error} if the diagram cannot be read */
export function drawDiagram(code: string): Drawing {
  return { light: draw(code, themes.light), dark: draw(code, themes.dark) };
}

function draw(code: string, theme: (typeof themes)["light"]): string {
  const svg = renderMermaidSVG(code, { ...theme, font: "sans-serif", padding: 8 });
  // The library names a font of the network.
  return svg.replace(/@import url\([^)]*\);/, "").replaceAll(/[ \t]+$/gm, "");
}
