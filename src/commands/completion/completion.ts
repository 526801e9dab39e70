import { defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { bashCompletion } from "./bash.ts";
import { completedCommands } from "./completed-command.ts";
import { fishCompletion } from "./fish.ts";
import { zshCompletion } from "./zsh.ts";

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export default defineCommand({
  summary: "print a script that completes commands, settings and values in a shell",
  description: `Load it at the start of the shell:
  bash  echo 'source <(muster completion bash)' >>~/.bashrc
  zsh   echo 'source <(muster completion zsh)' >>~/.zshrc
        It must come after compinit. If ~/.zshrc has no such line, add it first:
        echo 'autoload -Uz compinit && compinit' >>~/.zshrc
  fish  mkdir -p ~/.config/fish/completions
        muster completion fish >~/.config/fish/completions/muster.fish`,
  settings: { shell: settings.operand(settings.oneOf("bash", "zsh", "fish"), "The shell.") },
  run: async ({ shell }, { stdout, commands }) => {
    stdout.write(scripts[shell](await completedCommands(commands)));
  },
});
