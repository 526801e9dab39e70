import type { Page } from "playwright-core";
import { expect } from "vitest";

/**
 * The texts of the page whose contrast with their background is below 4.5 (WCAG 2.2, 1.4.3). It runs in the browser; as a text,
 * because this program knows no types of browsers.
 */
const lowContrast = `(() => {
  const channels = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = (color) => {
    const [red, green, blue] = channels(color).map((channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (element) => {
    if (element === null) return "rgb(255, 255, 255)";
    const { backgroundColor } = getComputedStyle(element);
    return channels(backgroundColor)[3] === 0 ? backgroundOf(element.parentElement) : backgroundColor;
  };
  const isLow = (element) => {
    const both = [luminance(getComputedStyle(element).color), luminance(backgroundOf(element))];
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05) < 4.5;
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  const texts = [...document.querySelectorAll("main *")].filter(hasText);
  return texts.length === 0 ? ["no text"] : texts.filter(isLow).map((element) => element.outerHTML);
})()`;
const unlabelled = `[...document.querySelectorAll("input:not([type=hidden])")]
  .filter((input) => input.labels.length !== 1).map((input) => input.outerHTML)`;

/** What every page must have for people who use a keyboard, a screen reader or a small screen. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
  expect(await page.title()).not.toBe("");
  expect(await page.getByRole("main").count()).toBe(1);
  expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
  expect(await page.evaluate<string[]>(lowContrast)).toEqual([]);
  expect(await page.evaluate<string[]>(unlabelled)).toEqual([]);
  expect(await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")).toBeLessThanOrEqual(
    0,
  );
}
