package main

import (
	"context"
	"flag"
	"os"
	"time"

	core "k8s.io/api/core/v1"
	extensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/controller/validatingadmissionpolicystatus"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

const (
	resyncPeriod    = 12 * time.Hour
	discoveryPeriod = 30 * time.Second
	workers         = 10
)

// controllers runs the controllers of kube-controller-manager that the API needs to be complete: those that delete the
// contents of namespaces and dependents, give namespaces their service account and root certificate, aggregate
// ClusterRoles and check admission policies. kube-controller-manager itself would add a third to the time of the build,
// because it imports the kubelet and the scheduler.
func controllers() {
	go endWithParent()
	flags := flag.NewFlagSet("controllers", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "file with the address and the credentials of the API server")
	rootCAFile := flags.String("root-ca-file", "", "file with the root certificate that is published in every namespace")
	_ = flags.Parse(os.Args[1:])
	if err := runControllers(context.Background(), *kubeconfig, *rootCAFile); err != nil {
		fail(err.Error())
	}
	select {}
}

// runControllers starts the controllers and returns. They run until ctx is done.
func runControllers(ctx context.Context, kubeconfig, rootCAFile string) error {
	rootCA, err := os.ReadFile(rootCAFile)
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	// The limits of kube-controller-manager protect a shared API server.
	config.QPS, config.Burst = 400, 1_000
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	discovery := client.Discovery()
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discovery))
	go wait.Until(mapper.Reset, discoveryPeriod, ctx.Done())

	shared := informers.NewSharedInformerFactory(client, resyncPeriod)
	ofMetadata := metadatainformer.NewSharedInformerFactory(metadataClient, resyncPeriod)
	started := make(chan struct{})

	namespaces := namespace.NewNamespaceController(ctx, client, metadataClient, discovery.ServerPreferredNamespacedResources,
		shared.Core().V1().Namespaces(), 5*time.Minute, core.FinalizerKubernetes)
	graph := garbagecollector.NewDependencyGraphBuilder(ctx, metadataClient, mapper,
		garbagecollector.DefaultIgnoredResources(), informerfactory.NewInformerFactory(shared, ofMetadata), started)
	garbage, err := garbagecollector.NewComposedGarbageCollector(ctx, client, metadataClient, mapper, graph)
	if err != nil {
		return err
	}
	accounts, err := serviceaccount.NewServiceAccountsController(klog.FromContext(ctx), shared.Core().V1().ServiceAccounts(),
		shared.Core().V1().Namespaces(), client, serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return err
	}
	certificates, err := rootcacertpublisher.NewPublisher(shared.Core().V1().ConfigMaps(), shared.Core().V1().Namespaces(),
		client, rootCA)
	if err != nil {
		return err
	}
	roles := clusterroleaggregation.NewClusterRoleAggregation(shared.Rbac().V1().ClusterRoles(), client.RbacV1())
	schemas := resolver.NewDefinitionsSchemaResolver(openapi.GetOpenAPIDefinitions, scheme.Scheme, extensions.Scheme).
		Combine(&resolver.ClientDiscoveryResolver{Discovery: discovery})
	policies, err := validatingadmissionpolicystatus.NewController(
		shared.Admissionregistration().V1().ValidatingAdmissionPolicies(),
		client.AdmissionregistrationV1().ValidatingAdmissionPolicies(),
		&validating.TypeChecker{SchemaResolver: schemas, RestMapper: mapper})
	if err != nil {
		return err
	}

	go namespaces.Run(ctx, workers)
	go garbage.Run(ctx, workers, discoveryPeriod)
	go garbage.Sync(ctx, discovery, discoveryPeriod)
	go accounts.Run(ctx, 1)
	go certificates.Run(ctx, 1)
	go roles.Run(ctx, workers)
	go policies.Run(ctx, 1)
	shared.Start(ctx.Done())
	ofMetadata.Start(ctx.Done())
	close(started)
	return nil
}
