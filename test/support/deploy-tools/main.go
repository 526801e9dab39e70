// Command deploy-tools is the helm and the kustomize of the tests: Helm's own commands, and `kustomize build`, as published,
// so that the charts and manifests in deploy/ can be rendered and installed where nobody has installed the tools.
package main

import (
	"errors"
	"fmt"
	"os"

	helm "helm.sh/helm/v4/pkg/cmd"
	"helm.sh/helm/v4/pkg/kube"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const usage = "usage: deploy-tools helm COMMAND [ARGUMENT …] | kustomize build FOLDER"

func main() {
	if len(os.Args) < 2 {
		fail(usage)
	}
	name := os.Args[1]
	// Helm reads os.Args, where the first is the program's name.
	os.Args = os.Args[1:]
	switch {
	case name == "helm":
		runHelm()
	case name == "kustomize" && len(os.Args) == 3 && os.Args[1] == "build":
		build(os.Args[2])
	default:
		fail(usage)
	}
}

// runHelm does what the main function of Helm does, which cannot be imported.
func runHelm() {
	kube.ManagedFieldsManager = "helm"
	command, err := helm.NewRootCmd(os.Stdout, os.Args[1:], helm.SetupLogging)
	if err != nil {
		fail(err.Error())
	}
	if err := command.Execute(); err != nil {
		if failed, ok := errors.AsType[helm.CommandError](err); ok {
			os.Exit(failed.ExitCode)
		}
		os.Exit(1)
	}
}

func build(folder string) {
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		fail(err.Error())
	}
	yaml, err := resources.AsYaml()
	if err != nil {
		fail(err.Error())
	}
	_, _ = os.Stdout.Write(yaml)
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}
