// Command kube-router is the firewall of kube-router, as published: it enforces network policies by rules of iptables. The
// rest of kube-router, which would be four fifths of the program, is a router and a proxy that the node has already.
package main

import (
	"flag"
	"sync"

	"github.com/cloudnativelabs/kube-router/v2/pkg/controllers/netpol"
	"github.com/cloudnativelabs/kube-router/v2/pkg/healthcheck"
	"github.com/cloudnativelabs/kube-router/v2/pkg/options"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "path of a kubeconfig")
	node := flag.String("hostname-override", "", "name of the node")
	services := flag.String("service-cluster-ip-range", "", "addresses of Services")
	flag.Parse()

	settings := options.NewKubeRouterConfig()
	settings.EnableIPv4 = true
	settings.HostnameOverride = *node
	settings.ClusterIPCIDRs = []string{*services}
	if err := run(*kubeconfig, settings); err != nil {
		klog.Fatal(err)
	}
}

func run(kubeconfig string, settings *options.KubeRouterConfig) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	namespaces := factory.Core().V1().Namespaces().Informer()
	policies := factory.Networking().V1().NetworkPolicies().Informer()
	forever := make(chan struct{})
	factory.Start(forever)
	factory.WaitForCacheSync(forever)

	iptables, ipsets, err := netpol.NewIPTablesHandlers(settings)
	if err != nil {
		return err
	}
	controller, err := netpol.NewNetworkPolicyController(
		client, settings, pods, policies, namespaces, &sync.Mutex{}, iptables, ipsets)
	if err != nil {
		return err
	}
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		pods:       controller.PodEventHandler,
		namespaces: controller.NamespaceEventHandler,
		policies:   controller.NetworkPolicyEventHandler,
	} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return err
		}
	}
	heartbeats := make(chan *healthcheck.ControllerHeartbeat)
	go func() {
		for range heartbeats {
		}
	}()
	var running sync.WaitGroup
	running.Add(1)
	controller.Run(heartbeats, forever, &running)
	return nil
}
