package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"log"
	"math/big"
	"net/http"
	"time"
)

func serveHealth() {
	begun := time.Now()
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "ok for %s\n", time.Since(begun).Round(time.Second))
	})
	log.Print(http.ListenAndServe(":8081", mux))
}

type review struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Request    struct {
		UID    string  `json:"uid"`
		Object website `json:"object"`
	} `json:"request"`
}

func serveWebhook() {
	certificate, err := selfSigned()
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/validate", func(w http.ResponseWriter, r *http.Request) {
		var asked review
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		response := map[string]any{"uid": asked.Request.UID, "allowed": asked.Request.Object.Spec.Page != ""}
		if asked.Request.Object.Spec.Page == "" {
			response["status"] = map[string]any{"message": "a website needs a page"}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": asked.APIVersion, "kind": asked.Kind, "response": response})
	})
	server := &http.Server{Addr: ":9443", Handler: mux, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}}
	log.Print(server.ListenAndServeTLS("", ""))
}

func selfSigned() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "operator.default.svc"},
		DNSNames:     []string{"operator.default.svc"},
		NotBefore:    time.Now(),
		NotAfter:     time.Now().Add(365 * 24 * time.Hour),
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}, err
}
