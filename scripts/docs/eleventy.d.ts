/** The part of Eleventy that the site uses; the package has no declarations of its own. */
declare module "@11ty/eleventy" {
  interface Configuration {
    addTemplate(path: string, content: string, data: object): void;
    addPassthroughCopy(copies: Readonly<Record<string, string>>): void;
    addTransform(
      name: string,
      transform: (this: { readonly page: { readonly inputPath: string } }, html: string) => string,
    ): void;
    setLibrary(name: "md", library: { render(text: string, env: object): string }): void;
    setTemplateFormats(formats: readonly string[]): void;
    readonly ignores: { add(glob: string): void };
  }
  interface Options {
    readonly quietMode: boolean;
    readonly configPath: undefined;
    readonly config: (configuration: Configuration) => void;
  }
  export class Eleventy {
    constructor(input: string, output: string, options: Options);
    write(): Promise<unknown>;
  }
}
