import type { Chapter } from "../chapter.ts";
import { platformTree } from "../platform-tree.ts";

export const look: Chapter = {
  title: "Look at the platform",
  introduction: "The platform's API lists these resources to its administrator. The operator has created all of them.",
  run: async (stage, screen) => {
    const shop = stage.objects.get("Group shop")?.["status"]?.uid;
    const tree = await stage.during("listing the platform", 10, platformTree(stage.platform, shop, screen));
    screen.show(tree.map((line) => `    ${line}`));
    return [];
  },
};
