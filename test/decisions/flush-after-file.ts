import { afterAll } from "vitest";
import { flush } from "./recorder.ts";

// A worker of vitest ends without the event on which a process writes what is left.
afterAll(flush);
