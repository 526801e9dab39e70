// Command kubernetes has the parts of Kubernetes that a node needs in addition to a control plane: the kubelet, kube-proxy,
// the scheduler and the controller manager, as published, each run by its own name and with its own flags. They share most
// of their packages, so one program is built in half of the time and has a fifth of the size of four. Its command init is
// the first process of the node.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	_ "time/tzdata" // for the time zones of CronJobs

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

var commands = map[string]func() *cobra.Command{
	"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	"kube-proxy":              proxy.NewProxyCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
}

const usage = "usage: kubernetes init|kubelet|kube-proxy|kube-scheduler|kube-controller-manager [FLAG …]"

func main() {
	if len(os.Args) < 2 {
		fail(usage)
	}
	name := os.Args[1]
	if name == "init" {
		initialize()
		return
	}
	command, ok := commands[name]
	if !ok {
		fail(usage)
	}
	// Cobra reads os.Args, where the first is the program's name.
	os.Args = os.Args[1:]
	go endWithParent()
	os.Exit(cli.Run(command()))
}

// endWithParent ends the process as soon as standard input does: the parent holds the other end.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}
