// Command website-operator keeps a ConfigMap for every Website: an operator as controller-runtime's users write it.
package main

import (
	"context"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
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

func main() {
	ctrl.SetLogger(zap.New())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Metrics:        server.Options{BindAddress: "0"},
		LeaderElection: len(os.Args) > 1 && os.Args[1] == "--leader-elect", LeaderElectionID: "website-operator", LeaderElectionNamespace: "default",
	})
	if err != nil {
		ctrl.Log.Error(err, "no manager")
		os.Exit(1)
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
