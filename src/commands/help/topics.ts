/** A text of `muster help TOPIC` that is not about one command. */
export interface Topic {
  readonly summary: string;
  readonly text: string;
}

/** The topics by their names. Each line break ends a paragraph, and lines that begin with a space stay as they are. */
export const topics: Readonly<Record<string, Topic>> = {
  settings: {
    summary: "how flags, variables and positional arguments are written",
    text: `A setting is given as --name VALUE or --name=VALUE. Flags come after the command; their order is free.
A setting without a value, such as --take-over, is true if it is given. --take-over=false is the same as leaving it out.
A repeatable setting is given several times: --root-group A --root-group B; or, where a value cannot contain a comma, --root-group A,B.
A duration is a number with a unit: 500ms, 15s, 10m, 1h or 1h30m.
After --, everything is a positional argument, even if it begins with a hyphen.`,
  },
  environment: {
    summary: "the variables that commands read",
    text: `Each setting of a command is also a variable: --root-group is MUSTER_ROOT_GROUP. The flag takes precedence. An empty variable counts as not set.
The variable of a repeatable setting separates its values by commas, semicolons or line breaks; by semicolons or line breaks alone where a value can contain a comma. Give a secret, such as a database URL with a password, as a variable: other users of the machine can see the command line.
Further variables:
  HTTPS_PROXY, HTTP_PROXY  The proxy for calls to https and http addresses:
                           http://[USER:PASSWORD@]HOST:PORT. In lower case, they
                           take precedence.
  NO_PROXY                 Hosts that are called directly, separated by commas:
                           a name with everything below it, an IP address, a
                           CIDR block, HOST:PORT, or * for all hosts.
  NODE_EXTRA_CA_CERTS      PEM file with certificate authorities to trust in
                           addition to the default ones.
  KUBECONFIG               The kubeconfigs of --context.
  XDG_CONFIG_HOME          The folder with the folder muster, which has your
                           logins. (default: ~/.config)
  BROWSER                  The program that opens the browser, instead of the
                           one of the system.
  NO_COLOR                 If set, no colour is printed.
  COLUMNS                  The width of help texts if the output is not a
                           terminal.`,
  },
  "exit-codes": {
    summary: "what the exit code of a command says",
    text: `  0  The command has done its work; a server was stopped by SIGTERM or SIGINT.
  1  The command failed. Standard error says why. A line that begins with More:
     names a paragraph of the documentation.
  2  The command line, a variable (also one of a proxy) or a file of settings
     is wrong. Nothing was done. Another file or folder that is missing or
     cannot be used is a failure: 1.
  13 to 26  The platform refused: 10 and the number of its error. With muster
     api: 13 INVALID_ARGUMENT, 15 NOT_FOUND, 16 ALREADY_EXISTS,
     17 PERMISSION_DENIED, 18 RESOURCE_EXHAUSTED, 19 FAILED_PRECONDITION,
     24 UNAVAILABLE and others. 26 UNAUTHENTICATED, also of muster whoami,
     muster access and muster token: log in, or log in again.
muster plan and muster operator --dry-run have codes of their own: 0 nothing would change, 2 something would, 3 something is refused or cannot be seen, 1 any failure, such as wrong settings.
muster import has 3: something could not be declared as asked, or not be seen, or a file was kept.
muster why and muster doctor: 0 the object is Ready, or no check failed; 3 otherwise; 1 a failure.
A second SIGTERM or SIGINT ends a command at once, with exit code 1.
Errors and logs go to standard error, results to standard output.`,
  },
  login: {
    summary: "how people log in, where their tokens are, and which login a command uses",
    text: `muster login opens the browser, where you log in at an identity provider of a group and see what the command will be able to do. With --headless, and where no browser can be opened (without a display, or in an SSH session without BROWSER), it prints a code, which you type in a browser on any machine.
Never type a code that somebody sent to you: it would log in whoever sent it, as you.
The tokens are in \${XDG_CONFIG_HOME:-~/.config}/muster/credentials.json. Only you may have access to the file (mode 0600) and its folder (0700); otherwise no command uses it. Commands renew a token when it is about to expire, one at a time. The platform decides when a login ends; muster whoami prints it. A copy of the file on another machine ends the login as soon as both renew it: log in there instead.
You can be logged in to several platforms. A command uses the platform in --platform-url (MUSTER_PLATFORM_URL), or the one that you logged in to last.
muster logout ends a login on the platform and removes it from this machine.
In a script, muster api makes a call with your login, and muster token prints the token for other programs.`,
  },
  outputs: {
    summary: "the formats of --output",
    text: `Commands that print data have the setting --output, or -o:
  table  Columns for people. Do not parse them: they may change. In a terminal,
         tables of muster access, why and doctor fit its width: uids and paths
         are shortened to what distinguishes them.
  wide   The table, whole.
  json   JSON for programs. A command that prints a list of records prints one
         record per line.
  yaml   YAML, which kubectl reads if the data are manifests. Records are
         separated by lines with three hyphens.
  markdown
         The table for a comment or a document. Names have no meaning in it.
  csv    A table for spreadsheets, and
  html   one page for a browser, without a network: of muster access report.
The default is in the help of the command. Fields of json and yaml are only added, never renamed, within a major version.`,
  },
};
