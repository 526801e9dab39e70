// Command control-plane is a real Kubernetes control plane in one program, for tests, the demo and the benchmark: etcd,
// kube-apiserver as published, each run by its own name and with its own flags, and the controllers that the API needs to
// be complete.
package main

import (
	"fmt"
	"io"
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
)

const usage = "usage: control-plane etcd|kube-apiserver|controllers [FLAG …]"

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
		go endWithParent()
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "controllers":
		controllers()
	default:
		fail(usage)
	}
}

// endWithParent ends the process as soon as standard input does: the parent holds the other end, and however it ends,
// also by SIGKILL, the kernel closes it. So no server outlives the test that started it.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}
