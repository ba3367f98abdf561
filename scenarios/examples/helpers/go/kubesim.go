// Package kubesim starts a simulated cluster for a test, and moves its time.
package kubesim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// Cluster is a cluster of one test. Its clock stands still unless it is moved.
type Cluster struct {
	URL        string
	Kubeconfig string
	t          testing.TB
}

var served = regexp.MustCompile(`serving on (http://\S+)`)

// Start serves a cluster until the test ends; options are those of `kubesim serve`. KUBESIM is how it is called.
func Start(t testing.TB, options ...string) *Cluster {
	t.Helper()
	command := strings.Fields(os.Getenv("KUBESIM"))
	if len(command) == 0 {
		command = []string{"npx", "kubesim"}
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	args := append(command[1:], "serve", "--clock", "manual", "--http-port", "0", "--kubeconfig-out", kubeconfig)
	process := exec.Command(command[0], append(args, options...)...)
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	process.Stderr = &said
	if err := process.Start(); err != nil {
		t.Fatalf("kubesim: %v", err)
	}
	t.Cleanup(func() {
		_ = process.Process.Signal(os.Interrupt)
		_ = process.Wait()
	})
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if url := served.FindStringSubmatch(lines.Text()); url != nil {
			go func() { _, _ = io.Copy(io.Discard, output) }()
			return &Cluster{URL: url[1], Kubeconfig: kubeconfig, t: t}
		}
	}
	_ = process.Wait()
	t.Fatalf("kubesim did not serve: %s", said.String())
	return nil
}

// Advance lets time go by. Everything that is due has happened when it returns.
func (c *Cluster) Advance(span time.Duration) {
	c.t.Helper()
	c.Control("POST", "clock", map[string]any{"advance": span.Milliseconds()}, nil)
}

// Now is the cluster's time.
func (c *Cluster) Now() time.Time {
	c.t.Helper()
	var clock struct{ Now time.Time }
	c.Control("GET", "clock", nil, &clock)
	return clock.Now
}

// Reset begins a new world with the settings of the start.
func (c *Cluster) Reset() { c.t.Helper(); c.Control("POST", "reset", map[string]any{}, nil) }

// Faults says what fails from now on, such as `{"partitioned": ["worker-1"]}`; what is left out is healed.
func (c *Cluster) Faults(faults map[string]any) {
	c.t.Helper()
	c.Control("PUT", "faults", faults, nil)
}

// Control asks the control path, as /kubesim/v1/openapi describes it.
func (c *Cluster) Control(method, path string, body, into any) {
	c.t.Helper()
	var content bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&content).Encode(body); err != nil {
			c.t.Fatal(err)
		}
	}
	request, err := http.NewRequest(method, c.URL+"/kubesim/v1/"+path, &content)
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		c.t.Fatalf("%s %s: %s %s %v", method, path, answer.Status, text, err)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			c.t.Fatal(err)
		}
	}
}

// Clock reads the cluster's time for controllers that take a clock (`k8s.io/utils/clock.PassiveClock`).
type Clock struct {
	cluster *Cluster
	mutex   sync.Mutex
}

// Clock of the cluster.
func (c *Cluster) Clock() *Clock { return &Clock{cluster: c} }

// Now is the cluster's time.
func (c *Clock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.cluster.Now()
}

// Since is how much of the cluster's time went by since then.
func (c *Clock) Since(then time.Time) time.Duration { return c.Now().Sub(then) }
