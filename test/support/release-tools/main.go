// Command release-tools checks the files of a release that no program on this machine runs: the linter of GitHub Actions
// for workflows, and BuildKit's parser with its checks for Dockerfiles, both as published.
package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/rhysd/actionlint"
)

const usage = "usage: release-tools dockerfile FILE | workflow FILE …"

// The exit code is 0 without findings, 1 with findings and 2 for an error.
func main() {
	if len(os.Args) < 3 {
		fail(usage)
	}
	var findings int
	var err error
	switch os.Args[1] {
	case "dockerfile":
		findings, err = checkDockerfile(os.Args[2])
	case "workflow":
		findings, err = checkWorkflows(os.Args[2:])
	default:
		fail(usage)
	}
	if err != nil {
		fail(err.Error())
	}
	if findings > 0 {
		os.Exit(1)
	}
}

func checkDockerfile(file string) (findings int, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	tree, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	report := func(rule, description, _, message string, location []parser.Range) {
		findings++
		line := 0
		if len(location) > 0 {
			line = location[0].Start.Line
		}
		fmt.Printf("%s:%d: %s: %s (%s)\n", file, line, rule, message, description)
	}
	_, _, err = instructions.Parse(tree.AST, linter.New(&linter.Config{Warn: report}))
	return findings, err
}

func checkWorkflows(files []string) (int, error) {
	lint, err := actionlint.NewLinter(os.Stdout, &actionlint.LinterOptions{})
	if err != nil {
		return 0, err
	}
	found, err := lint.LintFiles(files, nil)
	return len(found), err
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(2)
}
