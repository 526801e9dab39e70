import type { Chapter } from "../chapter.ts";
import { platformTree } from "../platform-tree.ts";

export const look: Chapter = {
  title: "Look at the platform",
  about: "This is what the platform itself lists to its administrator. Only the operator has made it.",
  play: async (stage, screen) => {
    const shop = stage.objects.get("Group shop")?.["status"]?.uid;
    const tree = await stage.during("listing the platform", 10, platformTree(stage.platform, shop, screen));
    screen.show(tree.map((line) => `    ${line}`));
    return [];
  },
};
