// Command website-operator keeps a ConfigMap for every Website, with nothing but the standard library: it lists,
// watches, works on what changed, tries again after a pause that grows, and begins anew when its watch ends. It tells of its
// health on port 8081, and on port 9443 a webhook of it refuses websites without a page.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"time"
)

const (
	account  = "/var/run/secrets/kubernetes.io/serviceaccount/"
	websites = "/apis/example.com/v1/websites"
)

type meta struct {
	Name            string           `json:"name"`
	Namespace       string           `json:"namespace"`
	UID             string           `json:"uid,omitempty"`
	ResourceVersion string           `json:"resourceVersion,omitempty"`
	OwnerReferences []map[string]any `json:"ownerReferences,omitempty"`
}

type website struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		Page string `json:"page"`
	} `json:"spec"`
}

type configMap struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   meta              `json:"metadata"`
	Data       map[string]string `json:"data"`
}

type operator struct {
	base, token string
	queue       chan website
}

var errExpired = errors.New("the version is gone")

func main() {
	log.SetFlags(log.LUTC | log.Ltime)
	token, err := os.ReadFile(account + "token")
	if err != nil {
		log.Fatalf("no service account: %v", err)
	}
	base := fmt.Sprintf("https://%s:%s", os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"))
	o := &operator{base: base, token: string(token), queue: make(chan website, 100)}
	go o.work()
	go serveHealth()
	go serveWebhook()
	for pause := time.Second; ; {
		if err := o.follow(); err != nil {
			log.Printf("follow: %v", err)
			time.Sleep(pause + rand.N(pause/10))
			pause = min(2*pause, 30*time.Second)
			continue
		}
		pause = time.Second
	}
}

// One list, and the watch that goes on from it until it ends.
func (o *operator) follow() error {
	var list struct {
		Metadata meta      `json:"metadata"`
		Items    []website `json:"items"`
	}
	if err := o.ask("GET", websites, nil, &list); err != nil {
		return err
	}
	for _, site := range list.Items {
		o.queue <- site
	}
	query := "?watch=1&timeoutSeconds=300&allowWatchBookmarks=true&resourceVersion=" + list.Metadata.ResourceVersion
	answer, err := o.send("GET", websites+query, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	for events := json.NewDecoder(answer.Body); ; {
		var event struct {
			Type   string  `json:"type"`
			Object website `json:"object"`
		}
		if err := events.Decode(&event); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		switch event.Type {
		case "ADDED", "MODIFIED":
			o.queue <- event.Object
		case "ERROR":
			return errExpired
		}
	}
}

func (o *operator) work() {
	for site := range o.queue {
		if err := o.reconcile(site); err != nil {
			log.Printf("%s/%s: %v", site.Metadata.Namespace, site.Metadata.Name, err)
			go func() {
				time.Sleep(time.Second)
				o.queue <- site
			}()
		}
	}
}

func (o *operator) reconcile(old website) error {
	var site website
	path := fmt.Sprintf("/apis/example.com/v1/namespaces/%s/websites/%s", old.Metadata.Namespace, old.Metadata.Name)
	var failed status
	if err := o.ask("GET", path, nil, &site); errors.As(err, &failed) && failed.Code == http.StatusNotFound {
		return nil
	} else if err != nil {
		return err
	}
	pages := fmt.Sprintf("/api/v1/namespaces/%s/configmaps", site.Metadata.Namespace)
	wanted := configMap{APIVersion: "v1", Kind: "ConfigMap", Data: map[string]string{"index.html": site.Spec.Page}}
	wanted.Metadata = meta{Name: site.Metadata.Name, Namespace: site.Metadata.Namespace, OwnerReferences: []map[string]any{{
		"apiVersion": "example.com/v1", "kind": "Website", "name": site.Metadata.Name, "uid": site.Metadata.UID, "controller": true,
	}}}
	var found configMap
	err := o.ask("GET", pages+"/"+site.Metadata.Name, nil, &found)
	if errors.As(err, &failed) && failed.Code == http.StatusNotFound {
		return o.ask("POST", pages, wanted, nil)
	} else if err != nil || found.Data["index.html"] == site.Spec.Page {
		return err
	}
	wanted.Metadata.ResourceVersion = found.Metadata.ResourceVersion
	return o.ask("PUT", pages+"/"+site.Metadata.Name, wanted, nil)
}

type status struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (s status) Error() string { return s.Message }

func (o *operator) ask(method, path string, body, into any) error {
	answer, err := o.send(method, path, body)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if into == nil {
		into = &struct{}{}
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

func (o *operator) send(method, path string, body any) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, o.base+path, content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+o.token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "website-operator")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 {
		defer answer.Body.Close()
		failed := status{Code: answer.StatusCode, Message: answer.Status}
		_ = json.NewDecoder(answer.Body).Decode(&failed)
		return nil, failed
	}
	return answer, nil
}
