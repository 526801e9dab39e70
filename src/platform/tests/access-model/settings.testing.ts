import { settingsAt } from "../settings-at.testing.ts";

/** The time at which every call happens. */
export const now = Date.parse("2026-01-31T12:00:00Z");

/** The settings of the platforms under test. */
export const settings = { ...settingsAt("https://platform.example.com"), refreshLifetime: 3_600_000 };
