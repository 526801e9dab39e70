import { settingsAt } from "../settings-at.testing.ts";

/** The one moment at which all of it happens. */
export const now = Date.parse("2026-01-31T12:00:00Z");

/** How the platforms that are asked are set. */
export const settings = { ...settingsAt("https://platform.example.com"), refreshLifetime: 3_600_000 };
