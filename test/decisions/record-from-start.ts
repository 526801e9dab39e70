import { registerHooks } from "node:module";
import { recordedFile, withRecording } from "./recording-source.ts";

// For processes that run the source: `NODE_OPTIONS="--import …/record-from-start.ts"` records the decisions of a program.
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(recordedFile) || loaded.source === undefined || loaded.source === null) return loaded;
    return { ...loaded, source: withRecording(loaded.source.toString()) };
  },
});
