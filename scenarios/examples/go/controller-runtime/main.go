// Command website-operator keeps a ConfigMap for every Website: an operator as controller-runtime's users write it.
package main

import (
	"context"
	"net/http"
	"os"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

var website = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Website"}

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := &unstructured.Unstructured{}
	site.SetGroupVersionKind(website)
	if err := r.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	page, _, _ := unstructured.NestedString(site.Object, "spec", "page")
	pages := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: site.GetNamespace(), Name: site.GetName()}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, pages, func() error {
		pages.Data = map[string]string{"index.html": page}
		return controllerutil.SetControllerReference(site, pages, r.Scheme())
	})
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	return ctrl.Result{RequeueAfter: 5 * time.Minute}, err
}

func validate(_ context.Context, request admission.Request) admission.Response {
	site := &unstructured.Unstructured{}
	if err := site.UnmarshalJSON(request.Object.Raw); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if page, _, _ := unstructured.NestedString(site.Object, "spec", "page"); page == "" {
		return admission.Denied("a website needs a page")
	}
	return admission.Allowed("")
}

func main() {
	ctrl.SetLogger(zap.New())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Metrics:                 server.Options{BindAddress: ":8080"},
		HealthProbeBindAddress:  ":8081",
		LeaderElection:          slices.Contains(os.Args, "--leader-elect"),
		LeaderElectionID:        "website-operator",
		LeaderElectionNamespace: "default",
	})
	if err != nil {
		ctrl.Log.Error(err, "no manager")
		os.Exit(1)
	}
	if err := manager.AddHealthzCheck("healthz", healthz.Ping); err != nil {
		ctrl.Log.Error(err, "no health")
		os.Exit(1)
	}
	// Its certificate is where controller-runtime looks for it.
	if slices.Contains(os.Args, "--webhook") {
		manager.GetWebhookServer().Register("/validate", &webhook.Admission{Handler: admission.HandlerFunc(validate)})
	}
	site := &unstructured.Unstructured{}
	site.SetGroupVersionKind(website)
	err = ctrl.NewControllerManagedBy(manager).For(site).Owns(&corev1.ConfigMap{}).
		Complete(&reconciler{manager.GetClient()})
	if err != nil {
		ctrl.Log.Error(err, "no controller")
		os.Exit(1)
	}
	if err := manager.Start(ctrl.SetupSignalHandler()); err != nil {
		ctrl.Log.Error(err, "ended")
		os.Exit(1)
	}
}
