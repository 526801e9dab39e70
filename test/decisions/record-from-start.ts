import { registerHooks } from "node:module";
import { recordedFile, withRecording } from "./recording-source.ts";

// For processes that run the source: `NODE_OPTIONS="--import …/record-from-start.ts"` records the decisions of a program.
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(recordedFile) || !ArrayBuffer.isView(loaded.source)) return loaded;
    return { ...loaded, source: withRecording(new TextDecoder().decode(loaded.source)) };
  },
});
