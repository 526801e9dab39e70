// Command control-plane is a real Kubernetes control plane in one program, for tests, the demo and the benchmark: etcd,
// kube-apiserver and kube-controller-manager as published, each run by its own name and with its own flags, and
// kustomize, so that the manifests can be built where nobody has installed it.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const usage = "usage: control-plane etcd|kube-apiserver|kube-controller-manager [FLAG …] | kustomize FOLDER"

func main() {
	if len(os.Args) < 2 {
		fail(usage)
	}
	name := os.Args[1]
	// Cobra and etcd both read os.Args, where the first is the program's name.
	os.Args = os.Args[1:]
	switch name {
	case "etcd":
		go endWithParent()
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		run(apiserver.NewAPIServerCommand())
	case "kube-controller-manager":
		run(controllers.NewControllerManagerCommand())
	case "kustomize":
		if len(os.Args) != 2 {
			fail(usage)
		}
		kustomize(os.Args[1])
	default:
		fail(usage)
	}
}

func run(command *cobra.Command) {
	go endWithParent()
	os.Exit(cli.Run(command))
}

// endWithParent ends the process as soon as standard input does: the parent holds the other end, and however it ends,
// also by SIGKILL, the kernel closes it. So no server outlives the test that started it.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func kustomize(folder string) {
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
